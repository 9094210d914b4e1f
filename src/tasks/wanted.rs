//! Which tasks a worker takes.

use std::str::FromStr;

use super::Place;
use crate::debate::Phase;
use crate::error::{Error, Result};
use crate::text::clean;

/// Which tasks a worker takes: all of one seat, or whatever can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever can be done now.
    Any,
    /// What can be done now beside other replies.
    Independent,
    /// Those of a seat; of a voice or a judge with a number that one alone.
    Seat(Phase, Option<u8>),
}

impl Wanted {
    /// True for a task that this worker takes.
    #[must_use]
    pub fn takes(self, place: Place) -> bool {
        match self {
            Self::Any | Self::Independent => true,
            Self::Seat(phase, number) => {
                place.slot.phase == phase
                    && number.is_none_or(|number| match place.judge {
                        Some(judge) => judge == number,
                        None => place.slot.round == number,
                    })
            }
        }
    }

    /// True where a task is held before it can be begun, so that nobody else begins it.
    #[must_use]
    pub fn holds_ahead(self) -> bool {
        matches!(self, Self::Seat(..))
    }
}

impl FromStr for Wanted {
    type Err = Error;

    /// Reads the name of a seat: `critic`, `synthesizer`, `judge`, `persona`, `stakeholder 2`, or `any`.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (name, number) = match text.rsplit_once([' ', '-']).map(|(name, number)| (name, number.parse::<u8>())) {
            Some((name, Ok(number))) if number > 0 => (name, Some(number)),
            _ => (text.as_str(), None),
        };
        let phase = match (name, number) {
            ("any", None) => return Ok(Self::Any),
            ("synthesis" | "judge", number) => return Ok(Self::Seat(Phase::Synthesizer, number)),
            (name, number) => Phase::from_word(name)
                .filter(|phase| number.is_none() || matches!(phase, Phase::Stakeholder | Phase::Persona)),
        };
        let unknown = || {
            Error::usage(
                format!("{:?} is not a seat", clean(&text, 40)),
                "name advocate, critic, synthesizer, judge, stakeholder or persona, the last three with a number if you like",
            )
        };
        phase.map(|phase| Self::Seat(phase, number)).ok_or_else(unknown)
    }
}
