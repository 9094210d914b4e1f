//! What several judges said, side by side: their verdicts, how sure each is, and every claim.

use super::model::Model;
use crate::ledger::Synthesis;

/// Stands where a judge says nothing.
const NOTHING: &str = "–";

/// The rows of a table, its head first. Empty where one alone wrote the synthesis.
pub(super) fn rows(model: &Model) -> Vec<Vec<String>> {
    let judges: Vec<Synthesis> = model.judgments().map(|note| Synthesis::of(&note.text)).collect();
    if judges.is_empty() {
        return Vec::new();
    }
    let row = |name: &str, of: &dyn Fn(&Synthesis) -> Option<String>| {
        let cells = judges.iter().map(|judge| of(judge).unwrap_or_else(|| NOTHING.to_owned()));
        [name.to_owned()].into_iter().chain(cells).collect::<Vec<_>>()
    };
    let head = [String::new()].into_iter().chain((1..=judges.len()).map(|number| format!("Judge {number}")));
    let mut rows = vec![
        head.collect(),
        row("Verdict", &|judge| judge.call.map(|call| call.word().to_owned())),
        row("Confidence", &|judge| judge.verdict.percent().map(|percent| format!("{percent} %"))),
    ];
    let claims = model.arguments.iter().map(|argument| argument.id);
    rows.extend(
        claims
            .map(|id| row(&id.to_string(), &|judge| judge.line_on(id).map(|line| line.disposition.word().to_owned()))),
    );
    rows
}
