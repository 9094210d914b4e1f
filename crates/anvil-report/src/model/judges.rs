//! The judgments side by side: verdicts, confidence, and every claim.

use std::collections::HashMap;

use crate::model::Model;
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
    let row = |name: &str, of: &dyn Fn(&Synthesis) -> Option<String>| {
        let cells = judges.iter().map(|judge| of(judge).unwrap_or_else(|| NOTHING.to_owned()));
        [name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let head = [String::new()]
        .into_iter()
        .chain((1..=judges.len()).map(|number| format!("Judge {number}")));
    let mut rows = vec![
        head.collect(),
        row("Verdict", &|judge| judge.word().map(|word| word.word().to_owned())),
        row("Confidence", &|judge| judge.confidence.map(|percent| format!("{percent} %"))),
    ];
    let claims = model.arguments.iter().map(|argument| argument.id);
    rows.extend(claims.map(|id| {
        row(&id.to_string(), &|judge| judge.line_on(id).map(|line| line.result.word().to_owned()))
    }));
    rows
}

/// The judges' results for each claim on which they differ.
pub(crate) fn differing(model: &Model) -> HashMap<Id, String> {
    let judges = judges(model);
    let differ = |id: Id| {
        let word =
            |judge: &Synthesis| judge.line_on(id).map_or("nothing", |line| line.result.word());
        let words: Vec<&str> = judges.iter().map(word).collect();
        let each = (1..).zip(&words).map(|(number, word)| format!("judge {number} says {word}"));
        let list = || each.collect::<Vec<_>>().join(", ");
        let is_split = words.iter().any(|word| *word != words[0]);
        is_split.then(|| (id, format!("The judges differ: {}.", list())))
    };
    model.arguments.iter().filter_map(|argument| differ(argument.id)).collect()
}
