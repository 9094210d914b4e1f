//! The user steers: directions, an immediate synthesis, another number of rounds,
//! another cycle.

use testkit::host::{Answer, Host};

fn prompt_of(host: &Host, turn: &str, text: &str) -> Answer {
    host.wait(5);
    host.prompt_in(turn, text)
}

fn stop_of(host: &Host, turn: &str, text: &str) -> Answer {
    host.wait(5);
    host.stop_in(turn, text)
}

#[test]
fn an_interactive_debate_waits_for_the_user_after_each_round() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "**A1. One.** x\n\n**A2. Two.** y");
    let stop = stop_of(
        &host,
        "t1",
        "**C1. No.** z\n\n**Attacks A1:** no.\n\n**Grants A2:** because true.",
    );
    assert!(stop.context().is_empty(), "{stop:?}");
    let expected = "Anvil: round 1 of 2 is complete; 3 claims, 1 open. Next: advocate, round 2 of 2.\n  \
                    The advocate:\n    A1 One.\n    A2 Two.\n  \
                    The critic:\n    C1 No.\n  \
                    Attacked: A1. Granted: A2. Open: C1.\n\
\x20 A) /clear, then /anvil:resume (recommended: the file has everything)\n\
                    \x20 B) Type [g]o on, [s]kip to the synthesis, s[t]op, or what it should look at next.";
    assert_eq!(stop.message(), expected);
    assert_eq!(
        (host.head("status"), host.head("awaits_steering")),
        ("paused".into(), "true".into())
    );
    assert!(
        host.run(&["status"])
            .stdout
            .contains("/anvil:resume in Claude Code continues, `anvil steer TEXT`")
    );

    let steered = prompt_of(&host, "t2", "Look at the\ncost of leaving");
    assert!(
        steered.context().starts_with("The message above is the person's steering"),
        "{steered:?}"
    );
    assert!(
        steered.context().ends_with(
            "\n\n── Advocate · round 2 of 2, the last ── answer C1; no new claims. Attacked: A1."
        ),
        "{steered:?}"
    );
    assert!(steered.context().len() < 400, "the conversation has the protocol already");
    assert!(host.state_text().contains("\n### Steering\n<!-- anvil {"), "{}", host.state_text());
    assert!(host.state_text().contains("> Look at the\n> cost of leaving\n"));
    assert_eq!(host.head("status"), "in_progress");

    stop_of(&host, "t2", "A3.");
    let stop = stop_of(&host, "t2", "C2.");
    assert!(
        stop.message().contains("round 2 of 2 is complete")
            && stop.message().contains("Next: synthesis."),
        "{stop:?}"
    );
    let resumed = prompt_of(&host, "t3", "/anvil:resume");
    assert!(resumed.context().contains("── Synthesis ──"), "{resumed:?}");
    let done = stop_of(&host, "t3", "recommendation: Yes.");
    assert!(done.message().contains("Page: "), "{done:?}");
    let report =
        fs_err::read_to_string(host.debate_folder(&host.debate_id()).join("report.md")).unwrap();
    assert!(
        report.contains(
            "### Round 2\n\n#### The person directed\n\n> Look at the\n> cost of leaving\n\n#### Advocate"
        ),
        "{report}"
    );
}

/// An interactive debate of three rounds that waits after the first one.
fn after_a_round() -> Host {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    host
}

#[test]
fn a_pasted_direction_is_kept_without_the_clients_marks() {
    let host = after_a_round();
    let text = "Look at\n\n<pasted_content id=\"6da5\">\nthe cost\nof leaving\n</pasted_content id=\"6da5\">\n";
    let steered = prompt_of(&host, "t2", text);
    assert!(
        steered.message().ends_with("with your direction: \"Look at the cost of leaving\""),
        "{steered:?}"
    );
    assert!(
        host.state_text().contains("> Look at\n>\n> the cost\n> of leaving\n"),
        "{}",
        host.state_text()
    );
}

