//! Doubts about a reply, for the seat that answers it.

use crate::domain::debate::Seat;

use super::{Claim, Fault, Id, Ledger, Move, MoveKind, Status};

impl Ledger {
    /// Claims of this seat that face an unanswered attack made by no numbered claim.
    pub fn attacked(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        let is_bare = |claim: &&Claim| self.attack_on(claim).is_some_and(|made| made.by.is_none());
        self.claims.iter().filter(move |claim| claim.id.seat() == seat).filter(is_bare)
    }

    /// The last attack on a contested claim, if the claim's own side has not spoken since.
    pub(super) fn attack_on(&self, claim: &Claim) -> Option<&Move> {
        let is_attack = |made: &&Move| {
            made.target == claim.id
                && made.seat != claim.id.seat()
                && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut)
        };
        let last = self
            .moves
            .iter()
            .rev()
            .find(is_attack)
            .filter(|_| claim.status == Status::Contested)?;
        let mut since = self.sections.iter().skip(last.section + 1);
        (!since.any(|section| section.slot.seat() == claim.id.seat())).then_some(last)
    }

    /// The doubts about the last reply. Empty for the seat that wrote it.
    pub fn doubts(&self, seat: Seat) -> Vec<Doubt> {
        let Some(last) = self
            .sections
            .len()
            .checked_sub(1)
            .filter(|&last| self.sections[last].slot.seat() != seat)
        else {
            return Vec::new();
        };
        let moves = self
            .moves
            .iter()
            .filter(|made| made.section == last && self.claim(made.target).is_some());
        let mut doubts: Vec<Doubt> = moves
            .filter(|made| made.quote_found == Some(false))
            .map(|made| Doubt::Quote { on: made.target, by: made.by })
            .collect();
        let groundless =
            self.moves.iter().filter(|made| made.section == last && made.lacks_ground());
        let repeated =
            self.findings.iter().filter(|finding| finding.section == last).filter_map(|finding| {
                if let Fault::GrantRepeatsReason { id, .. } = finding.fault {
                    Some(id)
                } else {
                    None
                }
            });
        doubts.extend(groundless.map(|made| made.target).chain(repeated).map(Doubt::Grant));
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
    /// A grant of this claim without a ground, or with the ground of an earlier grant.
    Grant(Id),
}
