//! The user steers: directions, an immediate synthesis, another number of rounds,
//! another cycle.

use serde_json::json;

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
fn the_offered_answers_are_not_directions() {
    let host = after_a_round();
    let goes_on = prompt_of(&host, "t2", " Go on. ");
    assert_eq!(
        goes_on.context(),
        "── Advocate · round 2 of 3 ── answer every open point, then press on."
    );
    assert_eq!(goes_on.message(), "Anvil: continues with advocate, round 2 of 3");
    host.wait(-10);
    assert!(host.prompt_in("t2", " Go on. ").is_silent(), "delivered twice");
    stop_of(&host, "t2", "A2.");
    stop_of(&host, "t2", "C2.");
    let skips = prompt_of(&host, "t3", "s");
    assert!(skips.context().starts_with("── Synthesis ──"), "{skips:?}");
    assert_eq!(skips.message(), "Anvil: skips to the synthesis");
    host.wait(-10);
    assert!(host.prompt_in("t3", "s").is_silent(), "delivered twice");
    assert!(host.run(&["status"]).stdout.contains("  Passed over: round 3"));
    stop_of(&host, "t3", "recommendation: Yes.");
    assert!(!host.state_text().contains("### Steering"), "{}", host.state_text());
}

#[test]
fn a_debate_stopped_after_a_round_waits_until_it_is_resumed() {
    let host = after_a_round();
    let stopped = prompt_of(&host, "t2", "Stop.");
    assert_eq!(
        stopped.reason(),
        "Anvil paused before advocate, round 2 of 3: you stopped it. /anvil:resume continues."
    );
    assert_eq!(host.head("status"), "paused");
    let other = prompt_of(&host, "t3", "Look at the cost");
    assert!(
        other.context().contains("is paused") && other.message().is_empty(),
        "no direction any more: {other:?}"
    );
    assert!(!host.state_text().contains("### Steering"));
    assert!(
        prompt_of(&host, "t4", "/anvil:resume").context().contains("── Advocate · round 2 of 3")
    );
}

#[test]
fn the_same_answers_hold_while_claude_writes() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3 --interactive");
    let before = host.state_text();
    assert!(prompt_of(&host, "t1", "continue").is_silent());
    assert_eq!(host.state_text(), before);
    assert!(prompt_of(&host, "t1", "stop").is_silent());
    let stop = stop_of(&host, "t1", "A1.");
    assert!(stop.message().starts_with("Anvil paused before critic, round 1 of 3"), "{stop:?}");
    prompt_of(&host, "t2", "/anvil:resume");
    assert!(prompt_of(&host, "t2", "skip").is_silent());
    assert!(stop_of(&host, "t2", "C1.").context().starts_with("── Synthesis ──"));
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
fn a_direction_delivered_twice_is_one_direction() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    let first = prompt_of(&host, "t2", "Cost");
    host.wait(-10);
    let second = host.prompt_in("t2", "Cost");
    assert!(!first.is_silent() && second.is_silent(), "{first:?} {second:?}");
    assert_eq!(host.head("status"), "in_progress");
    assert_eq!(host.state_text().matches("### Steering").count(), 1);
    assert_eq!(
        stop_of(&host, "t2", "A2.").context(),
        "── Critic · round 2 of 2, the last ── test the answers; no new claims."
    );
}

#[test]
fn words_typed_while_claude_writes_steer_the_next_phase() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 1 --interactive");
    assert!(prompt_of(&host, "t1", "Mind the budget").is_silent());
    assert_eq!(host.head("steering"), "\"Mind the budget\"");
    let stop = stop_of(&host, "t1", "A1.");
    assert_eq!(
        stop.context(),
        "── Critic · round 1 of 1 ── quote and attack the case just made. Steering: \"Mind the budget\""
    );
    assert!(!host.state_text().contains("\nsteering:"));
    let text = host.state_text();
    assert!(text.find("> A1.").unwrap() < text.find("> Mind the budget").unwrap());
    // The last section is still the advocate's: the same Stop again adds nothing.
    host.wait(-10);
    assert!(host.stop_in("t1", "A1.").is_silent());
    assert_eq!(host.sections().len(), 1);
}

#[test]
fn another_command_or_session_does_not_steer() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 1 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    let before = host.state_text();
    assert!(prompt_of(&host, "t2", "/review the code").is_silent());
    assert!(host.prompt("two", "Look at the cost").is_silent());
    assert_eq!(host.state_text(), before);
}

#[test]
fn a_compacted_debate_that_waits_gives_its_protocol_again() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    assert!(host.session_start("one", "compact").context().contains("# Anvil debate protocol"));
}

