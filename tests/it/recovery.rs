//! Recovery: what a user reads of a repaired file, and a reply that only the client's transcript
//! has.

use testkit::host::Host;

/// A reply with the number of its side, but without a claim.
fn reply(number: usize) -> String {
    format!("{}1 is reply {number}.", if number % 2 == 1 { 'A' } else { 'C' })
}

/// A debate of session `one` with this many saved replies.
fn debated(typed: &str, replies: usize) -> Host {
    let host = Host::new().debating(typed);
    for number in 1..=replies {
        assert!(!host.stop("one", &reply(number)).context().is_empty());
    }
    host
}

/// The texts that were put aside.
fn aside(host: &Host) -> Vec<(String, Vec<u8>)> {
    let files = host.aside_files().into_iter();
    files
        .map(|(path, bytes)| (path.file_name().unwrap().to_string_lossy().into_owned(), bytes))
        .collect()
}

#[test]
fn status_and_reports_say_what_was_recovered() {
    let host = debated("Why? --rounds 1", 2);
    let synthesis = host.synthesis("recommendation: Wait.");
    host.edit("retry_count: 0\n", "retry_count: 99\n");
    let end = host.stop_with("one", &synthesis);
    assert!(end.message().contains("Page: "), "{end:?}");
    let what = "`retry_count` must be a whole number from 0 to 3; it is now 0, that of step 3";
    let status = host.run(&["status"]).stdout;
    assert!(status.contains(&format!("\nRecovered on 2026-11-21: {what}")), "{status}");
    let json = host.run(&["status", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["recovered"], serde_json::json!([format!("2026-11-21: {what}")]));
    let report = |format| host.run(&["report", "--format", format, "--output", "-"]).stdout;
    let (page, markdown) = (report("html"), report("md"));
    assert!(
        page.contains("recovered on 2026-11-21: ") && page.contains("that of step 3"),
        "{page}"
    );
    assert!(markdown.contains("recovered on 2026-11-21: "), "{markdown}");
    // It is said of the debate that was damaged, and an edit is none.
    host.edit("# Why?", "# Why now?");
    host.run(&["again"]);
    let json: serde_json::Value = host.run(&["status", "--json"]).json();
    assert_eq!(json["recovered"].as_array().unwrap().len(), 1);
}

#[test]
fn a_failed_debate_says_why_and_what_is_done() {
    let host = debated("Why? --rounds 1", 1);
    while host.head("status") == "in_progress" {
        host.stop("one", "");
    }
    host.session_end("one");
    let why = "Anvil: the debate here stopped: the reply was empty.";
    let progress = "  █████░░░░░░░░░  1 of 3 replies\n  argued by claude (advocate) · 4 words";
    let found = host.session_start("two", "startup");
    let lines: Vec<&str> = found.message().lines().collect();
    assert_eq!((lines[0], lines[2..].join("\n").as_str()), (why, progress), "{found:?}");
    assert!(lines[1].contains("/anvil:resume continues it"), "{found:?}");
    let resumed = host.prompt("two", "/anvil:resume");
    let lines: Vec<&str> = resumed.message().lines().collect();
    let before = "It had stopped before: the reply was empty.";
    assert_eq!([lines[0], lines[1]], ["Anvil: critic, round 1 of 1: Why?", before], "{resumed:?}");
    assert_eq!(lines[2..].join("\n"), progress, "{resumed:?}");
}

#[test]
fn a_missing_file_is_restored_in_its_place() {
    let host = debated("Why? --rounds 3", 2);
    let texts = host.reply_texts();
    fs_err::remove_file(host.state_path()).unwrap();
    let told = host.prompt("two", "/anvil:status");
    assert!(told.reason().contains("/anvil:resume restores it from snapshot 3"), "{told:?}");
    let resumed = host.prompt("two", "/anvil:resume");
    let news = "Anvil: the debate's file was missing: restored from snapshot 3; the reply in flight is lost.\nAnvil: advocate, round 2 of 3: Why?\n";
    assert!(resumed.message().starts_with(news), "{resumed:?}");
    assert!(resumed.context().contains("# Anvil debate protocol"), "{resumed:?}");
    assert_eq!(host.reply_texts(), texts);
    // While a debate waits, no reply is in flight.
    host.prompt("two", "Wait.");
    fs_err::remove_file(host.state_path()).unwrap();
    let resumed = host.prompt("two", "/anvil:resume");
    assert!(resumed.message().contains("restored from snapshot 4.\n"), "{resumed:?}");
    // A file that is deleted after its debate was cancelled is not missed.
    host.run(&["cancel"]);
    fs_err::remove_file(host.state_path()).unwrap();
    assert!(host.prompt("two", "/anvil:resume").reason().contains("there is no debate"));
}

#[test]
fn a_question_edited_by_hand_is_used_from_then_on() {
    let host = debated("Why? --rounds 3", 1);
    host.edit("question: \"Why?\"", "question: \"Why now?\"");
    let answer = host.stop("one", "C1 is reply 2.");
    assert!(
        answer.message().contains("edited: the question was edited: it is the title now"),
        "{answer:?}"
    );
    assert!(
        answer.context().contains("was edited by hand") && answer.context().contains("limit 3"),
        "{answer:?}"
    );
    assert!(host.state_text().contains("\n# Why now?\n"));
    host.edit("# Why now?", "# Why never?");
    assert!(
        host.prompt("one", "Wait")
            .message()
            .contains("the title was edited: it is the question now")
    );
    assert_eq!(host.head("question"), "\"Why never?\"");
    assert!(host.prompt("one", "/anvil:resume").context().contains("Why never?"));
    assert!(aside(&host).is_empty(), "an edit is no damage");
}

/// A line of the client's transcript, written now.
pub(crate) fn line(host: &Host, kind: &str, content: &serde_json::Value) -> String {
    let mut message = serde_json::json!({ "model": "m", "content": content });
    if kind == "assistant" {
        let calls = content[0]["type"] == "tool_use";
        message["stop_reason"] = if calls { "tool_use" } else { "end_turn" }.into();
    }
    let line =
        serde_json::json!({ "type": kind, "timestamp": host.last_run_time(), "message": message });
    format!("{line}\n")
}

pub(crate) fn prompt_in_turn(host: &Host, turn: &str, prompt: &str) -> testkit::host::Answer {
    let transcript = host.outside("t.jsonl");
    let fields =
        serde_json::json!({ "prompt": prompt, "prompt_id": turn, "transcript_path": transcript });
    host.event("one", "UserPromptSubmit", &fields)
}

#[test]
fn a_reply_that_no_stop_could_save_is_saved_later() {
    for chance in ["/anvil:resume", "Hello"] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why?");
        let text = line(
            &host,
            "assistant",
            &serde_json::json!([{ "type": "text", "text": "A1 is unheard." }]),
        );
        fs_err::write(host.outside("t.jsonl"), text).unwrap();
        let answer = prompt_in_turn(&host, "t2", chance);
        assert!(
            answer
                .message()
                .contains("Claude's unsaved reply is now saved: advocate, round 1, 3 words"),
            "{answer:?}"
        );
        assert_eq!(host.reply_texts(), ["A1 is unheard."]);
        assert_eq!(host.head("phase"), "critic");
        assert_eq!(host.head("status"), if chance == "Hello" { "paused" } else { "in_progress" });
    }
}

