//! Doubts about a reply, for the seat that answers it.

use crate::place::Seat;

use super::{CitedWords, Claim, ClaimStatus, Id, Ledger, Move};

impl Ledger {
    /// Claims of this seat that face an unanswered attack made by no numbered claim.
    pub fn attacked_claims(&self, seat: Seat) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(move |claim| {
            claim.id.seat() == seat
                && self.attack_on(claim).is_some_and(|attack| attack.by.is_none())
        })
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
        let mut misquotes = Vec::new();
        let mut grants = Vec::new();
        for made in self.moves.iter().filter(|made| made.section == last) {
            if made.quote_found == Some(false) && self.claim(made.target).is_some() {
                misquotes.push(Doubt::Quote { on: made.target, by: made.by });
            }
            if made.lacks_reason() {
                grants.push(Doubt::Grant(made.target));
            }
        }
        misquotes.extend(grants);
        misquotes.extend(self.cited_last().filter_map(|(id, citation)| {
            match citation.seen.as_ref()?.found {
                CitedWords::NotThere => Some(Doubt::Evidence(id)),
                CitedWords::NoSuchFile => Some(Doubt::File(id)),
                CitedWords::There | CitedWords::Elsewhere | CitedWords::NotLookedAt => None,
            }
        }));
        misquotes
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
    /// The words that this claim cites are not in their file.
    Evidence(Id),
    /// The file that this claim cites does not exist.
    File(Id),
}
