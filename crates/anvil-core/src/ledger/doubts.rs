//! Doubts about a reply, for the seat that answers it.

use crate::debate::Seat;

use super::{Claim, ClaimStatus, Id, Ledger, Move};

impl Ledger {
    /// Claims of this seat that face an unanswered attack made by no numbered claim.
    pub fn attacked(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        let is_bare = |claim: &&Claim| self.attack_on(claim).is_some_and(|made| made.by.is_none());
        self.claims.iter().filter(move |claim| claim.id.seat() == seat).filter(is_bare)
    }

    /// The last attack on a contested claim, if the claim's own side has not spoken since.
    pub(crate) fn attack_on(&self, claim: &Claim) -> Option<&Move> {
        let last = self.moves.iter().rev().find(|made| made.is_attack_on(claim.id));
        let last = last.filter(|_| claim.status == ClaimStatus::Contested)?;
        let mut since = self.sections.iter().skip(last.section + 1);
        (!since.any(|section| section.place.seat == claim.id.seat())).then_some(last)
    }

    /// The doubts about the last reply. Empty for the seat that wrote it.
    pub fn doubts(&self, seat: Seat) -> Vec<Doubt> {
        let Some(last) = self.sections.len().checked_sub(1) else { return Vec::new() };
        if self.sections[last].place.seat == seat {
            return Vec::new();
        }
        let moves = || self.moves.iter().filter(|made| made.section == last);
        let is_misquote =
            |made: &&Move| made.quote_found == Some(false) && self.claim(made.target).is_some();
        let mut doubts: Vec<Doubt> = moves()
            .filter(is_misquote)
            .map(|made| Doubt::Quote { on: made.target, by: made.by })
            .collect();
        let without_reason = moves().filter(|made| made.lacks_reason());
        doubts.extend(without_reason.map(|made| Doubt::Grant(made.target)));
        doubts
    }
}

/// A doubt that the next speaker is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The quoted words were not found.
    Quote {
        /// The target of the move.
        on: Id,
        /// The claim that makes the move.
        by: Option<Id>,
    },
    /// A grant of this claim without a reason.
    Grant(Id),
}
