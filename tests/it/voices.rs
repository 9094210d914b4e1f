//! The speakers: modes, stakeholders, personas, blind openings, and the user's own texts for them.

use testkit::host::Host;

/// The headings of the transcript, without their `#`s.
fn headings(host: &Host) -> Vec<String> {
    let text = host.state_text();
    let is_heading = |line: &&str| line.starts_with("## ") || line.starts_with("### ");
    text.lines()
        .filter(is_heading)
        .map(|line| line.trim_start_matches(['#', ' ']).to_owned())
        .collect()
}

/// Lets every phase of a debate speak; returns the prompts.
fn argue(host: &Host, typed: &str) -> Vec<String> {
    let mut told = vec![host.prompt("one", typed).context().to_owned()];
    for number in 1..=30 {
        let is_last = host.head("phase") == "synthesizer";
        let reply = if is_last { "recommendation: Do it." } else { &format!("Reply {number}.") };
        let answer = host.stop("one", reply);
        if answer.context().is_empty() {
            assert!(answer.message().contains("Page: "), "{answer:?}");
            return told;
        }
        told.push(answer.context().to_owned());
    }
    panic!("the debate does not end: {told:?}");
}

#[test]
fn a_synthesis_that_the_user_requests_has_the_number_of_the_last_voice() {
    let stakeholders = ("--stakeholders \"a, b, c, d\"", 3, "3");
    // Three cases, and the attacks of the first two.
    let options = ("--options \"a, b, c\"", 5, "2");
    for (typed, replies, number) in [stakeholders, options] {
        let host = Host::new();
        host.prompt("one", &format!("/anvil:debate Should we? {typed}"));
        for reply in 1..=replies {
            host.stop("one", &format!("**S{reply}.1. Reply {reply}.** x"));
        }
        host.prompt("one", "/anvil:steer --synthesize");
        let place = (host.head("phase"), host.head("round"));
        assert_eq!(place, ("synthesizer".to_owned(), number.to_owned()), "{typed}");
    }
}

