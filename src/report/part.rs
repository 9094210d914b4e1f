//! A reply as a report tells it.

use jiff::Timestamp;
use serde::Serialize;

use super::stance::Stance;
use crate::debate::{Phase, Seat, Slot};
use crate::transcript::Entry;

/// A reply.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    pub(super) cycle: u32,
    /// Where voices take turns, the number of the voice.
    pub(super) round: u8,
    pub(super) phase: &'static str,
    pub(super) voice: Option<String>,
    pub(super) at: Option<String>,
    pub(super) words: usize,
    /// It was filed without its beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) beginning_missing: bool,
    /// Where a voice stands, as far as it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stance: Option<Stance>,
    pub(super) text: String,
    #[serde(skip)]
    pub(super) of: Phase,
}

impl Part {
    /// Who speaks.
    pub(super) fn seat(&self) -> Seat {
        Slot { phase: self.of, round: self.round }.seat()
    }
}

pub(super) fn part((slot, reply): (Slot, &Entry)) -> Part {
    let Slot { phase, round } = slot;
    Part {
        cycle: reply.cycle,
        round,
        phase: phase.word(),
        voice: reply.voice.clone(),
        at: reply.at.map(rfc3339),
        words: reply.words(),
        beginning_missing: reply.beginning_missing,
        stance: if is_voice(phase) { Stance::of(&reply.text) } else { None },
        text: reply.text.clone(),
        of: phase,
    }
}

/// True for one of those who take turns: the others have their sides by name.
pub(super) fn is_voice(phase: Phase) -> bool {
    matches!(phase, Phase::Stakeholder | Phase::Persona)
}

/// A moment as JSON has it.
pub(super) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.0}")
}
