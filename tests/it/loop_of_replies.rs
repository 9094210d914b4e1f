//! The loop: replies are saved in their sections, cues follow, the debate completes, retries, fails
//! or pauses.

use std::io::Write as _;

use serde_json::json;

use anvil_core::place::Seat;
use testkit::host::Host;

/// Plays a debate to its end; returns the replies in order.
fn play(host: &Host, replies: u32) -> Vec<String> {
    let mut given = Vec::new();
    for number in 1..=replies {
        let reply = if number == replies {
            host.synthesis("recommendation: Wait.\n\n# Not a heading of the end\n\n~~~\nfence\n~~~")
        } else {
            format!("A1.\nC1.\n# Not a heading of reply {number}\n```\nopen fence {number}")
        };
        let answer = host.stop("one", &reply);
        assert_eq!(answer.context().is_empty(), number == replies, "{number}: {answer:?}");
        given.push(reply);
    }
    given
}

#[test]
fn every_reply_is_word_for_word_in_its_section() {
    for (rounds, replies) in [(1, 3), (2, 5), (3, 7)] {
        let host = Host::new().debating(&format!("Why? --rounds {rounds}"));
        let given = play(&host, replies);
        let sections = host.sections();
        assert_eq!(
            sections.iter().map(|section| &section.text).collect::<Vec<_>>(),
            given.iter().collect::<Vec<_>>()
        );
        let phases: Vec<Seat> =
            sections.iter().filter_map(|section| Some(section.place()?.seat)).collect();
        assert_eq!(phases.len(), replies as usize);
        assert_eq!(phases.last(), Some(&Seat::Synthesizer));
        assert_eq!(host.head("status"), "completed");
        assert_eq!(host.head("active"), "false");
        assert_eq!(host.head("step"), (replies + 1).to_string());
    }
}

#[test]
fn each_phase_begins_with_a_short_cue_and_one_line() {
    let host = Host::new().debating("Why? --rounds 2");
    let lines: Vec<(String, String)> = (0..4)
        .map(|number| {
            let answer = host.stop("one", &format!("reply {number} numbered\n\nA1.\nC1."));
            (answer.message().to_owned(), answer.context().to_owned())
        })
        .collect();
    let said: Vec<&str> = lines.iter().map(|line| line.0.as_str()).collect();
    assert_eq!(said, [""; 4], "the cue is on the screen, and nothing says it again");
    let told: Vec<&str> = lines.iter().map(|line| line.1.lines().next().unwrap()).collect();
    assert_eq!(
        told,
        [
            "── Critic · round 1 of 2 ── quote and attack the case just made.",
            "── Advocate · round 2 of 2, the last ── answer every open point; no new claims.",
            "── Critic · round 2 of 2, the last ── test the answers; no new claims.",
            "── Synthesis ── weigh every claim, then decide; end with the block.",
        ]
    );
}

