//! Debates of the shell Anvil 2.1 are carried on: shown, adopted by `/anvil:resume`, argued to their report; nothing is lost.

use anvil::debate::{Phase, Place};
use anvil::transcript::{self, Kind};

use crate::host::Host;

/// A file as the shell has left it: its head, in which `lines` replace those of their keys, and its body.
fn file(lines: &str, body: &str) -> String {
    let mut head = "active: true\nquestion: \"Why?\"\nmode: analyst\nposition: null\nround: 1\nmax_rounds: 2\nphase: advocate\nresearch: false\nframework: \nfocus: \"\"\ncontext_source: \"\"\nfollow_up: \"\"\nversus: false\ninteractive: false\nstakeholders: \"\"\nstakeholder_index: 1\npersonas: \"\"\noutput: \"/home/x/Desktop/anvil-why.html\"\nstarted_at: \"2026-01-01T00:00:00Z\"\n".to_owned();
    for line in lines.lines() {
        let (key, _) = line.split_once(':').unwrap();
        let old = head.lines().find(|old| old.starts_with(&format!("{key}:"))).unwrap().to_owned();
        head = head.replacen(&old, line, 1);
    }
    format!("---\n{head}---\n{body}")
}

/// A project in which such a file lies.
fn host(text: &str) -> Host {
    let host = Host::new();
    fs_err::create_dir_all(host.path(".claude")).unwrap();
    fs_err::write(host.state_path(), text).unwrap();
    host
}

fn texts(host: &Host) -> Vec<String> {
    host.sections().into_iter().map(|section| section.text).collect()
}

fn notes(host: &Host) -> Vec<(Kind, String)> {
    transcript::notes(&host.state().body).into_iter().map(|note| (note.kind, note.text)).collect()
}

/// The one file of the archive, which is the old one byte for byte.
fn assert_is_kept(host: &Host, text: &str) {
    let inside = host.path(".claude/anvil.local/archive");
    let files: Vec<_> = host.files().into_iter().filter(|(path, _)| path.starts_with(&inside)).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].0.to_string_lossy().ends_with("-shell.md"), "{files:?}");
    assert_eq!(files[0].1, text.as_bytes());
}

/// Looks at such a file, adopts it at the place `next`, and argues to the end; gives back the host as it stands behind the first
/// reply and then as it is at the end. `filed` are the replies that it has, `cues` what is asked for from then on.
fn carry_on(text: &str, next: &str, filed: &[&str], cues: &[&str]) -> Host {
    let host = host(text);
    let before = host.files();
    let status = host.run(&["status"]);
    assert!(status.code == 0 && status.out.contains("paused (it was begun in the shell Anvil)"), "{status:?}");
    assert!(status.out.contains(&format!("next: {next}")), "{status:?}");
    assert!(status.out.contains("it is a debate of the shell Anvil 2.1, taken over"), "{status:?}");
    assert!(host.stop("one", "Not for it.").is_silent() && host.prompt("one", "Hello").is_silent());
    assert!(host.prompt("one", "/anvil:status").ended().contains(&format!("next: {next}")));
    assert_eq!(host.files(), before, "a look writes nothing");
    let found = host.session_start("one", "startup");
    assert!(found.said().contains("/anvil:resume") && !found.said().contains("can't"), "{found:?}");

    let answer = host.prompt("one", "/anvil:resume");
    let now = answer.told().rsplit_once("## Now\n\n").unwrap_or_else(|| panic!("{answer:?}")).1;
    assert!(now.contains(cues[0]), "{now}");
    assert!(
        answer.said().contains("it is a debate of the shell Anvil 2.1, taken over. As it was it lies in "),
        "{answer:?}"
    );
    assert_is_kept(&host, text);
    assert_eq!(texts(&host), filed);
    assert!(!host.run(&["status"]).out.contains("\n  note "), "adopted once");

    let mut expected: Vec<String> = filed.iter().map(|&text| text.to_owned()).collect();
    for (number, cue) in cues.iter().enumerate().skip(1) {
        let reply = format!("New reply {number}.");
        let answer = host.stop("one", &reply);
        assert!(answer.told().contains(cue), "{cue}: {answer:?}");
        assert!(!answer.said().contains("mended") && !answer.said().contains("edited"), "{answer:?}");
        expected.push(reply);
        assert_eq!(texts(&host), expected);
    }
    let answer = host.stop("one", "**Recommendation:** Do it.");
    assert!(answer.said().starts_with("Anvil: complete. Do it. Report: "), "{answer:?}");
    let id = host.head("id").trim_matches('"').to_owned();
    let report = fs_err::read_to_string(host.path(&format!(".claude/anvil.local/reports/{id}.md"))).unwrap();
    for text in &expected {
        assert!(report.contains(text.lines().next().unwrap()), "{text}\n{report}");
    }
    assert_is_kept(&host, text);
    assert!(!host.run(&["status"]).out.contains("\n  note "));
    host
}

