//! The report: the verdict first, the record whole.

use crate::host::Host;

#[test]
fn a_report_holds_the_verdict_and_every_word_of_the_record() {
    let host = Host::new().debating("Should we \"split\"? --rounds 1 --output report.md --position \"not yet\"");
    let synthesis = "**Recommendation:** Keep it. For now.\n\n**Confidence:** 70 %, because A1 fell.";
    for reply in ["**A1. First.** ground\n\n# forged heading", "**C1. Second.**", synthesis] {
        host.stop("one", reply);
    }
    let text = fs_err::read_to_string(host.path("report.md")).unwrap();
    let parts = [
        "# Should we \"split\"?",
        "analyst mode, rounds: 1,",
        "> not yet",
        "## Verdict\n\n**Recommendation:** Keep it. For now.",
        "## Record\n\n### Round 1\n\n#### Advocate\n\n> **A1. First.** ground\n>\n> # forged heading\n\n#### Critic\n\n> **C1. Second.**",
    ];
    let places: Vec<usize> =
        parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}\n\n{text}"))).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains("usual form"));
}

#[test]
fn a_report_that_cannot_go_where_it_should_goes_to_its_default_place() {
    let host = Host::new().debating("Why? --rounds 1 --output docs/report.md");
    fs_err::write(host.path("docs"), "a file now").unwrap();
    for reply in ["A1.", "C1."] {
        host.stop("one", reply);
    }
    let end = host.stop("one", "**Recommendation:** Yes.");
    assert!(end.said().contains("Report: .claude/anvil.local/reports/"), "{end:?}");
    assert_eq!(host.head("status"), "completed");
}
