//! `anvil body …`, as filters.

use std::path::Path;

use serde_json::Value;

use testkit::host::{Host, Output};

/// A debate that waits for its critic, and a body that holds it.
fn published() -> (Host, String) {
    let host = Host::new().debating("Should we cache? --rounds 2 --output notes/report.md");
    host.stop("one", "**A1. Yes.** Reads outnumber writes --> as @ops measured.");
    let printed = host.pipe(&["body", "embed"], "Our cache is slow.\r\n");
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""), "{printed:?}");
    (host, printed.stdout)
}

fn refused(printed: &Output, code: i32, said: &str) {
    assert_eq!((printed.code, printed.stdout.as_str()), (code, ""), "{printed:?}");
    assert!(printed.stderr.contains(said), "{printed:?}");
}

#[test]
fn a_debate_goes_through_a_body_to_another_machine() {
    let (host, body) = published();
    assert!(
        body.starts_with(
            "Our cache is slow.\r\n\n\n<!-- anvil-state\n{\"version\":1,\"revision\":1,"
        ) && body.ends_with("\n-->")
    );
    assert_eq!(host.pipe(&["body", "strip"], &body).stdout, "Our cache is slow.\r\n");
    assert_eq!(host.pipe(&["body", "embed"], &body).stdout, body);

    let state = host.pipe(&["body", "extract", "--state"], &body).stdout;
    let there = Host::new();
    fs_err::create_dir(there.path(".claude")).unwrap();
    fs_err::write(there.state_path(), &state).unwrap();
    assert_eq!(there.sections(), host.sections());
    let status = there.run(&["status"]).stdout;
    assert!(status.contains("it ran on another machine") && !status.contains("Note: "), "{status}");
    assert!(there.prompt("two", "/anvil:resume").context().contains("Should we cache?"));
    there.stop("two", "**C1. No.** Writes go stale.");
    assert_eq!(there.sections().len(), 2);
    let newer = there.pipe(&["body", "embed"], &body).stdout;
    assert!(newer.contains("\"revision\":2,") && newer.contains("\"kind\":\"critic\""), "{newer}");
    assert_eq!(there.state().debate.options.output, None);

    // Now the body is ahead of the local debate.
    refused(&host.pipe(&["body", "embed"], &newer), 1, "holds what this debate does not have here");
    let forced = host.pipe(&["body", "embed", "--force"], &newer);
    assert!(
        forced.stdout.contains("\"revision\":3,") && !forced.stdout.contains("\"kind\":\"critic\""),
        "{forced:?}"
    );
    assert!(forced.stderr.contains("aside/block-"), "{forced:?}");
}

#[test]
fn contains_answers_by_exit_code_and_check_in_text_or_json() {
    let (host, body) = published();
    let code = |text: &str| {
        let printed = host.pipe(&["body", "contains"], text);
        assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", ""));
        printed.code
    };
    assert_eq!(
        (code(&body), code("text"), code("```\n<!-- anvil-state\n{}\n-->\n```\n")),
        (0, 3, 3)
    );
    let checked = host.pipe(&["body", "check"], &body).stdout;
    let lines: Vec<&str> = checked.lines().collect();
    assert_eq!(lines[0], "Anvil: Should we cache?");
    assert_eq!(
        lines[2..5],
        [
            "  status    paused, next: critic, round 1 of 2",
            "  mode      analyst, 2 rounds",
            "  words     9 in 1 reply"
        ]
    );
    assert!(
        lines[1].starts_with("  debate    2026-") && lines[1].ends_with(", revision 1"),
        "{checked}"
    );
    assert!(lines[5].ends_with(" of 65536 characters") && lines.len() == 6, "{checked}");
    let json: Value =
        serde_json::from_str(&host.pipe(&["body", "check", "--json"], &body).stdout).unwrap();
    assert_eq!(
        (&json["phase"], &json["round"], &json["words"], &json["revision"]),
        (&"critic".into(), &1.into(), &9.into(), &1.into())
    );
    let moved = host
        .pipe(&["body", "check"], &body.replace("\"phase\":\"critic\"", "\"phase\":\"advocate\""));
    assert!(moved.stdout.contains("position disagree"), "{moved:?}");
}

#[test]
fn extract_prints_json_from_files_and_earlier_debates() {
    let (host, body) = published();
    fs_err::write(host.path("body.md"), &body).unwrap();
    let extracted = host.run(&["body", "extract", "--body", "body.md"]);
    let json: Value = extracted.json();
    assert_eq!(
        json["sections"][0]["text"],
        "**A1. Yes.** Reads outnumber writes --> as @ops measured."
    );
    host.prompt("one", "/anvil:cancel");
    let id = json["id"].as_str().unwrap();
    let cancelled = host.pipe(&["body", "embed"], "");
    assert!(cancelled.stdout.contains("\"status\":\"cancelled\""), "{cancelled:?}");
    assert_eq!(host.pipe(&["body", "embed", &id[..20]], "").stdout, cancelled.stdout);
    let file = host.snapshot(id);
    let file = file.display().to_string();
    assert_eq!(host.pipe(&["body", "embed", "--state", &file], "").stdout, cancelled.stdout);
    assert_eq!(host.pipe(&["body", "embed", "--state", &file, id], "").code, 2);
    assert_eq!(fs_err::read_to_string(host.path("body.md")).unwrap(), body);
}

