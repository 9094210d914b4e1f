//! The state of a debate on disk: one Markdown file in the project, and the records in this user's
//! folder.
//!
//! Everything that is read here is checked before it is believed; the engine above never sees raw
//! text.

pub(crate) mod archive;
mod checkpoints;
pub(crate) mod file;
pub(crate) mod issue_body;
pub(crate) mod json_lines;
mod lock;
mod locked;
pub(crate) mod machine;
pub(crate) mod project;
pub(crate) mod records;
pub(crate) mod recovery;
mod store;

pub use archive::past::Scope;
pub use archive::prune::StoredDebate;
pub use archive::{Leaving, Location, Past, newest_first};
pub use checkpoints::Checkpoint;
#[cfg(feature = "eval")]
pub(crate) use file::read::read_up_to;
pub use file::{CarriedKeys, MAX_STATE_BYTES, RunId, StateFile, new_id};
pub(crate) use file::{description, read_file};

pub use locked::Locked;
pub use machine::{
    DebateRecord, FollowedNews, Holder, MAX_JOBS, Machine, NamedPath, Published, RunRecord,
    SessionRecord,
};
pub use project::{
    DefaultEntry, Defaults, DefaultsOwner, FolderId, Project, STATE_FILE_NAME, digest, token,
};
pub(crate) use project::{LOCK_NAME, can_write, check_own_folder, is_same_folder};
pub use records::{
    Attempt, AttemptEvent, AttemptRecord, Attempts, EndedLine, Lease, Leases, MAX_STRAY, Metrics,
    SeatState, SeatStatus, StartedLine, SubmittedLine, TurnLine,
};
pub use recovery::Repair;
pub use store::{CopyOf, Loaded, Store};

use crate::error::Error;

/// The error of a write that failed.
fn not_written(error: impl std::fmt::Display) -> Error {
    Error::failed(
        error.to_string(),
        "check the path, its permissions and the space; `anvil status` shows where the debate \
         stands",
    )
}
