//! Texts of a hundred thousand invisible characters, in every place for foreign text. A search of
//! the following text for each of them took minutes; the host kills a command that takes one.

use crate::forge::{Issue, ok_text};
use testkit::host::Host;

fn joiners() -> String {
    "\u{200d}".repeat(100_000)
}

/// A debate with those characters in every reply, up to its synthesis.
fn debated(host: &Host) -> String {
    let hidden = joiners();
    host.prompt("one", "/anvil:debate Why? --rounds 1");
    host.stop("one", &format!("**A1. One{hidden}.** It pays."));
    host.stop("one", &format!("**C1. Two.** It costs.\n**Attacks A1:** \"One{hidden}\" fails."));
    let prose = format!("So{hidden} it is.");
    host.stop("one", &format!("recommendation: Wait.\n\n{prose}")).message().to_owned()
}

#[test]
fn a_session_starts_with_a_journal_of_invisible_characters() {
    let host = Host::new();
    let line = |id: usize| {
        let (id, hidden) = (format!("2026-01-0{id}-why-0000"), joiners());
        let question = format!("\"question\":\"Why{hidden}?\",\"note\":\"{hidden}\"");
        format!(
            "{{\"at\":\"2026-01-01T00:00:00Z\",\"id\":\"{id}\",{question},\"review\":\"2026-02-01\"}}\n"
        )
    };
    fs_err::create_dir_all(host.records()).unwrap();
    fs_err::write(host.records().join("decisions.jsonl"), (1..9).map(line).collect::<String>())
        .unwrap();
    assert!(host.session_start("one", "startup").is_silent());
    let due = host.run(&["history", "--due", "--all"]);
    assert!(due.code == 0 && due.stdout.contains("2026-01-01-why-0000"), "{:.300}", due.stdout);
}

#[test]
fn a_debate_of_invisible_characters_is_completed_published_and_pulled() {
    let issue = Issue::new("An issue.");
    let there = issue.machine();
    let said = debated(&there);
    assert!(said.contains("Page: "), "{said:.300}");
    let report = there.run(&["report", "--format", "md"]);
    assert!(report.stdout.contains("It costs."), "{:.300}", report.stdout);
    ok_text(&there.run(&["publish", "--issue", "7"]));
    assert!(issue.body().contains("\"deflated\""));
    let here = issue.machine();
    let pulled = here.run(&["pull", "--issue", "7"]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    assert_eq!(here.state().body, there.state().body);
    assert!(here.run(&["report", "--format", "md"]).stdout.contains("It costs."));
}

#[test]
fn a_resume_writes_the_reports_of_a_debate_of_invisible_characters() {
    let host = Host::new();
    debated(&host);
    let reports = || host.record_files("report.md").len() + host.record_files("report.html").len();
    assert_eq!(reports(), 2);
    for name in ["report.md", "report.html"] {
        fs_err::remove_file(host.debate_folder_here().join(name)).unwrap();
    }
    // As after a kill before the reports are written.
    let record = host.debate_folder_here().join("debate.json");
    let text = fs_err::read_to_string(&record).unwrap();
    fs_err::write(&record, text.replacen('{', "{\"is_report_due\":true,", 1)).unwrap();
    host.prompt("one", "/anvil:resume");
    assert_eq!(reports(), 2);
}
