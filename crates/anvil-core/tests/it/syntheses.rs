//! The program's checks of syntheses in ordinary English, against those of a careful reader.
//! `syntheses/README.md` has the format and the labels.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anvil_core::ledger::{Fault, Ledger};
use anvil_core::place::{Place, Seat};
use anvil_core::question::Alternatives;
use anvil_core::transcript::{self, NoteKind};
use jiff::Timestamp;

/// A case of a debate, from its file.
struct Case {
    name: String,
    verdict: String,
    confidence: String,
    wrong: BTreeSet<String>,
    synthesis: String,
}

/// One file: the debate as a transcript without its synthesis, and its cases.
struct File {
    name: String,
    body: String,
    cases: Vec<Case>,
}

/// The parts of a file: the text after `===`, and the lines below it.
fn parts(text: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("=== "), parts.last_mut()) {
            (Some(head), _) => parts.push((head.trim().to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => panic!("a file begins with a debate: {line}"),
        }
    }
    parts.into_iter().map(|(head, text)| (head, text.trim_matches('\n').to_owned())).collect()
}

fn file(name: &str, text: &str) -> File {
    let mut found =
        File { name: name.to_owned(), body: transcript::open("Why?"), cases: Vec::new() };
    let at = Timestamp::UNIX_EPOCH;
    for (head, text) in parts(text) {
        let words: Vec<&str> = head.split(' ').collect();
        match words.as_slice() {
            ["debate:", _] => {}
            ["reply:", who, round] => {
                let number = round.parse().unwrap();
                let slot = match *who {
                    "advocate" => Place { seat: Seat::Advocate, round: number },
                    "critic" => Place { seat: Seat::Critic, round: number },
                    "voice" => Place::case(number),
                    other => panic!("{name}: {other}"),
                };
                let voice = (*who == "voice").then(|| format!("Voice {round}"));
                transcript::append(&mut found.body, slot, voice.as_deref(), at, &text);
            }
            ["fact-check:", _] => {
                transcript::append_note(&mut found.body, NoteKind::FactCheck, at, &text);
            }
            ["case:", case] => {
                let label = |label: &str| {
                    let line =
                        text.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(':'));
                    line.unwrap_or_else(|| panic!("{name}, {case}: no {label}")).trim().to_owned()
                };
                let wrong = label("wrong");
                let wrong = wrong
                    .split(';')
                    .map(|one| one.trim().to_owned())
                    .filter(|one| one != "nothing")
                    .collect();
                found.cases.push(Case {
                    name: (*case).to_owned(),
                    verdict: label("verdict"),
                    confidence: label("confidence"),
                    wrong,
                    synthesis: String::new(),
                });
            }
            ["synthesis"] => found.cases.last_mut().unwrap().synthesis = text,
            other => panic!("{name}: {other:?}"),
        }
    }
    found
}

fn corpus() -> Vec<File> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntheses");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        path.extension().is_some_and(|end| end == "md") && !path.ends_with("README.md")
    });
    files.sort();
    let read = |path: &std::path::PathBuf| {
        file(
            &path.file_stem().unwrap().display().to_string(),
            &std::fs::read_to_string(path).unwrap(),
        )
    };
    files.iter().map(read).collect()
}

/// The corpus's words for a fault. `None`: no fault of a synthesis.
fn word(fault: &Fault) -> Option<String> {
    if matches!(
        fault,
        Fault::LabelDiffers { .. }
            | Fault::PassedOver { .. }
            | Fault::NoClaims { .. }
            | Fault::NoMoves { .. }
    ) {
        return None;
    }
    let about = if matches!(fault, Fault::NoBlock { .. }) { "why" } else { "id" };
    let fault = serde_json::to_value(fault).unwrap();
    let about = [about, "key", "name", "item"].iter().find_map(|key| fault.get(key));
    let words = std::iter::once(&fault["fault"]).chain(about);
    let words = words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned));
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Every check of a synthesis.
const CHECKS: [&str; 21] = [
    "no_block",
    "no_verdict",
    "stray_line",
    "line_missing",
    "line_unreadable",
    "line_twice",
    "line_refused",
    "unknown_line",
    "rests_on_many",
    "left_out",
    "invented",
    "listed_twice",
    "no_reason",
    "survived_though_given_up",
    "survived_though_contradicted",
    "fell_unattacked",
    "rests_on_fallen",
    "rests_on_assumption",
    "rests_on_unknown",
    "rests_on_nothing",
    "overconfident",
];

/// The number of times that a check was right, wrong, or silent about a fault.
#[derive(Default)]
struct Row {
    right: u32,
    wrong: u32,
    silent: u32,
}

#[test]
fn the_checks_agree_with_a_careful_reader() {
    let mut table: BTreeMap<String, Row> =
        CHECKS.map(|check| (check.to_owned(), Row::default())).into();
    let (mut cases, mut told) = (0, Vec::new());
    let name = |wrong: &str| wrong.split(' ').next().unwrap().to_owned();
    for file in corpus() {
        for case in &file.cases {
            cases += 1;
            let mut body = file.body.clone();
            let last = Place { seat: Seat::Synthesizer, round: 1 };
            transcript::append(&mut body, last, None, Timestamp::UNIX_EPOCH, &case.synthesis);
            let ledger = Ledger::of_entries(&transcript::parse(&body), &Alternatives::default());
            let found: BTreeSet<String> =
                ledger.findings.iter().filter_map(|finding| word(&finding.fault)).collect();
            let at = format!("{}, {}", file.name, case.name);
            for wrong in &found {
                let row = table.entry(name(wrong)).or_default();
                if case.wrong.contains(wrong) {
                    row.right += 1;
                } else {
                    row.wrong += 1;
                    told.push(format!("{at}: {wrong} is told and is not wrong"));
                }
            }
            for wrong in case.wrong.difference(&found) {
                let row = table.entry(name(wrong)).or_default();
                row.silent += 1;
                told.push(format!("{at}: {wrong} is not told"));
            }
        }
    }
    for (check, row) in &table {
        println!(
            "{check:<29} {:>3} right {:>3} wrong {:>3} silent",
            row.right, row.wrong, row.silent
        );
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(cases >= 200, "{cases} cases");
    for check in CHECKS {
        let right = table[check].right;
        assert!(right >= 5, "{check} is told {right} times");
    }
}

#[test]
fn verdict_and_confidence_are_read_like_a_careful_reader() {
    let mut told: Vec<String> = Vec::new();
    for file in corpus() {
        for case in &file.cases {
            let mut body = file.body.clone();
            let last = Place { seat: Seat::Synthesizer, round: 1 };
            transcript::append(&mut body, last, None, Timestamp::UNIX_EPOCH, &case.synthesis);
            let entries = transcript::parse(&body);
            let standing = Ledger::of_entries(&entries, &Alternatives::default()).standing();
            let known = standing.verdict();
            let verdict = known.map_or("none", |known| known.word.word());
            let percent = known.and_then(|known| known.confidence);
            let percent = percent.map_or_else(|| "none".to_owned(), |percent| percent.to_string());
            if (verdict, percent.as_str()) != (case.verdict.as_str(), case.confidence.as_str()) {
                let Case { name, verdict: expected, confidence, .. } = case;
                told.push(format!(
                    "{}, {name}: {verdict}, {percent} instead of {expected}, {confidence}",
                    file.name
                ));
            }
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
