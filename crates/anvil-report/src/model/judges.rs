//! The judgments side by side: verdicts, confidence, and every claim.

use std::collections::HashMap;

use super::scrub::{ReportSource, scrub};
use crate::model::{Argument, Model};
use anvil_core::ledger::{Id, Ledger, Standing, Synthesis};
use anvil_core::place::Seat;

/// For a judge without an entry.
const NOTHING: &str = "–";

/// A judgment: its lines, and what it is worth.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    read: Synthesis,
    standing: Standing,
}

/// The judgments of the last synthesis; without one, the judgments so far.
pub(crate) fn judgments(source: &ReportSource<'_>, saved: &Ledger) -> Vec<Judged> {
    let entries = source.entries;
    let last = entries
        .0
        .iter()
        .rposition(|entry| entry.place().is_some_and(|place| place.seat == Seat::Synthesizer));
    let judgments = entries.judgments_before(last.unwrap_or(entries.0.len()));
    let judged = judgments.map(|judgment| {
        let text = judgment.text.as_str();
        let repeat = entries.repeat_of(judgment);
        let standing = Ledger::of_judgment(entries, (text, repeat), &saved.among).standing();
        Judged {
            read: Synthesis::with_repeat(text, repeat, false, &saved.among),
            standing: standing.with_texts(&|text| scrub(source, text)),
        }
    });
    judged.collect()
}

/// The rows of a table, its head first. Empty if one judge alone wrote the synthesis.
pub(crate) fn rows(model: &Model) -> Vec<Vec<String>> {
    let judges = &model.judged;
    if judges.is_empty() {
        return Vec::new();
    }
    let head = (1..=judges.len()).map(|number| format!("Judge {number}"));
    let verdict = |judge: &Judged| match &judge.standing {
        Standing::Valid(verdict) => Some(verdict.word.answer()),
        _ => Some("void".to_owned()),
    };
    let confidence = |judge: &Judged| {
        let percent = judge.standing.verdict()?.confidence?;
        Some(format!("{percent}%"))
    };
    let mut rows = vec![
        [String::new()].into_iter().chain(head).collect(),
        row("Verdict", judges, verdict),
        row("Confidence", judges, confidence),
    ];
    for Argument { id, .. } in &model.arguments {
        rows.push(row(&id.to_string(), judges, |judge| {
            judge.read.line_on(*id).map(|line| line.result.word().to_owned())
        }));
    }
    rows
}

/// A row with a cell for each judge.
fn row(name: &str, judges: &[Judged], value: impl Fn(&Judged) -> Option<String>) -> Vec<String> {
    let cells = judges.iter().map(|judge| value(judge).unwrap_or_else(|| NOTHING.to_owned()));
    [name.to_owned()].into_iter().chain(cells).collect()
}

/// The judges' results for each claim on which they differ.
pub(crate) fn differing(model: &Model) -> HashMap<Id, String> {
    let judges = &model.judged;
    let mut differing = HashMap::new();
    for Argument { id, .. } in &model.arguments {
        let words: Vec<&str> = judges
            .iter()
            .map(|judge| judge.read.line_on(*id).map_or("nothing", |line| line.result.word()))
            .collect();
        if words.iter().any(|word| *word != words[0]) {
            let each: Vec<String> = (1..)
                .zip(&words)
                .map(|(number, word): (u32, _)| format!("judge {number} says {word}"))
                .collect();
            differing.insert(*id, format!("The judges differ: {}.", each.join(", ")));
        }
    }
    differing
}