#[test]
fn each_answer_at_the_end_of_a_round_has_its_line() {
    for (typed, line) in [
        (" Go on. ", "Anvil: continues with advocate, round 2 of 3"),
        ("s", "Anvil: skips to the synthesis"),
        (
            "Stop.",
            "Anvil paused before advocate, round 2 of 3: you stopped it. /anvil:resume continues.",
        ),
        ("A", "Anvil: type /clear, then /anvil:resume."),
    ] {
        let answer = prompt_of(&after_a_round(), "t2", typed);
        assert_eq!(format!("{}{}", answer.message(), answer.reason()), line);
    }
}

#[test]
fn the_status_has_what_a_shell_has_asked_for() {
    let host = Host::new().debating("Should we? --rounds 3");
    host.run(&["steer", "--synthesize"]);
    host.run(&["steer", "Look", "at", "Bob's", "$(cost)"]);
    let status = host.run(&["status"]).stdout;
    for line in [
        "  You asked for the synthesis: it starts after this reply\n",
        "  Your direction for the next reply: Look at Bob's $(cost)",
    ] {
        assert!(status.contains(line), "{line}: {status}");
    }
    assert!(host.prompt("one", "/anvil:steer --rounds 11").reason().contains("1 to 10"));
}

#[test]
fn a_resumed_conversation_says_that_the_debate_waits() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    host.session_end("one");
    let said = host.session_start("one", "resume").message().to_owned();
    assert!(said.contains("waits for your direction (next: advocate, round 2 of 2)"), "{said}");
    assert!(host.session_start("two", "startup").message().contains("has an unfinished debate"));
    assert!(prompt_of(&host, "t2", "The cost").context().contains("── Advocate · round 2"));
}

#[test]
fn steer_directs_and_resumes_a_paused_debate() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    stop_of(&host, "t1", "A1.");
    prompt_of(&host, "t2", "Wait a moment");
    let steered = prompt_of(&host, "t3", "/anvil:steer Look at what it costs to leave");
    let cue = "── Critic · round 1 of 3 ── ";
    assert!(
        steered.context().contains(cue)
            && steered.context().ends_with(" Steering: \"Look at what it costs to leave\""),
        "{steered:?}"
    );
    let taken =
        "Anvil: critic, round 1 of 3, with your direction: \"Look at what it costs to leave\"";
    assert_eq!(steered.message(), taken);
    assert!(host.state_text().contains("### Steering\n"));
    assert!(prompt_of(&host, "t4", "/anvil:steer").reason().contains("the direction is missing"));
    assert!(
        prompt_of(&host, "t4", "/anvil:steer --help")
            .reason()
            .contains("Usage: /anvil:steer [OPTIONS] [TEXT]...")
    );
}

#[test]
fn synthesize_skips_to_the_end_and_says_what_it_skipped() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    assert!(
        prompt_of(&host, "t2", "/anvil:steer --synthesize")
            .reason()
            .contains("no reply is saved in this cycle yet")
    );
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    for text in ["A1.", "C1.", "A2."] {
        stop_of(&host, "t1", text);
    }
    prompt_of(&host, "t2", "Enough");
    let answer = prompt_of(&host, "t3", "/anvil:steer --synthesize");
    assert!(answer.context().contains("\n\n── Synthesis ── "), "{answer:?}");
    assert!(
        host.run(&["status"]).stdout.contains("Passed over: critic, round 2; round 3"),
        "{}",
        host.run(&["status"]).stdout
    );
    assert!(!host.run(&["status"]).stdout.contains("Note: "));
    stop_of(&host, "t3", "recommendation: Yes.");
    let report =
        fs_err::read_to_string(host.debate_folder(&host.debate_id()).join("report.md")).unwrap();
    assert!(report.contains("skipped: critic, round 2; round 3"), "{report}");
}

