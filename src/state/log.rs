//! The log: what happened to a debate, one JSON object a line. Evidence for people; nothing is ever decided by it.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::Serialize;

use super::{Project, checkpoints};
use crate::debate::{Debate, Slot};

/// Largest log, in bytes: tens of thousands of events. After it nothing is added.
const MAX_LOG_BYTES: u64 = 4 * 1024 * 1024;

/// What a commit does to a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It begins.
    Start,
    /// A reply is filed and the next phase asked for.
    Advance {
        /// Whose reply.
        filed: Slot,
        /// Its words.
        words: usize,
    },
    /// One of several judgments is filed.
    Judge {
        /// Which, counted from 1.
        judge: u8,
        /// Its words.
        words: usize,
    },
    /// The synthesis is filed.
    Complete {
        /// Its words.
        words: usize,
    },
    /// The same phase is asked for again.
    Retry,
    /// The phase has had its chances.
    Fail,
    /// It waits for the user.
    Pause,
    /// A session goes on with it.
    Resume,
    /// Its turn got another name.
    Turn,
    /// Claims of a round were checked, or left unchecked.
    FactCheck {
        /// How many were checked.
        claims: usize,
    },
    /// The user gave a direction.
    Steer,
    /// The user ended the argument: the synthesis is next.
    Synthesize,
    /// The user changed the number of rounds.
    Rounds {
        /// How many there are now.
        rounds: u8,
    },
    /// A finished debate is opened once more.
    Again,
    /// The user ended it.
    Cancel,
    /// Another debate takes its place.
    Replace,
    /// Its last phases were taken back.
    Undo {
        /// How many.
        phases: usize,
    },
    /// What was undone is back.
    Redo,
    /// A checkpoint is back.
    Restore {
        /// Which.
        number: u32,
    },
    /// It went into an issue.
    Publish {
        /// Which, and as which revision.
        detail: String,
    },
    /// It came from an issue.
    Pull {
        /// Which, and of which revision.
        detail: String,
    },
    /// A damaged or edited file was brought in order.
    Repair {
        /// What was done.
        said: String,
    },
}

impl Change {
    fn word(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Advance { .. } => "advance",
            Self::Judge { .. } => "judge",
            Self::Complete { .. } => "complete",
            Self::Retry => "retry",
            Self::Fail => "fail",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Turn => "turn",
            Self::FactCheck { .. } => "fact_check",
            Self::Steer => "steer",
            Self::Synthesize => "synthesize",
            Self::Rounds { .. } => "rounds",
            Self::Again => "again",
            Self::Cancel => "cancel",
            Self::Replace => "replace",
            Self::Undo { .. } => "undo",
            Self::Redo => "redo",
            Self::Restore { .. } => "restore",
            Self::Publish { .. } => "publish",
            Self::Pull { .. } => "pull",
            Self::Repair { .. } => "repair",
        }
    }

    fn wrote(&self) -> String {
        match self {
            Self::Advance { filed, words } => format!("{filed}: {words} words"),
            Self::Judge { judge, words } => format!("judge {judge}: {words} words"),
            Self::Complete { words } => format!("synthesis: {words} words"),
            Self::Undo { phases } => format!("{phases} less"),
            Self::FactCheck { claims: 1 } => "1 claim".to_owned(),
            Self::FactCheck { claims } => format!("{claims} claims"),
            Self::Rounds { rounds } => format!("{rounds} rounds"),
            Self::Restore { number } => format!("checkpoint {number}"),
            Self::Repair { said: detail } | Self::Publish { detail } | Self::Pull { detail } => detail.clone(),
            Self::Start
            | Self::Retry
            | Self::Fail
            | Self::Pause
            | Self::Resume
            | Self::Turn
            | Self::Steer
            | Self::Synthesize
            | Self::Again
            | Self::Cancel
            | Self::Replace
            | Self::Redo => String::new(),
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    at: String,
    event: &'a str,
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

/// The line for a change that left `debate` in a state file of this many bytes.
pub(super) fn line(change: &Change, debate: &Debate, bytes: usize, now: Timestamp) -> Vec<u8> {
    let line = Line {
        at: format!("{now:.3}"),
        event: change.word(),
        session: debate.ownership.session_id.as_deref(),
        phase: debate.progress.slot.phase.word(),
        round: debate.progress.slot.round,
        step: debate.progress.step,
        status: debate.progress.status.word(),
        wrote: &change.wrote(),
        why: &debate.progress.status_detail,
        bytes,
    };
    let mut line = serde_json::to_vec(&line).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Where the log of a debate lies, while there is room in it.
pub(super) fn path(project: &Project, id: &str) -> Option<PathBuf> {
    let path = checkpoints::folder(project, id).join("log.jsonl");
    let is_full = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.len() > MAX_LOG_BYTES || !meta.is_file());
    (!is_full).then_some(path)
}

/// The log of a debate as it stands; a line that a death tore in half is left out.
pub(super) fn read(project: &Project, id: &str) -> String {
    // What an earlier version noted down in a worktree comes first.
    let mut logs: Vec<_> = checkpoints::folders(project, id).map(|folder| folder.join("log.jsonl")).collect();
    logs.reverse();
    let read = |path: &PathBuf| super::read::read_file(path).ok().flatten();
    let bytes: Vec<u8> = logs.iter().filter_map(read).flatten().collect();
    let text = String::from_utf8_lossy(&bytes);
    let whole = |line: &&str| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    text.lines().filter(whole).fold(String::new(), |log, line| log + line + "\n")
}
