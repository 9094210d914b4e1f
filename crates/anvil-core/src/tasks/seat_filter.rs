//! The tasks that somebody wants to claim.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::debate::Debate;
use crate::place::Place;
use anvil_text::error::{Error, Failure, Kind, Result};
use anvil_text::{Hint, clean};

/// The seats that can be claimed.
const SEATS: [&str; 5] = ["advocate", "critic", "voice", "synthesizer", "judge"];

/// The tasks that somebody wants to claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatFilter {
    /// Any task that can be done now.
    Any,
    /// Those of a seat, or only this round, voice or judge of it.
    Seat(&'static str, Option<u8>),
}

impl SeatFilter {
    pub fn takes(self, place: Place) -> bool {
        match self {
            Self::Any => true,
            Self::Seat(name, number) => {
                let number_here = place.seat.judge().unwrap_or(place.number());
                place.seat.word() == name && number.is_none_or(|number| number == number_here)
            }
        }
    }

    /// Refuses a seat that the debate does not have.
    pub fn check(self, debate: &Debate) -> Result<()> {
        let places = debate.places();
        if places.iter().any(|place| self.takes(*place)) {
            return Ok(());
        }
        let seats: BTreeSet<&str> = places.into_iter().map(|place| place.seat.word()).collect();
        let seats: Vec<&str> = seats.into_iter().collect();
        Err(SeatError::NotHere(seats.join(", ")).into())
    }
}

impl FromStr for SeatFilter {
    type Err = Error;

    /// Reads `critic`, `synthesizer`, `judge`, `voice 2`, `any`, or the id of a task.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim().to_ascii_lowercase();
        // The id of a task in a later cycle begins with the cycle.
        let text = text
            .strip_prefix("cycle-")
            .and_then(|id| id.split_once('-'))
            .filter(|(cycle, _)| cycle.parse::<u32>().is_ok())
            .map_or(text.as_str(), |(_, id)| id);
        let (name, number) =
            match text.rsplit_once([' ', '-']).map(|(name, number)| (name, number.parse::<u8>())) {
                Some((name, Ok(number))) if number > 0 => (name, Some(number)),
                _ => (text, None),
            };
        let name = match (name, number) {
            ("any", None) => return Ok(Self::Any),
            ("synthesis", None) => "synthesizer",
            ("attack", _) => "voice",
            // The synthesizer has one task.
            ("synthesizer", Some(_)) => "",
            (name, _) => name,
        };
        let seat = SEATS.into_iter().find(|seat| *seat == name);
        seat.map(|seat| Self::Seat(seat, number))
            .ok_or_else(|| SeatError::Unknown(clean(text, 40)).into())
    }
}

#[derive(Debug, thiserror::Error)]
enum SeatError {
    #[error("this debate has no such seat")]
    NotHere(String),
    #[error("{0:?} is not a seat")]
    Unknown(String),
}

impl Failure for SeatError {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        match self {
            Self::NotHere(seats) => format!("its seats are {seats}").into(),
            Self::Unknown(_) => {
                "name advocate, critic, voice, synthesizer or judge, with a number if you like: \
                 voice-2"
                    .into()
            }
        }
    }
}
