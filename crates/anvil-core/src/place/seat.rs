//! The seats, and the tasks of voices.

use std::fmt;

use strum::{EnumString, IntoStaticStr, VariantArray};

use super::Place;

/// A seat of a debate. It keeps its claims through all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Seat {
    /// Argues for. In the mode of the devil's advocate: against the position.
    Advocate,
    /// Argues against. In the mode of the devil's advocate: for the position.
    Critic,
    /// A stakeholder, a persona or an option, counted from 1 in the order of speaking.
    Voice(u8),
    /// Writes what survived.
    Synthesizer,
    /// One of several that each write what survived, counted from 1.
    Judge(u8),
}

impl Seat {
    /// The word in task ids and in `--as`. All voices have one word.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The seat on the other side. Only the advocate and the critic have one.
    pub(crate) fn opponent(self) -> Option<Self> {
        match self {
            Self::Advocate => Some(Self::Critic),
            Self::Critic => Some(Self::Advocate),
            Self::Voice(_) | Self::Synthesizer | Self::Judge(_) => None,
        }
    }

    pub fn is_voice(self) -> bool {
        matches!(self, Self::Voice(_))
    }

    /// The number of a judge.
    pub fn judge(self) -> Option<u8> {
        match self {
            Self::Judge(judge) => Some(judge),
            Self::Advocate | Self::Critic | Self::Voice(_) | Self::Synthesizer => None,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Voice(number) | Self::Judge(number) => write!(out, "{} {number}", self.word()),
            Self::Advocate | Self::Critic | Self::Synthesizer => out.write_str(self.word()),
        }
    }
}

/// The task of a voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum VoiceTask {
    /// Speak for a group of people that the decision concerns.
    Stakeholder,
    /// Speak as one kind of person.
    Persona,
    /// Argue for one of several options.
    Option,
    /// Attack the other options, after all of them were argued for.
    Attack,
}

impl VoiceTask {
    /// The word in files and JSON, and in a sentence.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The place of a voice that is asked to do this.
    pub fn place(self, voice: u8) -> Place {
        match self {
            Self::Stakeholder | Self::Persona | Self::Option => Place::case(voice),
            Self::Attack => Place::attack(voice),
        }
    }
}