#[test]
fn steer_directs_and_resumes_a_paused_debate() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    stop_of(&host, "t1", "A1.");
    prompt_of(&host, "t2", "Wait a moment");
    let steered = prompt_of(&host, "t3", "/anvil:steer Look at what it costs to leave");
    let cue = "── Critic · round 1 of 3 ── quote and attack the case just made.";
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
fn a_direction_from_a_shell_reaches_the_next_phase() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we?");
    let noted = host.run(&["steer", "Look", "at", "Bob's", "$(cost)"]);
    let direction = "\"Look at Bob's $(cost)\" is used as the direction";
    assert_eq!(noted.stdout, format!("Anvil: noted; {direction} when this reply is written.\n"));
    host.run(&["steer", "And the risk"]);
    assert!(
        host.run(&["status"])
            .stdout
            .contains("  Your direction for the next reply: Look at Bob's $(cost) And the risk")
    );
    let stop = stop_of(&host, "t1", "A1.");
    assert!(
        stop.context().ends_with("Steering: \"Look at Bob's $(cost) And the risk\""),
        "{stop:?}"
    );
    assert!(host.state_text().contains("> Look at Bob's $(cost)\n>\n> And the risk\n"));
    assert!(!stop_of(&host, "t1", "C1.").context().contains("Steering"), "given once");
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
    assert!(
        answer
            .context()
            .contains("\n\n── Synthesis ── weigh every claim, then decide; end with the block."),
        "{answer:?}"
    );
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

#[test]
fn synthesize_from_a_shell_waits_for_the_current_reply() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    assert!(
        host.run(&["steer", "--synthesize"])
            .stdout
            .contains("the synthesis starts when this reply is written")
    );
    // A direction next to it is confirmed as a direction.
    assert!(
        host.run(&["steer", "The\ncost"])
            .stdout
            .contains("\"The cost\" is used as the direction when")
    );
    assert!(
        host.run(&["status"])
            .stdout
            .contains("\n  You asked for the synthesis: it starts after this reply\n")
    );
    let stop = stop_of(&host, "t1", "A1.");
    assert!(stop.context().starts_with("── Synthesis ──"), "{stop:?}");
    assert_eq!(host.sections().len(), 1);
    assert!(!host.run(&["status"]).stdout.contains("You asked"), "it is being written");
}

#[test]
fn the_number_of_rounds_can_change_during_a_debate() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    prompt_of(&host, "t2", "Wait");
    let changed = prompt_of(&host, "t3", "/anvil:steer --rounds 1");
    assert_eq!(changed.reason(), "Anvil: 1 round now. Next: synthesis; /anvil:resume continues.");
    let changed = prompt_of(&host, "t3", "/anvil:steer --rounds 2");
    assert_eq!(
        changed.reason(),
        "Anvil: 2 rounds now. Next: advocate, round 2 of 2; /anvil:resume continues."
    );
    assert!(!host.run(&["status"]).stdout.contains("Note: "));
    assert!(prompt_of(&host, "t3", "/anvil:steer --rounds 11").reason().contains("1 to 10"));
    assert!(prompt_of(&host, "t3", "/anvil:steer --rounds").reason().starts_with("Anvil: "));
    // A reply in progress keeps its place.
    prompt_of(&host, "t4", "/anvil:resume");
    assert_eq!(
        host.run(&["steer", "--rounds", "1"]).stdout,
        "Anvil: 1 round now. Next: advocate, round 2 of 2. If Claude is not writing, /anvil:resume in Claude Code asks for it.\n"
    );
    let stop = stop_of(&host, "t4", "A2.");
    assert!(
        stop.context().starts_with("── Critic · round 2 of 2"),
        "a round that was begun is argued to its end: {stop:?}"
    );
    assert!(stop_of(&host, "t4", "C2.").context().starts_with("── Synthesis ──"));
    assert!(
        host.run(&["steer", "--rounds", "5"]).stderr.contains("the synthesis is being written")
    );
    let host = Host::new().debating("Should we? --mode stakeholders");
    assert!(host.run(&["steer", "--rounds", "5"]).stderr.contains("every voice speaks once"));
}

#[test]
fn a_round_that_is_over_continues_in_a_fresh_conversation() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    let stop = stop_of(&host, "t1", "C1.");
    assert!(stop.message().contains("A) /clear, then /anvil:resume (recommended"), "{stop:?}");
    let before = host.state_text();
    let fresh = prompt_of(&host, "t2", "A");
    assert_eq!(fresh.reason(), "Anvil: type /clear, then /anvil:resume.");
    assert_eq!(host.state_text(), before, "the letter is no direction");
    let head = ["status", "phase", "round", "step"].map(|key| host.head(key));
    assert_eq!(head, ["paused", "advocate", "2", "3"], "the next reply has not begun");
    host.session_end("one");
    let resumed = host.prompt("two", "/anvil:resume");
    assert!(
        resumed.context().contains("# Anvil debate protocol")
            && resumed.context().contains("── Advocate · round 2 of 2"),
        "{resumed:?}"
    );
    assert!(
        resumed.context().contains("Read ") && resumed.context().contains("to its end."),
        "{resumed:?}"
    );
    host.stop("two", "A2.");
    let stop = host.stop("two", "C2.");
    assert!(stop.message().contains("Next: synthesis."), "{stop:?}");
    assert!(host.prompt("two", "b").context().contains("── Synthesis ──"));
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

