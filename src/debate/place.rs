//! Where a debate stands: whose turn, in which round.

use std::fmt;

/// How a debate is argued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// An advocate for, a critic against, by evidence and consequence.
    Analyst,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 1] = [Self::Analyst];

    /// The word in the state file and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Analyst => "analyst",
        }
    }

    /// The mode that a word of the state file names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

/// Whose reply it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Argues for.
    Advocate,
    /// Argues against.
    Critic,
    /// Says what survived.
    Synthesizer,
}

impl Phase {
    /// Every phase, in the order in which they speak.
    pub const ALL: [Self; 3] = [Self::Advocate, Self::Critic, Self::Synthesizer];

    /// The word in the state file, and in a sentence.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Advocate => "advocate",
            Self::Critic => "critic",
            Self::Synthesizer => "synthesizer",
        }
    }

    /// The phase that a word of the state file names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.word() == word)
    }
}

/// A place in a debate: a phase and its round. The synthesis belongs to the last round that was argued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Whose reply.
    pub phase: Phase,
    /// Counted from 1.
    pub round: u8,
}

impl Place {
    /// Where every debate begins.
    pub const FIRST: Self = Self { phase: Phase::Advocate, round: 1 };

    /// Replies still to come, this one included, when the debate runs its full `max_rounds`.
    #[must_use]
    pub fn phases_left(self, max_rounds: u8) -> u32 {
        let rounds_after = u32::from(max_rounds.saturating_sub(self.round));
        match self.phase {
            Phase::Advocate => 3 + 2 * rounds_after,
            Phase::Critic => 2 + 2 * rounds_after,
            Phase::Synthesizer => 1,
        }
    }

    /// The place for a person: `critic, round 2 of 3`, or `synthesis`.
    #[must_use]
    pub fn label(self, max_rounds: u8) -> String {
        match self.phase {
            Phase::Advocate | Phase::Critic => format!("{self} of {}", max_rounds.max(self.round)),
            Phase::Synthesizer => self.to_string(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Phase::Advocate | Phase::Critic => write!(out, "{}, round {}", self.phase.word(), self.round),
            Phase::Synthesizer => out.write_str("synthesis"),
        }
    }
}
