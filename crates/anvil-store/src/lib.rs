//! The state of a debate on disk: one Markdown file in the project, and the records in this user's
//! folder.
//!
//! Everything that is read here is checked before it is believed; the engine above never sees raw
//! text. The state changes only under its lock.
//!
//! * [`store`]: reads a project's state. [`locked`]: changes it, under the [`lock`].
//! * [`snapshots`]: the states of a debate. [`leaving`]: a debate leaves its place to another one.
//!   [`aside`]: texts that left the state file. [`past`]: earlier debates, and their folders.
//!   [`prune`]: the files of a finished debate, and their removal.
//! * [`file`](mod@file): a state file to a debate, and back. [`frontmatter`](file::frontmatter):
//!   its head, in the dialect of [`yaml`](file::yaml); [`fields`](file::fields): the debate in the
//!   head, by the typed values of [`reader`](file::reader); [`carry`](file::carry): the part that
//!   travels; [`id`](file::id): ids of debates and runs; [`read`](file::read): reading with limits.
//! * [`recovery`]: repairs an untrusted state file. [`position`](recovery::position): a debate
//!   agrees with its transcript again.
//! * [`records`]: the attempts of a debate. [`attempts`](records::attempts): all of them, counted;
//!   [`attempt_lines`](records::attempt_lines): the lines of their record;
//!   [`attempt_record`](records::attempt_record): the record and its files.
//! * [`machine`]: the records of this user. [`debate`](machine::debate): a debate's folder, its
//!   lock and `debate.json`; [`place`](machine::place): a folder and its debates;
//!   [`session`](machine::session): the debate of a session; [`holder`](machine::holder): a process
//!   on any machine, and if it is gone; [`outcomes`](machine::outcomes): the journal of decisions.
//! * [`project`]: the folder of a debate. [`folder_id`](project::folder_id): its identity;
//!   [`owners`](project::owners): the users that count; [`defaults`](project::defaults): the user's
//!   defaults; [`any_path`](project::any_path): a path in JSON; [`digest`](mod@project::digest):
//!   digests and tokens.
//! * [`issue_body`]: a debate in the body of an issue, pure. [`block`](issue_body::block): finds
//!   its block; [`document`](issue_body::document): the JSON in it; [`escape`](issue_body::escape):
//!   escapes that JSON for a comment; [`sections`](issue_body::sections): a transcript to entries,
//!   and back; [`error`](issue_body::error): the faults of a body.
//! * [`json_lines`]: a file with a JSON object on each line.

#[cfg(test)]
extern crate self as anvil_store;

mod aside;
pub mod file;
pub mod issue_body;
pub mod json_lines;
mod leaving;
#[cfg(all(test, target_os = "linux"))]
mod linear;
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

pub use leaving::Leaving;
pub use locked::{Commit, Locked};
pub use machine::{
    DebateRecord, Failed, FollowedDebate, Handover, Holder, IssueFix, IssueLag, Limits, MAX_JOBS,
    Machine, NamedPath, Published, Rechecked, RecoveredLine, RunRecord, SessionRecord,
};
pub use past::{Location, Past, Scope, newest_first};
pub use project::{
    DefaultEntry, Defaults, DefaultsOwner, FolderId, Project, STATE_FILE_NAME, digest, token,
};
pub use project::{LOCK_NAME, can_write, check_own_folder, is_same_folder};
pub use prune::StoredDebate;
pub use records::{
    Attempt, AttemptEvent, AttemptRecord, Attempts, ClaimLine, Origin, StartedLine, USER,
};
pub use recovery::Repair;
pub use snapshots::Snapshot;
pub use store::{CopyOf, Loaded, Store};

use anvil_text::error::Error;

/// The error of a write that failed.
fn not_written(error: impl std::fmt::Display) -> Error {
    Error::failed(
        error.to_string(),
        "check the path, its permissions and the space; `anvil status` shows the debate",
    )
}
