//! What a line of the record of attempts says: how an attempt began, how it ended, and that its reply was handed over.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Client, bounds};

/// What went wrong with an attempt, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The service was overloaded, limited the rate or could not be reached: worth another try after a while.
    Transient,
    /// What the account may use is used up.
    Quota,
    /// Nobody is logged in, or not allowed to.
    Login,
    /// The model refused to write it.
    Refusal,
    /// The service does not take it as it is: too long, an unknown model, a wrong setting. The same again fails again.
    Rejected,
    /// It ended well and wrote nothing.
    Empty,
    /// What it printed is not what it prints for a reply, or is too much.
    Misshapen,
    /// It ended with an error of its own, or was killed.
    Crash,
    /// It took longer than it may.
    TimeLimit,
    /// The program is not there, or can't be started.
    Missing,
    /// It was stopped because its debate was.
    Interrupted,
    /// Nobody knows how it ended: the machine or its wrapper died.
    Lost,
}

impl FailureKind {
    /// The word for it, for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Transient => "the service failed for a moment",
            Self::Quota => "the quota is used up",
            Self::Login => "not logged in",
            Self::Refusal => "the model refused",
            Self::Rejected => "the service rejects it",
            Self::Empty => "the reply was empty",
            Self::Misshapen => "the output could not be read",
            Self::Crash => "the program failed",
            Self::TimeLimit => "it took too long",
            Self::Missing => "the program could not be started",
            Self::Interrupted => "it was stopped",
            Self::Lost => "it was lost",
        }
    }

    /// False for what says nothing about the program.
    #[must_use]
    pub fn counts(self) -> bool {
        !matches!(self, Self::Interrupted | Self::Lost)
    }
}

/// What the wrapper of an attempt is, on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessMark {
    /// Its process id, which is that of its process group.
    pub pid: u32,
    /// When it started, in the kernel's own unit; 0 where the system does not say.
    pub started: u64,
    /// Which run of the machine that was; empty where the system does not say.
    pub boot: String,
}

impl ProcessMark {
    /// That of a process which runs now.
    #[must_use]
    pub fn of_pid(pid: u32) -> Self {
        Self { pid, started: Client::of_pid(pid).started, boot: boot() }
    }

    /// True while that very process runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.boot == boot() && Client { pid: self.pid, started: self.started }.is_alive()
    }
}

/// This run of the machine, where the system names it.
fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// An attempt begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartedLine {
    /// Which: counted from 1 through the debate.
    pub attempt: u32,
    /// When.
    pub at: Timestamp,
    /// The seat, such as `critic`.
    pub seat: String,
    /// The slot, such as `critic, round 2`.
    pub slot: String,
    /// The state of the debate that it answers; one that is over is never filed.
    pub generation: String,
    /// The agent, as the user calls it.
    pub agent: String,
    /// The program and its arguments. Never the prompt, and no value of a variable.
    pub command: Vec<String>,
    /// Its wrapper.
    #[serde(flatten)]
    pub process: ProcessMark,
    /// What every process of the attempt has in its environment, as `ANVIL_CHILD`.
    pub token: String,
    /// Why it is not the first one for this slot; empty where it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recovery: String,
}

/// An attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndedLine {
    /// Which.
    pub attempt: u32,
    /// When.
    pub at: Timestamp,
    /// Its exit code, where it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Bytes that it printed.
    pub bytes: u64,
    /// Words of its reply.
    pub words: usize,
    /// Tokens in and out, where it says so.
    pub tokens: Option<u64>,
    /// United States dollars, where it says so.
    pub cost: Option<f64>,
    /// What went wrong; `None`: its reply was received.
    pub error: Option<FailureKind>,
    /// The SHA-256 of the reply that was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// There was no room to keep the reply by itself. What the program printed has it, in this form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// The same in a line of its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Seconds after which the service asks to be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Processes that it left behind.
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
    pub(super) fn is_sane(&self) -> bool {
        bounds::is_number(self.attempt)
            && bounds::is_millis(self.duration_ms)
            && self.cost.is_none_or(|cost| bounds::cost(cost).is_some())
            && self.retry_after.is_none_or(|seconds| bounds::seconds(seconds).is_some())
            && self.still_running <= self.left_behind
            && [self.bytes, self.words as u64, self.left_behind as u64, self.tokens.unwrap_or(0)]
                .into_iter()
                .all(|number| bounds::count(number).is_some())
    }
}

/// The reply of an attempt was handed to the debate: it is filed, asked for once more, or late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubmittedLine {
    /// Which.
    pub attempt: u32,
    /// When.
    pub at: Timestamp,
}

/// A line of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    Started(StartedLine),
    Ended(EndedLine),
    Submitted(SubmittedLine),
}
