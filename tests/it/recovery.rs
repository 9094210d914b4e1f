//! Recovery: whatever happens to the state file, the debate is whole again and one line says what
//! was done.

use testkit::host::Host;

/// The place where a debate with `replies` replies waits, as its head says.
fn waits(host: &Host) -> (String, String, String) {
    (host.head("phase"), host.head("round"), host.head("status"))
}

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

fn damage(host: &Host, bytes: &[u8]) {
    fs_err::write(host.state_path(), bytes).unwrap();
}

/// Every known way in which a head breaks.
fn broken_heads(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (_, body) = text[4..].split_once("\n---\n").unwrap();
    let head = &text[..text.len() - body.len()];
    let cut = |at: usize| [&head.as_bytes()[..at], b"\n\n".as_slice(), body.as_bytes()].concat();
    vec![
        ("no head at all", body.as_bytes().to_vec()),
        ("an emptied head", format!("---\n---\n{body}").into_bytes()),
        ("a head without its end", cut(head.len() - 5)),
        ("a head cut in a word", cut(60)),
        ("only its first line", cut(4)),
        ("tabs", text.replacen("mode: ", "\tmode: ", 1).into_bytes()),
        ("not a mapping", text.replacen("active: true", "- active", 1).into_bytes()),
        (
            "a line twice",
            text.replacen("mode: analyst", "mode: analyst\nmode: analyst", 1).into_bytes(),
        ),
        ("an alias", text.replacen("mode: analyst", "mode: *anchor", 1).into_bytes()),
        ("a NUL", text.replacen("mode: analyst", "mode: ana\0lyst", 1).into_bytes()),
        (
            "bytes that are no text",
            text.as_bytes().iter().map(|byte| if *byte == b'q' { 0xFF } else { *byte }).collect(),
        ),
        ("four hyphens", format!("-{text}").into_bytes()),
    ]
}

#[test]
fn a_damaged_head_is_repaired_and_the_reply_is_saved() {
    let names: Vec<_> = broken_heads(&debated("Why? --rounds 3", 0).state_text())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for (index, name) in names.into_iter().enumerate() {
        let host = debated("Why? --rounds 2 --position \"wait a year\"", 2);
        let broken = broken_heads(&host.state_text()).remove(index).1;
        damage(&host, &broken);
        let answer = host.stop("one", "A1 is reply 3.");
        assert!(
            answer.message().starts_with("Anvil: the state file was repaired: "),
            "{name}: {answer:?}"
        );
        assert!(answer.context().starts_with("── Critic · round 2 of 2"), "{name}: {answer:?}");
        assert_eq!(
            host.reply_texts(),
            ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3."],
            "{name}"
        );
        assert_eq!(host.head("position"), "\"wait a year\"", "{name}");
        assert_eq!(waits(&host), ("critic".into(), "2".into(), "in_progress".into()), "{name}");
        let kept = aside(&host);
        assert!(
            kept.len() == 1 && kept[0].0.starts_with("damaged-") && kept[0].1 == broken,
            "{name}"
        );
        assert!(!host.stop("one", "C1 is reply 4.").message().contains("repaired"), "{name}");
    }
}

#[test]
fn without_a_snapshot_a_wrong_value_is_the_default() {
    let host = debated("Why? Or\nwhy not?", 3);
    fs_err::remove_dir_all(host.records()).unwrap();
    host.edit("phase: critic\n", "phase: judge\n");
    let broken = host.state_text();
    let status = host.run(&["status"]);
    let said = "`phase` must be advocate, critic or synthesizer; it is now advocate, the default";
    assert!(status.stdout.contains(said), "{status:?}");
    // The sections tell which phase waits.
    assert!(
        status.stdout.contains("why not?") && status.stdout.contains("ritic, round 2"),
        "{status:?}"
    );
    let told = host.prompt("one", "/anvil:resume");
    assert!(told.context().contains("── Critic · round 2"), "{told:?}");
    assert!(told.message().contains(said), "{told:?}");
    assert_eq!(aside(&host)[0].1, broken.as_bytes());
    host.stop("one", "C1 is reply 4.");
    assert_eq!(host.reply_texts().last().unwrap(), "C1 is reply 4.");
}

