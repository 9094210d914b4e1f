//! The judgments side by side: verdicts, confidence, and every claim.

use std::collections::HashMap;

use crate::model::{Argument, Model};
use anvil_core::ledger::{Id, Synthesis};

/// For a judge without an entry.
const NOTHING: &str = "–";

fn judges(model: &Model) -> Vec<Synthesis> {
    model.judgments().map(|note| Synthesis::parse(&note.block, &model.ledger.among)).collect()
}

/// The rows of a table, its head first. Empty if one judge alone wrote the synthesis.
pub(crate) fn rows(model: &Model) -> Vec<Vec<String>> {
    let judges = judges(model);
    if judges.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![
        [String::new()]
            .into_iter()
            .chain((1..=judges.len()).map(|number| format!("Judge {number}")))
            .collect(),
        row("Verdict", &judges, |judge| judge.word().map(|word| word.word().to_owned())),
        row("Confidence", &judges, |judge| judge.confidence.map(|percent| format!("{percent} %"))),
    ];
    for Argument { id, .. } in &model.arguments {
        rows.push(row(&id.to_string(), &judges, |judge| {
            judge.line_on(*id).map(|line| line.result.word().to_owned())
        }));
    }
    rows
}

/// A row with a cell for each judge.
fn row(
    name: &str,
    judges: &[Synthesis],
    value: impl Fn(&Synthesis) -> Option<String>,
) -> Vec<String> {
    let cells = judges.iter().map(|judge| value(judge).unwrap_or_else(|| NOTHING.to_owned()));
    [name.to_owned()].into_iter().chain(cells).collect()
}

/// The judges' results for each claim on which they differ.
pub(crate) fn differing(model: &Model) -> HashMap<Id, String> {
    let judges = judges(model);
    let mut differing = HashMap::new();
    for Argument { id, .. } in &model.arguments {
        let words: Vec<&str> = judges
            .iter()
            .map(|judge| judge.line_on(*id).map_or("nothing", |line| line.result.word()))
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
