//! A place in a debate, a phase and its round, and the seat that speaks there.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Argues for. In the mode of the devil's advocate: against the position.
    Advocate,
    /// Argues against. In the mode of the devil's advocate: for the position.
    Critic,
    /// Writes what survived.
    Synthesizer,
    /// Speaks for a group of people that the decision concerns.
    Stakeholder,
    /// Speaks as one kind of person.
    Persona,
    /// Argues for one of several options.
    Option,
    /// Attacks the other options, after all of them were argued for.
    Attack,
}

impl Phase {
    pub const ALL: [Self; 7] = [
        Self::Advocate,
        Self::Critic,
        Self::Synthesizer,
        Self::Stakeholder,
        Self::Persona,
        Self::Option,
        Self::Attack,
    ];

    /// The word in the state file, and in a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Advocate => "advocate",
            Self::Critic => "critic",
            Self::Synthesizer => "synthesizer",
            Self::Stakeholder => "stakeholder",
            Self::Persona => "persona",
            Self::Option => "option",
            Self::Attack => "attack",
        }
    }

    /// True for the phases of voices. Each voice has a round of its own.
    pub fn is_of_voices(self) -> bool {
        matches!(self, Self::Stakeholder | Self::Persona | Self::Option | Self::Attack)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.word() == word)
    }
}

/// A place in a debate. If voices take turns, each has a round of its own. The synthesis has the
/// number of the last argued round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    pub phase: Phase,
    /// Counted from 1.
    pub round: u8,
}

impl Slot {
    /// The first place of a debate between an advocate and a critic.
    pub const FIRST: Self = Self { phase: Phase::Advocate, round: 1 };

    pub fn seat(self) -> Seat {
        match self.phase {
            Phase::Advocate => Seat::Advocate,
            Phase::Critic => Seat::Critic,
            Phase::Stakeholder | Phase::Persona | Phase::Option | Phase::Attack => {
                Seat::Voice(self.round)
            }
            Phase::Synthesizer => Seat::Synthesizer,
        }
    }

    /// The place for the user: `critic, round 2 of 3`, `voice 2` or `synthesis`.
    pub fn label(self, max_rounds: u8) -> String {
        match self.phase {
            Phase::Advocate | Phase::Critic => {
                format!("{self} of {}", max_rounds.max(self.round))
            }
            Phase::Stakeholder
            | Phase::Persona
            | Phase::Option
            | Phase::Attack
            | Phase::Synthesizer => self.to_string(),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Advocate | Phase::Critic => {
                write!(out, "{}, round {}", self.phase.word(), self.round)
            }
            Phase::Stakeholder | Phase::Persona | Phase::Option => self.seat().fmt(out),
            Phase::Attack => write!(out, "attack by {}", self.seat()),
            Phase::Synthesizer => out.write_str("synthesis"),
        }
    }
}

/// A seat of a debate. It keeps its claims through all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Seat {
    /// Argues for.
    Advocate,
    /// Argues against.
    Critic,
    /// A stakeholder, a persona or an option, counted from 1 in the order of speaking.
    Voice(u8),
    /// Writes what survived.
    Synthesizer,
}

impl Seat {
    /// The word in task ids and in `--as`. All voices have one word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Advocate => "advocate",
            Self::Critic => "critic",
            Self::Voice(_) => "voice",
            Self::Synthesizer => "synthesizer",
        }
    }

    /// The seat on the other side. Only the advocate and the critic have one.
    pub(crate) fn opponent(self) -> Option<Self> {
        match self {
            Self::Advocate => Some(Self::Critic),
            Self::Critic => Some(Self::Advocate),
            Self::Voice(_) | Self::Synthesizer => None,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Voice(voice) => write!(out, "{} {voice}", self.word()),
            Self::Advocate | Self::Critic | Self::Synthesizer => out.write_str(self.word()),
        }
    }
}
