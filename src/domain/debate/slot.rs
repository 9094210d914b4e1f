//! A place in a debate: a phase and its round.

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
}

impl Phase {
    pub const ALL: [Self; 5] =
        [Self::Advocate, Self::Critic, Self::Synthesizer, Self::Stakeholder, Self::Persona];

    /// The word in the state file, and in a sentence.
    pub fn word(self) -> &'static str {
        match self {
            Self::Advocate => "advocate",
            Self::Critic => "critic",
            Self::Synthesizer => "synthesizer",
            Self::Stakeholder => "stakeholder",
            Self::Persona => "persona",
        }
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

    /// The place for the user: `critic, round 2 of 3`, `persona 2 of 4`, or `synthesis`.
    pub fn label(self, max_rounds: u8) -> String {
        match self.phase {
            Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
                format!("{self} of {}", max_rounds.max(self.round))
            }
            Phase::Synthesizer => self.to_string(),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Advocate | Phase::Critic => {
                write!(out, "{}, round {}", self.phase.word(), self.round)
            }
            Phase::Stakeholder | Phase::Persona => {
                write!(out, "{} {}", self.phase.word(), self.round)
            }
            Phase::Synthesizer => out.write_str("synthesis"),
        }
    }
}
