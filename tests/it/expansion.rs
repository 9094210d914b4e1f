//! A typed command arrives twice, as its prompt and as its expansion; a debate may start in words.

use serde_json::{Value, json};

use testkit::host::{Answer, Host, event, raw_event};

/// The prompt of a typed line, and no expansion.
fn submit(host: &Host, fields: &Value) -> Answer {
    let event = raw_event("one", "UserPromptSubmit", fields, host.root());
    host.hook_raw(&event, host.root(), Some(host.root()))
}

/// Its expansion, and no prompt.
fn expand(host: &Host, fields: &Value) -> Answer {
    let event = event("one", "UserPromptSubmit", fields, host.root());
    host.hook_raw(&event, host.root(), Some(host.root()))
}

#[test]
fn whatever_arrives_twice_in_any_order_is_one_start_and_one_answer() {
    let orders = ["SE", "ES", "E", "SSEE", "EESS", "SESE", "ESES", "SEES"];
    for line in ["/anvil:debate Why? --rounds 1", "/anvil:steer --note It is slow (a.md:1)"] {
        for order in orders {
            let host = Host::new();
            if line.contains("steer") {
                host.prompt("one", "/anvil:debate Why? --rounds 1");
            }
            let now = host.clock.get();
            let mut answers = Vec::new();
            for event in order.chars() {
                host.clock.set(now);
                let fields = json!({ "prompt": line, "prompt_id": "t1" });
                if event == 'E' {
                    answers.push(expand(&host, &fields));
                } else {
                    let answer = submit(&host, &fields);
                    let title = &answer.0["hookSpecificOutput"]["sessionTitle"];
                    assert!(answer.is_silent() || title == "Debate: Why?", "{order}: {answer:?}");
                }
            }
            let told = answers.iter().filter(|answer| answer.context().contains("── Advocate"));
            let expected = usize::from(line.contains("debate"));
            assert_eq!(told.count(), expected, "{order}: {answers:?}");
            assert_eq!(host.state_text().matches("It is slow").count(), 1 - expected, "{order}");
            assert_eq!(host.state().debate.question, "Why?");
        }
    }
}

#[test]
fn a_command_that_no_expansion_answers_changes_nothing_and_pauses_at_its_stop() {
    let host = Host::new();
    host.prompt_in("t1", "/anvil:debate Why? --rounds 3 --interactive");
    host.stop_in("t1", "A1.");
    let before = host.state_text();
    for line in [
        "/anvil:again",
        "/anvil:cancel",
        "/anvil:claims",
        "/anvil:history",
        "/anvil:nothing",
        "/anvil:report",
        "/anvil:resume --take-over",
        "/anvil:status",
        "/anvil:steer look at the cost",
        "/anvil:undo",
    ] {
        let answer = submit(&host, &json!({ "prompt": line, "prompt_id": "t2" }));
        assert!(answer.is_silent(), "{line}: {answer:?}");
    }
    assert_eq!(host.state_text(), before);
    let paused = host.stop_in("t2", "Anvil's hook did not run.");
    assert!(paused.message().starts_with("Anvil paused before critic"), "{paused:?}");
    assert_eq!(host.sections().len(), 1);
}

#[test]
fn the_session_gets_the_title_of_the_debate_that_is_asked_for() {
    let host = Host::new();
    let title = |line: &str| {
        let answer = submit(&host, &json!({ "prompt": line }));
        assert!(answer.context().is_empty() && answer.message().is_empty(), "{answer:?}");
        answer.0["hookSpecificOutput"]["sessionTitle"].as_str().unwrap_or_default().to_owned()
    };
    let long = format!("Debate: {}", "x".repeat(49));
    for (line, expected) in [
        ("/anvil:debate Should we ship?", "Debate: Should we ship?"),
        ("/anvil:debate --rounds 2 \"Should\nwe\u{1b}[31m ship?\"", "Debate: Should we[31m ship?"),
        ("<ide_opened_file>a.rs</ide_opened_file>\n/anvil:debate Go?", "Debate: Go?"),
        ("/anvil:debate --help", ""),
        ("/anvil:debate Go? --round 2", ""),
        ("/anvil:debate --plan", ""),
        ("/anvil:debates Go?", ""),
        ("/anvil:status", ""),
    ] {
        assert_eq!(title(line), expected, "{line}");
    }
    assert!(title(&format!("/anvil:debate {}", "x".repeat(300))).starts_with(&long));
    assert!(host.files().is_empty());
}

/// Only a terminal shows what a Stop hook tells Claude.
#[test]
fn where_there_is_no_terminal_a_line_says_who_is_next() {
    for (entrypoint, is_told) in [
        ("", false),
        ("cli", false),
        ("sdk-cli", true),
        ("sdk-ts", true),
        ("sdk-py", true),
        ("claude-vscode", true),
        ("claude-desktop", true),
    ] {
        let host = Host::new().with("CLAUDE_CODE_ENTRYPOINT", entrypoint).debating("Why?");
        for (reply, next) in [
            ("A1.", "── Critic · round 1 of 2 ──"),
            ("C1.", "── Advocate · round 2 of 2, the last ──"),
        ] {
            let answer = host.stop("one", reply);
            assert_eq!(answer.message(), if is_told { next } else { "" }, "{entrypoint}");
            assert!(answer.context().starts_with(next), "{answer:?}");
        }
    }
}

