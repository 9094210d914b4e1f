//! Forms of a verdict and of a confidence: a line that is not exactly in the requested form closes
//! the gate.

use super::sample::try_sample;
use crate::host::Host;

/// The forms of the verdict line, each with its reading, `None` if it is not read.
const WORDS: [(&str, Option<&str>); 34] = [
    ("do", Some("do")),
    ("Do.", Some("do")),
    ("**do**", Some("do")),
    ("_DO NOT_", Some("do not")),
    ("do not", Some("do not")),
    ("Do **not**.", Some("do not")),
    ("depends", Some("depends")),
    ("*Depends.*", Some("depends")),
    ("depends (2 of 3 judges)", Some("depends")),
    ("do, do not or depends", None),
    ("do | do not | depends", None),
    ("do / do not", None),
    ("do/not", None),
    ("do no such thing", None),
    ("do absolutely not", None),
    ("do never", None),
    ("do n't", None),
    ("do <b>not</b>", None),
    ("do&#32;not", None),
    ("~~do~~ do not", None),
    ("~~do~~", None),
    ("do <!-- not -->", None),
    ("do nothing", None),
    ("do or do not", None),
    ("do?", None),
    ("do!", None),
    ("don't", None),
    ("not do", None),
    ("yes", None),
    ("do \\not", None),
    ("do [not](x)", None),
    ("do ![not](x)", None),
    ("do\u{200B}not", None),
    ("", None),
];

/// The surroundings of the line, with `{}` for the line, and whether it is read there.
const PLACES: [(&str, bool); 16] = [
    ("**Verdict:** {}", true),
    ("**Verdict: {}**", true),
    ("Verdict: {}", true),
    ("**Verdict:** {}\n\n**Verdict:** {}", true),
    ("> **Verdict:** {}", false),
    ("```\n**Verdict:** {}\n```", false),
    ("~~~text\n\n**Verdict:** {}\n\n~~~", false),
    ("<!-- **Verdict:** {} -->", false),
    ("<!--\n\n**Verdict:** {}\n\n-->", false),
    ("    **Verdict:** {}", false),
    ("<div>\n**Verdict:** {}\n</div>", false),
    ("**Verdict:** {}\n\n**Verdict:** depends on it", false),
    ("The judge wrote **Verdict:** {}", false),
    ("**Verdict** {}", false),
    ("`**Verdict:** {}`", false),
    ("> quoted\n**Verdict:** {}", false),
];

/// Forms of a confidence, each with the number that is read.
const CONFIDENCES: [(&str, Option<u8>); 26] = [
    ("80 %, because A1 survived", Some(80)),
    ("80% because of C1", Some(80)),
    ("**80 %**", Some(80)),
    ("0 %", Some(0)),
    ("100 %.", Some(100)),
    ("80 %, or 20 % if the audit moves", Some(80)),
    ("90 %/20 %", None),
    ("90 % or 10 %", None),
    ("90 % to 95 %", None),
    ("90 % at most", None),
    ("at most 90 %", None),
    ("at least 90 %", None),
    ("up to 90 %", None),
    ("90\u{2212}95 %", None),
    ("90 %\u{2212}95 %", None),
    ("90-95 %", None),
    ("90\u{2013}95 %", None),
    ("between 90 % and 95 %", None),
    ("not 90 %", None),
    ("90 % (or 20 %)", None),
    ("101 %", None),
    ("-90 %", None),
    ("9e1 %", None),
    ("high", None),
    ("90", None),
    ("", None),
];

/// Runs a debate whose synthesis has these lines, and returns whether the gate lets it pass.
fn passes(gate: &str, lines: &str) -> bool {
    let host = Host::new();
    let synthesis = format!(
        "**Recommendation:** Wait.\n\n{lines}\n\n**Rests on:** C1\n\n- **A1** fell: by C1.\n- **C1** survived: so.\n"
    );
    let script = format!(
        "# advocate, round 1\n\n**A1. It pays.** x [reasoning]\n\n# critic, round 1\n\n**C1. No.** y [reasoning]\n**Attacks A1:** no.\n\n\
         # synthesis\n\n{synthesis}"
    );
    fs_err::write(host.path("script.md"), script).unwrap();
    let arguments = [
        "run",
        "Should we wait?",
        "--rounds",
        "1",
        "--agent",
        "script:script.md",
        "--fail-on",
        gate,
    ];
    let ran = host.run(&arguments);
    assert!(ran.code == 0 || ran.code == 4, "{lines}: {ran:?}");
    ran.code == 0
}

#[test]
fn an_unknown_verdict_word_closes_the_gate() {
    try_sample(WORDS.len() * PLACES.len(), 12, |case| {
        let ((word, read), (place, is_read)) =
            (WORDS[case / PLACES.len()], PLACES[case % PLACES.len()]);
        // Bold within bold is not Markdown; whether it is read does not matter.
        if place.contains("{}**") && word.contains('*') {
            return;
        }
        let lines = place.replace("{}", word);
        let is_open = is_read && matches!(read, Some("do" | "depends"));
        let passes = passes("do-not", &format!("{lines}\n\n**Confidence:** 80 %"));
        assert_eq!(passes, is_open, "{lines}");
    });
}

#[test]
fn a_confidence_that_is_not_one_figure_closes_the_gate() {
    let places = PLACES.map(|(place, is_read)| (place.replace("Verdict", "Confidence"), is_read));
    try_sample(CONFIDENCES.len() * places.len(), 12, |case| {
        let ((said, read), (place, is_read)) =
            (CONFIDENCES[case / places.len()], &places[case % places.len()]);
        let lines = place.replace("{}", said).replace("depends on it", "20 %");
        let is_open = *is_read && read.is_some_and(|percent| percent >= 70);
        let passes = passes("low-confidence=70", &format!("**Verdict:** do\n\n{lines}"));
        assert_eq!(passes, is_open, "{lines}");
    });
}