#[test]
fn an_unheard_synthesis_completes_the_debate() {
    for chance in ["/anvil:resume", "Hello"] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why? --rounds 1");
        host.stop_in("t1", "A1.");
        host.stop_in("t1", "C1.");
        let text = line(
            &host,
            "assistant",
            &serde_json::json!([{ "type": "text", "text": host.synthesis("recommendation: Do it.") }]),
        );
        fs_err::write(host.outside("t.jsonl"), text).unwrap();
        let answer = prompt_in_turn(&host, "t2", chance);
        let said = format!("{}{}", answer.message(), answer.reason());
        assert!(said.contains("Do it."), "{answer:?}");
        assert_eq!(host.head("status"), "completed");
    }
}

#[test]
fn an_interrupted_or_waiting_reply_is_not_saved_late() {
    for case in ["cut off", "no end", "agent", "error"] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why?");
        let text = |text: &str| {
            line(&host, "assistant", &serde_json::json!([{ "type": "text", "text": text }]))
        };
        let interrupted =
            serde_json::json!([{ "type": "text", "text": "[Request interrupted by user]" }]);
        let agent =
            serde_json::json!([{ "type": "tool_use", "id": "t", "name": "Agent", "input": {} }]);
        let lines = match case {
            "cut off" => text("Half") + &line(&host, "user", &interrupted),
            "no end" => text("Half").replace("\"end_turn\"", "null"),
            "agent" => line(&host, "assistant", &agent) + &text("I wait for the agent."),
            _ => text("Half").replace("\"m\"", "\"<synthetic>\""),
        };
        fs_err::write(host.outside("t.jsonl"), lines).unwrap();
        let answer = prompt_in_turn(&host, "t2", "/anvil:resume");
        assert!(answer.context().contains("── Advocate · round 1"), "{case}: {answer:?}");
        assert!(host.sections().is_empty(), "{case}");
    }
}

