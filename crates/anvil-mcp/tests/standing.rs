//! A client has the rights of a project, and never more.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::driver::{Client, Place, reply};

/// True for a text that a model could only follow with a shell or with Claude Code's prompt.
fn names_a_command(said: &str) -> bool {
    ["`anvil", "/anvil:", "--"].iter().any(|command| said.contains(command))
}

#[cfg(unix)]
#[test]
fn a_client_cannot_request_what_a_project_cannot() {
    let place = Place::new();
    place.write("outside/notes.md", "outside");
    place.write("project/docs/there.md", "a file");
    place.write("project/.env", "TOKEN=abc");
    place.write("project/.git/config", "[core]\n");
    std::os::unix::fs::symlink("../outside", place.project().join("link")).unwrap();
    let outside = place.project().parent().unwrap().join("outside/notes.md").display().to_string();
    let cases: Vec<(&str, Value, &str)> = vec![
        ("context", json!(["../outside/notes.md"]), "leads out of the project"),
        ("context", json!([outside]), "leads out of the project"),
        ("context", json!(["~/notes.md"]), "leads out of the project"),
        ("context", json!(["link/notes.md"]), "leads out of the project"),
        ("context", json!([".git/config"]), "leads into .git or .claude"),
        ("context", json!([".env"]), "secret"),
        ("follow_up", json!("../outside/notes.md"), "leads out of the project"),
        ("persona", json!(["../outside/notes.md"]), "leads out of the project"),
        ("output", json!("docs/new.md"), "can't set output"),
        ("diff", json!(""), "can't set diff"),
        ("diff", json!(true), "can't set diff"),
        ("pr", json!(12), "can't set pr"),
        ("replace", json!(true), "can't set replace"),
        ("fact_check", json!(true), "can't set fact-check"),
        ("take_over", json!(true), "there is no option take-over"),
        ("judges", json!(3), "only the person who starts a debate"),
        ("interactive", json!(true), "only the person who starts a debate"),
        ("agent", json!("cmd:touch /tmp/x"), "there is no option agent"),
        ("isolated", json!(true), "there is no option isolated"),
        ("critic", json!("codex"), "there is no option critic"),
        ("judge", json!(["claude", "codex"]), "there is no option judge"),
        ("voice", json!(["sales=codex"]), "there is no option voice"),
        ("agent.x", json!("codex"), "there is no option agent.x"),
        ("publish", json!(7), "there is no option publish"),
        ("mode", json!("../x"), "there is no mode"),
        ("framework", json!("no-such"), "there is no framework"),
        ("rounds", json!(11), "1 to 10"),
        ("rounds", json!(-1), "1 to 10"),
        ("options", json!(["Redis"]), "takes 2 to 6 options"),
        ("options", json!(["Redis, on disk", "SQLite"]), "has no comma"),
        ("options", json!(["Redis", "depends"]), "called depends"),
        ("context", json!({ "a": 1 }), "is a text"),
        ("question", json!(["a"]), "question is a text"),
        ("question", json!("  "), "the question is missing"),
    ];
    let mut client = place.client();
    for (name, value, why) in cases {
        let mut arguments = json!({ "question": "Should we move?" });
        arguments[name] = value.clone();
        let said = client.refusal("debate_start", &arguments);
        assert!(said.contains(why), "{name} {value}: {said}");
        let root = place.project();
        assert!(!names_a_command(&said), "{name}: {said}");
        assert!(
            !said.contains(&*root.to_string_lossy()),
            "{name} names a path of the machine: {said}"
        );
        assert!(!place.state_file().exists(), "{name}");
    }
}

#[test]
fn secrets_in_the_context_are_masked() {
    let place = Place::new();
    place.write(
        "project/src/code.rs",
        "let key = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\";\nfn main() {}\n",
    );
    let mut client = place.client();
    let arguments = json!({ "question": "Should we?", "rounds": 1, "context": ["src/*.rs"] });
    client.call_ok("debate_start", &arguments);
    let state = fs_err::read_to_string(place.state_file()).unwrap();
    assert!(state.contains("fn main()") && !state.contains("ghp_0123456789"), "{state}");
}

