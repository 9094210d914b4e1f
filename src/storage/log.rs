//! The log: the events of a debate, one JSON object a line. Evidence for people; no decision
//! depends on it.

use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::json_lines::JsonLines;
use super::{Project, checkpoints};
use crate::domain::debate::{Debate, Slot};

/// Largest log, in bytes: tens of thousands of events. A full log gets no more lines.
const MAX_LOG_BYTES: u64 = 4 * 1024 * 1024;

/// The effect of a commit on a debate. Its name is the event's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Change {
    Start,
    /// A reply is saved and the next phase requested.
    Advance {
        /// The slot of the reply.
        #[serde(skip)]
        slot: Slot,
        /// Its words.
        #[serde(skip)]
        words: usize,
    },
    /// One of several judgments is saved.
    Judge {
        /// Counted from 1.
        #[serde(skip)]
        judge: u8,
        /// Its words.
        #[serde(skip)]
        words: usize,
    },
    /// The synthesis is saved.
    Complete {
        /// Its words.
        #[serde(skip)]
        words: usize,
    },
    /// The phase is requested again.
    Retry,
    /// The phase has no retries left.
    Fail,
    /// The debate waits for the user.
    Pause,
    /// A session continues the debate.
    Resume,
    /// A fact was noted.
    Note,
    /// The turn got another name.
    Turn,
    /// Claims of a round were checked, or left unchecked.
    FactCheck {
        /// The number of checked claims.
        #[serde(skip)]
        claims: usize,
    },
    /// The user gave a direction.
    Steer,
    /// The user ended the argument: the synthesis is next.
    Synthesize,
    /// The user changed the number of rounds.
    Rounds {
        #[serde(skip)]
        rounds: u8,
    },
    /// A finished debate is opened once more.
    Again,
    Cancel,
    Replace,
    /// The last phases were taken back.
    Undo {
        /// The number of phases.
        #[serde(skip)]
        phases: usize,
    },
    Redo,
    /// A checkpoint is back.
    Restore {
        /// The number of the checkpoint.
        #[serde(skip)]
        number: u32,
    },
    /// The debate was put into an issue.
    Publish {
        /// The issue, and the revision there.
        #[serde(skip)]
        detail: String,
    },
    /// The debate was taken from an issue.
    Pull {
        /// The issue, and the revision there.
        #[serde(skip)]
        detail: String,
    },
    /// A damaged or edited file was repaired.
    Repair {
        /// The repairs.
        #[serde(skip)]
        repairs: String,
    },
}

impl Change {
    fn wrote(&self) -> String {
        match self {
            Self::Advance { slot, words } => format!("{slot}: {words} words"),
            Self::Judge { judge, words } => format!("judge {judge}: {words} words"),
            Self::Complete { words } => format!("synthesis: {words} words"),
            Self::Undo { phases } => format!("{phases} less"),
            Self::FactCheck { claims: 1 } => "1 claim".to_owned(),
            Self::FactCheck { claims } => format!("{claims} claims"),
            Self::Rounds { rounds } => format!("{rounds} rounds"),
            Self::Restore { number } => format!("checkpoint {number}"),
            Self::Repair { repairs: detail } | Self::Publish { detail } | Self::Pull { detail } => {
                detail.clone()
            }
            _ => String::new(),
        }
    }
}

#[derive(Serialize)]
struct LogLine<'a> {
    at: String,
    #[serde(flatten)]
    change: &'a Change,
    session: Option<&'a str>,
    phase: &'a str,
    round: u8,
    step: u32,
    status: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    wrote: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'a str,
    bytes: usize,
}

/// The event of a change that left `debate` in a state file of this many bytes.
pub(super) fn event(
    change: &Change,
    debate: &Debate,
    bytes: usize,
    now: Timestamp,
) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&LogLine {
        at: format!("{now:.3}"),
        change,
        session: debate.ownership.session_id.as_deref(),
        phase: debate.progress.slot.phase.word(),
        round: debate.progress.slot.round,
        step: debate.progress.step,
        status: debate.progress.status.word(),
        wrote: &change.wrote(),
        why: &debate.progress.status_detail,
        bytes,
    })
}

/// The log in the folder of a debate.
pub(super) fn file(folder: &Path) -> JsonLines<Box<RawValue>> {
    JsonLines::unsealed(folder.join("log.jsonl"), MAX_LOG_BYTES, "log")
}

pub(super) fn read(project: &Project, id: &str) -> String {
    // The lines that an earlier version wrote in a worktree come first.
    let mut folders: Vec<_> = checkpoints::folders(project, id).collect();
    folders.reverse();
    let files = folders.iter().filter_map(|folder| file(folder).read().ok());
    let lines = files.flat_map(|file| file.all);
    lines.fold(String::new(), |log, line| log + line.get() + "\n")
}
