//! The lines about the end of an attempt or of a turn of a conversation.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{FailureKind, Generation, Slot, bounds};
use crate::debate::Debate;
use crate::reply::Usage;

/// A claimed task needs another reply. Its attempt goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReturnedLine {
    pub attempt: u32,
    pub at: Timestamp,
    /// The state that the next reply answers.
    pub generation: Generation,
    /// Replies that were not usable, this one counted.
    pub retries: u8,
    /// The next reply has to repair the form.
    pub form_retry: bool,
}

/// An attempt ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndedLine {
    pub attempt: u32,
    pub at: Timestamp,
    #[serde(flatten)]
    pub exit: Exit,
    /// Words of its reply.
    pub words: usize,
    /// The model, if the program reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens in and out, if it reports them.
    pub tokens: Option<u64>,
    /// Those tokens by kind, if it reports that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// United States dollars, if it reports them.
    pub cost: Option<f64>,
    /// `None`: its reply was received.
    pub error: Option<FailureKind>,
    /// The SHA-256 of the received reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// The disk had no space for the reply. The program's output has it, in this form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// The failure in a line of its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Seconds after which the service asks to be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    #[serde(flatten)]
    pub left: Leftovers,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exit {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// In milliseconds.
    pub duration_ms: u64,
    /// Bytes of output.
    pub bytes: u64,
}

/// The processes that a program left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leftovers {
    #[serde(default)]
    pub left_behind: usize,
    /// Those of them that could not be ended.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub still_running: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl EndedLine {
    pub fn is_sane(&self) -> bool {
        bounds::is_number(self.attempt)
            && bounds::is_millis(self.exit.duration_ms)
            && self.cost.is_none_or(|cost| bounds::cost(cost).is_some())
            && self.retry_after.is_none_or(|seconds| bounds::seconds(seconds).is_some())
            && self.left.still_running <= self.left.left_behind
            && self.usage.is_none_or(|usage| bounds::count(usage.sum()).is_some())
            && [
                self.exit.bytes,
                self.words as u64,
                self.left.left_behind as u64,
                self.tokens.unwrap_or(0),
            ]
            .into_iter()
            .all(|number| bounds::count(number).is_some())
    }
}

/// The reply of an attempt was submitted to the debate: it is saved, requested once more, or late
/// and put aside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmittedLine {
    pub attempt: u32,
    pub at: Timestamp,
}

/// Another cycle begins: no attempt before it is waited for any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleLine {
    pub at: Timestamp,
}

/// A turn of a conversation that was to write a reply has ended. It has no number, because a
/// program may reserve one at the same time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnLine {
    /// When the reply was requested. Of several lines about one request the last one counts: it was
    /// read later, so it has all that the others have.
    pub asked: Timestamp,
    /// The end of the turn, or when it was noticed.
    pub at: Timestamp,
    pub seat: String,
    pub slot: Slot,
    pub generation: Generation,
    /// In milliseconds. `None`: the end is not known.
    pub duration_ms: Option<u64>,
    /// Words of its reply.
    pub words: usize,
    /// As the client's transcript tells.
    pub model: Option<String>,
    /// The tokens of all its requests, if the transcript tells them.
    pub usage: Option<Usage>,
    /// `None`: its reply is saved.
    pub error: Option<FailureKind>,
    /// The reason, or the client's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl TurnLine {
    /// The agent of every turn.
    pub const AGENT: &str = "claude";

    /// A turn that ended at this time and was to write the debate's next reply.
    pub fn new(debate: &Debate, asked_at: Timestamp, at: Timestamp) -> Self {
        let took = at.duration_since(asked_at).as_millis();
        Self {
            asked: asked_at,
            at,
            seat: debate.place().seat.to_string(),
            slot: debate.next_place().into(),
            generation: Generation::Turn(debate.into()),
            duration_ms: u64::try_from(took).ok(),
            words: 0,
            model: None,
            usage: None,
            error: None,
            message: String::new(),
        }
    }

    #[must_use]
    pub fn with_failure(self, kind: FailureKind, message: &str) -> Self {
        Self { error: Some(kind), message: message.to_owned(), ..self }
    }

    /// True if no whole reply came: the user, an error or the end of the client cut the turn off.
    pub fn is_cut(&self) -> bool {
        self.error.is_some_and(|kind| !matches!(kind, FailureKind::Empty | FailureKind::Misshapen))
    }

    pub fn is_sane(&self) -> bool {
        let sum = self.usage.map_or(0, Usage::sum);
        self.duration_ms.is_none_or(bounds::is_millis)
            && [self.words as u64, sum].into_iter().all(|number| bounds::count(number).is_some())
    }
}
