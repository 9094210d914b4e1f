//! The claims of a debate, on a screen and for programs, and their map for other tools.

use serde_json::Value;

use crate::report::schema::{check, fits};
use testkit::host::{Host, synthesis};

const ADVOCATE: &str = "**A1. Deploys get faster.** Teams wait now. [evidence: the 2024 audit]\n\n**A2. Hiring gets easier \u{1b}[31m<b>.** So they say. [assumption]";
const CRITIC: &str = "**C1. It costs a year.** Two moved before. [reasoning]\n**Attacks A1:** \"never written\" is not so.\n\n**Grants A2:** because the market says so.";
const SYNTHESIS: &str = "recommendation: Wait.\nverdict: do not\nrests on: C1\nconfidence: 70\nflips if: a second team comes.\nA1 fell: C1 holds\nC1 survived: nobody answered it";

/// A debate whose synthesis leaves out A2, and is not repeated.
fn debated() -> Host {
    let host = Host::new().debating("Should we split | it? --rounds 1");
    for reply in [ADVOCATE, CRITIC, &synthesis(SYNTHESIS, &[], None), "That is my decision."] {
        host.stop("one", reply);
    }
    assert_eq!(host.head("status"), "completed");
    host
}

#[test]
fn every_claim_is_listed_with_its_result_and_checks() {
    let host = debated();
    let printed = host.run(&["claims"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    for part in [
        "3 claims: 1 fell, 1 unanswered, 1 left out.\n\n",
        "\n✕ A1  Deploys get faster\n      evidence: the 2024 audit · attacked by C1\n      fell: C1 holds\n",
        "\n? A2  Hiring gets easier",
        "\n      assumption · granted by the critic\n      left out\n",
        "\n· C1  It costs a year\n      reasoning · unanswered: no other seat had a turn to \
         reply\n      survived: nobody answered it\n",
        "\nChecked:\n",
        "  * The synthesis leaves out A2.\n",
        "(critic,\n    round 1): “never written”.",
    ] {
        assert!(printed.stdout.contains(part), "{part}: {}", printed.stdout);
    }
    assert!(
        !printed.stdout.contains('\u{1b}')
            && printed.stdout.lines().all(|line| line.chars().count() <= 80)
    );
    // The client leaves a hook fewer columns than a screen has.
    let ended = host.prompt("one", "/anvil:claims").reason().to_owned();
    assert!(
        ended.contains("3 claims: ") && ended.lines().all(|line| line.chars().count() <= 70),
        "{ended}"
    );
    let host = host.with("COLUMNS", "130");
    let wide = host.prompt("one", "/anvil:claims").reason().to_owned();
    let host = host.with("COLUMNS", "");
    let longest = wide.lines().map(|line| line.chars().count()).max();
    assert!(longest.is_some_and(|longest| (71..=120).contains(&longest)), "{wide}");
    let id = host.head("id");
    assert_eq!(host.run(&["claims", &id.trim_matches('"')[..12]]).stdout, printed.stdout);
}

#[test]
fn a_claim_says_where_its_cited_words_are() {
    for (found, said) in [
        ("", ""),
        ("there, `a.rs:2`", "; the words are there"),
        ("elsewhere, `a.rs:90`", "; the words are at line 90"),
        ("not there, `a.rs`", "; the words are not in the file"),
        ("no such file, `a.rs`", "; there is no such file"),
        ("not looked at, `a.rs`", "; not looked at"),
    ] {
        let host = Host::new().debating("Why? --rounds 1");
        host.stop("one", "**A1. It is so.** x [evidence: a.rs \"the exact words\"]");
        if !found.is_empty() {
            let note = format!("\n### Evidence Check\n\n> **A1:** {found}, commit 3f2a\n");
            fs_err::write(host.state_path(), host.state_text() + &note).unwrap();
        }
        for arguments in [&["claims"][..], &["claims", "A1"]] {
            let printed = host.run(arguments).stdout;
            let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
            let line = format!("evidence: a.rs \"the exact words\"{said}");
            assert!(words.contains(&line), "{line}: {printed}");
            assert_eq!(words.contains("the words are"), said.contains("the words"), "{printed}");
            for (line, begins) in [
                ("* A1 cites words that are not in a.rs (advocate, round 1).", "not there"),
                ("* A1 cites a file that does not exist, a.rs (advocate, round 1).", "no such"),
            ] {
                assert_eq!(words.contains(line), found.starts_with(begins), "{printed}");
            }
        }
        let claims = fits("docs/ledger.schema.json", &host.run(&["claims", "--json"]).stdout);
        let report = check(&host.run(&["report", "--format", "json"]).stdout);
        let citation = &claims["claims"][0]["citation"];
        assert_eq!(citation["words"], "the exact words");
        assert_eq!(citation["seen"].is_null(), found.is_empty());
        assert_eq!(&report["claims"][0]["citation"], citation);
    }
}

#[test]
fn claims_can_be_filtered_and_no_match_changes_the_exit_code() {
    let host = debated();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let printed = host.run(&[&["claims", "--json"], arguments].concat());
        let value: Value = printed.json();
        assert_eq!(
            printed.code,
            if value["claims"].as_array().unwrap().is_empty() { 3 } else { 0 },
            "{printed:?}"
        );
        value["claims"]
            .as_array()
            .unwrap()
            .iter()
            .map(|claim| claim["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&[]), ["A1", "A2", "C1"]);
    assert_eq!(ids(&["--state", "open"]), ["C1"]);
    assert_eq!(ids(&["--by", "advocate"]), ["A1", "A2"]);
    assert_eq!(ids(&["--by", "advocate", "--state", "open"]), [""; 0]);
    for (arguments, code, said) in [
        (
            &["claims", "--by", "advocate", "--state", "open"][..],
            3,
            "no claim of this debate matches",
        ),
        (&["claims", "--by", "sales"], 2, "this debate has no seat \"sales\""),
        (&["claims", "nobody"], 3, "there is no debate nobody here"),
        (&["claims", "--by"], 2, "needs a value"),
    ] {
        let printed = host.run(arguments);
        assert!(
            printed.code == code
                && printed.stderr.contains(said)
                && printed.stderr.lines().count() == 2,
            "{printed:?}"
        );
    }
    assert!(
        host.prompt("one", "/anvil:claims --by sales")
            .reason()
            .contains("this debate has no seat \"sales\"")
    );
    let bare = Host::new().debating("Why?");
    assert_eq!(bare.run(&["claims"]).code, 3);
    assert!(bare.run(&["claims"]).stderr.contains("this debate has no numbered claim"));
    assert_eq!(Host::new().run(&["claims"]).code, 3);
}

#[test]
fn one_claim_is_shown_whole() {
    let host = Host::new().debating("Should we split? --rounds 1");
    let url = format!("https://example.org/{}", "x".repeat(80));
    let (reason, why) =
        ("because nobody has looked at it ".repeat(6), "it was argued about for long ".repeat(6));
    host.stop(
        "one",
        &format!("**A1. Deploys get faster.** Teams wait. [evidence: {url}]\n\n**A2. Hiring.** x"),
    );
    host.stop(
        "one",
        &format!("**C1. It costs.** y\n**Attacks A1:** \"Teams wait\" {reason}end.\n\n**Grants A1:** {reason}."),
    );
    host.stop("one", &format!("recommendation: Wait.\nverdict: do not\nrests on: C1\nA1 fell: {why}\nA2 fell: no\nC1 survived: yes"));
    let id = host.head("id");
    let printed = host.run(&["claims", "A1"]);
    let words = printed.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "3 claims: 2 fell, 1 unanswered. Shown: 1.",
        "✕ A1 Deploys get faster evidence:",
        &url,
        "· advocate, round 1 attacked by C1 (critic, round 1): “Teams wait”",
        &format!("{reason}end. granted by the critic (critic, round 1): {reason}"),
        &format!("fell: {}", why.trim_end()),
    ] {
        assert!(words.contains(part.trim_end()), "{part}: {}", printed.stdout);
    }
    assert!(
        !printed.stdout.contains('…')
            && !printed.stdout.contains("A2")
            && printed.stdout.lines().count() > 15
    );
    let narrow = |line: &&str| line.chars().count() <= 80 || line.contains(&url);
    assert!(printed.stdout.lines().all(|line| narrow(&line)), "{}", printed.stdout);
    let typed = host.prompt("one", "/anvil:claims a1").reason().to_owned();
    assert_eq!(typed.split_whitespace().collect::<Vec<_>>().join(" "), words);
    assert_eq!(host.run(&["claims", id.trim_matches('"'), "A1"]).stdout, printed.stdout);
    let value: Value = host.run(&["claims", "A1", "--json"]).json();
    assert_eq!(
        (value["claims"].as_array().unwrap().len(), value["moves"].as_array().unwrap().len()),
        (1, 2)
    );
    for (arguments, code, said) in [
        (&["claims", "A9"][..], 3, "this debate has no claim A9"),
        (&["claims", "A1", "--by", "critic"], 3, "no claim of this debate matches"),
        (&["claims", "1", "one"], 2, "\"one\" is not a claim's number"),
    ] {
        let printed = host.run(arguments);
        assert!(printed.code == code && printed.stderr.contains(said), "{printed:?}");
    }
    let none = Host::new().run(&["claims", "A1"]);
    assert_eq!(none.code, 3, "{none:?}");
    // A debate whose id ends like the number of a missing claim.
    host.edit(&id, "2026-11-21-should-c123");
    assert!(host.run(&["claims", "c123"]).stdout.starts_with("3 claims: "));
}

#[test]
fn a_voice_is_selected_by_its_number_or_the_start_of_its_name() {
    let host = Host::new().debating("Why? --stakeholders \"sales, the legal team\"");
    host.stop("one", "FOR.\n\n**S1.1. Cheap.** x");
    host.stop("one", "AGAINST.\n\n**S2.1. Dear.** y\n**Attacks S1.1:** no.");
    for who in ["2", "S2", "the legal team", "the leg"] {
        let printed = host.run(&["claims", "--by", who]);
        assert!(
            printed.stdout.contains("S2.1  Dear") && !printed.stdout.contains("S1.1  Cheap"),
            "{who}: {printed:?}"
        );
    }
    assert!(
        host.run(&["claims"]).stdout.contains("no ground given · attacked by S2.1"),
        "{:?}",
        host.run(&["claims"])
    );
}

#[test]
fn json_has_every_claim_move_and_check() {
    let printed = debated().run(&["claims", "--json"]);
    let value: Value = printed.json();
    for (pointer, expected) in [
        ("/claims/0/ground", serde_json::json!({ "kind": "evidence", "named": "the 2024 audit" })),
        ("/claims/0/label", "out".into()),
        ("/claims/1/result", "left_out".into()),
        ("/moves/0/by", "C1".into()),
        ("/moves/0/quote_found", false.into()),
        (
            "/counts",
            serde_json::json!({ "claims": 3, "survived": 0, "weakened": 0, "fell": 1, "unanswered": 1, "left_out": 1 }),
        ),
        ("/verdict", "do not".into()),
        ("/confidence_percent", 70.into()),
        ("/rests_on", serde_json::json!(["C1"])),
        ("/as_of_cycle", Value::Null),
    ] {
        assert_eq!(value.pointer(pointer), Some(&expected), "{pointer}: {value:#}");
    }
    let left_out = value["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["fault"] == "left_out")
        .unwrap();
    assert_eq!(
        (&left_out["id"], &left_out["text"]),
        (&"A2".into(), &"The synthesis leaves out A2.".into())
    );
}

#[test]
fn results_stand_during_a_new_cycle_until_its_synthesis() {
    let host = debated();
    host.prompt("one", "/anvil:again And now?");
    assert!(host.run(&["claims"]).stdout.starts_with("3 claims: "));
    host.stop("one", "**A3. It was tried.** x [reasoning]");

    let printed = host.run(&["claims"]).stdout;
    for part in [
        "4 claims, 2 open. The verdict is of cycle 1.\n",
        "\n! A1  Deploys get faster\n      evidence: the 2024 audit · attacked by C1\n      in cycle 1: fell: C1 holds\n",
        "\n      assumption · granted by the critic\n      in cycle 1: left out\n",
        "\n? A3  It was tried\n      reasoning\n\nChecked",
        "(critic,\n    round 1, cycle 1)",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let json: Value = host.run(&["claims", "--json"]).json();
    for (pointer, expected) in [
        ("/claims/0/result", "fell".into()),
        ("/claims/3/result", Value::Null),
        ("/as_of_cycle", 1.into()),
        (
            "/counts",
            serde_json::json!({ "claims": 4, "open": 2, "contested": 1, "granted": 1, "withdrawn": 0 }),
        ),
        ("/verdict", "do not".into()),
        ("/rests_on", serde_json::json!(["C1"])),
    ] {
        assert_eq!(json.pointer(pointer), Some(&expected), "{pointer}: {json:#}");
    }
    let report = |format: &str| host.run(&["report", "--format", format, "--output", "-"]).stdout;
    assert!(
        report("md").contains("\n4 claims, 2 open. The verdict is of cycle 1.\n"),
        "{}",
        report("md")
    );
    assert!(report("md").contains("| attacked by C1 | fell: C1 holds |"));
    assert!(
        report("adr").contains("Chosen option: \"Not: do it\".")
            && report("adr").contains("* C1: It costs a year")
    );

    for reply in
        ["**C2. It was not.** y", "**Rebuts C2:** no.", "**Grants A3:** because of the log."]
    {
        if host.head("phase") != "synthesizer" {
            host.stop("one", reply);
        }
    }
    let asked = host.stop_with("one", &synthesis(SYNTHESIS, &[], None));
    assert!(
        asked.context().contains("A2, A3, C2 are missing"),
        "every cycle's claims are accounted for: {asked:?}"
    );
    let others = format!("{SYNTHESIS}\nA2 fell: no\nA3 survived: yes\nC2 fell: no");
    host.stop_with("one", &synthesis(&others, &[], None));
    assert!(
        !host.run(&["claims"]).stdout.contains("By the synthesis"),
        "{}",
        host.run(&["claims"]).stdout
    );
}

#[test]
fn the_name_of_a_report_says_its_form() {
    let host = debated();
    for (name, format) in [
        ("record.adr.md", "adr"),
        ("page.html", "html"),
        ("report.json", "json"),
        ("report.md", "md"),
    ] {
        let written = host.run(&["report", "--output", name]);
        assert_eq!(written.code, 0, "{written:?}");
        let of_format = host.run(&["report", "--format", format, "--output", "-"]).stdout;
        assert_eq!(
            fs_err::read_to_string(host.path(name)).unwrap().trim_end(),
            of_format.trim_end(),
            "{name}"
        );
    }
    host.run(&["report", "--format", "json", "--output", "named.md"]);
    assert!(
        fs_err::read_to_string(host.path("named.md")).unwrap().starts_with('{'),
        "the option is stronger"
    );
}

#[test]
fn a_decision_record_has_the_claims_for_and_against_each_option() {
    let host = Host::new().debating("Should Rails stay? --rounds 1");
    host.stop(
        "one",
        "**A1. One endpoint is slow.** x\n\n**A2. CI gates it.** x\n\n**A3. Rails is known.** x",
    );
    host.stop(
        "one",
        "**C1. A year is lost.** x\n\n**C2. Nobody asked.** x\n\n**C3. Modules suffice.** x",
    );
    host.stop(
        "one",
        "recommendation: Keep it.\nverdict: depends\nrests on: A1, C3\nconfidence: 70\nA1 survived: so\nA2 weakened: so\nA3 survived: so\nC1 survived: so\nC2 fell: so\nC3 survived: so",
    );
    let text = host.run(&["report", "--format", "adr"]).stdout;
    for part in [
        "\n# Keep it\n",
        "* Have Rails stay\n* Not: have Rails stay\n* Keep it\n\n",
        "Chosen option: \"Keep it\".\n\nSo it is.\n\nDepends, 70% sure, on: a trial; do if it works, do not if not.\n\nMotion: have Rails stay\n",
        "For it:\n\n* A1: One endpoint is slow (survived)\n* A2: CI gates it (weakened)\n\
         * A3: Rails is known (survived)\n\nAgainst it:\n\n* C1: A year is lost (unanswered)\n\
         * C2: Nobody asked (fell)\n* C3: Modules suffice (unanswered)\n\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_decision_record_has_what_a_team_needs_to_accept_it() {
    let host = debated();
    let adr = |output: Option<&str>| {
        let output: Vec<&str> =
            output.into_iter().flat_map(|output| ["--output", output]).collect();
        let printed = host.run(&[&["report", "--format", "adr"], &output[..]].concat());
        assert_eq!(printed.code, 0, "{printed:?}");
        if output.is_empty() {
            printed.stdout
        } else {
            fs_err::read_to_string(printed.stdout.trim_end()).unwrap()
        }
    };
    let text = adr(None);
    let parts = [
        "---\nstatus: proposed\ndate: 2026-11-21\n---\n\n# Wait\n",
        "## Context and Problem Statement\n\nShould we split | it?\n",
        "## Decision Drivers\n\n* C1: It costs a year (reasoning; unanswered)\n\n",
        "## Considered Options\n\n* Do it\n* Not: do it\n\n",
        "## Decision Outcome\n\nChosen option: \"Not: do it\".\n\nSo it is.\n\nNo: not do it, 70% sure.\n",
        "### Consequences\n\n* Good, because of C1: It costs a year\n\n",
        "### What to Do\n\nWait.\n\n",
        "### Confirmation\n\n* Look again if: a second team comes.\n",
        "## Pros and Cons of the Options\n\n### Do it\n\nFor it:\n\n* A1: ",
        "Against it:\n\n* C1: It costs a year (unanswered)\n\n### Not: do it\n\nThe same, the other way round.\n",
        "## More Information\n\n3 claims: 1 fell, 1 unanswered, 1 left out.\n",
    ];
    let places: Vec<usize> = parts
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
    // A name that was typed is taken as it is; its folder says whether a title has a number.
    fs_err::create_dir_all(host.path("docs/decisions")).unwrap();
    assert!(adr(Some("docs/new/0042-split.md")).contains("\n# Wait\n"));
    for name in ["0007-a.md", "ADR-0012-b.md", "README.md", "99999999999-c.md"] {
        fs_err::write(host.path("docs/decisions").join(name), "# 12. It\n").unwrap();
    }
    assert!(adr(None).contains("\n# Wait\n"));
    assert!(adr(Some("docs/decisions/split.md")).contains("\n# Wait\n"));
    assert!(adr(Some("docs/decisions/0043-split.md")).contains("\n# 43. Wait\n"));
    let named = host.run(&["report", "--output", "docs/decisions/0050-split.adr.md"]);
    let text = fs_err::read_to_string(named.stdout.trim_end()).unwrap();
    assert!(text.contains("\n# 50. Wait\n") && text.contains("\"number\":50"), "{named:?}");
}
