//! The shape of a debate: its mode, its seats and their order.

use strum::{EnumString, IntoStaticStr, VariantNames};

use super::{Place, Seat, VoiceTask};

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

    /// The mode of this name. With the user's own text, a name that stands for an option is a
    /// custom mode.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Boundary {
    /// After every round, and before the synthesis.
    Round,
    /// Before the synthesis only.
    Synthesis,
}

impl Boundary {
    /// The word in the state file and on the command line.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn from_word(word: &str) -> Option<Self> {
        word.parse().ok()
    }
}

/// The seats that speak before the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebateFormat {
    /// An advocate and a critic, for some rounds.
    Seats,
    /// Stakeholders, once each.
    Stakeholders,
    /// Personas, once each.
    Personas,
    /// A voice for each option, once each; then each attacks the others, once each.
    Options,
}

impl DebateFormat {
    /// The format of a mode with this number of voices.
    pub fn from_mode(mode: &Mode, voices: usize) -> Self {
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
    pub format: DebateFormat,
    /// Rounds. If voices take turns: the number of voices.
    pub max_rounds: u8,
    /// The critic opens without seeing a case, and speaks first in every round.
    pub blind: bool,
}

impl Schedule {
    pub fn seats(max_rounds: u8) -> Self {
        Self { format: DebateFormat::Seats, max_rounds, blind: false }
    }

    /// This schedule with the highest possible number of rounds.
    pub fn endless(self) -> Self {
        match self.format {
            // The last option is followed by the first attack.
            DebateFormat::Options => self,
            DebateFormat::Seats | DebateFormat::Stakeholders | DebateFormat::Personas => {
                Self { max_rounds: u8::MAX, ..self }
            }
        }
    }

    /// The seats of each round between two, in order.
    pub(super) fn sides(self) -> [Seat; 2] {
        if self.blind { [Seat::Critic, Seat::Advocate] } else { [Seat::Advocate, Seat::Critic] }
    }

    pub fn first(self) -> Place {
        match self.format {
            DebateFormat::Seats => Place { seat: self.sides()[0], round: 1 },
            DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options => {
                Place::case(1)
            }
        }
    }

    /// True for a place that opens a round. Each voice has a round of its own.
    pub fn opens(self, place: Place) -> bool {
        match self.format {
            DebateFormat::Seats => place.seat == self.sides()[0],
            DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options => {
                place.seat.is_voice() && !place.is_attack()
            }
        }
    }

    /// True for a place that closes a round.
    pub fn closes(self, place: Place) -> bool {
        match self.format {
            DebateFormat::Seats => place.seat == self.sides()[1],
            DebateFormat::Stakeholders | DebateFormat::Personas => self.opens(place),
            DebateFormat::Options => place.is_attack(),
        }
    }

    /// The task of a voice at a place. `None`: not a voice of this schedule.
    pub fn task(self, place: Place) -> Option<VoiceTask> {
        let task = match (self.format, place.is_attack()) {
            (DebateFormat::Stakeholders, false) => VoiceTask::Stakeholder,
            (DebateFormat::Personas, false) => VoiceTask::Persona,
            (DebateFormat::Options, false) => VoiceTask::Option,
            (DebateFormat::Options, true) => VoiceTask::Attack,
            (DebateFormat::Stakeholders | DebateFormat::Personas, true)
            | (DebateFormat::Seats, _) => return None,
        };
        place.seat.is_voice().then_some(task)
    }

    /// True if the schedule has places like this one.
    pub fn has(self, place: Place) -> bool {
        match place.seat {
            Seat::Synthesizer => true,
            Seat::Advocate | Seat::Critic => self.format == DebateFormat::Seats,
            Seat::Voice(_) => self.task(place).is_some(),
            Seat::Judge(_) => false,
        }
    }

    /// All places in order, the synthesis last.
    pub fn places(self) -> impl Iterator<Item = Place> {
        let [first, second] = self.sides();
        let (sides, attacks) = match self.format {
            DebateFormat::Seats => (self.max_rounds, 0),
            DebateFormat::Stakeholders | DebateFormat::Personas => (0, 0),
            DebateFormat::Options => (0, self.max_rounds),
        };
        let cases = self.max_rounds - sides;
        let sides =
            (1..=sides).flat_map(move |round| [first, second].map(|seat| Place { seat, round }));
        let voices = (1..=cases).map(Place::case).chain((1..=attacks).map(Place::attack));
        sides.chain(voices).chain([Place::synthesis(self.max_rounds)])
    }

    /// Replies still to come in the full schedule, this place included.
    pub fn phases_left(self, place: Place) -> u32 {
        let after = u32::from(self.max_rounds.saturating_sub(place.number()));
        match place.seat {
            Seat::Synthesizer | Seat::Judge(_) => 1,
            Seat::Voice(_) if self.format == DebateFormat::Options && !place.is_attack() => {
                2 + after + u32::from(self.max_rounds)
            }
            Seat::Voice(_) => 2 + after,
            Seat::Advocate | Seat::Critic if self.closes(place) => 2 + 2 * after,
            Seat::Advocate | Seat::Critic => 3 + 2 * after,
        }
    }

    /// A sort key: places in the order of this schedule.
    pub(crate) fn rank(self, place: Place) -> impl Ord + use<> {
        let is_synthesis = place.seat == Seat::Synthesizer;
        (is_synthesis, place.is_attack(), place.number(), self.closes(place))
    }
}
