//! The loop: replies are saved in their sections, cues follow, the debate completes, retries, fails
//! or pauses.

use std::io::Write as _;

use serde_json::json;

use testkit::host::{Host, raw_event};

#[test]
fn a_client_before_2_1_200_gets_one_line_for_a_command_and_nothing_else() {
    for agent in ["", "claude-code_2-1-199_harness"] {
        let host = Host::new().debating("Why?").with("AI_AGENT", agent);
        let before = host.all_files();
        let line = "Anvil: this needs Claude Code 2.1.200 or later. Update it: claude update.";
        for typed in ["/anvil:debate Another? --replace", "/anvil:status", " /anvil:nonsense --x"] {
            let typed = json!({ "prompt": typed });
            let prompt = raw_event("one", "UserPromptSubmit", &typed, host.root());
            let answer = host.hook_raw(&prompt, host.root(), Some(host.root()));
            assert_eq!(answer.reason(), line, "{agent} {typed}");
            let expanded = host.event("one", "UserPromptSubmit", &typed);
            assert!(expanded.is_silent(), "{agent} {typed}: {expanded:?}");
        }
        assert!(host.prompt("one", "Hello").is_silent());
        assert!(host.stop("one", "A1.").is_silent());
        for name in ["SessionStart", "PreToolUse", "StopFailure", "SessionEnd"] {
            assert!(host.event("one", name, &json!({ "source": "startup" })).is_silent(), "{name}");
        }
        assert_eq!(host.all_files(), before, "{agent}");
    }
    // The client keeps the name of a program that started it, and its version is not known.
    assert!(
        Host::new().with("AI_AGENT", "codex").debating("Why?").stop("one", "A1.").context() != ""
    );
}

#[test]
fn a_reply_includes_all_text_around_tool_calls() {
    let host = Host::new().debating("Why?");
    let transcript = host.outside("session.jsonl");
    let told = |text: &str| json!({ "type": "user", "message": { "content": text } });
    let said = |block: &serde_json::Value| json!({ "type": "assistant", "message": { "model": "m", "content": [block] } });
    let text = |text: &str| said(&json!({ "type": "text", "text": text }));
    let tool = said(&json!({ "type": "tool_use", "id": "t", "name": "Read", "input": {} }));
    let result = json!({ "type": "user", "message": { "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "x" }] } });
    let write = |lines: &[serde_json::Value]| {
        let mut file =
            fs_err::OpenOptions::new().create(true).append(true).open(&transcript).unwrap();
        for line in lines {
            let mut line = line.clone();
            line["timestamp"] = json!(host.last_run_time());
            writeln!(file, "{line}").unwrap();
        }
    };
    let stop = |reply: Option<&str>| {
        host.event(
            "one",
            "Stop",
            &json!({ "last_assistant_message": reply, "transcript_path": transcript }),
        )
    };
    // The client writes its transcript late: only the event has the last text.
    write(&[told("/anvil:debate"), text("A1. Before."), tool.clone(), result.clone()]);
    stop(Some("A2. After."));
    assert_eq!(host.sections()[0].text, "A1. Before.\n\nA2. After.");
    // The cue is not written yet either: a saved reply is not saved again.
    stop(Some("C1. Next."));
    assert_eq!(host.sections()[1].text, "C1. Next.");
    // Two texts of one message; the event has the second.
    let cue = json!({ "type": "attachment", "attachment": { "type": "hook_additional_context", "hookEvent": "Stop", "content": ["Advocate"] } });
    write(&[cue, text("A3. First block."), text("A4. Second block.")]);
    stop(Some("A4. Second block."));
    assert_eq!(host.sections()[2].text, "A3. First block.\n\nA4. Second block.");
}

#[test]
fn half_a_surrogate_pair_does_not_stop_a_debate() {
    let host = Host::new().debating("Why?");
    let raw = format!(
        r#"{{"session_id":"one","hook_event_name":"Stop","cwd":{},"last_assistant_message":"A1 \ud83d broken"}}"#,
        json!(host.root())
    );
    let answer = host.hook_raw(raw.as_bytes(), host.root(), Some(host.root()));
    assert!(answer.context().starts_with("── Critic"), "{answer:?}");
    assert_eq!(host.sections()[0].text, "A1 \u{FFFD} broken");
}

#[test]
fn a_reply_waits_while_an_agent_runs() {
    let host = Host::new().debating("Why?");
    let running = json!([{ "id": "a", "type": "subagent", "status": "running" }]);
    let answer = host.event(
        "one",
        "Stop",
        &json!({ "last_assistant_message": "Started an agent.", "background_tasks": running }),
    );
    assert!(answer.message().contains("waiting for an agent"), "{answer:?}");
    assert!(host.sections().is_empty());
    host.event(
        "one",
        "UserPromptSubmit",
        &json!({ "prompt": "<task-notification>\n<task-id>a", "prompt_id": "p2" }),
    );
    assert_eq!(host.head("status"), "in_progress");
    host.stop("one", "A1. With what the agent found.");
    assert_eq!(host.sections().len(), 1);
}

#[test]
fn a_raised_cap_is_respected() {
    let host =
        Host::new().with("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "30").debating("Why? --rounds 10");
    for number in 1..=20 {
        let answer = host.stop("one", &format!("reply {number}\n\nA1.\nC1."));
        assert!(
            !answer.context().is_empty() && !answer.context().contains("Read "),
            "{number}: {answer:?}"
        );
    }
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
}

#[test]
fn any_hook_input_is_handled() {
    let host = Host::new();
    for input in [
        &b""[..],
        b"{",
        b"[]",
        b"null",
        b"\xFF\xFE",
        br#"{"hook_event_name":"Stop"}"#,
        br#"{"hook_event_name":7}"#,
    ] {
        let answer = host.hook_raw(input, host.root(), None);
        assert!(answer.message().starts_with("Anvil: "), "{input:?}: {answer:?}");
    }
    assert!(host.hook_raw(br#"{"hook_event_name":"SomethingNew"}"#, host.root(), None).is_silent());
    assert!(host.files().is_empty());
}
