//! A reply in a report.

use jiff::Timestamp;
use serde::Serialize;

use super::stance::Stance;
use anvil_core::place::{Place, Seat, VoiceTask, phase_word};
use anvil_core::transcript::{Author, Entry};

#[derive(Clone, Debug, Serialize)]
pub struct ReportPart {
    pub cycle: u32,
    /// The number of the voice, if voices take turns.
    pub round: u8,
    pub phase: &'static str,
    pub voice: Option<String>,
    pub at: Option<String>,
    pub words: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Saved without its beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub beginning_missing: bool,
    /// The stance of a voice, if it states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<Stance>,
    pub text: String,
    #[serde(skip)]
    pub of: Place,
    /// A voice that takes turns; the other seats have fixed sides.
    #[serde(skip)]
    pub has_own_side: bool,
}

impl ReportPart {
    /// The round, if it has a number for the reader: voices speak once.
    pub(crate) fn numbered_round(&self) -> Option<u8> {
        matches!(self.of.seat, Seat::Advocate | Seat::Critic).then_some(self.round)
    }
}

pub(crate) fn part((place, reply): (Place, &Entry)) -> ReportPart {
    let has_own_side = matches!(reply.task, Some(VoiceTask::Stakeholder | VoiceTask::Persona));
    ReportPart {
        cycle: reply.cycle,
        round: place.number(),
        phase: phase_word(place.seat, reply.task),
        voice: reply.voice.clone(),
        at: reply.at.map(rfc3339),
        words: reply.words(),
        author: reply.author.clone(),
        beginning_missing: reply.beginning_missing,
        stance: if has_own_side { Stance::parse(&reply.text) } else { None },
        text: reply.text.clone(),
        of: place,
        has_own_side,
    }
}

/// A time as JSON has it.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.0}")
}
