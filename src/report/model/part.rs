//! A reply in a report.

use jiff::Timestamp;
use serde::Serialize;

use super::stance::Stance;
use crate::domain::debate::{Phase, Slot};
use crate::domain::transcript::{Author, Entry};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportPart {
    pub(crate) cycle: u32,
    /// The number of the voice, if voices take turns.
    pub(crate) round: u8,
    pub(crate) phase: &'static str,
    pub(crate) voice: Option<String>,
    pub(crate) at: Option<String>,
    pub(crate) words: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<Author>,
    /// Saved without its beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) beginning_missing: bool,
    /// The stance of a voice, if it states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stance: Option<Stance>,
    pub(crate) text: String,
    #[serde(skip)]
    pub(crate) of: Phase,
}

impl ReportPart {
    /// The round, if it has a number for the reader: voices speak once.
    pub(crate) fn numbered_round(&self) -> Option<u8> {
        matches!(self.of, Phase::Advocate | Phase::Critic).then_some(self.round)
    }
}

pub(crate) fn part((slot, reply): (Slot, &Entry)) -> ReportPart {
    let Slot { phase, round } = slot;
    ReportPart {
        cycle: reply.cycle,
        round,
        phase: phase.word(),
        voice: reply.voice.clone(),
        at: reply.at.map(rfc3339),
        words: reply.words(),
        author: reply.author.clone(),
        beginning_missing: reply.beginning_missing,
        stance: if is_voice(phase) { Stance::parse(&reply.text) } else { None },
        text: reply.text.clone(),
        of: phase,
    }
}

/// True for a voice that takes turns; the other seats have fixed sides.
pub(crate) fn is_voice(phase: Phase) -> bool {
    matches!(phase, Phase::Stakeholder | Phase::Persona)
}

/// A time as JSON has it.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.0}")
}