#[test]
fn unreadable_parts_are_named_and_force_puts_them_aside() {
    let (host, body) = published();
    let block = &body[body.find("<!--").unwrap()..];
    let aside = host.aside_here();
    for (text, said, blocks) in [
        (format!("{body}\n\n{block}"), "has 2 Anvil blocks", 2),
        (body.replace("\"version\":1,", "\"version\":1,,"), "is broken", 1),
        (body.replace("\"version\":1,", "\"version\":9,"), "has version 9; this Anvil knows 1", 1),
        (body[..body.len() - 3].to_owned(), "it has no end", 1),
    ] {
        let before = fs_err::read_dir(&aside).map_or(0, Iterator::count);
        for verb in ["embed", "extract", "check"] {
            refused(&host.pipe(&["body", verb], &text), 1, said);
        }
        assert_eq!(host.pipe(&["body", "contains"], &text).code, 0);
        assert_eq!(host.pipe(&["body", "strip"], &text).stdout, "Our cache is slow.\r\n");
        let forced = host.pipe(&["body", "embed", "--force"], &text);
        assert_eq!((forced.code, forced.stdout.as_str()), (0, body.as_str()), "{forced:?}");
        assert_eq!(fs_err::read_dir(&aside).unwrap().count(), before + 1);
        let name = forced.stderr.trim_end().trim_end_matches('.').rsplit(" in ").next().unwrap();
        let kept = fs_err::read_to_string(host.resolve(name)).unwrap();
        assert_eq!(kept.matches("<!-- anvil-state").count(), blocks);
        assert!(
            text.trim_end().ends_with(kept.trim_end().rsplit("\n\n").next().unwrap()),
            "{kept}"
        );
    }
    // These are not earlier debates.
    assert!(!host.run(&["history"]).stdout.contains("block"));
    let mut other = published().1;
    other = other.replace("-should-we-cache-", "-should-we-else-");
    refused(&host.pipe(&["body", "embed"], &other), 1, "another debate");
    refused(&host.pipe(&["body", "check"], "text"), 3, "no Anvil block");
    refused(&host.run_with(&["body", "strip"], host.root(), b"\xff"), 1, "not UTF-8");
    refused(
        &host.pipe(&["body", "strip"], &"a".repeat(8 * 1024 * 1024 + 1)),
        1,
        "more than 8388608 bytes",
    );
}

#[test]
fn a_hostile_debate_cannot_control_the_terminal() {
    let (host, body) = published();
    let hostile = body
        .replace("\"question\":\"", "\"question\":\"\\u001b[2J\\u202e")
        .replace("\"untitled\"", "");
    for arguments in [&["body", "check"][..], &["body", "check", "--json"], &["body", "extract"]] {
        let printed = host.pipe(arguments, &hostile);
        assert!(printed.code == 0 && printed.stdout.contains("Should we cache?"), "{printed:?}");
        assert!(!printed.stdout.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
    }
    let broken =
        host.pipe(&["body", "check"], &body.replace("\"phase\":\"", "\"phase\":\"\\u001b[2J"));
    assert!(broken.code == 1 && !broken.stderr.contains('\u{1b}'), "{broken:?}");
}

#[test]
fn a_filter_does_not_wait_for_a_terminal() {
    let (host, body) = published();
    fs_err::write(host.path("body.md"), &body).unwrap();
    let typed = |line: &str| {
        let mut script = std::process::Command::new("script");
        script
            .args(["-qec", &format!("{} {line}", env!("CARGO_BIN_EXE_anvil")), "/dev/null"])
            .current_dir(host.root());
        let output = script.env("HOME", host.root()).stdin(std::process::Stdio::null()).output();
        output.ok().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(said) = typed("body check") else { return };
    assert!(
        said.contains("standard input is the terminal") && said.contains("--body FILE"),
        "{said}"
    );
    assert!(typed("body strip --body body.md").unwrap().contains("Our cache is slow."));
}

/// The fenced block of the description with this beginning.
fn fenced<'a>(text: &'a str, begins: &str) -> &'a str {
    let begins = format!("\n```{begins}");
    let at = text.find(&begins).unwrap_or_else(|| panic!("{begins} is not there")) + 1;
    let at = at + text[at..].find('\n').unwrap() + 1;
    &text[at..at + text[at..].find("\n```").unwrap()]
}

#[test]
fn the_documented_body_matches_the_program() {
    let doc =
        fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/issue-body.md"))
            .unwrap();
    let body = fenced(&doc, "markdown\nOur cache is slow.");
    let host = Host::new();
    let state = host.pipe(&["body", "extract", "--state"], body).stdout;
    assert!(state.contains("\n### Advocate\n") && state.contains("> as @ops measured."), "{state}");
    fs_err::write(host.path("state.md"), &state).unwrap();
    assert_eq!(
        host.pipe(&["body", "embed", "--state", "state.md"], "Our cache is slow.\n").stdout,
        body
    );
    let expected = "Should we cache -- or not? paused critic\nadvocate | 1 | **A1. Yes.** Reads outnumber writes -->\n\nas @ops measured.\n";
    let long = state.replace("as @ops", &format!("{} as @ops", "again and again ".repeat(5_000)));
    fs_err::write(host.path("long.md"), long).unwrap();
    let long = host.pipe(&["body", "embed", "--state", "long.md"], "").stdout;
    assert!(long.contains("\"deflated\":\""), "{long}");
    // The program of the description, if its interpreter is installed.
    for (body, expected) in [(body, Some(expected)), (&long, None)] {
        let mut python = std::process::Command::new("python3");
        fs_err::write(host.path("read.py"), fenced(&doc, "python\n")).unwrap();
        fs_err::write(host.path("body.md"), body).unwrap();
        python.arg(host.path("read.py")).stdin(std::fs::File::open(host.path("body.md")).unwrap());
        if let Ok(output) = python.output() {
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(
                expected.is_none_or(|expected| said == expected)
                    && said.trim_end().ends_with("as @ops measured."),
                "{said}"
            );
        }
    }
}
