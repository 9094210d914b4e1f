//! A report replaces nothing but a report: every file of the user stays as it is.

use std::path::Path;

use super::debated;
use testkit::host::Host;

const MINE: &str = "# Notes\n\nMine.\n";

fn read(host: &Host, name: &str) -> String {
    fs_err::read_to_string(host.path(name)).unwrap()
}

#[test]
fn a_report_of_any_form_replaces_a_report_of_any_form() {
    let host = Host::new().debating("Why \"now\"? --rounds 1 --position \"not yet\"");
    debated(&host);
    let forms = ["a.md", "a.adr.md", "a.html", "a.json"];
    for first in forms {
        for format in ["md", "adr", "html", "json"] {
            let printed = host.run(&["report", "--output", first, "--format", format]);
            assert_eq!(printed.code, 0, "{first}, {format}: {printed:?}");
        }
        // A page that was printed, and a file that git has given other line ends.
        for text in [read(&host, first), read(&host, first).trim_end().replace('\n', "\r\n")] {
            fs_err::write(host.path(first), text).unwrap();
            let printed = host.run(&["report", "--output", first]);
            assert_eq!(printed.code, 0, "{first}: {printed:?}");
        }
        let before = fs_err::metadata(host.path(first)).unwrap();
        assert_eq!(host.run(&["report", "--output", first]).code, 0);
        assert!(is_same(&before, &host.path(first)), "{first}: an equal file is not written");
    }
}

/// True if nothing has put another file in place of this one.
fn is_same(before: &std::fs::Metadata, path: &Path) -> bool {
    let now = fs_err::metadata(path).unwrap();
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ino(&now)
        == std::os::unix::fs::MetadataExt::ino(before);
    #[cfg(not(unix))]
    return now.created().unwrap() == before.created().unwrap();
}

#[test]
fn a_report_does_not_replace_a_file_of_the_user() {
    let host = Host::new().debating("Why? --rounds 1");
    debated(&host);
    let report = |format: &str| host.run(&["report", "--format", format, "--output", "-"]).stdout;
    let [markdown, adr, page, json] = ["md", "adr", "html", "json"].map(report);
    let theirs = [
        ("notes.md", MINE.to_owned()),
        ("empty.md", String::new()),
        ("pasted.md", format!("{MINE}\n{markdown}")),
        ("noted.md", format!("{markdown}\n{MINE}")),
        ("record.md", format!("{MINE}\n{adr}")),
        ("accepted.md", format!("{adr}\n{MINE}")),
        ("page.html", page.replace("generator", "author")),
        ("noted.html", format!("{page}\n<p>Mine.")),
        ("package.json", "{\n  \"version\": 3,\n  \"id\": \"mine\"\n}\n".to_owned()),
        ("inner.json", format!("{{\"mine\": {json}}}")),
        ("state.md", host.state_text()),
    ];
    for (name, text) in &theirs {
        fs_err::write(host.path(name), text).unwrap();
        let printed = host.run(&["report", "--output", name]);
        assert_eq!(printed.code, 2, "{name}: {printed:?}");
        assert!(printed.stderr.contains("is not an Anvil report"), "{name}: {printed:?}");
        assert_eq!(read(&host, name), *text, "{name}");
    }
    // Nor at the start, by any spelling, before anything is asked.
    let other = Host::new();
    fs_err::create_dir_all(other.path("sub")).unwrap();
    fs_err::write(other.path("notes.md"), MINE).unwrap();
    for name in ["notes.md", "./notes.md", "sub/../notes.md"] {
        let refused = other.run(&["start", "Why?", "--output", name]);
        assert!(refused.stderr.contains("is not an Anvil report"), "{name}: {refused:?}");
        let told = other.prompt("one", &format!("/anvil:debate Why? --output {name}"));
        assert!(told.reason().contains("is not an Anvil report"), "{name}: {told:?}");
        assert!(!other.state_path().exists());
    }
    assert_eq!(read(&other, "notes.md"), MINE);
}

#[test]
fn a_file_that_appears_at_the_path_during_the_debate_stays() {
    let host = Host::new().debating("Why? --rounds 1 --output decision.md");
    fs_err::write(host.path("decision.md"), MINE).unwrap();
    let end = debated(&host);
    assert_eq!(read(&host, "decision.md"), MINE);
    assert!(end.contains("it is not an Anvil report"), "{end}");
    assert!(
        end.contains(&format!(
            "Report: ~/.claude/anvil.local/debates/{}/report.md",
            host.debate_id()
        )),
        "{end}"
    );
}