#[test]
fn an_emptied_or_cut_file_comes_back_from_its_snapshot() {
    for keep in [0, 3, 30, 300, 700] {
        let host = debated("Why? --rounds 3", 3);
        let text = host.state_text();
        damage(&host, &text.as_bytes()[..keep.min(text.len() - 3)]);
        let answer = host.stop("one", "C1 is reply 4.");
        assert!(
            answer.message().contains("repaired") || answer.message().contains("was restored"),
            "{keep}: {answer:?}"
        );
        assert_eq!(
            host.reply_texts(),
            ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3.", "C1 is reply 4."],
            "{keep}"
        );
    }
    let host = debated("Why? --rounds 3", 3);
    let text = host.state_text();
    damage(&host, &text.as_bytes()[..text.len() - 4]);
    host.stop("one", "C1 is reply 4.");
    assert_eq!(
        host.reply_texts(),
        ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3.", "C1 is reply 4."],
        "cut in the last section"
    );
}

#[test]
fn a_file_with_conflict_marks_goes_aside_whole() {
    let host = debated("Why? --rounds 3", 3);
    let theirs = host.state_text();
    let ours = debated("Why? --rounds 3", 1).state_text();
    let conflict = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n");
    damage(&host, conflict.as_bytes());
    let status = host.run(&["status"]);
    assert!(
        status.stdout.contains("conflict") && status.stdout.contains("Critic, round 2"),
        "{status:?}"
    );
    let answer = host.stop("one", "**C2. It has marks.**\n\n    <<<<<<< HEAD\n");
    assert!(answer.message().contains("the marks of a conflict"), "{answer:?}");
    assert_eq!(aside(&host)[0].1, conflict.as_bytes());
    // A reply is quoted: its own marks are none.
    assert!(!host.run(&["status"]).stdout.contains("Note: "));
    assert_eq!(host.reply_texts()[..3], ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3."]);
    assert_eq!(host.reply_texts().len(), 4);
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
fn windows_line_ends_and_a_byte_order_mark_are_removed() {
    let host = debated("Why? --rounds 3", 2);
    let windows = format!("\u{FEFF}{}", host.state_text().replace('\n', "\r\n"));
    damage(&host, windows.as_bytes());
    assert!(host.stop("one", "A1 is reply 3.").message().contains("Windows"));
    assert!(!host.state_text().contains('\r') && host.state_text().starts_with("---\nactive"));
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3."]);
}

#[test]
fn an_impossible_value_is_reported_and_the_old_one_kept() {
    for (from, to, said) in [
        (
            "round: 1\n",
            "round: eleven\n",
            "`round` must be a whole number from 1 to 10; it is now 1",
        ),
        (
            "max_rounds: 3\n",
            "max_rounds: 11\n",
            "`max_rounds` must be a whole number from 1 to 10; it is now 3",
        ),
        (
            "phase: advocate\n",
            "phase: judge\n",
            "`phase` must be advocate, critic or synthesizer; it is now advocate",
        ),
        (
            "retry_count: 0\n",
            "retry_count: 99\n",
            "`retry_count` must be a whole number from 0 to 3; it is now 0",
        ),
        ("step: 1\n", "step: -1\n", "`step` must be a whole number"),
        ("active: true\n", "active: maybe\n", "`active` must be true or false; it is now true"),
        ("started_at: \"2", "started_at: \"x2", "`started_at` must be a time"),
        ("cycle: 1\n", "cycle: [1]\n", "`cycle` must be a whole number"),
    ] {
        let host = Host::new().debating("Why? --rounds 3");
        host.edit(from, to);
        let answer = host.stop("one", "A1.");
        assert!(answer.message().contains(said), "{to}: {answer:?}");
        assert!(answer.context().starts_with("── Critic · round 1 of 3"), "{to}: {answer:?}");
        assert_eq!(host.reply_texts(), ["A1."]);
    }
}

#[test]
fn a_file_of_a_newer_anvil_is_shown_and_never_written() {
    let host = debated("Why? --rounds 3", 1);
    host.edit("schema: 3\n", "schema: 4\nnew_key: x\n");
    let before = host.files();
    let status = host.run(&["status"]);
    assert!(status.code == 0 && status.stdout.contains("Critic, round 1 of 3"), "{status:?}");
    for answer in [host.stop("one", "C1."), host.prompt("one", "Hello")] {
        assert!(answer.message().contains("schema 4; this Anvil knows 3"), "{answer:?}");
    }
    for words in [&["cancel"][..], &["undo"], &["undo", "--redo"]] {
        assert_eq!(host.run(words).code, 1, "{words:?}");
    }
    assert!(host.prompt("one", "/anvil:resume").reason().contains("schema 4"));
    host.edit("mode: analyst", "mode: tribunal");
    assert!(host.run(&["status"]).stderr.contains("schema 4"));
    host.edit("mode: tribunal", "mode: analyst");
    assert_eq!(host.files(), before);
}

#[test]
fn an_unrecoverable_debate_fails_and_waits() {
    let host = debated("Why? --rounds 3", 1);
    fs_err::remove_dir_all(host.records().join("debates")).unwrap();
    damage(&host, &[0xFE; 4_000]);
    let answer = host.stop("one", "C1.");
    assert!(
        answer.message().contains("nothing in it can be read") && answer.context().is_empty(),
        "{answer:?}"
    );
    assert_eq!(host.head("status"), "failed");
    assert_eq!(aside(&host)[0].1, [0xFE; 4_000]);
    let before = host.state_text();
    assert!(host.stop("one", "More.").is_silent());
    assert!(host.session_start("two", "startup").message().contains("failed"));
    assert_eq!(host.state_text(), before);
    assert!(host.prompt("one", "/anvil:debate Anew? --replace").context().contains("Anew?"));
}

#[test]
fn a_failed_debate_says_why_and_what_is_done() {
    let host = debated("Why? --rounds 1", 1);
    while host.head("status") == "in_progress" {
        host.stop("one", "");
    }
    host.session_end("one");
    let why = "Anvil: the debate here stopped: the reply was empty.";
    let done = "  █████░░░░░░░░░  1 of 3 replies\n  argued by claude (advocate) · 4 words";
    let found = host.session_start("two", "startup");
    let lines: Vec<&str> = found.message().lines().collect();
    assert_eq!((lines[0], lines[2..].join("\n").as_str()), (why, done), "{found:?}");
    assert!(lines[1].contains("/anvil:resume continues it"), "{found:?}");
    let resumed = host.prompt("two", "/anvil:resume");
    let lines: Vec<&str> = resumed.message().lines().collect();
    let before = "It had stopped before: the reply was empty.";
    assert_eq!([lines[0], lines[1]], ["Anvil: critic, round 1 of 1: Why?", before], "{resumed:?}");
    assert_eq!(lines[2..].join("\n"), done, "{resumed:?}");
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
fn foreign_garbage_is_left_alone() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    damage(&host, b"garbage");
    assert!(host.stop("one", "Reply.").is_silent());
    assert!(host.prompt("one", "Hello").is_silent());
    assert!(host.prompt("one", "/anvil:resume").reason().contains("can't be read"));
    assert!(host.prompt("one", "/anvil:debate Why?").reason().contains("--replace"));
    assert_eq!(fs_err::read(host.state_path()).unwrap(), b"garbage");
    assert!(host.prompt("one", "/anvil:debate Why? --replace").context().contains("Why?"));
    assert_eq!(aside(&host)[0].1, b"garbage");
}

#[test]
fn the_pointer_follows_the_sections() {
    // The pointer was moved by hand; the sections decide which reply is requested.
    let host = debated("Why? --rounds 3", 3);
    host.edit("phase: critic\nround: 2\n", "phase: critic\nround: 3\n");
    let answer = host.stop("one", "C1 is reply 4.");
    assert!(
        answer
            .message()
            .contains("the sections end at advocate, round 2: critic, round 2 of 3 is next"),
        "{answer:?}"
    );
    assert_eq!(
        host.reply_texts(),
        ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3.", "C1 is reply 4."]
    );
    assert_eq!(waits(&host).0, "advocate");
}

#[test]
fn a_reply_to_deleted_sections_is_kept_and_they_are_argued_again() {
    let host = debated("Why? --rounds 3", 4);
    let text = host.state_text();
    let second_round = text.find("## Round 2").unwrap();
    damage(&host, &text.as_bytes()[..second_round]);
    let answer = host.stop("one", "An advocate's reply for round 3.");
    assert!(
        answer
            .message()
            .contains("the sections end at critic, round 1: advocate, round 2 of 3 is next"),
        "{answer:?}"
    );
    assert!(
        answer.context().starts_with("── Advocate · round 2 of 3")
            && answer.context().contains("Read "),
        "{answer:?}"
    );
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2."]);
    let kept = aside(&host);
    assert!(
        kept.iter().any(|(name, text)| name.starts_with("unfiled-")
            && text == b"An advocate's reply for round 3.")
    );
    host.stop("one", "Anew.");
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2.", "Anew."]);
}

#[test]
fn a_gap_a_duplicate_or_a_users_note_is_no_damage() {
    let host = debated("Why? --rounds 3", 3);
    let text = host.state_text();
    let (start, end) = (text.find("## Round 1").unwrap(), text.find("## Round 2").unwrap());
    let double = &text[text.find("### Advocate").unwrap()..text.find("### Critic").unwrap()];
    damage(
        &host,
        format!("{}{}\n{double}\n## My notes\n\nMine.\n", &text[..start], &text[end..]).as_bytes(),
    );
    let answer = host.stop("one", "C1 is reply 4.");
    assert!(
        !answer.message().contains("repaired")
            && answer.context().starts_with("── Advocate · round 3 of 3"),
        "{answer:?}"
    );
    assert!(host.state_text().contains("## My notes\n\nMine."));
    assert_eq!(host.reply_texts().last().unwrap(), "C1 is reply 4.");
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

#[test]
fn rounds_added_or_removed_by_hand_count() {
    let host = debated("Why? --rounds 1", 2);
    assert_eq!(host.head("phase"), "synthesizer");
    host.prompt("one", "Wait");
    host.edit("max_rounds: 1", "max_rounds: 2");
    let answer = host.prompt("one", "/anvil:resume");
    assert!(answer.context().contains("── Advocate · round 2 of 2"), "{answer:?}");
    host.stop("one", "A1 is reply 3.");
    host.stop("one", "C1 is reply 4.");
    assert_eq!(host.head("phase"), "synthesizer");

    let host = debated("Why? --rounds 3", 2);
    host.prompt("one", "Wait");
    host.edit("max_rounds: 3", "max_rounds: 1");
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Synthesis ──"));
}

#[test]
fn a_corrected_typo_in_an_argument_stays() {
    let host = debated("Why? --rounds 3", 2);
    host.edit("> A1 is reply 1.", "> Reply one.");
    assert!(!host.stop("one", "A1 is reply 3.").message().contains("file was"));
    assert_eq!(host.reply_texts(), ["Reply one.", "C1 is reply 2.", "A1 is reply 3."]);
}

#[test]
fn a_debate_that_ended_early_does_not_count_as_broken() {
    let host = debated("Why? --rounds 3", 1);
    let answer = host.stop("one", "C1 is reply 2.\n\n<anvil-complete/>");
    assert!(answer.context().starts_with("── Synthesis ──"), "{answer:?}");
    let answer = host.stop("one", "recommendation: Do it.");
    let said = answer.message();
    assert!(said.contains("Page: ") && !said.contains("Note: "), "{answer:?}");

    let host = debated("Why? --rounds 3", 2);
    assert!(host.stop("one", "<anvil-complete/>").context().starts_with("── Synthesis ──"));
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
}

#[test]
fn a_synthesis_deleted_by_hand_is_requested_again() {
    let host = debated("Why? --rounds 1", 2);
    host.stop("one", "Done.");
    let text = host.state_text();
    damage(&host, &text.as_bytes()[..text.find("## Synthesis").unwrap()]);
    assert!(host.run(&["status"]).stdout.contains("ynthesis"));
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Synthesis ──"));
    host.stop("one", "Done anew.");
    assert_eq!(host.reply_texts().last().unwrap(), "Done anew.");
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

#[test]
fn an_older_file_version_is_reported_and_the_newer_one_kept() {
    let host = debated("Why? --rounds 3", 1);
    let early = host.state_text();
    host.stop("one", "C1 is reply 2.");
    host.stop("one", "A1 is reply 3.");
    damage(&host, early.as_bytes());
    let answer = host.stop("one", "The critic of round 2.");
    assert!(
        answer.message().contains("an earlier state (step 2 of 4); redo restores the later one"),
        "{answer:?}"
    );
    assert!(answer.context().starts_with("── Critic · round 1"), "{answer:?}");
    assert!(aside(&host).iter().any(|(name, _)| name.starts_with("unfiled-")));
    host.run(&["undo", "--redo"]);
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3."]);
    damage(&host, early.as_bytes());
    host.prompt("one", "/anvil:resume");
    host.stop("one", "Another way.");
    host.stop("one", "And on.");
    host.run(&["undo", "--to", "4"]);
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3."]);
}

#[test]
fn a_section_cut_at_the_end_of_a_line_comes_back() {
    let host = Host::new().debating("Why?");
    host.stop("one", "First line.\nSecond line.\nThird line.");
    let text = host.state_text();
    damage(&host, &text.as_bytes()[..text.find("> Second").unwrap()]);
    assert!(host.stop("one", "C1 is cut.").message().contains("was cut off"));
    assert_eq!(host.reply_texts(), ["First line.\nSecond line.\nThird line.", "C1 is cut."]);
}

#[test]
fn a_file_with_zeros_at_its_end_comes_back() {
    let host = debated("Why? --rounds 3", 3);
    let mut bytes = host.state_text().into_bytes();
    let from = bytes.len() - 40;
    bytes[from..].fill(0);
    damage(&host, &bytes);
    assert!(host.stop("one", "C1 is reply 4.").message().contains("the state file was not text"));
    assert_eq!(
        host.reply_texts(),
        ["A1 is reply 1.", "C1 is reply 2.", "A1 is reply 3.", "C1 is reply 4."]
    );
}

#[test]
fn an_open_fence_in_a_users_note_hides_no_section() {
    for note in ["```\nmy note\n", "<!-- my todo\n", "<pre>\n", "## Notes\n\n<script>\n"] {
        let host = Host::new().debating("Why? --rounds 1");
        host.stop("one", "A1 is reply 1.");
        damage(&host, format!("{}\n{note}", host.state_text()).as_bytes());
        host.stop("one", "C1 is reply 2.");
        assert!(host.stop("one", "recommendation: Do it.").message().contains("Do it."), "{note}");
        let found = host.reply_texts();
        assert_eq!((found.len(), found[1].as_str()), (3, "C1 is reply 2."), "{note}");
        assert!(host.run(&["undo"]).stdout.contains("undone: synthesis"), "{note}");
    }
}

#[test]
fn a_lowered_or_absurd_step_does_not_confuse_the_snapshots() {
    for step in ["1", "900000", "1000000", "4000000000"] {
        let host = debated("Why? --rounds 3", 3);
        host.edit("step: 4\n", &format!("step: {step}\n"));
        for number in 4..=6 {
            host.stop("one", &reply(number));
        }
        damage(&host, b"");
        host.prompt("one", "/anvil:resume");
        let expected: Vec<String> = (1..=6).map(reply).collect();
        assert_eq!(host.reply_texts(), expected, "{step}");
        fs_err::write(host.files()[0].0.with_file_name("4294967295-x.md"), "").unwrap();
        assert_eq!(host.run(&["undo"]).code, 0, "{step}");
    }
}

#[test]
fn an_edit_without_a_final_line_end_counts() {
    let host = debated("Why? --rounds 3", 1);
    let text = host.state_text().replace("max_rounds: 3", "max_rounds: 2");
    damage(&host, text.trim_end().as_bytes());
    let answer = host.stop("one", "C1 is reply 2.");
    assert!(answer.context().starts_with("── Advocate · round 2 of 2"), "{answer:?}");
}

#[test]
fn an_edited_title_and_question_lose_no_words() {
    for (question, title) in [
        ("Why now, of all times?".to_owned(), "Why never, for heaven's sake?".to_owned()),
        ("Why now?".to_owned(), "Why? ".repeat(2_000) + "Last words"),
        ("Why?".to_owned(), "Why? ".repeat(2_000) + "Last words"),
    ] {
        let host = debated("Why? --rounds 3", 1);
        host.edit("question: \"Why?\"", &format!("question: \"{question}\""));
        host.edit("\n# Why?\n", &format!("\n# {title}\n\n> A quote of mine.\n"));
        let before = host.state_text();
        let answer = host.stop("one", "C1 is reply 2.");
        let said = answer.message();
        assert!(said.contains("the title") && said.contains("aside/damaged-"), "{answer:?}");
        assert_eq!(host.head("question"), format!("\"{question}\""));
        assert!(host.state_text().contains("> A quote of mine."), "{}", host.state_text());
        assert_eq!(aside(&host)[0].1, before.as_bytes());
        assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2."]);
    }
}

#[test]
fn a_users_quote_below_the_title_stays_a_quote() {
    let host = debated("Why? --rounds 3", 1);
    host.edit("# Why?\n", "# Why?\n\n> Note to self: the budget is 10k\n");
    host.stop("one", "C1 is reply 2.");
    assert_eq!(host.head("question"), "\"Why?\"");
    assert!(host.state_text().contains("> Note to self"));
}

#[test]
fn an_early_end_is_recognized_without_its_snapshot() {
    let host = debated("Why? --rounds 3", 1);
    host.stop("one", "C1 is reply 2.\n\n<anvil-complete/>");
    fs_err::remove_file(host.debate_folder_here().join("0003-synthesis.md")).unwrap();
    assert!(host.stop("one", "recommendation: Yes.").message().contains("Page: "));
}

#[test]
fn a_second_plugin_copy_does_not_save_a_discarded_reply() {
    let host = debated("Why? --rounds 3", 4);
    let text = host.state_text();
    damage(&host, &text.as_bytes()[..text.find("## Round 2").unwrap()]);
    assert!(host.stop("one", "Advocate three.").context().starts_with("── Advocate · round 2"));
    host.wait(-10);
    assert!(host.stop("one", "Advocate three.").is_silent());
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2."]);
}

#[test]
fn a_synthesis_written_by_hand_completes_the_debate() {
    let host = debated("Why? --rounds 1", 1);
    damage(&host, format!("{}\n## Synthesis\n\nWe do it.\n", host.state_text()).as_bytes());
    let answer = host.stop("one", "The critic.");
    assert!(
        answer.message().contains("the synthesis is there: the debate is complete"),
        "{answer:?}"
    );
    assert_eq!(host.head("status"), "completed");
    assert!(aside(&host).iter().any(|(_, text)| text == b"The critic."));
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
fn a_missing_file_is_reported_and_restored_from_a_snapshot() {
    let host = debated("Why? --rounds 3", 2);
    fs_err::remove_file(host.state_path()).unwrap();
    assert!(host.stop("one", "A1 is reply 3.").message().contains("removed elsewhere"));
    assert_eq!(host.run(&["undo", "--to", "3"]).code, 0);
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2."]);
}

#[test]
fn a_reply_is_saved_if_only_the_status_says_active() {
    let host = debated("Why? --rounds 3", 1);
    fs_err::remove_dir_all(host.records().join("debates")).unwrap();
    host.edit("active: true", "active: maybe");
    let answer = host.stop("one", "C1 is reply 2.");
    assert!(
        answer.message().contains("repaired")
            && answer.context().starts_with("── Advocate · round 2"),
        "{answer:?}"
    );
    assert_eq!(host.reply_texts(), ["A1 is reply 1.", "C1 is reply 2."]);
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

/// A handwritten file with the seven keys that every version of the format has.
fn by_hand(lines: &str) -> String {
    let body = "\n## Round 1\n\n### Advocate\n\nA1. We ship *faster*.\n\n    git push\n";
    format!(
        "---\nactive: true\nquestion: Should we?\nmode: analyst\nphase: critic\nround: 1\nmax_rounds: 1\n\
         started_at: \"2026-01-01T00:00:00Z\"\n{lines}---\n{body}"
    )
}

#[test]
fn seven_keys_and_unquoted_sections_are_enough_to_continue() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    damage(&host, by_hand("").as_bytes());
    let before = host.files();
    assert!(host.run(&["status"]).stdout.contains("Paused before"));
    assert!(host.stop("one", "Not for it.").is_silent());
    assert_eq!(host.files(), before, "a look writes nothing");
    assert!(host.prompt("one", "/anvil:resume").context().contains("── Critic · round 1 of 1"));
    assert!(host.stop("one", "C1. It \"ships\" bugs.").context().contains("── Synthesis ──"));
    assert!(host.stop("one", "recommendation: Do it.").message().contains("Do it."));
    assert_eq!(
        host.reply_texts()[..2],
        ["A1. We ship *faster*.\n\n    git push", "C1. It \"ships\" bugs."]
    );
}

#[test]
fn a_file_without_an_id_is_the_debate_here_if_it_asks_the_same() {
    let host = debated("Why? --rounds 3", 2);
    let id = host.head("id");
    host.edit(&format!("id: {id}\n"), "");
    host.stop("one", "A1 is reply 3.");
    assert_eq!((host.head("id"), host.reply_texts().len()), (id.clone(), 3));
    damage(&host, by_hand("").as_bytes());
    host.prompt("one", "/anvil:resume");
    assert_ne!(host.head("id"), id);
    assert_eq!(host.reply_texts().len(), 1);
}

#[test]
fn foreign_and_empty_keys_do_no_damage() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    damage(
        &host,
        by_hand("personas: \"\"\nfocus: \"\"\nposition: null\nstakeholder_index: 1\n").as_bytes(),
    );
    assert!(!host.prompt("one", "/anvil:resume").message().contains("repaired"));
    assert_eq!(aside(&host), []);
    assert_eq!(host.head("stakeholder_index"), "1", "somebody's own key stays");
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone_until_it_is_replaced() {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    let text = b"no debate \xFF at all";
    damage(&host, text);
    assert!(host.run(&["status"]).stdout.contains("can be read"));
    assert!(host.prompt("one", "/anvil:debate Should we?").reason().contains("--replace"));
    assert_eq!(fs_err::read(host.state_path()).unwrap(), text);
    host.prompt("one", "/anvil:debate Should we? --replace");
    let kept: Vec<_> = aside(&host).into_iter().map(|(_, bytes)| bytes).collect();
    assert_eq!(kept, [text]);
}