#[cfg(unix)]
#[test]
fn no_snapshot_is_written_through_a_link() {
    let host = debated("Why? --rounds 3", 1);
    let outside = host.outside("elsewhere");
    fs_err::create_dir_all(&outside).unwrap();
    fs_err::write(outside.join("0002-critic-1.md"), "precious").unwrap();
    let id = host.debate_id();
    let folder = host.records().join("debates").join(id);
    fs_err::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(&outside, &folder).unwrap();
    let answer = host.stop("one", "C1 is reply 2.");
    assert!(
        answer.message().contains("no snapshot was kept") && !answer.context().is_empty(),
        "{answer:?}"
    );
    assert_eq!(fs_err::read_to_string(outside.join("0002-critic-1.md")).unwrap(), "precious");
    host.run(&["cancel"]);
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn failed_hooks_and_client_commands_do_not_hide_a_reply() {
    for after in [
        r#"{"type":"system","subtype":"stop_hook_summary","hookErrors":["Exit code 137"],"hookAdditionalContext":[]}"#,
        r#"{"type":"user","message":{"role":"user","content":"<command-name>/model</command-name>"}}"#,
        r#"{"type":"user","message":{"role":"user","content":"<local-command-stdout>Set model</local-command-stdout>"}}"#,
    ] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why?");
        let text = line(
            &host,
            "assistant",
            &serde_json::json!([{ "type": "text", "text": "A1 is unheard." }]),
        );
        fs_err::write(host.outside("t.jsonl"), format!("{text}{after}\n")).unwrap();
        prompt_in_turn(&host, "t2", "/anvil:resume");
        assert_eq!(host.reply_texts(), ["A1 is unheard."], "{after}");
    }
}

#[test]
fn a_session_end_saves_only_a_reply_that_the_client_calls_whole() {
    for (reason, filed) in [("\"end_turn\"", 1), ("null", 0), ("\"tool_use\"", 0)] {
        let host = Host::new();
        prompt_in_turn(&host, "t1", "/anvil:debate Why?");
        let text = line(
            &host,
            "assistant",
            &serde_json::json!([{ "type": "text", "text": "A1 is unheard." }]),
        );
        let text = text.replace("\"end_turn\"", reason);
        fs_err::write(host.outside("t.jsonl"), text).unwrap();
        let fields =
            serde_json::json!({ "reason": "other", "transcript_path": host.outside("t.jsonl") });
        host.event("one", "SessionEnd", &fields);
        assert_eq!(host.sections().len(), filed, "{reason}");
        assert_eq!(host.head("status"), "paused");
    }
}

#[test]
fn an_unheard_synthesis_without_a_block_is_saved_and_its_block_is_asked_for() {
    let host = Host::new();
    prompt_in_turn(&host, "t1", "/anvil:debate Why? --rounds 1");
    host.stop_in("t1", "A1.");
    host.stop_in("t1", "C1.");
    let said = serde_json::json!([{ "type": "text", "text": "Heard late." }]);
    fs_err::write(host.outside("t.jsonl"), line(&host, "assistant", &said)).unwrap();
    let resumed = prompt_in_turn(&host, "t2", "/anvil:resume");
    assert!(resumed.context().contains("── Synthesis, once more ── one sentence"), "{resumed:?}");
    assert_eq!(
        (host.reply_texts()[2].as_str(), host.head("awaits_block")),
        ("Heard late.", "true".into())
    );
    let block = testkit::host::synthesis("recommendation: Yes.", &[], None);
    assert!(host.stop_in("t2", &block).message().contains("Page: "));
    assert_eq!((host.reply_texts().len(), host.head("status")), (3, "completed".into()));
}
