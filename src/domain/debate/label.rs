//! The label of a debate and of its place, for lists, errors and messages.

use super::{Debate, Phase};
use crate::text::clean;

/// Longest question in a label, in characters.
const QUESTION_IN_LINE: usize = 60;

impl Debate {
    /// `"QUESTION…" (critic, round 1 of 3, paused)`
    pub fn label(&self) -> String {
        format!(
            "\"{}\" ({}, {})",
            self.short_question(),
            self.slot_label(),
            self.progress.status.label()
        )
    }

    /// The question, shortened for one line.
    pub fn short_question(&self) -> String {
        clean(&self.question, QUESTION_IN_LINE)
    }

    /// The place: `critic, round 2 of 3`, `legal, stakeholder 2 of 3`, or `judge 2 of 3`.
    pub fn slot_label(&self) -> String {
        if let Some(judge) = self.judge() {
            return format!("judge {judge} of {}", self.judges());
        }
        let label = self.progress.slot.label(self.options.max_rounds);
        match (self.progress.slot.phase, self.voice_at(self.progress.slot)) {
            (Phase::Stakeholder | Phase::Persona, Some(voice)) => {
                format!("{}, {label}", clean(&voice.name, 40))
            }
            _ => label,
        }
    }
}