#[test]
fn the_last_stop_rings_once_with_the_answer() {
    let host = Host::new().debating("Should we; or \u{1b}]0;not\u{7}? --rounds 1");
    for reply in ["A1.", "C1."] {
        assert!(host.stop("one", reply).0["terminalSequence"].is_null());
    }
    let end = host.stop("one", "recommendation: Wait.\nverdict: do not");
    let rung = end.0["terminalSequence"].as_str().unwrap();
    let text =
        rung.strip_prefix("\u{1b}]777;notify;Anvil;").and_then(|text| text.strip_suffix('\u{7}'));
    let text = text.unwrap_or_else(|| panic!("{rung:?}"));
    assert!(
        text.starts_with("Should we, or") && text.ends_with("? · No: not do it, 70% sure"),
        "{text}"
    );
    assert!(!text.contains(|char: char| char.is_control() || char == ';'), "{text}");
    assert!(host.stop("one", "More.").0["terminalSequence"].is_null());
    let status = host.prompt("one", "/anvil:status");
    assert!(status.0["terminalSequence"].is_null(), "{status:?}");
}

/// A host whose client is on a terminal at which a person sits.
fn attended() -> Host {
    let host = Host::new().with("CLAUDE_CODE_ENTRYPOINT", "cli");
    host.with("CLAUDE_CODE_SESSION_ATTENDED", "1")
}

/// A line of a transcript.
fn line(kind: &str, content: &Value, stop_reason: Option<&str>) -> String {
    let message = json!({
        "role": kind, "model": "m", "id": "m1", "content": content, "stop_reason": stop_reason,
    });
    let at = "2026-11-21T01:00:00.000Z";
    json!({ "type": kind, "timestamp": at, "message": message }).to_string() + "\n"
}

#[test]
fn words_start_a_debate_without_options_where_a_person_types() {
    let host = attended();
    let started = host.prompt("one", "Anvil debate: should we ship --rounds 1?");
    assert!(started.context().contains("── Advocate · round 1 of 2"), "{started:?}");
    assert_eq!(host.state().debate.question, "should we ship --rounds 1?");
    let title = &started.0["hookSpecificOutput"]["sessionTitle"];
    assert_eq!(title, "Debate: should we ship --rounds 1?");
    // In place of no other one, its own or a stranger's.
    let before = host.state_text();
    for session in ["one", "two"] {
        let refused = host.prompt(session, "anvil debate should we wait?");
        assert!(refused.reason().contains("another debate is unfinished here"), "{refused:?}");
    }
    assert_eq!(host.state_text(), before);
    for (entrypoint, attended) in [
        ("cli", ""),
        ("cli", "0"),
        ("", "1"),
        ("sdk-cli", "1"),
        ("sdk-ts", "1"),
        ("claude-vscode", "1"),
    ] {
        let host = Host::new().with("CLAUDE_CODE_ENTRYPOINT", entrypoint);
        let host = host.with("CLAUDE_CODE_SESSION_ATTENDED", attended);
        assert!(host.prompt("one", "anvil debate should we ship?").is_silent(), "{entrypoint}");
        assert!(host.files().is_empty());
    }
}

#[test]
fn words_name_the_command_while_a_turn_runs_or_where_programs_argue() {
    let text = json!([{ "type": "text", "text": "So it is." }]);
    let asked = line("user", &json!("Look."), None);
    let tool = json!([{ "type": "tool_use", "id": "t", "name": "Bash", "input": {} }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "t", "content": "x" }]);
    let interrupted = json!([{ "type": "text", "text": "[Request interrupted by user]" }]);
    let used = asked.clone() + &line("assistant", &tool, Some("tool_use"));
    for (transcript, is_free) in [
        (String::new(), true),
        ("{}\n".to_owned(), true),
        (asked.clone() + &line("assistant", &text, Some("end_turn")), true),
        (asked.clone() + &line("user", &interrupted, None), true),
        (asked.clone(), false),
        (asked + &line("assistant", &text, None), false),
        (used.clone(), false),
        (used + &line("user", &result, None), false),
    ] {
        let host = attended();
        let path = host.outside("t.jsonl");
        fs_err::write(&path, &transcript).unwrap();
        let fields = json!({ "prompt": "anvil debate should we?", "transcript_path": path });
        let answer = host.event("one", "UserPromptSubmit", &fields);
        assert_eq!(!answer.context().is_empty(), is_free, "{transcript}: {answer:?}");
        let named = answer.message().contains("/anvil:debate QUESTION does");
        assert_eq!((named, host.state_path().exists()), (!is_free, is_free), "{transcript}");
    }
    let host = attended();
    fs_err::create_dir_all(host.home().join(".claude")).unwrap();
    fs_err::write(host.home().join(".claude/anvil.local.md"), "---\nisolated: yes\n---\n").unwrap();
    let answer = host.prompt("one", "anvil debate should we?");
    assert!(answer.message().contains("/anvil:debate QUESTION does"), "{answer:?}");
    assert!(answer.context().is_empty() && !host.state_path().exists());
}
