//! The verdict as a synthesis states it.

use serde::Serialize;

use crate::domain::debate::Alternatives;
use crate::domain::ledger::{Id, Synthesis, VerdictWord, what_to_do};

/// The verdict of a synthesis.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Stated {
    pub(crate) recommendation: Option<String>,
    /// The word of the line `Verdict:`.
    pub(super) word: Option<VerdictWord>,
    /// The options, the best first. Empty without options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ranking: Vec<String>,
    /// The whole line `Ranking:`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ranking_text: Option<String>,
    /// The whole line `Verdict:`.
    pub(crate) text: Option<String>,
    pub(crate) confidence: Option<String>,
    pub(crate) confidence_percent: Option<u8>,
    pub(crate) would_flip_if: Option<String>,
    pub(crate) still_unknown: Option<String>,
    /// The claims that carry the verdict.
    pub(crate) rests_on: Option<Vec<Id>>,
    /// The whole line `Rests on:`.
    pub(crate) rests_on_text: Option<String>,
    /// The section `What to do`.
    pub(crate) what_to_do: Option<String>,
}

impl Stated {
    /// The fixed lines: label and text.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&'static str, &Option<String>)> {
        let lines = [
            ("Recommendation", &self.recommendation),
            ("Verdict", &self.text),
            ("Ranking", &self.ranking_text),
            ("Confidence", &self.confidence),
            ("Rests on", &self.rests_on_text),
            ("Would flip if", &self.would_flip_if),
            ("Still unknown", &self.still_unknown),
        ];
        // Only a debate about options has a ranking.
        lines.into_iter().filter(|(label, text)| *label != "Ranking" || text.is_some())
    }
}

/// Reads the verdict of a synthesis.
pub(super) fn stated(synthesis: &str, among: &Alternatives) -> Stated {
    let Synthesis { word, ranking, rests_on, verdict, .. } = Synthesis::parse(synthesis, among);
    Stated {
        confidence_percent: verdict.percent(),
        recommendation: verdict.recommendation,
        text: verdict.text,
        confidence: verdict.confidence,
        would_flip_if: verdict.would_flip_if,
        still_unknown: verdict.still_unknown,
        word,
        rests_on,
        rests_on_text: verdict.rests_on,
        ranking: ranking.places,
        ranking_text: verdict.ranking,
        what_to_do: what_to_do(synthesis).map(|(steps, _)| steps),
    }
}
