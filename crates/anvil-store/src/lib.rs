//! The state of a debate on disk: one Markdown file in the project, and the records in this user's
//! folder.
//!
//! Everything that is read here is checked before it is believed; the engine above never sees raw
//! text. The state changes only under its lock.

mod aside;
pub mod client;
mod error;
pub mod file;
pub mod issue_body;
pub(crate) mod json_lines;
mod leaving;
mod lock;
mod locked;
pub mod machine;
mod past;
pub mod project;
mod prune;
pub mod records;
pub mod recovery;
mod snapshots;
mod store;

pub use aside::AsideKind;
pub use file::read::read_up_to;
pub use file::{CarriedKeys, MAX_STATE_BYTES, RunId, StateFile, new_id};
pub use file::{description, read_file};

pub use locked::{Commit, Locked, Transaction};
pub use machine::{
    DebateRecord, Failed, FollowedDebate, Handover, Holder, IssueFix, IssueLag, Limits, MAX_JOBS,
    Machine, NamedPath, PlanRecord, PlanStage, PlanText, Published, Rechecked, RecoveredLine,
    RunRecord, SessionRecord,
};
pub use past::{Location, Past, Scope, newest_first};
pub use project::{DefaultEntry, Defaults, FolderId, Project, STATE_FILE_NAME, digest, token};
pub use project::{LOCK_NAME, can_write, check_own_folder, is_same_folder};
pub use prune::StoredDebate;
pub use records::{
    Attempt, AttemptEvent, AttemptReader, AttemptRecord, Attempts, ClaimLine, Origin, StartedLine,
    USER,
};
pub use recovery::Repair;
pub use snapshots::Snapshot;
pub use store::{CopyOf, Loaded, Store};

use error::{not_kept, not_written};
