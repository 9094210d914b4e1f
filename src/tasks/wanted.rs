//! Which tasks a worker takes.

use std::str::FromStr;

use super::Place;
use crate::debate::{Debate, Phase};
use crate::error::{Error, Result};
use crate::text::clean;

/// Which tasks a worker takes: all of one seat, or whatever can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever can be done now.
    Any,
    /// What can be done now beside other replies.
    Independent,
    /// Those of a seat; with a number that round or voice alone.
    Seat(Phase, Option<u8>),
    /// Those of the judges; with a number that one alone.
    Judge(Option<u8>),
}

impl Wanted {
    /// True for a task that this worker takes.
    #[must_use]
    pub fn takes(self, place: Place) -> bool {
        match self {
            Self::Any | Self::Independent => true,
            Self::Seat(phase, number) => {
                place.slot.phase == phase && number.is_none_or(|number| place.slot.round == number)
            }
            Self::Judge(number) => place.judge.is_some_and(|judge| number.is_none_or(|number| judge == number)),
        }
    }

    /// Refuses a seat that a debate does not have.
    pub fn check(self, debate: &Debate) -> Result<()> {
        let places = Place::all(debate);
        if places.iter().any(|place| self.takes(*place)) {
            return Ok(());
        }
        let mut seats: Vec<String> = places.iter().map(|place| place.seat_name().to_owned()).collect();
        seats.dedup();
        seats.sort_unstable();
        seats.dedup();
        Err(Error::usage("this debate has no such seat", format!("its seats are {}", seats.join(", "))))
    }

    /// True where a task is held before it can be begun, so that nobody else begins it.
    #[must_use]
    pub fn holds_ahead(self) -> bool {
        matches!(self, Self::Seat(..) | Self::Judge(_))
    }
}

impl FromStr for Wanted {
    type Err = Error;

    /// Reads the name of a seat: `critic`, `synthesizer`, `judge`, `persona`, `stakeholder 2`, or `any`. Also the id of a task.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (name, number) = match text.rsplit_once([' ', '-']).map(|(name, number)| (name, number.parse::<u8>())) {
            Some((name, Ok(number))) if number > 0 => (name, Some(number)),
            _ => (text.as_str(), None),
        };
        let phase = match (name, number) {
            ("any", None) => return Ok(Self::Any),
            ("judge", number) => return Ok(Self::Judge(number)),
            ("synthesis", None) => Some(Phase::Synthesizer),
            (name, number) => Phase::from_word(name).filter(|phase| number.is_none() || *phase != Phase::Synthesizer),
        };
        let unknown = || {
            Error::usage(
                format!("{:?} is not a seat", clean(&text, 40)),
                "name advocate, critic, synthesizer, judge, stakeholder or persona, with a number if you like: critic-2",
            )
        };
        phase.map(|phase| Self::Seat(phase, number)).ok_or_else(unknown)
    }
}
