//! Why the store can't keep, find or lock a debate.

use std::io;
use std::path::PathBuf;

use anvil_core::attempt::bounds::MAX_NUMBER;
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, hint};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("{0}")]
    NotWritten(#[source] AnyError),
    #[error("{0} can't be kept in your own folder, so nothing was changed: {1}")]
    NotKept(&'static str, #[source] Error),
    #[error("there is no folder for the records of debates")]
    NoFolder,
    #[error("{0}")]
    NotPurged(#[source] io::Error),
    #[error("another Anvil has held {} for {seconds} s", .path.display())]
    Held { path: PathBuf, seconds: u64 },
    #[error("can't lock {}: {}", .0.display(), .1)]
    Lock(PathBuf, #[source] io::Error),
    #[error("the file system{system} of {} has no file locks", .path.display())]
    NoLocks { path: PathBuf, system: String },
    #[error("can't list {}: {}", .0.display(), .1)]
    Unlisted(PathBuf, #[source] io::Error),
    #[error("the debate has had {MAX_NUMBER} attempts, and no more are counted")]
    TooManyAttempts,
    #[error("the prompt of attempt {attempt} is {fault}")]
    Prompt { attempt: u32, fault: &'static str },
    #[error("{0}")]
    NoOwnFolder(#[source] io::Error),
    #[error("{} is a link or a file, not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("{} belongs to somebody else", .0.display())]
    Foreign(PathBuf),
    #[error("{} can be written by others", .0.display())]
    OpenToOthers(PathBuf),
    #[error("the defaults in {} can't be read: {why}", .path.display())]
    Defaults { path: PathBuf, why: String },
    #[error("its debate is unknown")]
    Unknown,
    #[error("no snapshot of it can be read")]
    NoSnapshot,
    #[error("there is no debate number {number}: this project has {}", few(*.count))]
    NoNumber { number: String, count: usize },
    #[error("{} debates have an id that {verb}s with {word}", .ids.len())]
    Ambiguous { verb: &'static str, word: String, ids: Vec<String> },
}

fn few(count: usize) -> String {
    if count == 0 { "none yet".to_owned() } else { count.to_string() }
}

/// Most ids in a hint.
const MAX_LISTED: usize = 5;

impl Failure for StoreError {
    fn kind(&self) -> Kind {
        match self {
            Self::Defaults { .. } | Self::Ambiguous { .. } => Kind::Usage,
            Self::NoNumber { .. } => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::NotWritten(_) => {
                let check = "check the path, its permissions and the space; ";
                return hint![check, Verb::Status, " shows the debate"];
            }
            Self::Held { .. } => {
                return hint![
                    "look for a hanging `anvil` process; then ",
                    Verb::Resume,
                    " continues with Claude's reply"
                ];
            }
            Self::Prompt { .. } => return hint![Verb::Attempts, " lists the others"],
            Self::Unknown => {
                return hint![Verb::Undo.with("--list"), " lists what can be restored"];
            }
            Self::NoNumber { .. } => return hint![Verb::History, " numbers them"],
            Self::Ambiguous { ids, .. } => {
                let ids = &ids[..ids.len().min(MAX_LISTED)];
                return format!("name one of them: {}", ids.join(", ")).into();
            }
            Self::NotKept(..) => {
                "make ~/.claude writable, or set CLAUDE_CONFIG_DIR to a folder that is"
            }
            Self::NoFolder => "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to",
            Self::NotPurged(_) => "check the folder's permissions; run it again to finish",
            Self::Lock(..) => "check its permissions and the space",
            Self::NoLocks { .. } => {
                "a debate can be read there; to write one, use a folder on a disk of this machine"
            }
            Self::Unlisted(..) => "check that the folder is readable",
            Self::TooManyAttempts => "start a new debate",
            Self::NoOwnFolder(_) | Self::NotAFolder(_) | Self::Foreign(_) => {
                "name a folder of your own"
            }
            Self::OpenToOthers(_) => "take that right from them: chmod go-w FOLDER",
            Self::Defaults { .. } => "repair that file, or move it away",
            Self::NoSnapshot => "its texts may still be in the file",
        };
        hint.into()
    }
}

/// The error of a write that failed.
pub(crate) fn not_written(error: impl Into<AnyError>) -> Error {
    StoreError::NotWritten(error.into()).into()
}

/// The error of a text that can't be kept, before a command would take it out of its file.
pub(crate) fn not_kept(what: &'static str, error: &Error) -> Error {
    StoreError::NotKept(what, error.clone()).into()
}
