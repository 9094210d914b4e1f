//! Undo and redo, earlier debates, and outcomes of decisions.

pub(super) mod outcomes;
pub(super) mod past;
pub(super) mod prune;
pub(super) mod undo;

pub use outcomes::DueReviews;
pub use past::{FoundTexts, Hit, PastDebate, PastDebates};
pub use prune::{PruneCandidate, PrunePlan};
pub use undo::{HistoryChange, SnapshotEntry, SnapshotList, UndonePart};

use super::Context;

/// Use cases for the past of a project's debates.
#[derive(Debug)]
pub struct History<'a> {
    pub(super) context: &'a Context<'a>,
}