#[test]
fn again_needs_a_completed_debate_and_waits_from_a_shell() {
    let host = Host::new().debating("Should we?");
    assert!(host.prompt("one", "/anvil:again").reason().contains("not complete"));
    let host = completed();
    let printed = host.run(&["again"]);
    assert!(printed.stdout.contains("/anvil:resume in Claude Code starts it"), "{printed:?}");
    assert_eq!((host.head("status"), host.head("cycle")), ("paused".into(), "2".into()));
    let resumed = prompt_of(&host, "t2", "/anvil:resume");
    assert!(resumed.context().contains("Cycle 2"), "{resumed:?}");
    let json: serde_json::Value = host.run(&["status", "--json"]).json();
    assert_eq!(json["cycle"], json!(2));
}

#[test]
fn a_round_steered_during_its_last_reply_continues_at_once() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    assert!(prompt_of(&host, "t1", "Mind the budget").is_silent());
    let stop = stop_of(&host, "t1", "C1.");
    let cue = "── Advocate · round 2 of 2, the last ── answer every open point; no new claims. Steering: \"Mind the budget\"";
    assert_eq!(stop.context(), cue);
}

#[test]
fn a_foreign_session_changes_only_the_number_of_rounds() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    host.wait(5);
    let changed = host.prompt("two", "/anvil:steer --rounds 1");
    assert!(
        changed.reason().starts_with("Anvil: 1 round now. Next: advocate, round 2 of 2."),
        "{changed:?}"
    );
    assert!(stop_of(&host, "t1", "A2.").context().starts_with("── Critic · round 2 of 2"));
    assert_eq!(host.sections().len(), 3);
}

#[test]
fn the_last_request_wins() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 3");
    host.run(&["steer", "--synthesize"]);
    host.run(&["steer", "--rounds", "4"]);
    assert!(stop_of(&host, "t1", "A1.").context().starts_with("── Critic · round 1 of 4"));
    // The reply before the synthesis never came: Esc.
    host.run(&["steer", "--synthesize"]);
    assert!(prompt_of(&host, "t2", "/anvil:resume").context().contains("── Synthesis ──"));
    assert!(host.run(&["steer", "x"]).stderr.contains("no phase follows it"));
    assert!(host.run(&["steer", "--synthesize"]).stderr.contains("no phase follows it"));
}

#[test]
fn a_typed_direction_is_used_exactly_once() {
    // Clients before 2.1.200 give turns no ids.
    let host = Host::new();
    host.prompt("one", "/anvil:debate Should we? --rounds 2 --interactive");
    host.stop("one", "A1.");
    host.stop("one", "C1.");
    assert!(!host.prompt("one", "Cost").is_silent());
    host.wait(-10);
    assert!(host.prompt("one", "Cost").is_silent());
    assert_eq!(
        (host.head("status"), host.state_text().matches("> Cost").count()),
        ("in_progress".into(), 1)
    );
    // Another direction waits too.
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 2 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    host.run(&["steer", "from the shell"]);
    prompt_of(&host, "t2", "Cost");
    host.wait(-10);
    assert!(host.prompt_in("t2", "Cost").is_silent());
    assert!(!host.state_text().contains("\nsteering:"), "{}", host.state_text());
}

#[test]
fn a_command_after_the_start_is_not_a_repeated_start() {
    let host = Host::new();
    host.prompt("one", "/anvil:debate Should we?");
    host.wait(-9);
    assert!(
        host.prompt("one", "/anvil:steer Look at the cost")
            .context()
            .contains("Steering: \"Look at the cost\"")
    );
    host.wait(-10);
    assert!(host.prompt("one", "/anvil:steer Look at the cost").is_silent());
}

#[test]
fn a_prompt_after_esc_pauses_an_interactive_debate() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --interactive");
    stop_of(&host, "t1", "A1.");
    let paused = prompt_of(&host, "t2", "What time is it?");
    assert!(paused.message().contains("paused before critic, round 1"), "{paused:?}");
    assert!(!host.state_text().contains("### Steering"));
}

#[test]
fn an_empty_prompt_is_no_direction() {
    let host = Host::new();
    prompt_of(&host, "t1", "/anvil:debate Should we? --rounds 1 --interactive");
    stop_of(&host, "t1", "A1.");
    stop_of(&host, "t1", "C1.");
    assert!(prompt_of(&host, "t2", "   ").is_silent());
    assert_eq!(host.head("awaits_steering"), "true");
}
