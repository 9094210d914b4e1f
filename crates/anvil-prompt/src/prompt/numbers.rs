//! The form of claim numbers in a debate, and the numbers in the examples of its prompts.

use super::cue::Next;
use anvil_core::ledger::Ledger;
use anvil_core::place::{DebateFormat, Seat};

/// The rule for claim numbers, and examples of numbers and moves.
pub(crate) struct Numbers {
    pub rule: &'static str,
    pub first: &'static str,
    pub attacker: &'static str,
    pub moves: &'static str,
    pub sides: &'static str,
}

pub(super) fn numbers(format: DebateFormat) -> Numbers {
    match format {
        DebateFormat::Seats => Numbers {
            rule: "Number claims A1, A2, … (advocate), C1, C2, … (critic), on through all rounds.",
            first: "A1",
            attacker: "C2",
            moves: "`**Attacks A1:** \"exact words\" what fails`, `**Rebuts C3:** …`, `**Repairs \
                A2 (after C2):** …`, `**Supports A1:** …`, `**Grants C1:** because …` (the other \
                side's), `**Withdraws A3:** because …` (your own)",
            sides: "both sides",
        },
        DebateFormat::Stakeholders | DebateFormat::Personas | DebateFormat::Options => Numbers {
            rule: "Number your claims by voice: S1.1, S1.2, … for voice 1, S2.1, … for voice 2.",
            first: "S1.1",
            attacker: "S2.1",
            moves: "`**Attacks S1.1:** \"exact words\" what fails`, `**Rebuts S1.2:** …`, \
                `**Repairs S2.1 (after S3.1):** …`, `**Supports S1.1:** …`, `**Grants S1.2:** \
                because …` (another's), `**Withdraws S2.2:** because …` (your own)",
            sides: "every voice",
        },
    }
}

/// The rule for the numbers of one seat, and its first number.
pub(super) fn own_numbers(seat: Seat) -> (String, String) {
    let numbers = Next::for_seat(seat, &Ledger::default());
    let first = numbers.id(0);
    let second = numbers.id(1);
    (format!("Number your claims {first}, {second}, …, on through all rounds."), first)
}
