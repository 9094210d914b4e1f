//! The result of a submitted reply: one type for the seat that is next, one for a task.

use crate::domain::debate::{Debate, Slot, Stop};
use crate::engine::reports::completed::Completed;

/// The result of a reply of the seat that is next.
#[derive(Debug)]
pub enum Submitted {
    /// The reply is saved; another seat is next.
    Advanced {
        /// The debate at its new place.
        debate: Box<Debate>,
        /// The place of the reply.
        filed: Slot,
        words: usize,
        /// The reply's round has settled the argument.
        is_settled: bool,
    },
    /// The reply is not usable as it is; the same seat is asked once more.
    AskedAgain {
        debate: Box<Debate>,
        /// The problem of the reply, for the user.
        why: String,
    },
    /// The reply is saved, and the debate waits for the user, as its options require.
    Waits(Box<Debate>, Stop),
    /// The seat has no retry left.
    Failed(Box<Debate>),
    /// The reply is the synthesis.
    Completed(Box<Completed>),
    /// The result of a check, a line for each claim. Without a line, the claims stay unchecked.
    Checked(Vec<String>),
    /// The debate has moved on in the meantime. A reply is kept in the archive.
    Stale,
}

/// The result of a worker's reply.
#[derive(Debug)]
pub enum TaskSubmitted {
    /// The reply was for the next place of the debate, with this result.
    Filed(Submitted),
    /// The reply is kept until the replies before it are saved.
    Kept,
    /// The reply is not usable, for this reason; the worker is asked once more.
    AskedAgain(String),
    /// The worker has not received the request yet. It still holds the task.
    Early,
    /// The reply is not usable, for this reason, and no retry is left. The task is free again.
    Failed(String),
    /// The worker no longer holds the task, or the debate has moved on. The reply is in the
    /// archive, once.
    Late,
}

/// Why a debate waits between two phases, for the user.
pub(crate) fn why_at(stop: Stop) -> &'static str {
    match stop {
        Stop::Steering => "it waits for your direction",
        Stop::Boundary => "a boundary between two phases",
    }
}
