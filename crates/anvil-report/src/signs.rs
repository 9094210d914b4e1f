//! The state of a claim for a reader: a sign, a word and a class of the page's style.

use anvil_core::ledger::{Claim, ClaimResult, ClaimStatus, Ledger};

/// The sign and the word show the state without colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    pub mark: &'static str,
    pub word: &'static str,
    pub class: &'static str,
}

/// For a claim that survived because no seat could answer it.
const UNANSWERED: Sign = Sign { mark: "·", word: "unanswered", class: "untold" };

pub(crate) const LEFT_OUT: Sign = Sign { mark: "?", word: "left out", class: "untold" };

/// For an objection to a document.
const RESOLVED: Sign = Sign { mark: "✓", word: "resolved", class: "survived" };
const STANDS: Sign = Sign { mark: "✕", word: "stands", class: "fell" };

/// The result after the synthesis, the status before it.
pub(crate) fn of(ledger: &Ledger, claim: &Claim) -> Sign {
    match (claim.resolved, &ledger.synthesis) {
        (Some(true), _) => RESOLVED,
        (Some(false), _) => STANDS,
        (None, Some(_)) if !claim.answered => UNANSWERED,
        (None, Some(_)) => of_result(claim.result.unwrap_or(ClaimResult::LeftOut)),
        (None, None) => of_status(claim.status),
    }
}

/// Every sign that a claim of this debate can have, in order.
pub(crate) fn all(ledger: &Ledger) -> Vec<Sign> {
    if ledger.synthesis.is_none() {
        return ClaimStatus::ALL.map(of_status).to_vec();
    }
    let [survived, weakened, fell, left_out] = ClaimResult::ALL.map(of_result);
    vec![RESOLVED, STANDS, survived, weakened, fell, UNANSWERED, left_out]
}

/// A mark for a claim on a screen.
pub fn sign(ledger: &Ledger, claim: &Claim) -> &'static str {
    of(ledger, claim).mark
}

fn of_result(result: ClaimResult) -> Sign {
    let (mark, class) = match result {
        ClaimResult::LeftOut => return LEFT_OUT,
        ClaimResult::Survived => ("✓", "survived"),
        ClaimResult::Weakened => ("~", "weakened"),
        ClaimResult::Fell => ("✕", "fell"),
    };
    Sign { mark, word: result.word(), class }
}

fn of_status(status: ClaimStatus) -> Sign {
    let (mark, class) = match status {
        ClaimStatus::Open => ("?", "untold"),
        ClaimStatus::Contested => ("!", "weakened"),
        ClaimStatus::Granted => ("+", "survived"),
        ClaimStatus::Withdrawn => ("-", "fell"),
    };
    Sign { mark, word: status.word(), class }
}
