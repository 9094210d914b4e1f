//! The report: the verdict first, the whole record; in three forms, at the end and on request.

mod decisions;
mod languages;
mod replaced;
pub(crate) mod schema;

use serde_json::Value;

use testkit::host::Host;

const SYNTHESIS: &str =
    "recommendation: Keep it. For now.\nconfidence: 70\nA1 fell: no ground\nC1 survived: so";

/// A whole debate of one round; returns the message at its end.
fn debated(host: &Host) -> String {
    for reply in ["**A1. First.** ground\n\n# forged heading", "**C1. Second.**"] {
        host.stop("one", reply);
    }
    host.stop("one", SYNTHESIS).message().to_owned()
}

fn reports(host: &Host) -> Vec<String> {
    let entries = fs_err::read_dir(host.debate_folder_here()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("report.")).collect();
    names.sort();
    names
}

#[test]
fn a_report_holds_the_verdict_and_every_word_of_the_record() {
    let host = Host::new()
        .debating("Should we \"split\"? --rounds 1 --output report.md --position \"not yet\"");
    debated(&host);
    let text = fs_err::read_to_string(host.path("report.md")).unwrap();
    let parts = [
        "# Should we \"split\"?",
        "analyst mode, rounds: 1,",
        "> not yet",
        "## Verdict\n\n**Depends, 70% sure, on: ",
        "**Recommendation:** Keep it. For now.",
        "## Synthesis\n\nSo it is.",
        "### Round 1\n\n#### Advocate\n\n> **A1. First.** ground\n>\n> # forged heading\n\n#### Critic\n\n> **C1. Second.**",
        "</details>",
    ];
    let places: Vec<usize> = parts
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}\n\n{text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn a_completed_debate_has_markdown_a_page_and_the_named_output() {
    let default = "~/.claude/anvil.local/debates/id/report.html";
    for (options, report, page, written, named) in [
        (
            "",
            "~/.claude/anvil.local/debates/id/report.md",
            default,
            vec!["report.html", "report.md"],
            None,
        ),
        ("--output d.md", "d.md", default, vec!["report.html"], Some("d.md")),
        ("--output d.htm", "d.htm", "d.htm", vec!["report.md"], Some("d.htm")),
        ("--output d.json", "d.json", default, vec!["report.html", "report.md"], Some("d.json")),
    ] {
        let host = Host::new().debating(&format!("Why? --rounds 1 {options}"));
        let end = debated(&host).replace(&host.debate_id(), "id");
        let line = |path: &str| {
            if report == page || options.is_empty() {
                String::new()
            } else {
                format!("Report: {path}\n")
            }
        };
        let last = format!("{}Page: {page}   /anvil:report --open shows it", line(report));
        assert!(end.contains("Keep it. For now.\n") && end.ends_with(&last), "{end}");
        assert_eq!(reports(&host), written, "{options}");
        let Some(named) = named else { continue };
        let text = fs_err::read_to_string(host.path(named)).unwrap();
        let begins = if named.ends_with("md") {
            "# Why?"
        } else if named.ends_with("htm") {
            "<!doctype html>"
        } else {
            "{"
        };
        assert!(text.starts_with(begins), "{text}");
        assert!(host.run(&["status"]).stdout.contains(&format!(": {named}")));
    }
}

#[test]
fn a_report_falls_back_to_its_default_path() {
    for (named, kept) in [("report.md", "md"), ("report.json", "json")] {
        let host = Host::new().debating(&format!("Why? --rounds 1 --output docs/{named}"));
        fs_err::write(host.path("docs"), "a file now").unwrap();
        let end = debated(&host);
        assert!(
            end.contains("Report: ~/.claude/anvil.local/debates/") && end.contains(kept),
            "{end}"
        );
        assert_eq!(host.head("status"), "completed");
        assert!(
            reports(&host).contains(&format!("report.{kept}"))
                && reports(&host).contains(&"report.html".into())
        );
    }
}

#[test]
fn a_report_failure_is_reported_and_the_debate_completes() {
    let host = Host::new().debating("Why? --rounds 1");
    fs_err::create_dir_all(host.debate_folder_here().join("report.html/x")).unwrap();
    let end = debated(&host);
    assert!(
        end.contains("Keep it. For now.\n") && end.contains("a report could not be written"),
        "{end}"
    );
    assert_eq!(
        (host.head("status").as_str(), reports(&host)),
        ("completed", vec!["report.html".into(), "report.md".into()])
    );

    let host = Host::new().debating("Why? --rounds 1");
    fs_err::create_dir_all(host.debate_folder_here().join("report.html/x")).unwrap();
    fs_err::create_dir_all(host.debate_folder_here().join("report.md/x")).unwrap();
    let end = debated(&host);
    assert!(end.contains("The report could not be written") && !end.contains("Page: "), "{end}");
    assert_eq!(host.head("status"), "completed");
}

#[test]
fn a_report_is_made_in_the_requested_form() {
    let host = Host::new().debating("Why? --rounds 1");
    debated(&host);
    let id = host.debate_id();
    for (arguments, begins) in [
        (&["report"][..], "Why?\n"),
        (&["report", "--full"], "Why?\n"),
        (&["report", "--format", "md"], "# Why?\n"),
        (&["report", "--format", "json", "--output", "-"], "{\n  \"version\": 3,"),
        (&["report", "--format", "html", "--output", "-"], "<!doctype html>"),
        (&["report", &id[..12], "--output", "-"], "# Why?\n"),
    ] {
        let printed = host.run(arguments);
        assert!(
            printed.code == 0 && printed.stdout.starts_with(begins) && printed.stderr.is_empty(),
            "{printed:?}"
        );
    }
    let printed = host.run(&["report", "--format", "html"]);
    assert!(
        printed.stdout.trim_end().ends_with(&format!("debates/{id}/report.html")),
        "{printed:?}"
    );
    for (name, begins) in
        [("a.json", "{\n"), ("a.html", "<!doctype"), ("a.markdown", "# Why?"), ("a.txt", "# Why?")]
    {
        let printed = host.run(&["report", "--output", name]);
        assert_eq!(
            (printed.code, printed.stdout.trim_end()),
            (0, &*host.path(name).display().to_string()),
            "{printed:?}"
        );
        assert!(fs_err::read_to_string(host.path(name)).unwrap().starts_with(begins), "{name}");
    }
    host.run(&["report", "--output", "a.html", "--format", "json"]);
    assert!(
        serde_json::from_str::<Value>(&fs_err::read_to_string(host.path("a.html")).unwrap())
            .is_ok()
    );
    for (arguments, code, said) in [
        (&["report", "nobody"][..], 3, "there is no debate nobody here"),
        (
            &["report", "--format", "pdf"],
            2,
            "\"pdf\" is not expected here\nhint: choose from md, html, json, adr",
        ),
        (&["report", "--format"], 2, "needs a value"),
        (&["report", "--output", ".claude"], 2, "is a folder"),
        (&["report", "--output", ".claude/anvil-state.local.md"], 2, "Anvil's own files"),
    ] {
        let printed = host.run(arguments);
        assert!(
            printed.code == code
                && printed.stderr.contains(said)
                && printed.stderr.lines().count() == 2,
            "{printed:?}"
        );
    }
    assert_eq!(Host::new().run(&["report"]).code, 3);
}

#[test]
fn missing_reports_are_rewritten_from_the_file_or_the_records() {
    let host = Host::new().debating("Why? --rounds 1");
    debated(&host);
    let first = host.debate_id();
    let file = |extension: &str| host.debate_folder(&first).join(format!("report.{extension}"));
    let read = |extension: &str| fs_err::read_to_string(file(extension)).unwrap();
    let before = (read("md"), read("html"));
    fs_err::remove_file(file("md")).unwrap();
    fs_err::remove_file(file("html")).unwrap();
    let printed = host.run(&["report"]);
    assert!(
        printed.code == 0
            && printed.stderr.matches("was missing and is written again").count() == 2,
        "{printed:?}"
    );
    assert_eq!((read("md"), read("html")), before);
    assert!(host.run(&["report"]).stderr.is_empty());

    host.prompt("one", "/anvil:debate And why not? --rounds 1");
    fs_err::remove_file(file("md")).unwrap();
    let printed = host.run(&["report", &first, "--format", "md"]);
    assert!(
        printed.stdout.starts_with("# Why?") && printed.stderr.contains("report.md was missing"),
        "{printed:?}"
    );
    assert_eq!(read("md"), before.0);
    // The running debate has no report yet; a report shows its current state.
    let printed = host.run(&["report"]);
    assert!(
        printed.stdout.contains("There is no synthesis yet") && printed.stderr.is_empty(),
        "{printed:?}"
    );
    assert_eq!(host.record_files("report.md").len() + host.record_files("report.html").len(), 2);
}

#[test]
fn a_report_of_a_running_debate_shows_the_progress() {
    let host = Host::new().debating("Why? --rounds 2");
    assert!(
        host.run(&["report", "--format", "md"])
            .stdout
            .contains("analyst mode, rounds: 0 of 2, 0 words, status: in progress.*")
    );
    host.stop("one", "**A1. First.** ground");
    let report = host.run(&["report", "--format", "md"]).stdout;
    assert!(
        report.contains("rounds: 1 of 2, 3 words, 1 reply, 20 s, status: in progress.*"),
        "{report}"
    );
    let host = Host::new().debating("Why? --stakeholders \"sales, legal\"");
    host.stop("one", "**V1.1. First.** ground");
    assert!(host.run(&["report"]).stdout.contains("voices: 1 of 2, 3 words, 1 reply, "));
}

#[test]
fn without_its_file_a_cancelled_debate_gives_a_hint_to_the_list() {
    let host = Host::new().debating("Why?");
    host.run(&["cancel"]);
    assert!(host.run(&["status"]).stdout.contains(" restores it"));
    fs_err::remove_file(host.state_path()).unwrap();
    for verb in ["report", "status", "undo"] {
        let printed = host.run(&[verb]);
        assert_eq!(printed.code, 3);
        assert!(printed.stderr.contains("`anvil history` lists earlier ones"), "{printed:?}");
    }
}
