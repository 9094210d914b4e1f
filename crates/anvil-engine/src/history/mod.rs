//! Undo and redo, earlier debates, and outcomes of decisions.

pub(super) mod outcomes;
pub(super) mod past;
pub(super) mod prune;
pub(super) mod undo;

pub use outcomes::{DueReviews, calibration, due_reviews, record_outcome};
pub(crate) use outcomes::{note_review, review_day, reviews_found};
pub use past::{FoundTexts, Hit, PastDebate, PastDebates, past, search};
pub use prune::{PruneCandidate, PrunePlan, prunable, prune};
pub use undo::{
    HistoryChange, SnapshotEntry, SnapshotList, UndonePart, redo, restore, snapshots, undo,
};
