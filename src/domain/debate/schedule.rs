//! The shape of a debate: its mode, its seats and their order.

use super::{Phase, Slot};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By evidence and consequence.
    Analyst,
    /// From first principles.
    Philosopher,
    /// The advocate attacks the user's position, the critic defends it.
    DevilsAdvocate,
    /// The stakeholders speak in turn.
    Stakeholders,
    /// The options that the user named are argued against each other.
    Options,
    /// The critic objects to a document, and the advocate changes it.
    Revise,
    /// The user's text of this name, with an advocate and a critic.
    Custom(String),
}

impl Mode {
    /// Anvil's own modes.
    pub const ALL: [Self; 6] = [
        Self::Analyst,
        Self::Philosopher,
        Self::DevilsAdvocate,
        Self::Stakeholders,
        Self::Options,
        Self::Revise,
    ];

    /// The word in the state file and on the command line.
    pub fn word(&self) -> &str {
        match self {
            Self::Custom(name) => name,
            ours => ours.built_in_word().unwrap_or_default(),
        }
    }

    /// The word of one of Anvil's own modes.
    pub fn built_in_word(&self) -> Option<&'static str> {
        match self {
            Self::Analyst => Some("analyst"),
            Self::Philosopher => Some("philosopher"),
            Self::DevilsAdvocate => Some("devils-advocate"),
            Self::Stakeholders => Some("stakeholders"),
            Self::Options => Some("options"),
            Self::Revise => Some("revise"),
            Self::Custom(_) => None,
        }
    }

    /// The mode of this name. A text of the user's makes a mode of its own of a name that stands for
    /// an option.
    pub fn written(name: &str, has_text: bool) -> Self {
        match Self::named(name) {
            Self::Options | Self::Revise if has_text => Self::Custom(name.to_owned()),
            mode => mode,
        }
    }

    /// The mode of this name. A name that is not Anvil's own is the user's.
    pub fn named(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|mode| mode.word() == name)
            .unwrap_or_else(|| Self::Custom(name.to_owned()))
    }
}

/// A named voice, mode or framework, with its text unless that is Anvil's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// One line.
    pub name: String,
    /// The user's text. `None`: Anvil's text of this name, or only the name.
    pub text: Option<String>,
}

/// Where a debate stops so that it can go on in a fresh conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// After every round, and before the synthesis.
    Round,
    /// Before the synthesis only.
    Synthesis,
}

impl Boundary {
    pub const ALL: [Self; 2] = [Self::Round, Self::Synthesis];

    /// The word of each.
    pub const WORDS: [&'static str; 2] = [Self::Round.word(), Self::Synthesis.word()];

    /// The word in the state file and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Synthesis => "synthesis",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|boundary| boundary.word() == word)
    }
}

/// The seats that speak before the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An advocate and a critic, for some rounds.
    Seats,
    /// Stakeholders, once each.
    Stakeholders,
    /// Personas, once each.
    Personas,
    /// A voice for each option, once each; then each attacks the others, once each.
    Options,
}

impl Format {
    /// The format of a mode with this number of voices.
    pub fn of(mode: &Mode, voices: usize) -> Self {
        match mode {
            Mode::Stakeholders => Self::Stakeholders,
            Mode::Options if voices > 2 => Self::Options,
            Mode::Options | Mode::Revise => Self::Seats,
            Mode::Analyst | Mode::Philosopher | Mode::DevilsAdvocate | Mode::Custom(_) => {
                if voices > 2 { Self::Personas } else { Self::Seats }
            }
        }
    }
}

/// The places of a debate from the first to the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub format: Format,
    /// Rounds. If voices take turns: the number of voices.
    pub max_rounds: u8,
    /// The critic opens without seeing a case, and speaks first in every round.
    pub blind: bool,
}

impl Schedule {
    pub fn seats(max_rounds: u8) -> Self {
        Self { format: Format::Seats, max_rounds, blind: false }
    }

    /// This schedule with the highest possible number of rounds.
    pub fn endless(self) -> Self {
        match self.format {
            // The last option is followed by the first attack.
            Format::Options => self,
            Format::Seats | Format::Stakeholders | Format::Personas => {
                Self { max_rounds: u8::MAX, ..self }
            }
        }
    }

    /// The phase that opens a round.
    pub fn opener(self) -> Phase {
        match self.format {
            Format::Seats if self.blind => Phase::Critic,
            Format::Seats => Phase::Advocate,
            Format::Stakeholders => Phase::Stakeholder,
            Format::Personas => Phase::Persona,
            Format::Options => Phase::Option,
        }
    }

    /// The phase that closes a round.
    pub fn closer(self) -> Phase {
        match self.format {
            Format::Seats if self.blind => Phase::Advocate,
            Format::Seats => Phase::Critic,
            Format::Stakeholders | Format::Personas => self.opener(),
            Format::Options => Phase::Attack,
        }
    }

    pub fn first(self) -> Slot {
        Slot { phase: self.opener(), round: 1 }
    }

    /// True if the schedule has this phase.
    pub fn has(self, phase: Phase) -> bool {
        match phase {
            Phase::Synthesizer => true,
            Phase::Advocate | Phase::Critic => self.format == Format::Seats,
            Phase::Stakeholder => self.format == Format::Stakeholders,
            Phase::Persona => self.format == Format::Personas,
            Phase::Option | Phase::Attack => self.format == Format::Options,
        }
    }

    /// All places in order, the synthesis last.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        let (opener, closer) = (self.opener(), self.closer());
        let attacks = if self.format == Format::Options { self.max_rounds } else { 0 };
        let round = move |round: u8| {
            let closer =
                (closer != opener && attacks == 0).then_some(Slot { phase: closer, round });
            [Slot { phase: opener, round }].into_iter().chain(closer)
        };
        let attacks = (1..=attacks).map(move |round| Slot { phase: closer, round });
        let synthesis = Slot { phase: Phase::Synthesizer, round: self.max_rounds };
        (1..=self.max_rounds).flat_map(round).chain(attacks).chain([synthesis])
    }

    /// Replies still to come in the full schedule, this place included.
    pub fn phases_left(self, slot: Slot) -> u32 {
        let in_a_round = if self.opener() == self.closer() { 1 } else { 2 };
        let rounds_after = u32::from(self.max_rounds.saturating_sub(slot.round));
        match slot.phase {
            Phase::Synthesizer => 1,
            Phase::Attack => 2 + rounds_after,
            Phase::Option => 2 + rounds_after + u32::from(self.max_rounds),
            phase if phase == self.closer() => 2 + in_a_round * rounds_after,
            Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
                3 + in_a_round * rounds_after
            }
        }
    }

    /// A sort key: places in the order of this schedule.
    pub fn rank(self, slot: Slot) -> (bool, bool, u8, bool) {
        let (is_synthesis, is_attack) =
            (slot.phase == Phase::Synthesizer, slot.phase == Phase::Attack);
        (is_synthesis, is_attack, slot.round, slot.phase == self.closer())
    }
}