#[test]
fn the_users_debate_is_not_replaced_taken_over_or_woken() {
    let place = Place::new();
    // Even if the user replaces by default: that applies to the user's own starts.
    place.write("home/.claude/anvil.local.md", "---\nreplace: yes\n---\n");
    let event = |name: &str, field: &str, text: &str| {
        json!({
            "session_id": "one", "hook_event_name": name, "cwd": place.project(),
            "command_name": "anvil:debate", (field): text,
        })
        .to_string()
    };
    let typed = event("UserPromptExpansion", "command_args", "Should we stay? --rounds 1");
    place.anvil(&["hook"], &typed);
    let before = fs_err::read(place.state_file()).unwrap();
    let mut client = place.client();
    let refused = client.refusal("debate_start", &json!({ "question": "Should we move?" }));
    assert!(refused.contains("another debate is unfinished here"), "{refused}");
    assert!(refused.ends_with("\nhint: tell the user"), "{refused}");
    let led = client.refusal("task_claim", &json!({ "seat": "advocate" }));
    assert!(led.contains("Claude Code argues this debate") && !names_a_command(&led), "{led}");
    assert_eq!(fs_err::read(place.state_file()).unwrap(), before);
    // A debate that the user has paused stays paused.
    place.anvil(&["hook"], &event("UserPromptSubmit", "prompt", "something else"));
    let before = fs_err::read(place.state_file()).unwrap();
    let rests = client.call_ok("task_claim", &json!({ "seat": "critic", "wait_s": 20 }));
    assert!(rests["waits_for"].as_str().unwrap().contains("the debate is paused"), "{rests:?}");
    assert!(!names_a_command(&rests.to_string()), "{rests}");
    assert!(rests["prompt"].is_null());
    assert_eq!(fs_err::read(place.state_file()).unwrap(), before);
}

#[test]
fn no_answer_says_who_wrote_what_before_the_debate_is_complete() {
    let place = Place::new();
    let mut client = place.client();
    client.call_ok("debate_start", &json!({ "question": "Should we?", "rounds": 1 }));
    let everything = |client: &mut Client| {
        let mut all = vec![client.call_ok("debate_status", &json!({}))];
        for format in ["markdown", "json", "html", "adr"] {
            all.push(client.call_ok("debate_report", &json!({ "format": format })));
        }
        all.push(client.call_ok("debate_search", &json!({ "text": "says" })));
        all.iter().map(Value::to_string).collect::<Vec<_>>()
    };
    let mut others = place.silent();
    others.greet_as("canary");
    let mut written = 0;
    loop {
        let claimed = others.call_ok("task_claim", &json!({}));
        if claimed["state"] == "over" {
            break;
        }
        assert!(!claimed.to_string().contains("canary"), "{claimed}");
        // The other client holds this task.
        let waits = client.call_ok("task_claim", &json!({ "seat": "critic" }));
        let text = reply(claimed["task"].as_str().unwrap());
        for answer in everything(&mut client).iter().chain([&waits.to_string()]) {
            assert!(!answer.contains("canary") && !answer.contains("\"author\""), "{answer}");
        }
        if waits["state"] == "held" {
            let own = client.call_ok("debate_status", &json!({}));
            assert!(own.to_string().contains("driver"), "one's own task is no secret: {own}");
            place.anvil(&["tasks", "--drop", "critic-1"], "");
        }
        others.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
        written += 1;
    }
    assert_eq!(written, 3);
    let said = everything(&mut client);
    let naming = said.iter().filter(|answer| answer.contains("canary")).count();
    assert_eq!(naming, 5, "all but the search: {said:?}");
}

#[test]
fn no_answer_names_the_command_of_a_seat_that_failed() {
    let place = Place::new();
    let agent = "cmd:/bin/sh /secret-folder-CANARY/agent.sh --token CANARY";
    let mut run = Command::new(crate::driver::anvil());
    run.args(["run", "Should we?", "--rounds", "1", "--agent", agent]);
    run.current_dir(place.project()).env_clear().env("HOME", place.home());
    let ran = run.env("ANVIL_RETRY_DELAYS", "0,0,0").stdin(Stdio::null()).output().unwrap();
    assert_eq!(ran.status.code(), Some(5), "{ran:?}");
    let mut attempts = Command::new(crate::driver::anvil());
    attempts.args(["attempts", "--json"]).current_dir(place.project());
    let shown = attempts.env_clear().env("HOME", place.home()).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&shown).contains("CANARY"), "the user sees it: {ran:?}");
    let id = place.state().debate.id;
    let mut client = place.client();
    let mut all = Vec::new();
    for (tool, arguments) in [
        ("debate_status", json!({})),
        ("debate_status", json!({ "debate": id })),
        ("task_claim", json!({})),
        ("task_claim", json!({ "seat": "critic" })),
        ("debate_search", json!({})),
        ("debate_search", json!({ "text": "should" })),
        ("debate_note", json!({ "text": "A fact." })),
        ("debate_start", json!({ "question": "Another?", "rounds": 1 })),
    ] {
        all.push(client.ask("tools/call", &json!({ "name": tool, "arguments": arguments })));
    }
    for format in ["markdown", "json", "html", "adr"] {
        let call = json!({ "name": "debate_report", "arguments": { "format": format } });
        all.push(client.ask("tools/call", &call));
    }
    all.append(&mut client.told);
    for answer in all {
        assert!(!answer.to_string().contains("CANARY"), "{answer}");
    }
}

