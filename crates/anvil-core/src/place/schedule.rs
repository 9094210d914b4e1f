//! The shape of a debate: its seats and their order.

use super::{Place, Seat, VoiceTask};

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