#[test]
fn stakeholders_speak_once_each_and_the_synthesis_follows() {
    let host = Host::new();
    let told = argue(
        &host,
        "/anvil:debate Should we? --stakeholders \"engineering, the sales team, legal\"",
    );
    assert!(
        told[0].contains("- Voice 2: the sales team") && told[0].contains("## Voice"),
        "{}",
        told[0]
    );
    assert!(told[0].ends_with("── Voice 1 of 3: engineering ── speak for them alone."));
    assert!(told[1].starts_with("── Voice 2 of 3: the sales team ── "), "{}", told[1]);
    assert!(told[3].starts_with("── Synthesis ──"), "{}", told[3]);
    let expected = [
        "Stakeholder 1: engineering",
        "Stakeholder 2: the sales team",
        "Stakeholder 3: legal",
        "Synthesis",
    ];
    assert_eq!(headings(&host), expected);
    assert_eq!((host.head("mode"), host.head("max_rounds")), ("stakeholders".into(), "3".into()));
    assert_eq!(host.head("stakeholders"), r#"["engineering", "the sales team", "legal"]"#);
    let report =
        fs_err::read_to_string(host.debate_folder(&host.debate_id()).join("report.md")).unwrap();
    assert!(
        report.contains("#### the sales team\n\n> Reply 2.") && report.contains("voices: 3"),
        "{report}"
    );
}

#[test]
fn the_stakeholders_mode_has_three_defaults() {
    let host = Host::new().debating("Should we? --mode stakeholders");
    assert_eq!(host.head("stakeholders"), r#"["engineering", "product", "business"]"#);
    assert_eq!((host.head("phase"), host.head("round")), ("stakeholder".into(), "1".into()));
}

#[test]
fn two_personas_hold_seats_one_objects_and_three_take_turns() {
    let host = Host::new();
    let told = argue(
        &host,
        "/anvil:debate Should we? --rounds 1 --persona sre-on-call --persona \"startup cfo\"",
    );
    assert!(told[0].contains("- The advocate: sre-on-call. You carry the pager"), "{}", told[0]);
    assert!(told[1].starts_with("── Critic, as startup-cfo · round 1 of 1 ── "), "{}", told[1]);
    assert_eq!(headings(&host), ["Round 1", "Advocate", "Critic", "Synthesis"]);

    let host = Host::new();
    let told = argue(&host, "/anvil:debate Should we? --rounds 1 --persona regulator");
    assert!(
        told[0].contains("- The critic: regulator. ") && !told[0].contains("- The advocate:"),
        "{}",
        told[0]
    );

    let host = Host::new();
    let own = "a tired parent of three who commutes two hours a day and has no patience for onboarding wizards";
    let typed = format!(
        "/anvil:debate Should we? --persona end-user --persona \"{own}\" --persona competitor"
    );
    let told = argue(&host, &typed);
    assert!(
        told[0].contains(own),
        "a description that no name can hold is told whole: {}",
        told[0]
    );
    assert!(
        told[1].starts_with("── Voice 2 of 3: a tired parent of three who commutes two"),
        "{}",
        told[1]
    );
    assert_eq!(headings(&host)[0], "Persona 1: end-user");
    assert_eq!(headings(&host).len(), 4);
}

#[test]
fn the_devils_advocate_attacks_the_position_and_needs_one() {
    let host = Host::new();
    let refused = host.prompt("one", "/anvil:debate Should we wait? --mode devils-advocate");
    assert!(
        refused.reason().contains("needs a position") && refused.reason().contains("--position"),
        "{refused:?}"
    );
    assert!(!host.state_path().exists());
    let told = argue(
        &host,
        "/anvil:debate Should we wait? --mode devils-advocate --position \"We wait\" --rounds 1",
    );
    assert!(
        told[0].contains("> We wait") && told[0].contains("AGAINST it and the critic is FOR it"),
        "{}",
        told[0]
    );
    assert!(told[0].ends_with("── Advocate · round 1 of 1 ── attack the position."), "{}", told[0]);
    assert_eq!(told[1], "── Critic · round 1 of 1 ── defend the position against this attack.");
}

#[test]
fn a_blind_critic_opens_before_the_advocate() {
    let host = Host::new();
    let told = argue(&host, "/anvil:debate Should we? --blind --rounds 2");
    assert!(
        told[0].ends_with(
            "── Critic · round 1 of 2 ── open the case against it; there is none for it yet."
        ),
        "{}",
        told[0]
    );
    assert_eq!(
        told[1],
        "── Advocate · round 1 of 2 ── open the case for it, as if the critic had not written."
    );
    let order = ["Round 1", "Critic", "Advocate", "Round 2", "Critic", "Advocate", "Synthesis"];
    assert_eq!(headings(&host), order);
    assert!(!host.run(&["status"]).stdout.contains("Note: "), "the file is as it should be");
}

#[test]
fn conflicting_options_are_refused_before_anything_is_written() {
    let host = Host::new();
    let many: String = (0..11).map(|_| " --persona end-user").collect();
    for (options, said) in [
        ("--mode stakeholders --persona end-user", "stakeholders and personas don't go together"),
        (
            "--mode philosopher --stakeholders \"a, b\"",
            "--stakeholders does not apply to the mode philosopher",
        ),
        ("--stakeholders one", "takes 2 to 10 names"),
        ("--blind --stakeholders \"a, b\"", "blind openings need an advocate and a critic"),
        (
            "--mode devils-advocate --position x --persona end-user --persona regulator --persona competitor",
            "two seats",
        ),
        (many.as_str(), "11 voices, more than 10"),
        ("--mode analist", "there is analyst"),
        ("--persona sre-oncall", "sre-on-call"),
        ("--persona ./nobody.md", "nobody.md"),
        ("--stakeholders \"a, b, a\"", "takes every name once"),
        ("--framework adrr", "adr"),
        ("--focus securty", "Did you mean security"),
    ] {
        let answer = host.prompt("one", &format!("/anvil:debate Should we? {options}"));
        assert!(answer.reason().contains(said), "{options}: {answer:?}");
        assert!(!answer.reason().contains('\n'), "{options}: {answer:?}");
        assert!(!host.state_path().exists(), "{options}");
    }
}

#[test]
fn rounds_do_not_change_voices_and_a_message_says_so() {
    let host = Host::new();
    let answer = host.prompt("one", "/anvil:debate Should we? --rounds 5 --mode stakeholders");
    assert!(answer.message().contains("--rounds has no effect here"), "{answer:?}");
    assert_eq!(host.head("max_rounds"), "3");
}

#[test]
fn a_users_texts_are_found_and_the_projects_texts_win() {
    let host = Host::new();
    let write = |path: &std::path::Path, text: &str| {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    let user = host.home().join(".claude/anvil");
    write(&user.join("personas/cto.md"), "Signs the cheques\n\nYou are the user's CTO.");
    write(
        &user.join("modes/socratic.md"),
        "Only questions\n\n## Advocate\n\nAsk what it would take.\n\n## Critic\n\nAsk what breaks.",
    );
    write(
        &host.path(".claude/anvil/personas/cto.md"),
        "Of this project\n\nYou are this project's CTO.",
    );
    write(
        &host.path(".claude/anvil/frameworks/memo.md"),
        "A memo\n\n### Ask\n\nWhat is asked.\n\n### Cost\n\nWhat it costs.",
    );
    let list = host.run(&["list"]).stdout;
    for line in [
        "  cto  ",
        "project",
        "Of this project",
        "socratic",
        "Only questions",
        "memo",
        "one-pager",
        "built in",
    ] {
        assert!(list.contains(line), "{line}: {list}");
    }
    assert!(!host.run(&["list", "modes"]).stdout.contains("cto"));
    let listed = host.prompt("one", "/anvil:debate --help");
    for kind in ["\npersonas:   ", "\nmodes:      ", "\nframeworks: ", "cto", "socratic", "memo"] {
        assert!(listed.reason().contains(kind), "{kind}: {listed:?}");
    }
    assert!(listed.reason().lines().all(|line| line.chars().count() <= 70), "{listed:?}");
    let typed =
        "/anvil:debate Should we? --persona cto --mode socratic --framework memo --rounds 1";
    let told = host.prompt("one", typed).context().to_owned();
    for text in
        ["- The critic: cto. You are this project's CTO.", "Ask what it would take.", "### Cost"]
    {
        assert!(told.contains(text), "{text}: {told}");
    }
    // Their replies are part of the debate from now on.
    fs_err::remove_dir_all(host.path(".claude/anvil")).unwrap();
    fs_err::remove_dir_all(user).unwrap();
    let told = host.prompt("two", "/anvil:resume").context().to_owned();
    for text in ["- The critic: cto. You are this project's CTO.", "Ask what breaks.", "### Ask"] {
        assert!(told.contains(text), "{text}: {told}");
    }
}

#[test]
fn a_synthesis_without_headings_of_its_framework_is_saved_and_the_report_names_them() {
    let host = Host::new().debating("Should we? --rounds 1 --framework adr");
    host.stop("one", "A1.");
    host.stop("one", "C1.");
    let done = host.stop("one", "recommendation: Yes.\n\n### Decision\n\nWe will.");
    assert!(done.message().contains("Page: ") && done.context().is_empty(), "{done:?}");
    let report = host.run(&["report", "--format", "md"]).stdout;
    for heading in ["Context", "Alternatives"] {
        let line = format!("The synthesis lacks the heading “{heading}");
        assert!(report.contains(&line), "{report}");
    }
    assert!(!report.contains("heading “Decision"), "{report}");
}

#[test]
fn a_description_with_a_slash_is_a_description() {
    let host = Host::new();
    let told =
        host.prompt("one", "/anvil:debate Should we? --persona \"a CI/CD engineer of ten years\"");
    assert!(told.context().contains("- The critic: a CI/CD engineer of ten years"), "{told:?}");
}

#[test]
fn voices_edited_by_hand_change_the_number_of_voices() {
    let host = Host::new().debating("Should we? --stakeholders \"a, b, c\"");
    host.stop("one", "V1.");
    host.edit("max_rounds: 3", "max_rounds: 9");
    assert!(host.stop("one", "V2.").context().starts_with("── Voice 3 of 3: c"));
    host.edit(r#"stakeholders: ["a", "b", "c"]"#, r#"stakeholders: ["a", "b", "c", "d"]"#);
    assert!(
        host.stop("one", "V3.").context().starts_with("── Voice 4 of 4: d"),
        "{}",
        host.state_text()
    );
    assert_eq!(headings(&host).last().unwrap(), "Stakeholder 3: c");
}

#[test]
fn seats_cannot_become_voices_by_an_edit() {
    let host = Host::new()
        .debating("Should we? --persona end-user --persona regulator --persona competitor");
    host.stop("one", "V1.");
    host.edit(
        r#"personas: ["end-user", "regulator", "competitor"]"#,
        r#"personas: ["end-user", "regulator"]"#,
    );
    let status = host.run(&["status"]).stdout;
    let note = status.lines().find(|line| line.contains("Note: ")).unwrap();
    assert!(
        note.matches("phase").count() <= 2 && note.contains("does not fit the next phase"),
        "{note}"
    );
    assert!(host.stop("one", "V2.").context().starts_with("── Voice 3 of 3"));
}
