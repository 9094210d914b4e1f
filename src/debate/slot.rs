//! Where a debate stands: whose turn, in which round.

use std::fmt;

/// Whose reply it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Argues for; as the devil's advocate, against the position.
    Advocate,
    /// Argues against; in the devil's advocate's debate, for the position.
    Critic,
    /// Says what survived.
    Synthesizer,
    /// Speaks for a group of people whom the decision concerns.
    Stakeholder,
    /// Speaks as one kind of person.
    Persona,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 5] = [Self::Advocate, Self::Critic, Self::Synthesizer, Self::Stakeholder, Self::Persona];

    /// The word in the state file, and in a sentence.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Advocate => "advocate",
            Self::Critic => "critic",
            Self::Synthesizer => "synthesizer",
            Self::Stakeholder => "stakeholder",
            Self::Persona => "persona",
        }
    }

    /// The phase that a word of the state file names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.word() == word)
    }
}

/// A place in a debate: a phase and its round. Where voices take turns, each is a round of its own. The synthesis belongs to
/// the last round that was argued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// Whose reply.
    pub phase: Phase,
    /// Counted from 1.
    pub round: u8,
}

impl Slot {
    /// Where a debate between an advocate and a critic begins.
    pub const FIRST: Self = Self { phase: Phase::Advocate, round: 1 };

    /// The place for the user: `critic, round 2 of 3`, `persona 2 of 4`, or `synthesis`.
    #[must_use]
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
            Phase::Advocate | Phase::Critic => write!(out, "{}, round {}", self.phase.word(), self.round),
            Phase::Stakeholder | Phase::Persona => write!(out, "{} {}", self.phase.word(), self.round),
            Phase::Synthesizer => out.write_str("synthesis"),
        }
    }
}
