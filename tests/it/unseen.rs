//! Texts of a hundred thousand invisible characters, in every place for foreign text. A search of
//! the following text for each of them took minutes; the host kills a command that takes one.
//! `tests/linear` compares times.

use crate::forge::{Issue, done};
use crate::host::Host;

const JOURNAL: &str = ".claude/anvil.local/outcomes.jsonl";

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
    host.stop("one", &format!("recommendation: Wait.\n\n{prose}")).said().to_owned()
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
    fs_err::create_dir_all(host.path(".claude/anvil.local")).unwrap();
    fs_err::write(host.path(JOURNAL), (1..9).map(line).collect::<String>()).unwrap();
    assert!(host.session_start("one", "startup").is_silent());
    let due = host.run(&["history", "--due"]);
    assert!(due.code == 3 && due.err.contains("did not write"), "{due:?}");
}

#[test]
fn a_debate_of_invisible_characters_is_completed_published_and_pulled() {
    let issue = Issue::new("An issue.");
    let there = issue.machine();
    let said = debated(&there);
    assert!(said.contains("Page: "), "{said:.300}");
    let report = there.run(&["report"]);
    assert!(report.out.contains("It costs."), "{:.300}", report.out);
    done(&there.run(&["publish", "--issue", "7"]));
    assert!(issue.body().contains("\"deflated\""));
    let here = issue.machine();
    let pulled = here.run(&["pull", "--issue", "7"]);
    assert_eq!(pulled.code, 0, "{pulled:?}");
    assert_eq!(here.state().body, there.state().body);
    assert!(here.run(&["report"]).out.contains("It costs."));
}

#[test]
fn a_resume_writes_the_reports_of_a_debate_of_invisible_characters() {
    let host = Host::new();
    debated(&host);
    let reports = || {
        host.files()
            .into_iter()
            .filter(|(name, _)| name.to_string_lossy().contains("/reports/"))
            .count()
    };
    let written = reports();
    assert!(written > 0);
    let id = host.head("id").trim_matches('"').to_owned();
    for (name, _) in host.files() {
        if name.to_string_lossy().contains("/reports/") {
            fs_err::remove_file(name).unwrap();
        }
    }
    // As after a kill before the reports are written.
    fs_err::write(host.debate(&id).join("reports-due"), "").unwrap();
    host.prompt("one", "/anvil:resume");
    assert_eq!(reports(), written);
}
