//! The signs and the names in the page's style for what became of a claim.

use crate::ledger::Disposition;

/// A mark that tells it apart without colours.
pub(super) fn mark(disposition: Option<Disposition>) -> &'static str {
    match disposition {
        Some(Disposition::Survived) => "✓",
        Some(Disposition::Weakened) => "~",
        Some(Disposition::Fell) => "✕",
        None => "?",
    }
}

/// What the page's style calls it.
pub(super) fn class(disposition: Option<Disposition>) -> &'static str {
    disposition.map_or("untold", Disposition::word)
}
