//! Nobody writes the next reply any more: the user pressed Esc, the API failed, the client died.

use serde_json::{Value, json};

use crate::recovery::{line, prompt_in_turn};
use testkit::host::{Answer, Host};

const ESC: &str = "[Request interrupted by user]";

/// A debate whose critic of round 1 is asked for in turn `t1`, some time ago.
fn asked() -> Host {
    let host = Host::new();
    prompt_in_turn(&host, "t1", "/anvil:debate Why? --rounds 2");
    host.stop_in("t1", "A1. One.");
    host.wait(30);
    host
}

fn add(host: &Host, kind: &str, text: &str) {
    let path = host.outside("t.jsonl");
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    let line = line(host, kind, &json!([{ "type": "text", "text": text }]));
    fs_err::write(path, before + &line).unwrap();
}

/// The critic's turn ended by Esc.
fn after_esc() -> Host {
    let host = asked();
    add(&host, "user", ESC);
    host
}

fn failure(host: &Host, turn: &str) -> Answer {
    let report = r#"API Error: 529 {"error":{"message":"Overloaded"}}"#;
    let fields = json!({
        "prompt_id": turn, "error": "server_error", "last_assistant_message": report,
        "transcript_path": host.outside("t.jsonl"),
    });
    host.event("one", "StopFailure", &fields)
}

fn capital(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_uppercase() + rest
}

fn json_status(host: &Host) -> Value {
    host.run(&["status", "--json"]).json()
}

fn phase(host: &Host) -> String {
    json_status(host)["sub_step"]["name"].as_str().unwrap().to_owned()
}

/// The error and the message of each turn on record.
fn turns(host: &Host) -> Vec<(Value, Value)> {
    let record: Value = host.run(&["attempts", "--json"]).json();
    let turns = record["turns"].as_array().unwrap();
    turns.iter().map(|turn| (turn["error"].clone(), turn["message"].clone())).collect()
}

fn interrupted(why: &str) -> [(Value, Value); 2] {
    let message = if why.is_empty() { Value::Null } else { why.into() };
    [(Value::Null, Value::Null), ("interrupted".into(), message)]
}

#[test]
fn every_screen_says_that_the_debate_was_interrupted() {
    let host = after_esc();
    let before = host.state_text();
    let status = prompt_in_turn(&host, "t2", "/anvil:status");
    let ended = status.reason().split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "Interrupted in critic, round 1 of 2 (you stopped it).";
    assert!(ended.contains(line) && !ended.contains("min left"), "{status:?}");
    assert!(!ended.contains("for 30 s") && !ended.contains("steer"), "{status:?}");
    assert_eq!(host.state_text(), before, "the file stays in progress");

    let sub_step = json_status(&host)["sub_step"].clone();
    assert_eq!(sub_step, json!({ "phase": 1, "name": "interrupted", "detail": "you stopped it" }));
    assert_eq!(json_status(&host)["status"], "in_progress");
    let shell = host.run(&["status"]).stdout;
    assert!(shell.contains("Interrupted in critic, round 1 of 2 (you stopped it)."), "{shell}");
    let input = json!({ "session_id": "one", "cwd": host.path("") }).to_string();
    let line = host.pipe(&["statusline"], &input).stdout;
    assert!(line.contains(" · interrupted: /anvil:resume · "), "{line}");
    let start = host.session_start("two", "startup");
    assert!(
        start.message().contains("(critic, round 1 of 2, interrupted: you stopped it)"),
        "{start:?}"
    );
}

#[test]
fn another_terminal_sees_esc_as_soon_as_the_transcript_has_it() {
    let host = asked();
    let task = |host: &Host| -> (Value, Value) {
        let tasks: Value = host.run(&["tasks", "--json"]).json();
        let critic = &tasks["tasks"][1];
        (critic["status"].clone(), critic["claimed_by"].clone())
    };
    assert_eq!(phase(&host), "writing");
    assert_eq!(task(&host), ("in_progress".into(), "Claude Code".into()));
    let before = host.files();
    add(&host, "user", ESC);
    let shell = host.run(&["status"]).stdout;
    assert!(shell.contains("Interrupted in critic, round 1 of 2 (you stopped it)."), "{shell}");
    assert_eq!(task(&host), ("available".into(), Value::Null));
    // A command that the client answers itself says nothing; the model's words do.
    add(&host, "user", "<command-name>/model</command-name>");
    assert_eq!(phase(&host), "interrupted");
    add(&host, "assistant", "**C1. No.** So.");
    assert_eq!(phase(&host), "writing");
    assert_eq!(host.files(), before, "a screen only reads");

    add(&host, "user", ESC);
    let claimed = host.run(&["claim", "critic"]);
    assert_eq!(claimed.code, 0, "{claimed:?}");
    assert_eq!(task(&host).0, "claimed");
    let token = claimed.stderr.lines().last().unwrap().trim().to_owned();
    assert_eq!(host.pipe(&["submit", &token], "**C1. No.** By hand.").code, 0);
    assert_eq!(phase(&host), "awaiting-invocation", "the conversation has lost it");
}

