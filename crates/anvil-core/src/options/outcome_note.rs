//! A note on a decision.

use crate::journal::{Outcome, Review};

/// A note on a decision: its outcome, or the day of its next review, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeNote<'a> {
    /// The debate, by its number in the history or its id. `None`: the one here.
    pub id: Option<&'a str>,
    /// The outcome of its recommendation.
    pub outcome: Option<Outcome>,
    pub note: Option<&'a str>,
    /// When to review it.
    pub review: Option<Review>,
}