#[test]
fn an_analyst_in_mid_round_is_carried_on() {
    let question = "question: \"It's \\\"so\\\", isn't it?\\n\\tC:\\\\new $HOME `id`\"\n";
    let body =
        "\n## Round 1\n\n### Advocate\n\nA1, first.\n\n```md\n## Round 2\n\n### Critic\n\n### Advocate\n```\n\nlast\n";
    let lines =
        format!("{question}phase: critic\nposition: \"wait\"\nresearch: true\nframework: adr\nfocus: \"security\"\n");
    let filed = "A1, first.\n\n```md\n## Round 2\n\n### Critic\n\n### Advocate\n```\n\nlast";
    let cues = ["Critic, round 1 of 2", "Advocate, round 2 of 2", "Critic, round 2 of 2", "Synthesizer", "Synthesizer"];
    let host = host(&file(&lines, body));
    let adopted = host.prompt("one", "/anvil:resume");
    assert!(adopted.told().contains("It's \"so\", isn't it?"), "{adopted:?}");
    let debate = host.state().debate;
    assert_eq!(debate.question, "It's \"so\", isn't it?\n\tC:\\new $HOME `id`");
    assert_eq!((debate.position.as_deref(), debate.focus.as_deref()), (Some("wait"), Some("security")));
    assert!(debate.research && debate.framework.is_some_and(|framework| framework.name == "adr"));
    let without = file(&format!("{question}phase: critic\n"), body);
    carry_on(&without, "critic, round 1", &[filed], &cues[..4]);
}

#[test]
fn a_debate_without_a_reply_is_carried_on() {
    let cues = ["Advocate, round 1 of 1", "Critic, round 1 of 1", "Synthesizer"];
    carry_on(&file("max_rounds: 1\n", ""), "advocate, round 1", &[], &cues);
}

#[test]
fn a_devils_advocate_is_carried_on() {
    let body = "\n## Round 1\n\n### Advocate\n\nAgainst it.\n\n### Critic\n\nFor it.\n";
    let lines = "mode: devils-advocate\nposition: \"we \\\"wait\\\"\"\nphase: synthesizer\nmax_rounds: 1\n";
    let host = carry_on(&file(lines, body), "synthesis", &["Against it.", "For it."], &["Synthesizer"]);
    assert_eq!(host.head("position"), "\"we \\\"wait\\\"\"");
    assert_eq!(host.head("mode"), "devils-advocate");
}

#[test]
fn stakeholders_are_carried_on() {
    let body = "\n## Stakeholder 1: Engineering Team\n\nE.\n\n## Stakeholder 3: Legal\n\nnot yet\n";
    let lines = "mode: stakeholders\nstakeholders: \"Engineering Team, Product/UX,Business/Management\"\nphase: stakeholder\nround: 2\nmax_rounds: 3\nstakeholder_index: 2\n";
    let filed = "E.\n\n## Stakeholder 3: Legal\n\nnot yet";
    let cues = ["Stakeholder 2 of 3", "Stakeholder 3 of 3", "Synthesizer"];
    let host = carry_on(&file(lines, body), "Product/UX, stakeholder 2 of 3", &[filed], &cues);
    assert_eq!(host.head("stakeholders"), "[\"Engineering Team\", \"Product/UX\", \"Business/Management\"]");
    assert_eq!(host.sections()[1].voice.as_deref(), Some("Product/UX"));
}

#[test]
fn three_personas_with_texts_of_their_own_are_carried_on() {
    let free = "A pragmatic founder who has been burnt by two rewrites, counts every euro and sleeps badly";
    let body = format!(
        "\n<!-- persona:security-engineer -->\nYou break things.\n\nThen you tell.\n<!-- /persona -->\n\n<!-- persona:{free} -->\n{free}\n<!-- /persona -->\n\n<!-- persona:end-user -->\nYou use it.\n<!-- /persona -->\n\n## Persona 1: security-engineer\n\nS.\n\n## Persona 2: {free}\n\nF.\n"
    );
    let lines = format!("personas: \"security-engineer|{free}|end-user\"\nphase: persona\nround: 3\nmax_rounds: 3\n");
    let host =
        carry_on(&file(&lines, &body), "end-user, persona 3 of 3", &["S.", "F."], &["Persona 3 of 3", "Synthesizer"]);
    let voices = host.state().debate.voices;
    assert_eq!(voices[0].text.as_deref(), Some("You break things.\n\nThen you tell."));
    assert!(voices[1].name.chars().count() <= 60 && voices[1].text.as_deref() == Some(free), "{voices:?}");
    assert_eq!(host.sections()[1].voice.as_ref(), Some(&voices[1].name));
}

