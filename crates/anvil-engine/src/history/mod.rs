//! Earlier debates and earlier states: lists, searches and prunes debates, undoes and restores
//! phases, and saves the outcomes of decisions.

mod error;
pub(crate) mod outcomes;
pub(crate) mod past;
pub(crate) mod prune;
pub(crate) mod recheck;
pub(crate) mod search;
pub(crate) mod undo;

pub use outcomes::{due_reviews, record_outcome};
pub use past::{PastDebate, PastDebates, UndoneDecision, past};
pub(crate) use past::{note_undone, undone_decisions};
pub use prune::{PruneCandidate, PrunePlan, prunable, prune};
pub use recheck::{Recheck, RecheckedDecision, recheck};
pub(crate) use recheck::{changes_under, decision_of};
pub use search::{FoundTexts, Hit, search};
pub(crate) use undo::cut;
pub use undo::{
    HistoryChange, SnapshotEntry, SnapshotList, UndonePart, redo, restore, snapshots, undo,
};
