//! The options of a decision, each with the claims for it and against it.

use serde::Serialize;

use anvil_core::debate::{Debate, Seat};
use anvil_core::ledger::{ClaimResult, Id, Ledger};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Considered {
    pub name: String,
    #[serde(skip)]
    pub seat: Seat,
    /// The place in the ranking, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The line of the synthesis about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The claims of its seat that did not fall.
    #[serde(rename = "for")]
    pub pros: Vec<Id>,
    /// The claims of other seats that attack those of its seat, and did not fall.
    #[serde(rename = "against")]
    pub cons: Vec<Id>,
}

/// The options that the user typed. Empty for any other debate.
pub(crate) fn considered(debate: &Debate, ledger: &Ledger) -> Vec<Considered> {
    let synthesis = ledger.last_synthesis();
    let option = |(seat, name): (Seat, &str)| {
        let place = synthesis.and_then(|read| read.ranking.iter().position(|one| one == name));
        let line = synthesis.and_then(|read| read.options.iter().find(|line| line.name == name));
        let holds =
            |id: Id| ledger.claim(id).is_some_and(|claim| claim.result != Some(ClaimResult::Fell));
        let own = ledger.claims.iter().map(|claim| claim.id).filter(|id| id.seat() == seat);
        let attacks = ledger.moves.iter().filter(|made| {
            made.kind.is_attack() && made.target.seat() == seat && made.seat != seat
        });
        let mut cons: Vec<Id> = Vec::new();
        for by in attacks.filter_map(|made| made.by).filter(|by| holds(*by)) {
            if !cons.contains(&by) {
                cons.push(by);
            }
        }
        Considered {
            name: name.to_owned(),
            seat,
            place: place.map(|place| place + 1),
            line: line.map(|line| line.text.clone()),
            pros: own.filter(|id| holds(*id)).collect(),
            cons,
        }
    };
    debate.seats_of_options().map(option).collect()
}