#[test]
fn an_api_error_is_noted_when_it_happens() {
    let host = asked();
    assert!(failure(&host, "t1").is_silent());
    let shell = host.run(&["status"]).stdout;
    let line = "Interrupted in critic, round 1 of 2 (API error 529: Overloaded).";
    assert!(shell.contains(line), "{shell}");
    assert_eq!(phase(&host), "interrupted");
    assert!(failure(&host, "t1").is_silent());
    prompt_in_turn(&host, "t2", "/anvil:status");
    let report = r#"API Error: 529 {"error":{"message":"Overloaded"}}"#;
    assert_eq!(turns(&host)[1..], [("transient".into(), report.into())], "its first end counts");
    // Another session's failure says nothing.
    let host = asked();
    host.event("two", "StopFailure", &json!({ "last_assistant_message": "API Error: 529" }));
    assert_eq!(phase(&host), "writing");
}

#[test]
fn a_command_of_the_running_turn_shows_nothing() {
    let host = asked();
    prompt_in_turn(&host, "t1", "/anvil:status");
    assert_eq!(phase(&host), "writing");
    prompt_in_turn(&host, "t2", "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
    assert_eq!(turns(&host), interrupted(""));
}

#[test]
fn a_command_beside_working_agents_shows_nothing() {
    let host = asked();
    let task = json!([{ "type": "subagent", "status": "running" }]);
    let fields = json!({
        "prompt_id": "t1", "last_assistant_message": "I wait.", "background_tasks": task,
    });
    host.event("one", "Stop", &fields);
    prompt_in_turn(&host, "t2", "/anvil:status");
    prompt_in_turn(&host, "t3", "/anvil:status");
    assert_eq!(phase(&host), "writing");
    // The agent ends, and the turn that begins by that is interrupted.
    prompt_in_turn(&host, "t4", "<task-notification> done");
    prompt_in_turn(&host, "t5", "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
}

#[test]
fn a_command_beside_another_live_client_of_the_session_shows_nothing() {
    let owner = crate::ownership::Client::new();
    let host = Host::new().with("CLAUDE_PID", &owner.pid());
    prompt_in_turn(&host, "t1", "/anvil:debate Why?");
    host.wait(30);
    let host = host.with("CLAUDE_PID", &std::process::id().to_string());
    prompt_in_turn(&host, "t2", "/anvil:status");
    assert_eq!(phase(&host), "writing");
    drop(owner);
    prompt_in_turn(&host, "t2", "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
}

#[test]
fn without_ids_of_turns_only_the_transcript_shows_an_interruption() {
    let begun = || {
        let host = Host::new().debating("Why?");
        host.wait(30);
        host
    };
    let prompt = |host: &Host, typed: &str| {
        let fields = json!({ "prompt": typed, "transcript_path": host.outside("t.jsonl") });
        host.event("one", "UserPromptSubmit", &fields)
    };
    let host = begun();
    prompt(&host, "/anvil:status");
    assert_eq!(phase(&host), "writing");
    add(&host, "user", ESC);
    prompt(&host, "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
    let host = begun();
    add(&host, "user", ESC);
    prompt(&host, "Hello");
    assert_eq!(turns(&host), interrupted("you stopped it")[1..]);
}

#[test]
fn an_interrupted_turn_is_on_record_whatever_is_typed_next() {
    for typed in [
        "/anvil:status",
        "/anvil:claims",
        "/anvil:resume",
        "/anvil:steer Shorter.",
        "/anvil:steer --rounds 3",
        "/anvil:undo",
        "/anvil:cancel",
        "/anvil:debate Another? --replace",
        "/anvil:steer --nonsense",
        "Hello",
        "continue",
    ] {
        let host = after_esc();
        let id = host.state().debate.id;
        prompt_in_turn(&host, "t2", typed);
        prompt_in_turn(&host, "t2", "/anvil:status");
        let record = host.run(&["attempts", &id, "--json"]).stdout;
        let record: Value = serde_json::from_str(&record).unwrap();
        let errors: Vec<&Value> =
            record["turns"].as_array().unwrap().iter().map(|turn| &turn["error"]).collect();
        assert_eq!(errors, [&Value::Null, &json!("interrupted")], "{typed}");
    }
    // Another session takes the debate over from a client that is gone, or from one that runs.
    let host = asked();
    host.prompt("two", "/anvil:resume --take-over");
    assert_eq!(turns(&host), interrupted(""));
}

#[test]
fn a_reply_is_found_after_an_interruption_was_noted() {
    let host = asked();
    prompt_in_turn(&host, "t2", "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
    assert!(host.stop_in("t1", "C1. No.").context().starts_with("── Advocate · round 2"));
    assert_eq!(turns(&host)[1], (Value::Null, Value::Null));
}

#[test]
fn a_whole_reply_without_a_stop_is_saved_by_any_command() {
    let host = asked();
    add(&host, "assistant", "C1. No.");
    let status = prompt_in_turn(&host, "t2", "/anvil:status");
    assert!(status.reason().contains("Paused before advocate, round 2 of 2"), "{status:?}");
    assert_eq!(host.sections().len(), 2);
    assert_eq!(turns(&host), [(Value::Null, Value::Null), (Value::Null, Value::Null)]);
}

#[test]
fn words_that_only_go_on_resume_an_interrupted_debate() {
    for words in ["continue", "Go on.", "g", "Try again!", "CONTINUE"] {
        let host = after_esc();
        let answer = prompt_in_turn(&host, "t2", words);
        assert!(answer.context().contains("── Critic · round 1 of 2"), "{words}: {answer:?}");
        assert_eq!(host.head("status"), "in_progress", "{words}");
        let host = asked();
        failure(&host, "t1");
        prompt_in_turn(&host, "t2", words);
        assert_eq!(host.head("status"), "in_progress", "{words}");
    }
    for words in ["continue with the tests", "why?", "s", "stop"] {
        let host = after_esc();
        let answer = prompt_in_turn(&host, "t2", words);
        assert!(answer.message().contains("/anvil:steer"), "{words}: {answer:?}");
        assert_eq!(host.head("status"), "paused", "{words}");
    }
    // While Claude writes, they are a message like any other.
    let host = asked();
    assert!(prompt_in_turn(&host, "t1", "continue").is_silent());
    assert!(host.stop_in("t1", "C1. No.").message().contains("you typed a message"));
}

#[test]
fn after_ten_minutes_every_screen_says_how_to_go_on() {
    let host = asked();
    let input = json!({ "session_id": "one", "cwd": host.path("") }).to_string();
    let line = |host: &Host| host.pipe(&["statusline"], &input).stdout;
    let hint = "if Claude is not writing: /anvil:resume";
    assert!(!host.run(&["status"]).stdout.contains(hint) && !line(&host).contains(hint));
    host.wait(601);
    let shell = host.run(&["status"]).stdout;
    assert!(shell.contains(hint) && line(&host).contains(hint), "{shell}");
    assert!(
        prompt_in_turn(&host, "t1", "/anvil:status").reason().contains("if Claude is not writing")
    );
    assert_eq!(phase(&host), "writing");
}

#[test]
fn another_number_of_rounds_leaves_an_interruption_as_it_is() {
    let host = after_esc();
    prompt_in_turn(&host, "t2", "/anvil:steer --rounds 3");
    assert_eq!(phase(&host), "interrupted");
    prompt_in_turn(&host, "t3", "/anvil:status");
    assert_eq!(turns(&host), interrupted("you stopped it"));
}

#[test]
fn a_direction_that_comes_too_late_is_filled_in() {
    let host = Host::new().debating("Why? --rounds 1");
    host.stop("one", "A1. One.");
    host.stop("one", "C1. No.");
    let shell = host.run(&["steer", "Only two of us."]);
    assert!(shell.stderr.contains("to continue with this text when it is done"), "{shell:?}");
    assert!(shell.stderr.contains("`anvil again 'Only two of us.'`"), "{shell:?}");
    let again = "to continue with this text: /anvil:again Only two of us.";
    host.stop("one", "recommendation: Wait.");
    for typed in ["/anvil:steer Only two of us.", "/anvil:steer --synthesize Only two of us."] {
        let late = host.prompt("one", typed);
        assert_eq!(
            late.reason(),
            format!("Anvil: the debate here is completed. {}", capital(again)),
            "{typed}"
        );
    }
    let shell = host.run(&["steer", "It isn't `ours`."]);
    assert!(shell.stderr.contains(r"`anvil again 'It isn'\''t '\''ours'\''.'`"), "{shell:?}");
}

#[test]
fn words_that_go_on_are_delivered_twice_and_resume_once() {
    for names_turns in [true, false] {
        let host = if names_turns {
            asked()
        } else {
            let host = Host::new().debating("Why? --rounds 2");
            host.stop("one", "A1. One.");
            host
        };
        add(&host, "user", ESC);
        let mut fields =
            json!({ "prompt": "continue", "transcript_path": host.outside("t.jsonl") });
        if names_turns {
            fields["prompt_id"] = json!("t2");
        }
        let first = host.event("one", "UserPromptSubmit", &fields);
        assert!(first.context().contains("── Critic · round 1 of 2"), "{first:?}");
        host.wait(-10);
        assert!(host.event("one", "UserPromptSubmit", &fields).is_silent(), "{names_turns}");
        host.wait(60);
        let told =
            if names_turns { host.stop_in("t2", "C1. No.") } else { host.stop("one", "C1. No.") };
        assert!(told.context().starts_with("── Advocate · round 2"), "{names_turns}: {told:?}");
    }
}

#[test]
fn half_a_reply_before_an_error_is_no_reply() {
    for typed in ["/anvil:status", "/anvil:resume", "continue", "Hello"] {
        let host = asked();
        add(&host, "assistant", "C1. No, because the number of");
        let path = host.outside("t.jsonl");
        let half = fs_err::read_to_string(&path).unwrap().replace("\"end_turn\"", "null");
        fs_err::write(path, half).unwrap();
        failure(&host, "t1");
        prompt_in_turn(&host, "t2", typed);
        assert_eq!(host.sections().len(), 1, "{typed}");
        assert_eq!(turns(&host)[1].0, "transient", "{typed}");
    }
}

#[test]
fn a_turn_that_begins_by_itself_is_not_interrupted() {
    let host = after_esc();
    prompt_in_turn(&host, "t2", "/anvil:status");
    assert_eq!(phase(&host), "interrupted");
    prompt_in_turn(&host, "t3", "<task-notification> done");
    assert_eq!(phase(&host), "writing");
    assert!(host.stop_in("t3", "C1. No.").context().starts_with("── Advocate · round 2"));
}

#[test]
fn a_failure_of_an_agent_or_of_another_turn_says_nothing() {
    let task = json!([{ "type": "subagent", "status": "running" }]);
    for more in [
        json!({ "agent_id": "a1" }),
        json!({ "background_tasks": task }),
        json!({ "prompt_id": "t0" }),
    ] {
        let host = asked();
        let mut fields = json!({ "prompt_id": "t1", "last_assistant_message": "API Error: 529" });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        host.event("one", "StopFailure", &fields);
        assert_eq!((phase(&host).as_str(), turns(&host).len()), ("writing", 1), "{more}");
    }
    // A client that names no turns delivers the event of the turn before late.
    let host = asked();
    host.prompt("one", "/anvil:resume");
    host.wait(-10);
    host.event("one", "StopFailure", &json!({ "last_assistant_message": "API Error: 529" }));
    assert_eq!(phase(&host), "writing");
}

#[test]
fn words_that_go_on_save_a_whole_reply_first() {
    let host = asked();
    add(&host, "assistant", "C1. No.");
    let answer = prompt_in_turn(&host, "t2", "continue");
    assert!(answer.context().contains("── Advocate · round 2 of 2"), "{answer:?}");
    assert_eq!(host.sections().len(), 2);
}

#[test]
fn a_synthesis_that_is_saved_late_shows_its_verdict() {
    for typed in ["/anvil:status", "/anvil:claims", "/anvil:report", "/anvil:steer --rounds 3"] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why? --rounds 1");
        host.stop_in("t1", "A1. One.");
        host.stop_in("t1", "C1. No.");
        host.wait(30);
        add(&host, "assistant", &host.synthesis("recommendation: Wait."));
        let answer = prompt_in_turn(&host, "t2", typed);
        let shown = format!("{}{}", answer.message(), answer.reason());
        assert_eq!(shown.matches("Page: ").count(), 1, "{typed}: {shown}");
    }
}