#[test]
fn two_personas_hold_the_seats() {
    let body = "\n<!-- persona:startup-cfo -->\nMoney.\n<!-- /persona -->\n\n<!-- persona:regulator -->\nRules.\n<!-- /persona -->\n\n## Round 1\n\n### Advocate\n\nA1.\n";
    let lines = "personas: \"startup-cfo|regulator\"\nphase: critic\nmax_rounds: 1\n";
    let host = carry_on(&file(lines, body), "critic, round 1", &["A1."], &["Critic, round 1 of 1", "Synthesizer"]);
    let names: Vec<String> = host.state().debate.voices.into_iter().map(|voice| voice.name).collect();
    assert_eq!(names, ["startup-cfo", "regulator"]);
}

#[test]
fn a_pause_between_two_rounds_is_carried_on() {
    let body = "\n## Round 1\n\n### Advocate\n\nA1.\n\n### Critic\n\nC1.\n";
    let host = host(&file("phase: interactive-pause\ninteractive: true\n", body));
    assert!(host.run(&["status"]).out.contains("next: advocate, round 2"));
    assert!(host.prompt("one", "/anvil:resume").told().contains("Advocate, round 2 of 2"));
    assert_eq!(host.head("interactive"), "true");
    assert!(host.stop("one", "A2.").told().starts_with("Critic, round 2 of 2"));
    let last = file("phase: interactive-pause\nmax_rounds: 1\n", body);
    carry_on(&last, "synthesis", &["A1.", "C1."], &["Synthesizer"]);
}

#[test]
fn two_results_are_carried_on() {
    let body = "\n## Position A\n\nSource: a.md\n\n# Anvil Analysis: X\n\n## Debate Record\n\n## Round 1\n\n### Advocate\n\nOld.\n\n### Critic\n\nOld too.\n\n## Position B\n\nSource: docs/b.md\n\nB.\n\n### Advocate\n\nNew A1.\n";
    let cues = ["Critic, round 1 of 1", "Synthesizer"];
    let text = file("versus: true\nphase: critic\nmax_rounds: 1\n", body);
    let host = carry_on(&text, "critic, round 1", &["New A1."], &cues);
    assert_eq!(host.head("versus"), "\"a.md / docs/b.md\"");
    let found = notes(&host);
    assert_eq!(found[1], (Kind::PositionB, "Source: docs/b.md\n\nB.".to_owned()));
    assert!(
        found[0].1.starts_with("Source: a.md\n\n# Anvil Analysis: X") && found[0].1.ends_with("Old too."),
        "{found:?}"
    );
}

#[test]
fn a_follow_up_whose_prior_analysis_holds_rounds_is_carried_on() {
    let prior = "The following is the result of a previous Anvil debate. This new debate builds on its conclusions.\n\n# Anvil Analysis: X\n\n## Executive Summary\n\nDo.\n\n---\n\n## Debate Record\n\n## Round 1\n\n### Advocate\n\nOld A.\n\n### Critic\n\nOld C.\n\n## Round 2\n\n### Advocate\n\nOld A2.\n\n### Critic\n\nOld C2.";
    let lines = "follow_up: \"old/report.md\"\nphase: critic\nround: 2\n";
    let cues = ["Critic, round 2 of 2", "Synthesizer"];
    // The shell writes no heading for a round where a line before looks like it; others may have.
    for rounds in [["", ""], ["## Round 1\n\n", "## Round 2\n\n"]] {
        let [first, second] = rounds;
        let body = format!(
            "\n## Prior Analysis\n\n{prior}\n\n{first}### Advocate\n\nA1.\n\n### Critic\n\nC1.\n\n{second}### Advocate\n\nA2.\n"
        );
        let host = carry_on(&file(lines, &body), "critic, round 2", &["A1.", "C1.", "A2."], &cues);
        assert_eq!(notes(&host), [(Kind::PriorAnalysis, prior.to_owned())]);
        assert_eq!(host.head("follow_up"), "\"old/report.md\"");
    }
}

