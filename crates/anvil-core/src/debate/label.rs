//! The label of a debate and of its place, for lists, errors and messages.

use super::Debate;
use crate::place::{Place, Seat};
use anvil_text::clean;

/// Longest question in a label, in characters.
const QUESTION_IN_LINE: usize = 60;

impl Debate {
    /// `"QUESTION…" (critic, round 1 of 3, paused)`
    pub fn label(&self) -> String {
        self.label_with(self.progress.status.label())
    }

    /// The label, with these words about its status.
    pub fn label_with(&self, status: &str) -> String {
        let question = clean(&self.question, QUESTION_IN_LINE);
        format!("\"{question}\" ({}, {status})", self.place_label())
    }

    /// The next place: `critic, round 2 of 3`, `voice 2: legal`, or `judge 2 of 3`.
    pub fn place_label(&self) -> String {
        self.judge().map_or_else(
            || self.label_of(self.progress.place),
            |judge| format!("judge {judge} of {}", self.judges()),
        )
    }

    /// A place: `critic, round 2 of 3`, `voice 2: legal` or `synthesis`.
    pub fn label_of(&self, place: Place) -> String {
        let label = place.label(self.options.max_rounds);
        match (place.seat, self.voice_at(place)) {
            (Seat::Voice(_), Some(voice)) => format!("{label}: {}", clean(&voice.name, 40)),
            _ => label,
        }
    }
}
