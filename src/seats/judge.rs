//! How one of several judges is shown a debate: the sides in an order of its own, and nobody by name.

use crate::debate::{Debate, Phase, Seat, Slot};
use crate::transcript::{Entry, What};

/// The sides, as one judge is shown them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// Whose replies come first in each round.
    first: Seat,
}

impl Sides {
    /// Those of the judge whose turn it is. Every other judge has the critic first: what comes last weighs more with some.
    pub(super) fn of(debate: &Debate) -> Option<Self> {
        let judge = debate.judge()?;
        Some(Self { first: if judge % 2 == 1 { Seat::Advocate } else { Seat::Critic } })
    }

    /// What a seat is called.
    pub(super) fn name(self, seat: Seat) -> String {
        match seat {
            Seat::Advocate | Seat::Critic if seat == self.first => "first side".to_owned(),
            Seat::Advocate | Seat::Critic => "second side".to_owned(),
            Seat::Voice(_) | Seat::Synthesizer => seat.to_string(),
        }
    }

    /// Where a reply stands: `first side, round 1`.
    pub(super) fn place(self, slot: Slot) -> String {
        match slot.phase {
            Phase::Advocate | Phase::Critic => format!("{}, round {}", self.name(slot.seat()), slot.round),
            Phase::Stakeholder | Phase::Persona => self.name(slot.seat()),
            Phase::Synthesizer => slot.to_string(),
        }
    }

    /// Puts the two replies of each round in the order of this judge. What the user said between them stays where it is.
    pub(super) fn order(self, entries: &mut [&Entry]) {
        for at in 0..entries.len() {
            let What::Reply(slot) = entries[at].what else { continue };
            let is_pair = |other: &&Entry| {
                let with = |other: Slot| other.round == slot.round && other.phase != slot.phase && is_side(other);
                other.cycle == entries[at].cycle && other.slot().is_some_and(with)
            };
            let pair = entries[at + 1..].iter().position(is_pair).map(|after| at + 1 + after);
            if let Some(pair) = pair.filter(|_| is_side(slot) && slot.seat() != self.first) {
                entries.swap(at, pair);
            }
        }
    }
}

/// True for the advocate and the critic.
fn is_side(slot: Slot) -> bool {
    matches!(slot.phase, Phase::Advocate | Phase::Critic)
}