#[test]
fn context_with_fences_is_carried_on() {
    let context = "### Directory: src/\n\n```\na.rs\n```\n\n### File: README.md\n\n```\n# It's ours\n\n## Round 1\n\n### Advocate\n\nnobody\n\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```";
    let body = format!("\n## Codebase Context\n\n{context}\n\n\n### Advocate\n\nA1.\n");
    let text = file("context_source: \"src/ README.md\"\nphase: critic\nmax_rounds: 1\n", &body);
    let host = carry_on(&text, "critic, round 1", &["A1."], &["Critic, round 1 of 1", "Synthesizer"]);
    assert_eq!(notes(&host), [(Kind::Context, context.to_owned())]);
    assert_eq!(host.head("context_source"), "\"src/ README.md\"");
}

#[test]
fn headings_in_replies_do_not_divide_them() {
    let critic = "### Critic\n\nNo.\n\n## Synthesis\n\n### Advocate\n\n## Round 7\n\nIt said so.";
    let body = format!("\n## Round 1\n\n### Advocate\n\nA1.\n\n### Critic\n\nwill object\n\n### Critic\n\n{critic}\n");
    let text = file("phase: advocate\nround: 2\n", &body);
    let cues = ["Advocate, round 2 of 2", "Critic, round 2 of 2", "Synthesizer"];
    carry_on(&text, "advocate, round 2", &["A1.\n\n### Critic\n\nwill object", critic], &cues);
}

#[test]
fn what_a_head_says_too_much_is_argued_again() {
    let body = "\n## Round 1\n\n### Advocate\n\nA1.\n\n### Critic\n\nC1.\n";
    let host = host(&file("phase: critic\nround: 2\n", body));
    let status = host.run(&["status"]);
    assert!(status.out.contains("the sections end at critic, round 1: advocate, round 2 of 2 is next"), "{status:?}");
    assert!(host.prompt("one", "/anvil:resume").told().contains("Advocate, round 2 of 2"));
    assert_eq!(texts(&host), ["A1.", "C1."]);
}

#[test]
fn a_file_with_windows_line_ends_and_one_that_was_switched_off_are_carried_on() {
    let body = "\n## Round 1\n\n### Advocate\n\nA1.\nTwo.\n";
    let text = file("active: false\nphase: critic\n", body).replace('\n', "\r\n");
    let host = host(&text);
    assert!(host.prompt("one", "/anvil:resume").told().contains("Critic, round 1 of 2"));
    assert_eq!(texts(&host), ["A1.\nTwo."]);
    assert_is_kept(&host, &text);
}

#[test]
fn one_with_its_synthesis_is_complete() {
    let body = "\n## Round 1\n\n### Advocate\n\nA1.\n\n### Critic\n\nC1.\n\n## Synthesis\n\n**Recommendation:** Do.\n";
    let host = host(&file("active: false\nphase: synthesizer\nmax_rounds: 1\n", body));
    let status = host.run(&["status"]);
    assert!(status.out.contains("completed"), "{status:?}");
    assert!(host.prompt("one", "/anvil:debate Anew?").told().contains("Anew?"));
    let answer = host.prompt("one", "/anvil:resume");
    assert!(!answer.told().is_empty(), "{answer:?}");
}

#[test]
fn one_that_is_cancelled_or_replaced_stays_as_it_was_and_as_it_became() {
    let text = file("phase: critic\n", "\n## Round 1\n\n### Advocate\n\nA1.\n");
    for ends in ["cancel", "replace"] {
        let host = host(&text);
        if ends == "cancel" {
            assert_eq!(host.run(&["cancel"]).code, 0);
        } else {
            assert!(host.prompt("one", "/anvil:debate Anew?").ended().contains("unfinished"));
            assert!(host.prompt("one", "/anvil:debate Anew? --replace").told().contains("Anew?"));
        }
        let archived: Vec<_> =
            host.files().into_iter().filter(|(path, _)| path.to_string_lossy().contains("archive")).collect();
        assert_eq!(archived.len(), 2, "{archived:?}");
        assert!(archived.iter().any(|(_, bytes)| bytes == text.as_bytes()));
        assert!(archived.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("status: cancelled")));
    }
}

#[test]
fn a_finished_one_is_found_by_its_id_in_its_last_state() {
    let host = host(&file(
        "phase: synthesizer\nmax_rounds: 1\n",
        "\n## Round 1\n\n### Advocate\n\nA1.\n\n### Critic\n\nC1.\n",
    ));
    host.prompt("one", "/anvil:resume");
    host.stop("one", "**Recommendation:** Do it.");
    let id = host.head("id").trim_matches('"').to_owned();
    let answer = host.prompt("one", &format!("/anvil:debate Anew? --follow-up {id}"));
    assert!(answer.told().contains("Anew?"), "{answer:?}");
    assert!(notes(&host)[0].1.contains("Do it."));
    assert_eq!(host.state().debate.place, Place { phase: Phase::Advocate, round: 1 });
}
