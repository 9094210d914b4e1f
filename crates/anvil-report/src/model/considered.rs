//! The options of a decision, each with the claims for it and against it.

use serde::Serialize;

use anvil_core::debate::Debate;
use anvil_core::ledger::{ClaimResult, Id, Ledger};
use anvil_core::place::Seat;

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
pub(crate) fn considered_options(debate: &Debate, ledger: &Ledger) -> Vec<Considered> {
    let synthesis = ledger.last_synthesis();
    let mut options = Vec::new();
    for (seat, name) in debate.seats_of_options() {
        let place = synthesis.and_then(|read| read.ranking.iter().position(|one| one == name));
        let line = synthesis.and_then(|read| read.options.iter().find(|line| line.name == name));
        let pros = ledger.claims.iter().map(|claim| claim.id).filter(|id| id.seat() == seat);
        let mut cons: Vec<Id> = Vec::new();
        for made in &ledger.moves {
            let Some(by) = made.by else { continue };
            let is_attack =
                made.kind.is_attack() && made.target.seat() == seat && made.seat != seat;
            if is_attack && holds(ledger, by) && !cons.contains(&by) {
                cons.push(by);
            }
        }
        options.push(Considered {
            name: name.to_owned(),
            seat,
            place: place.map(|place| place + 1),
            line: line.map(|line| line.text.clone()),
            pros: pros.filter(|id| holds(ledger, *id)).collect(),
            cons,
        });
    }
    options
}

/// True for a claim of this debate that did not fall.
fn holds(ledger: &Ledger, id: Id) -> bool {
    ledger.claim(id).is_some_and(|claim| claim.result != Some(ClaimResult::Fell))
}
