//! Hostile lines around and inside the block of a synthesis: a gate reads the one closed fence at
//! the top level in the requested form, or is closed.

use testkit::sample::try_sample;

use super::{CLOSED, OPEN, Room, VOID};

/// Values of the line `verdict`, each with its reading, `None` if it is not read.
const WORDS: [(&str, Option<&str>); 42] = [
    ("do", Some("do")),
    ("Do.", Some("do")),
    ("DO", Some("do")),
    ("do not", Some("do not")),
    ("do  NOT.", Some("do not")),
    ("depends", Some("depends")),
    ("Depends.", Some("depends")),
    ("**do**", None),
    ("`do`", None),
    ("_DO NOT_", None),
    ("depends (2 of 3 judges)", None),
    ("do, do not or depends", None),
    ("do | do not | depends", None),
    ("do / do not", None),
    ("do/not", None),
    ("do no such thing", None),
    ("do absolutely not", None),
    ("do never", None),
    ("do n't", None),
    ("do <b>not</b>", None),
    ("do<br>not", None),
    ("do&#32;not", None),
    ("~~do~~ do not", None),
    ("~~do~~", None),
    ("do <!-- not -->", None),
    ("do nothing", None),
    ("do or do not", None),
    ("do?", None),
    ("do!", None),
    ("do..", None),
    ("don't", None),
    ("not do", None),
    ("yes", None),
    ("none", None),
    ("do \\not", None),
    ("do [not](x)", None),
    ("do\u{200B}not", None),
    ("do\u{200B}", None),
    ("do\u{2028}not", None),
    ("dо", None),
    ("do: not", None),
    ("", None),
];

/// Lines around the line `verdict`, with `{}` for its value, and whether it is read there.
const LINES: [(&str, bool); 26] = [
    ("verdict: {}", true),
    ("Verdict : {}", true),
    ("- verdict: {}", true),
    ("* VERDICT: {}", true),
    ("verdict\u{FF1A} {}", true),
    ("verdict\u{A0}: {}", true),
    ("verdict:\n  {}", false),
    (" verdict: {}", true),
    ("verdict: {}\n\nagainst: x", true),
    ("verdict: {}\nverdict: {}", false),
    ("verdict: {}\nverdict: depends", false),
    ("verdict: {}\nnot", false),
    ("verdict: {}\n not", false),
    ("verdict: {}\n  not", false),
    ("verdict: {}\n\n  not", false),
    ("verdict: {}\n<br>not", false),
    ("verdict: {}\n\u{2022} not", false),
    ("verdict: {}\n2) not", false),
    ("verdict: {}\nbut: not now", false),
    ("verdict\n{}", false),
    ("**verdict:** {}", false),
    ("> verdict: {}", false),
    ("the verdict: {}", false),
    ("verdict {}", false),
    ("ver\u{200B}dict: {}", false),
    ("<!-- verdict: {} -->", false),
];

/// Texts around the block, with `{}` for its lines, and whether it is read there.
const PLACES: [(&str, bool); 26] = [
    ("So.\n\n```anvil\n{}\n```", true),
    ("```anvil\n{}\n```\n\nThat is all: **Verdict:** do not", true),
    ("So.\n```anvil\n{}\n```", true),
    ("~~~anvil\n{}\n~~~", true),
    ("````anvil\n{}\n````", true),
    ("```anvil\n{}\n`````", true),
    ("``` anvil\n{}\n```", true),
    ("  ```anvil\n{}\n  ```", true),
    ("verdict: do not\n\n```anvil\n{}\n```", true),
    ("```text\nverdict: do not\n```\n\n```anvil\n{}\n```", true),
    ("```anvil\n{}", false),
    ("```anvil\n{}\n``", false),
    ("````anvil\n{}\n```", false),
    ("```anvil\n{}\n~~~", false),
    ("```anvil\n{}\n```\n\n```anvil\n{}\n```", false),
    ("```anvil\n{}\n```\n\n```anvil\nverdict: do not", false),
    ("> ```anvil\n> {}\n> ```", false),
    ("- ```anvil\n  {}\n  ```", false),
    ("    ```anvil\n    {}\n    ```", false),
    ("```\n{}\n```", false),
    ("```Anvil\n{}\n```", false),
    ("```anvil x\n{}\n```", false),
    ("```anvil-block\n{}\n```", false),
    ("````text\n```anvil\n{}\n```\n````", false),
    ("<!--\n```anvil\n{}\n```\n-->", false),
    ("{}", false),
];

/// Values of the line `confidence`, each with the number that is read.
const CONFIDENCES: [(&str, Option<u8>); 28] = [
    ("80", Some(80)),
    ("80 %", Some(80)),
    ("80%", Some(80)),
    ("80 %.", Some(80)),
    ("0", Some(0)),
    ("100", Some(100)),
    ("069", Some(69)),
    ("80 %, because A1 survived", None),
    ("**80 %**", None),
    ("80 (20 if the audit moves)", None),
    ("90 %/20 %", None),
    ("90 or 10", None),
    ("90 to 95", None),
    ("at most 90", None),
    ("at least 90", None),
    ("90\u{2212}95", None),
    ("90-95", None),
    ("90\u{2013}95", None),
    ("between 90 and 95", None),
    ("not 90", None),
    ("90.5", None),
    ("101", None),
    ("-90", None),
    ("+90", None),
    ("9e1", None),
    ("9\u{200B}0", None),
    ("\u{FF19}\u{FF10}", None),
    ("", None),
];

