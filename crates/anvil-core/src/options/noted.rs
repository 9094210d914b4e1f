//! What is noted of a decision.

use crate::journal::{Outcome, Review};

/// What is noted of a decision: its outcome, or the day of its next review, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted<'a> {
    /// The debate, by its number in the history or its id. `None`: the one here.
    pub id: Option<&'a str>,
    /// What became of its recommendation.
    pub outcome: Option<Outcome>,
    /// What there is to say of it.
    pub note: Option<&'a str>,
    /// When to look again.
    pub review: Option<Review>,
}
