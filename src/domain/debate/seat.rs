//! A seat of a debate.

use std::fmt;

use super::{Phase, Slot};

/// A seat of a debate. It keeps its claims through all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Seat {
    /// Argues for.
    Advocate,
    /// Argues against.
    Critic,
    /// A stakeholder or a persona, counted from 1 in the order of speaking.
    Voice(u8),
    /// Writes what survived.
    Synthesizer,
}

impl Slot {
    pub fn seat(self) -> Seat {
        match self.phase {
            Phase::Advocate => Seat::Advocate,
            Phase::Critic => Seat::Critic,
            Phase::Stakeholder | Phase::Persona => Seat::Voice(self.round),
            Phase::Synthesizer => Seat::Synthesizer,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Advocate => out.write_str("advocate"),
            Self::Critic => out.write_str("critic"),
            Self::Voice(voice) => write!(out, "voice {voice}"),
            Self::Synthesizer => out.write_str("synthesizer"),
        }
    }
}
