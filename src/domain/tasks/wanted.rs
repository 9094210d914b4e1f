//! The tasks that a worker takes.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::Place;
use crate::domain::debate::{Debate, Phase};
use crate::error::{Error, Result};
use crate::text::clean;

/// The tasks that a worker takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Any task that can be done now.
    Any,
    /// Only tasks that can be done at the same time as others.
    Independent,
    /// Those of a seat, or only this round or voice of it.
    Seat(Phase, Option<u8>),
    /// Those of the judges, or only this one.
    Judge(Option<u8>),
}

impl Wanted {
    pub fn takes(self, place: Place) -> bool {
        match self {
            Self::Any | Self::Independent => true,
            Self::Seat(phase, number) => {
                place.slot.phase == phase && number.is_none_or(|number| place.slot.round == number)
            }
            Self::Judge(number) => {
                place.judge.is_some_and(|judge| number.is_none_or(|number| judge == number))
            }
        }
    }

    /// Refuses a seat that the debate does not have.
    pub fn check(self, debate: &Debate) -> Result<()> {
        let places = Place::all(debate);
        if places.iter().any(|place| self.takes(*place)) {
            return Ok(());
        }
        let seats: BTreeSet<&str> = places.into_iter().map(Place::seat_name).collect();
        let seats: Vec<&str> = seats.into_iter().collect();
        Err(Error::usage(
            "this debate has no such seat",
            format!("its seats are {}", seats.join(", ")),
        ))
    }

    /// True if the worker takes its task before it can be begun, so that no other worker takes it.
    pub fn holds_ahead(self) -> bool {
        matches!(self, Self::Seat(..) | Self::Judge(_))
    }
}

impl FromStr for Wanted {
    type Err = Error;

    /// Reads `critic`, `synthesizer`, `judge`, `persona`, `stakeholder 2`, `any`, or the id of a
    /// task.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (name, number) =
            match text.rsplit_once([' ', '-']).map(|(name, number)| (name, number.parse::<u8>())) {
                Some((name, Ok(number))) if number > 0 => (name, Some(number)),
                _ => (text.as_str(), None),
            };
        let phase = match (name, number) {
            ("any", None) => return Ok(Self::Any),
            ("judge", number) => return Ok(Self::Judge(number)),
            ("synthesis", None) => Some(Phase::Synthesizer),
            (name, number) => Phase::from_word(name)
                .filter(|phase| number.is_none() || *phase != Phase::Synthesizer),
        };
        let unknown = || {
            Error::usage(
                format!("{:?} is not a seat", clean(&text, 40)),
                "name advocate, critic, synthesizer, judge, stakeholder or persona, with a number \
                    if you like: critic-2",
            )
        };
        phase.map(|phase| Self::Seat(phase, number)).ok_or_else(unknown)
    }
}
