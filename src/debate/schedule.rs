//! The shape of a debate: how it is argued, by whom, in which order.

use super::{Phase, Slot};

/// How a debate is argued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By evidence and consequence.
    Analyst,
    /// From first principles.
    Philosopher,
    /// The advocate attacks the position of the user, the critic defends it.
    DevilsAdvocate,
    /// Those whom it concerns speak in turn.
    Stakeholders,
    /// As the user's own text of this name says, with an advocate and a critic.
    Custom(String),
}

impl Mode {
    /// Anvil's own modes.
    pub const ALL: [Self; 4] = [Self::Analyst, Self::Philosopher, Self::DevilsAdvocate, Self::Stakeholders];

    /// The word in the state file and on the command line.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Custom(name) => name,
            ours => ours.built_in_word().unwrap_or_default(),
        }
    }

    /// The same for one of Anvil's own.
    #[must_use]
    pub fn built_in_word(&self) -> Option<&'static str> {
        match self {
            Self::Analyst => Some("analyst"),
            Self::Philosopher => Some("philosopher"),
            Self::DevilsAdvocate => Some("devils-advocate"),
            Self::Stakeholders => Some("stakeholders"),
            Self::Custom(_) => None,
        }
    }

    /// The mode of this name; one that is not Anvil's own is the user's.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|mode| mode.word() == name).unwrap_or_else(|| Self::Custom(name.to_owned()))
    }
}

/// A voice, a mode or a framework by its name, with its text where that is not Anvil's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// One line.
    pub name: String,
    /// The user's own text. `None`: the one that Anvil has by this name, or none but the name.
    pub text: Option<String>,
}

/// Where a debate stops by itself, so that it can go on in a fresh conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// After every round, and before the synthesis.
    Round,
    /// Before the synthesis only.
    Synthesis,
}

impl Boundary {
    /// Every boundary.
    pub const ALL: [Self; 2] = [Self::Round, Self::Synthesis];

    /// The word in the state file and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Synthesis => "synthesis",
        }
    }

    /// The boundary that a word names.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|boundary| boundary.word() == word)
    }
}

/// Who speaks before the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An advocate and a critic, for some rounds.
    Seats,
    /// Stakeholders, once each.
    Stakeholders,
    /// Personas, once each.
    Personas,
}

impl Format {
    /// Who speaks in such a mode with so many voices.
    #[must_use]
    pub fn of(mode: &Mode, voices: usize) -> Self {
        match mode {
            Mode::Stakeholders => Self::Stakeholders,
            Mode::Analyst | Mode::Philosopher | Mode::DevilsAdvocate | Mode::Custom(_) if voices > 2 => Self::Personas,
            Mode::Analyst | Mode::Philosopher | Mode::DevilsAdvocate | Mode::Custom(_) => Self::Seats,
        }
    }
}

/// The way of a debate from its first place to its synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Who speaks.
    pub format: Format,
    /// Rounds; where voices take turns, how many there are.
    pub max_rounds: u8,
    /// The critic opens before there is a case to be seen, and speaks first in every round.
    pub blind: bool,
}

impl Schedule {
    /// Advocate and critic in this order.
    #[must_use]
    pub fn seats(max_rounds: u8) -> Self {
        Self { format: Format::Seats, max_rounds, blind: false }
    }

    /// The same schedule with as many rounds as there can be.
    #[must_use]
    pub fn endless(self) -> Self {
        Self { max_rounds: u8::MAX, ..self }
    }

    /// Who opens a round.
    #[must_use]
    pub fn opener(self) -> Phase {
        match self.format {
            Format::Seats if self.blind => Phase::Critic,
            Format::Seats => Phase::Advocate,
            Format::Stakeholders => Phase::Stakeholder,
            Format::Personas => Phase::Persona,
        }
    }

    /// Who closes a round.
    #[must_use]
    pub fn closer(self) -> Phase {
        match self.format {
            Format::Seats if self.blind => Phase::Advocate,
            Format::Seats => Phase::Critic,
            Format::Stakeholders | Format::Personas => self.opener(),
        }
    }

    /// Where it begins.
    #[must_use]
    pub fn first(self) -> Slot {
        Slot { phase: self.opener(), round: 1 }
    }

    /// True when this phase speaks in such a debate.
    #[must_use]
    pub fn has(self, phase: Phase) -> bool {
        match (self.format, phase) {
            (_, Phase::Synthesizer)
            | (Format::Seats, Phase::Advocate | Phase::Critic)
            | (Format::Stakeholders, Phase::Stakeholder)
            | (Format::Personas, Phase::Persona) => true,
            (Format::Seats, Phase::Stakeholder | Phase::Persona)
            | (Format::Stakeholders, Phase::Advocate | Phase::Critic | Phase::Persona)
            | (Format::Personas, Phase::Advocate | Phase::Critic | Phase::Stakeholder) => false,
        }
    }

    /// Every place of the full schedule in its order, the synthesis last.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        let round = move |round: u8| {
            let closer = (self.closer() != self.opener()).then_some(Slot { phase: self.closer(), round });
            [Slot { phase: self.opener(), round }].into_iter().chain(closer)
        };
        let synthesis = Slot { phase: Phase::Synthesizer, round: self.max_rounds };
        (1..=self.max_rounds).flat_map(round).chain([synthesis])
    }

    /// Replies still to come from a place on, its own included, when the debate runs its full schedule.
    #[must_use]
    pub fn phases_left(self, slot: Slot) -> u32 {
        let in_a_round = if self.opener() == self.closer() { 1 } else { 2 };
        let rounds_after = u32::from(self.max_rounds.saturating_sub(slot.round));
        match slot.phase {
            Phase::Synthesizer => 1,
            phase if phase == self.closer() => 2 + in_a_round * rounds_after,
            Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => 3 + in_a_round * rounds_after,
        }
    }

    /// Orders places as they come in this schedule.
    #[must_use]
    pub fn rank(self, slot: Slot) -> (bool, u8, bool) {
        (slot.phase == Phase::Synthesizer, slot.round, slot.phase == self.closer())
    }
}