#[test]
fn a_client_before_2_1_200_gets_one_line_for_a_command_and_nothing_else() {
    for agent in ["", "claude-code_2-1-199_harness"] {
        let host = Host::new().debating("Why?").with("AI_AGENT", agent);
        let before = host.all_files();
        let line = "Anvil: this needs Claude Code 2.1.200 or later. Update it: claude update.";
        for typed in ["/anvil:debate Another? --replace", "/anvil:status", " /anvil:nonsense --x"] {
            assert_eq!(host.prompt("one", typed).reason(), line, "{agent} {typed}");
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
fn the_end_mark_leads_to_the_synthesis_and_is_not_kept() {
    let host = Host::new().debating("Why? --rounds 5");
    host.stop("one", "A1. First.");
    let answer = host.stop("one", "C1. Enough.\n\n<anvil-complete/>\n");
    assert!(answer.context().starts_with("── Synthesis ──"), "{answer:?}");
    assert!(!host.state_text().contains("anvil-complete"));
    let end = host.stop("one", "recommendation: Do it. Now.");
    assert!(end.message().contains("Do it."), "{end:?}");
}

#[test]
fn a_reply_that_names_the_end_mark_is_saved_whole_and_the_argument_goes_on() {
    let host = Host::new().debating("Why? --rounds 3");
    host.stop("one", "A1. First.");
    let reply = "C1. This needs judgment, so I don't end with <anvil-complete/>";
    let answer = host.stop("one", reply);
    assert!(answer.context().starts_with("── Advocate · round 2 of 3 ──"), "{answer:?}");
    assert_eq!(host.sections()[1].text.trim(), reply);
}

#[test]
fn an_unusable_reply_is_retried_three_times_then_the_debate_fails() {
    for (bad, why) in
        [("", "nothing usable was written"), ("A1. First.", "that was the previous phase's reply")]
    {
        let host = Host::new().debating("Why? --rounds 3");
        host.stop("one", "A1. First.");
        let before = host.state().body;
        for count in 1..=3 {
            let answer = host.stop("one", bad);
            let begins = format!("── Critic · round 1 of 3, once more ── {why}");
            assert!(
                answer.message().is_empty() && answer.context().starts_with(&begins),
                "{answer:?}"
            );
            assert_eq!(host.head("retry_count"), count.to_string());
        }
        let answer = host.stop("one", bad);
        assert!(answer.context().is_empty());
        assert!(
            answer.message().contains("stopped at critic, round 1 of 3")
                && answer.message().contains("/anvil:resume"),
            "{answer:?}"
        );
        assert_eq!(host.head("status"), "failed");
        assert_eq!(host.state().body, before);
        assert!(host.stop("one", "C1. Too late.").is_silent());
        host.prompt("one", "/anvil:resume");
        assert_eq!(host.head("retry_count"), "0");
        assert!(host.stop("one", "C1. In time.").context().starts_with("── Advocate · round 2"));
    }
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
fn a_reply_of_only_the_end_mark_leads_to_the_synthesis() {
    let host = Host::new().debating("Why? --rounds 4");
    host.stop("one", "A1.");
    let answer = host.stop("one", "<anvil-complete/>");
    assert!(answer.context().starts_with("── Synthesis ──"), "{answer:?}");
    assert_eq!(host.sections().len(), 1);
    assert!(host.stop("one", "<anvil-complete/>").context().contains("once more"));
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
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
fn a_large_reply_is_kept_whole() {
    let host = Host::new().debating("Why?");
    let reply = "A1 is a line with ünïcödé and `code`.\n".repeat(12_000);
    host.stop("one", &reply);
    assert_eq!(host.sections()[0].text, reply.trim_end());
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
fn a_model_without_tools_pauses_at_the_cap_and_can_be_resumed() {
    let host = Host::new().debating("Why? --rounds 5");
    for number in 1..=8 {
        let answer = host.stop("one", &format!("reply {number}\n\nA1.\nC1."));
        assert!(!answer.context().is_empty());
        assert_eq!(answer.context().contains("Read "), number >= 7, "{number}: {answer:?}");
    }
    let answer = host.stop("one", "reply 9");
    assert!(answer.context().is_empty());
    assert!(
        answer.message().contains("paused before critic, round 5 of 5")
            && answer.message().contains("/anvil:resume"),
        "{answer:?}"
    );
    assert_eq!(host.sections().len(), 9);
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Critic · round 5 of 5"));
    host.stop("one", "reply 10");
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
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

#[test]
fn leftovers_of_a_kill_are_swept_and_nothing_else() {
    let host = Host::new().debating("Why?");
    let left = host.path(".claude/.anvil-tmp-x1y2z3");
    let other = host.path(".claude/.another-tmp");
    for path in [&left, &other] {
        fs_err::write(path, "half a state").unwrap();
    }
    host.stop("one", "A1.");
    assert!(!left.exists() && other.exists());
}
