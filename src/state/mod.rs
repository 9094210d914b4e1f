//! The state of a debate on disk: one Markdown file in the project, its local folder, and this machine's records.
//!
//! Everything read here is checked before it is believed; the engine above never sees raw text.

pub(crate) mod any_path;
mod archive;
mod attempt_lines;
mod attempt_record;
mod attempts;
pub mod bounds;
mod carry;
mod checkpoints;
mod claims;
mod client;
mod defaults;
mod fields;
mod file;
mod frontmatter;
mod git;
mod holder;
mod id;
mod journals;
mod lock;
mod log;
mod machine;
mod outcomes;
mod owners;
mod past;
mod project;
mod prune;
mod published;
mod read;
mod reconstruct;
mod recover;
mod seal;
mod store;
mod worktree;
mod yaml;

pub use archive::Leaving;
pub use attempt_lines::{EndedLine, FailureKind, ProcessMark, StartedLine, SubmittedLine};
pub use attempt_record::AttemptRecord;
pub use attempts::{Attempt, Attempts, Metrics, SeatState};
pub use carry::Keys;
pub use checkpoints::Checkpoint;
pub use claims::{Claim, Claims, MAX_STRAY};
pub use client::{Client, ancestors};
pub(crate) use defaults::is_same_folder;
pub use defaults::{Default, Defaults, Whose};
pub use file::StateFile;
pub(crate) use frontmatter::description;
pub use holder::Holder;
pub use id::new_id;
pub use lock::{LockProbe, assert_unlocked};
pub use log::Change;
pub use machine::{Followed, Machine, RunRecord, SessionRecord};
pub use outcomes::Journal;
pub use past::{Lies, Past, newest_first};
pub use project::{Project, STATE_FILE_NAME};
pub use published::Published;
pub use read::MAX_STATE_BYTES;
pub(crate) use read::read_file;
pub use recover::Repair;
pub use seal::{Key, digest, token};
pub use store::{Loaded, Locked, Store};
pub(crate) use worktree::can_write;

use std::io;

use crate::error::Error;

/// The error of a write that failed.
fn not_written(error: &io::Error) -> Error {
    Error::io(error, "check the path, its permissions and the space; /anvil:status shows where the debate stands")
}
