//! What an attempt or a turn is for: the reply of a place, or a check of facts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::place::{Place, Seat};

/// A reply or a check, as records name it: `critic, round 2`, `voice 3`, `attack by voice 3`,
/// `synthesis`, `judge 2`, `fact check, round 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Slot {
    Advocate { round: u8 },
    Critic { round: u8 },
    Voice(u8),
    Attack(u8),
    Synthesis,
    Judge(u8),
    FactCheck { round: u8 },
}

impl From<Place> for Slot {
    fn from(place: Place) -> Self {
        let round = place.round;
        match place.seat {
            Seat::Advocate => Self::Advocate { round },
            Seat::Critic => Self::Critic { round },
            Seat::Voice(voice) if place.is_attack() => Self::Attack(voice),
            Seat::Voice(voice) => Self::Voice(voice),
            Seat::Synthesizer => Self::Synthesis,
            Seat::Judge(judge) => Self::Judge(judge),
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Advocate { round } => write!(out, "advocate, round {round}"),
            Self::Critic { round } => write!(out, "critic, round {round}"),
            Self::Voice(voice) => write!(out, "voice {voice}"),
            Self::Attack(voice) => write!(out, "attack by voice {voice}"),
            Self::Synthesis => out.write_str("synthesis"),
            Self::Judge(judge) => write!(out, "judge {judge}"),
            Self::FactCheck { round } => write!(out, "fact check, round {round}"),
        }
    }
}

impl FromStr for Slot {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("unknown slot {text:?}");
        let (name, number) = text.rsplit_once(' ').unwrap_or((text, "0"));
        let number: u8 = number.parse().map_err(|_| unknown())?;
        let slot = match name {
            "advocate, round" => Self::Advocate { round: number },
            "critic, round" => Self::Critic { round: number },
            "voice" => Self::Voice(number),
            "attack by voice" => Self::Attack(number),
            "synthesis" => Self::Synthesis,
            "judge" => Self::Judge(number),
            "fact check, round" => Self::FactCheck { round: number },
            _ => return Err(unknown()),
        };
        // No other spelling of a number, such as `+2`.
        if slot.to_string() == text { Ok(slot) } else { Err(unknown()) }
    }
}

impl TryFrom<String> for Slot {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Slot> for String {
    fn from(slot: Slot) -> Self {
        slot.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_is_read_as_it_is_written() {
        for number in 0..=u8::MAX {
            for slot in [
                Slot::Advocate { round: number },
                Slot::Critic { round: number },
                Slot::Voice(number),
                Slot::Attack(number),
                Slot::Synthesis,
                Slot::Judge(number),
                Slot::FactCheck { round: number },
            ] {
                assert_eq!(slot.to_string().parse(), Ok(slot));
            }
        }
        for text in
            ["", "critic", "critic, round +2", "critic, round 256", "synthesis 0", "Judge 2"]
        {
            assert!(text.parse::<Slot>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_slot_has_the_name_of_its_place() {
        let seats = [
            Seat::Advocate,
            Seat::Critic,
            Seat::Voice(1),
            Seat::Voice(2),
            Seat::Synthesizer,
            Seat::Judge(3),
        ];
        for place in seats.iter().flat_map(|seat| [1, 2].map(|round| Place { seat: *seat, round }))
        {
            assert_eq!(Slot::from(place).to_string(), place.to_string());
        }
    }
}
