//! The places of a debate, each filled by one reply: a seat and its round; and their order.

mod advance;
mod phase;
mod position;
mod schedule;
mod seat;

pub use advance::{Advance, Signal, advance};
pub use phase::{phase_word, place_of};
pub use position::{furthest, may_be_ended_at, may_wait_at, waits_at};
pub use schedule::{DebateFormat, Schedule};
pub use seat::{Seat, VoiceTask};

use std::fmt;

/// A seat and its round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub seat: Seat,
    /// Counted from 1. A voice makes its case in round 1; in round 2 an option attacks the others.
    /// The synthesis and its judges have the [number](Self::number) of the last argued place.
    pub round: u8,
}

impl Place {
    /// The first place of a debate between an advocate and a critic.
    pub const FIRST: Self = Self { seat: Seat::Advocate, round: 1 };

    /// A voice makes its case. Voices are counted from 1, in the order of speaking.
    pub const fn case(voice: u8) -> Self {
        Self { seat: Seat::Voice(voice), round: 1 }
    }

    /// The voice of an option attacks the others.
    pub const fn attack(voice: u8) -> Self {
        Self { seat: Seat::Voice(voice), round: 2 }
    }

    pub const fn synthesis(round: u8) -> Self {
        Self { seat: Seat::Synthesizer, round }
    }

    /// The number in the file, in records and in JSON: a voice's own, else the round.
    pub fn number(self) -> u8 {
        match self.seat {
            Seat::Voice(voice) => voice,
            Seat::Advocate | Seat::Critic | Seat::Synthesizer | Seat::Judge(_) => self.round,
        }
    }

    pub fn is_attack(self) -> bool {
        self.seat.is_voice() && self.round > 1
    }

    /// The place in the schedule: that of the synthesis for a judge.
    pub fn in_schedule(self) -> Self {
        match self.seat {
            Seat::Judge(_) => Self::synthesis(self.round),
            Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Synthesizer => self,
        }
    }

    /// The place for the user: `critic, round 2 of 3`, `voice 2` or `synthesis`.
    pub fn label(self, max_rounds: u8) -> String {
        match self.seat {
            Seat::Advocate | Seat::Critic => format!("{self} of {}", max_rounds.max(self.round)),
            Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => self.to_string(),
        }
    }

    /// The id of the task: `critic-2`, `voice-3`, `attack-3`, `synthesis`, `judge-2`. A later cycle
    /// comes first: `cycle-2-critic-1`.
    pub fn id(self, cycle: u32) -> String {
        let name = match self.seat {
            Seat::Judge(judge) => format!("judge-{judge}"),
            Seat::Synthesizer => "synthesis".to_owned(),
            Seat::Voice(voice) if self.is_attack() => format!("attack-{voice}"),
            Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
                format!("{}-{}", self.seat.word(), self.number())
            }
        };
        if cycle > 1 { format!("cycle-{cycle}-{name}") } else { name }
    }
}

/// The name in records and for people: `critic, round 2`, `voice 3`, `attack by voice 3`,
/// `synthesis`, `judge 2`.
impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.seat {
            Seat::Advocate | Seat::Critic => write!(out, "{}, round {}", self.seat, self.round),
            Seat::Voice(_) if self.is_attack() => write!(out, "attack by {}", self.seat),
            Seat::Voice(_) | Seat::Judge(_) => self.seat.fmt(out),
            Seat::Synthesizer => out.write_str("synthesis"),
        }
    }
}