#[test]
fn a_search_gives_the_newest_debates_and_says_that_there_are_more() {
    let place = Place::new();
    for number in 1..=51 {
        let started = place.anvil(&["start", &format!("Question {number}?"), "--replace"], "");
        assert!(started.status.success(), "{started:?}");
    }
    let found = place.client().call_ok("debate_search", &json!({}));
    assert_eq!(
        (found["debates"].as_array().unwrap().len(), &found["has_more"]),
        (50, &json!(true))
    );
}

#[test]
fn a_report_steers_no_terminal() {
    let place = Place::new();
    let mut client = place.client();
    client.call_ok("debate_start", &json!({ "question": "Should we\u{1b}[31m?", "rounds": 1 }));
    let claimed = client.call_ok("task_claim", &json!({}));
    client.call_ok(
        "task_submit",
        &json!({ "token": claimed["token"], "reply": reply("advocate-1") }),
    );
    for format in ["markdown", "json", "html", "adr"] {
        let report =
            client.call_ok("debate_report", &json!({ "format": format }))["report"].clone();
        let report = report.as_str().unwrap();
        assert!(report.contains("Should we") && !report.contains('\u{1b}'), "{report}");
    }
}

#[test]
fn the_server_offers_tools_and_a_prompt_and_nothing_else() {
    let place = Place::new();
    let greeted = place.silent().greet_as("driver");
    let offered = greeted["result"]["capabilities"].as_object().unwrap();
    assert!(offered.keys().eq(["prompts", "tools"]), "{greeted}");
}

#[test]
fn a_client_reads_no_debate_of_another_project() {
    let place = Place::new();
    let other = place.project().with_file_name("other");
    fs_err::create_dir_all(&other).unwrap();
    let mut theirs = Place::client_of(&mut place.server(&other));
    let started =
        theirs.call_ok("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }));
    let id = started["debate"].as_str().unwrap();
    loop {
        let claimed = theirs.call_ok("task_claim", &json!({}));
        let Some(task) = claimed["task"].as_str() else { break };
        let text = reply(task);
        theirs.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
    }
    assert_eq!(theirs.call_ok("debate_status", &json!({ "id": id }))["status"], "completed");
    let mut client = place.client();
    for (tool, arguments) in [
        ("debate_report", json!({ "id": id })),
        ("debate_status", json!({ "id": id })),
        ("debate_start", json!({ "question": "Should we move?", "follow_up": id })),
    ] {
        let said = client.refusal(tool, &arguments);
        assert!(said.contains("there is no") && !names_a_command(&said), "{tool}: {said}");
    }
    // A project's file may do no more than a client.
    place.write("project/.claude/anvil.local.md", &format!("---\nfollow-up: {id}\n---\n"));
    let ran = place.anvil(&["start", "Should we move?"], "");
    assert!(!ran.status.success() && !place.state_file().exists(), "{ran:?}");
    fs_err::remove_file(place.project().join(".claude/anvil.local.md")).unwrap();
    // The user may: a whole id is theirs to type.
    let ran = place.anvil(&["start", "Should we move?", "--follow-up", id], "");
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn a_client_names_the_motion() {
    let place = Place::new();
    let motion = "move the cache to Redis";
    let arguments = json!({ "question": "Is it time?", "motion": motion });
    place.client().call_ok("debate_start", &arguments);
    assert_eq!(place.state().debate.options.motion.as_deref(), Some(motion));
}

#[test]
fn a_seat_is_shown_the_words_that_are_saved() {
    let place = Place::new();
    let mut client = place.client();
    place.write("project/src/a.rs", "fn slow() {}\n");
    client.call_ok("debate_start", &json!({ "question": "Should we move?", "rounds": 1 }));
    let file = place.project().join("src/a.rs");
    let words = format!("The file {}\tis slow and `fn slow()` shows it.", file.display());
    let claimed = client.call_ok("task_claim", &json!({}));
    let text = format!("**A1. It is slow.** [opinion] {words}");
    client.call_ok("task_submit", &json!({ "token": claimed["token"], "reply": text }));
    assert_eq!(place.replies(), std::slice::from_ref(&text));
    let critic = client.call_ok("task_claim", &json!({}));
    let prompt = critic["prompt"].as_str().unwrap();
    assert!(prompt.contains(&words), "{prompt}");
    let quote = format!("**C1. It is not.** attacks A1: \"{words}\" is not measured.");
    client.call_ok("task_submit", &json!({ "token": critic["token"], "reply": quote }));
    let synthesis = client.call_ok("task_claim", &json!({}));
    let prompt = synthesis["prompt"].as_str().unwrap();
    assert!(prompt.contains(&quote) && !prompt.contains("not there"), "{prompt}");
}
