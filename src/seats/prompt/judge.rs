//! The view of one of several judges: the sides without names, in the judge's own order.

use crate::domain::debate::{Debate, Phase, Seat, Slot};
use crate::domain::transcript::{Entry, What};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// This side comes first in each round.
    first: Seat,
}

impl Sides {
    /// For the judge who is next. Every second judge has the critic first, because some judges
    /// give more weight to what comes last.
    pub(crate) fn for_judge(debate: &Debate) -> Option<Self> {
        let judge = debate.judge()?;
        Some(Self { first: if judge % 2 == 1 { Seat::Advocate } else { Seat::Critic } })
    }

    pub(crate) fn name(self, seat: Seat) -> String {
        match seat {
            Seat::Advocate | Seat::Critic if seat == self.first => "first side".to_owned(),
            Seat::Advocate | Seat::Critic => "second side".to_owned(),
            Seat::Voice(_) | Seat::Synthesizer => seat.to_string(),
        }
    }

    /// The place of a reply: `first side, round 1`.
    pub(crate) fn place(self, slot: Slot) -> String {
        match slot.phase {
            Phase::Advocate | Phase::Critic => {
                format!("{}, round {}", self.name(slot.seat()), slot.round)
            }
            Phase::Stakeholder | Phase::Persona => self.name(slot.seat()),
            Phase::Synthesizer => slot.to_string(),
        }
    }

    /// Puts the two replies of each round in this judge's order. The user's directions between them
    /// keep their places.
    pub(crate) fn order(self, entries: &mut [&Entry]) {
        for at in 0..entries.len() {
            let What::Reply(slot) = entries[at].what else { continue };
            let is_pair = |other: &&Entry| {
                let with = |other: Slot| {
                    other.round == slot.round && other.phase != slot.phase && is_side(other)
                };
                other.cycle == entries[at].cycle && other.slot().is_some_and(with)
            };
            let pair = entries[at + 1..].iter().position(is_pair).map(|after| at + 1 + after);
            if let Some(pair) = pair.filter(|_| is_side(slot) && slot.seat() != self.first) {
                entries.swap(at, pair);
            }
        }
    }
}

fn is_side(slot: Slot) -> bool {
    matches!(slot.phase, Phase::Advocate | Phase::Critic)
}
