//! Earlier debates and earlier states: lists, searches and prunes debates, undoes and restores
//! phases, and saves the outcomes of decisions.

mod outcomes;
mod past;
mod prune;
mod search;
mod undo;

pub use outcomes::{calibration, due_reviews, record_outcome};
pub use past::{PastDebate, PastDebates, past};
pub use prune::{PruneCandidate, PrunePlan, prunable, prune};
pub use search::{FoundTexts, Hit, search};
pub use undo::{
    HistoryChange, SnapshotEntry, SnapshotList, UndonePart, redo, restore, snapshots, undo,
};