/// The other lines of the block.
const OTHERS: &str = "motion: wait\nA1 fell: by C1\nC1 survived: so\nrecommendation: Wait.\nrests on: C1\n\
    flips if: x\nunknown: y";

/// Runs a debate with this synthesis, and returns its exit code.
fn exit_code(gate: &str, question: &[&str], synthesis: &str) -> u8 {
    let room = Room::new();
    room.says("advocate", &["**A1. It pays.** x [reasoning]"]);
    room.says("critic", &["**C1. No.** y [reasoning]\n**Attacks A1:** no."]);
    room.says("synthesizer", &[synthesis]);
    let code = room.run(&[question, &["--rounds", "1", "--fail-on", gate]].concat()).unwrap();
    assert!([OPEN, CLOSED, VOID].contains(&code), "{synthesis}: {code}");
    code
}

/// A synthesis whose block has these lines.
fn synthesis(place: &str, lines: &str) -> String {
    // A block in a quotation or in a list has its mark before each line.
    let mark = match place {
        place if place.starts_with("> ") => "> ",
        place if place.starts_with("    ") => "    ",
        place if place.starts_with("- ") => "  ",
        _ => "",
    };
    place.replace("{}", &lines.replace('\n', &format!("\n{mark}")))
}

#[test]
fn do_not_is_closed_by_a_verdict_in_another_form() {
    try_sample(WORDS.len() * LINES.len(), 16, |case| {
        let ((word, read), (line, is_read)) =
            (WORDS[case / LINES.len()], LINES[case % LINES.len()]);
        let lines = format!("{OTHERS}\nconfidence: 80\n{}", line.replace("{}", word));
        let expected = match read.filter(|_| is_read) {
            Some("do not") => CLOSED,
            Some(_) => OPEN,
            None => VOID,
        };
        let code = exit_code("do-not", &["Should we wait?"], &synthesis(PLACES[0].0, &lines));
        assert_eq!(code, expected, "{lines}");
    });
}

#[test]
fn every_gate_reads_only_the_one_closed_fence_at_the_top_level() {
    let gates = [
        ("do-not", "do", "do not"),
        ("not=Redis", "PostgreSQL", "Redis"),
        ("low-confidence=70", "do", "do"),
    ];
    try_sample(PLACES.len() * gates.len() * 2, 18, |case| {
        let (place, is_read) = PLACES[case % PLACES.len()];
        let (gate, open, closed) = gates[case / PLACES.len() % gates.len()];
        let passes_it = case / PLACES.len() / gates.len() == 0;
        let (word, percent) = if passes_it { (open, 80) } else { (closed, 60) };
        let lines = format!("{OTHERS}\nverdict: {word}\nconfidence: {percent}");
        let options = ["Which?", "--options", "Redis, PostgreSQL"];
        let is_choice = gate.starts_with("not=");
        let question = if is_choice { &options[..] } else { &["Should we wait?"][..] };
        let expected = match (is_read, passes_it) {
            (true, true) => OPEN,
            (true, false) => CLOSED,
            (false, _) => VOID,
        };
        let code = exit_code(gate, question, &synthesis(place, &lines));
        assert_eq!(code, expected, "{gate}: {place} {lines}");
    });
}

#[test]
fn not_is_closed_by_a_name_in_another_form() {
    let names = [
        ("PostgreSQL", OPEN),
        ("postgresql.", OPEN),
        ("depends", CLOSED),
        ("Redis", CLOSED),
        ("REDIS.", CLOSED),
        ("PostgreSQL or Redis", VOID),
        ("PostgreSQL, not Redis", VOID),
        ("not PostgreSQL", VOID),
        ("`PostgreSQL`", VOID),
        ("_PostgreSQL_", VOID),
        ("Postgre", VOID),
        ("PostgreSQL\u{200B}", VOID),
        ("PostgreSQL\nRedis", VOID),
        ("do", VOID),
        ("option 2", VOID),
        ("2", VOID),
        ("", VOID),
    ];
    try_sample(names.len(), names.len(), |case| {
        let (name, expected) = names[case];
        let lines = format!("{OTHERS}\nverdict: {name}\nconfidence: 80");
        let question = ["Which?", "--options", "Redis, PostgreSQL"];
        let code = exit_code("not=Redis", &question, &synthesis(PLACES[0].0, &lines));
        assert_eq!(code, expected, "{name:?}");
    });
}

#[test]
fn low_confidence_is_closed_by_what_is_not_one_number() {
    let lines = LINES
        .map(|(line, is_read)| (line.to_lowercase().replace("verdict", "confidence"), is_read));
    try_sample(CONFIDENCES.len() * lines.len(), 16, |case| {
        let ((said, read), (line, is_read)) =
            (CONFIDENCES[case / lines.len()], &lines[case % lines.len()]);
        if line.contains("ver\u{200B}dict") {
            return;
        }
        let lines =
            format!("{OTHERS}\nverdict: do\n{}", line.replace("{}", said).replace("depends", "20"));
        let is_open = *is_read && read.is_some_and(|percent| percent >= 70);
        let synthesis = synthesis(PLACES[0].0, &lines);
        let code = exit_code("low-confidence=70", &["Should we wait?"], &synthesis);
        assert_eq!(code == OPEN, is_open, "{lines}");
    });
}
