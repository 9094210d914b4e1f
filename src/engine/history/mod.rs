//! Undo and redo, earlier debates, and outcomes of decisions.

pub(super) mod outcomes;
pub(super) mod past;
pub(super) mod prune;
pub(super) mod undo;

pub use outcomes::DueReviews;
pub use past::{FoundTexts, Hit, PastDebate, PastDebates};
pub use prune::{PruneCandidate, PrunePlan};
pub use undo::{HistoryChange, SnapshotEntry, SnapshotList, UndonePart};

pub use outcomes::{calibration, due_reviews, record_outcome};
pub(crate) use outcomes::{note_review, review_day, reviews_found};
pub use past::{past, search};
pub use prune::{prunable, prune};
pub use undo::{redo, restore, snapshots, undo};