#[test]
fn a_direction_combines_with_new_rounds_or_the_synthesis() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    prompt_of(&host, "t2", "Wait");
    let files = host.files();
    assert!(
        prompt_of(&host, "t3", "/anvil:steer look --rounds 2")
            .reason()
            .contains("--rounds is inside the direction")
    );
    assert_eq!(host.files(), files);
    let answer = prompt_of(&host, "t3", "/anvil:steer --rounds 2 Mind the budget");
    assert!(
        answer.context().contains("── Advocate · round 2 of 2, the last ──")
            && answer.context().contains("Mind the budget"),
        "{answer:?}"
    );
    stop_of(&host, "t3", "A2.");
    prompt_of(&host, "t4", "Wait");
    let answer = prompt_of(&host, "t5", "/anvil:steer --synthesize Name the risk");
    assert!(
        answer.context().contains("── Synthesis ──") && answer.context().contains("Name the risk"),
        "{answer:?}"
    );
    // In a shell both wait for the reply in progress.
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    let noted = "Anvil: noted; \"The cost\" is used as the direction, and the synthesis starts \
                 when this reply is written.\n";
    assert_eq!(host.run(&["steer", "--synthesize", "The cost"]).stdout, noted);
    let noted = "Anvil: noted; 4 rounds now; \"And us\" is used as the direction when this reply is written.\n";
    assert_eq!(host.run(&["steer", "--rounds", "4", "And us"]).stdout, noted);
    assert!(
        host.run(&["steer", "The cost", "--rounds", "4"])
            .stderr
            .contains("--rounds is inside the direction")
    );
}

fn completed() -> Host {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 1");
    for text in ["A1.", "C1.", "recommendation: Yes."] {
        stop_of(&host, "t1", text);
    }
    assert_eq!(host.head("status"), "completed");
    host
}

#[test]
fn another_cycle_reopens_a_debate_and_keeps_the_first_cycle() {
    let host = completed();
    let again =
        prompt_of(&host, "t2", "/anvil:again The vendor doubled its price. Only for the EU?");
    assert!(again.context().contains("Cycle 2: the debate was decided before"), "{again:?}");
    assert!(
        again.context().contains("> The vendor doubled its price. Only for the EU?"),
        "{again:?}"
    );
    assert!(
        again
            .context()
            .contains("── Advocate · round 1 of 1 ── answer every open point, then press on."),
        "{again:?}"
    );
    assert_eq!(
        (host.head("cycle"), host.head("status"), host.head("phase")),
        ("2".into(), "in_progress".into(), "advocate".into())
    );
    for text in ["A2.", "C2."] {
        assert!(!stop_of(&host, "t2", text).context().is_empty());
    }
    let done = stop_of(&host, "t2", "recommendation: No longer.");
    assert!(done.message().contains("No longer."), "{done:?}");
    let texts: Vec<String> = host.sections().into_iter().map(|section| section.text).collect();
    for (text, part) in
        texts.iter().zip(["A1.", "C1.", "recommendation: Yes.", "A2.", "C2.", "recommendation: No"])
    {
        assert!(text.contains(part), "{texts:?}");
    }
    let cycles: Vec<u32> = host.sections().into_iter().map(|section| section.cycle).collect();
    assert_eq!(cycles, [1, 1, 1, 2, 2, 2]);
    assert!(!host.run(&["status"]).stdout.contains("Note: "), "{}", host.run(&["status"]).stdout);
    let report =
        fs_err::read_to_string(host.debate_folder(&host.debate_id()).join("report.md")).unwrap();
    let verdict =
        report.find("**Recommendation:** No longer.").expect("the last synthesis is the verdict");
    let first = report.find("> recommendation: Yes.").expect("the first one is part of the record");
    assert!(
        verdict < first && report.contains("### Cycle 2") && report.contains("cycles: 2"),
        "{report}"
    );
    // A reopening without a reply is undone automatically.
    prompt_of(&host, "t3", "/anvil:again Once more?");
    prompt_of(&host, "t4", "Wait");
    host.wait(5);
    let undone = host.run(&["undo"]).stdout;
    assert!(
        undone.contains("undone: the opening of cycle 3")
            && undone.contains("the debate is complete"),
        "{undone}"
    );
    assert_eq!(
        (host.head("cycle"), host.head("status"), host.sections().len()),
        ("2".into(), "completed".into(), 6)
    );
    // Undone back to the first cycle, it is open there again.
    host.wait(5);
    assert!(
        host.run(&["undo", "4"]).stdout.contains("next      synthesis"),
        "{}",
        host.state_text()
    );
    assert_eq!(host.head("cycle"), "1");
}
