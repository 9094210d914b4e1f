//! The events of a debate between programs, as data: a line for people, or JSON for scripts.

use serde::Serialize;

use crate::Estimate;
use anvil_core::attempt::Effort;
use anvil_core::attempt::FailureKind;
use anvil_core::ledger::{Counts, Standing};
use anvil_core::transcript::ShortName;
use anvil_text::Hint;

/// The agent of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatPlan {
    pub seat: String,
    /// The word that the user types for it.
    #[serde(serialize_with = "ShortName::serialize")]
    pub agent: String,
    /// The vendor of its models.
    pub family: String,
    /// The agent is a file of replies.
    #[serde(skip)]
    pub is_script: bool,
    /// The agents that take the seat when it can't write.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "ShortName::serialize_all")]
    pub others: Vec<String>,
}

/// The result of an attempt that an earlier run started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundAttempt {
    /// Has a reply, which is saved without another attempt.
    Finished,
    /// Still runs: the run waits for it.
    Running,
    /// Gave no reply: another attempt starts.
    Lost,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The plan of a run that starts.
    Plan {
        id: String,
        question: String,
        /// The action that is argued about, if it is known.
        motion: Option<String>,
        /// The motion in words for the user.
        #[serde(skip)]
        motion_line: Option<Hint>,
        seats: Vec<SeatPlan>,
        /// For all remaining replies, without retries.
        #[serde(flatten)]
        estimate: Estimate,
        /// The limits that the user set, in words.
        limits: Vec<String>,
        /// The family that both sides share.
        shared_family: Option<String>,
        /// An installed agent of another family, if the user has not seen this advice yet.
        #[serde(skip)]
        suggested: Option<String>,
    },
    /// The run resumes a debate.
    Resumed {
        id: String,
        /// The next place of the debate.
        at: String,
    },
    /// The run found an attempt of an earlier run.
    Found { attempt: u32, slot: String, how: FoundAttempt },
    /// An agent starts to write.
    Asked {
        attempt: u32,
        slot: String,
        #[serde(serialize_with = "ShortName::serialize")]
        agent: String,
    },
    AttemptFailed {
        attempt: u32,
        slot: String,
        #[serde(serialize_with = "ShortName::serialize")]
        agent: String,
        kind: FailureKind,
        /// The program's own words.
        message: String,
        /// Seconds until the next attempt. `None`: no further attempt.
        retry_in: Option<u64>,
    },
    /// The next agent of a list takes a seat.
    StandsIn {
        seat: String,
        #[serde(serialize_with = "ShortName::serialize")]
        agent: String,
        /// The agent before it, and why that can't write.
        #[serde(serialize_with = "ShortName::serialize")]
        instead_of: String,
        kind: FailureKind,
    },
    /// Processes that an attempt left behind could not be ended.
    StillRunning { attempt: u32, slot: String, count: usize },
    /// A reply is saved.
    #[serde(rename = "filed")]
    Saved {
        slot: String,
        #[serde(serialize_with = "ShortName::serialize")]
        agent: String,
        /// Its claims and moves, or the lines of its verdict, in short.
        heads: Vec<String>,
        /// The number of its words.
        words: usize,
        seconds: u64,
        /// Tokens in and out, if the program reports them.
        tokens: Option<u64>,
        /// Its round settled the argument.
        settled: bool,
        /// The end, which follows, repeats its heads.
        #[serde(skip)]
        is_synthesis: bool,
    },
    /// A reply is not usable: the agent has to write it again.
    AskedAgain { slot: String, why: String },
    /// A fact-check is complete.
    Checked {
        /// The last reply of the round that was checked.
        slot: String,
        #[serde(serialize_with = "ShortName::serialize")]
        agent: String,
        /// One line for each claim.
        lines: Vec<String>,
        seconds: u64,
        /// Tokens in and out, if the program reports them.
        tokens: Option<u64>,
    },
    /// Claims stay unchecked, and the debate goes on.
    Unchecked {
        /// The last reply of the round.
        slot: String,
        why: String,
    },
    /// A limit leaves room only for the synthesis.
    CutShort {
        /// The option that set the limit.
        limit: &'static str,
    },
    /// The debate pauses.
    Paused {
        /// The next place of the debate.
        at: String,
        why: String,
        /// A seat failed.
        failed: bool,
    },
    /// The debate is complete.
    Completed {
        /// What it came to.
        #[serde(flatten)]
        standing: Standing,
        /// The seats that another agent took, in a line.
        #[serde(skip_serializing_if = "Option::is_none")]
        degraded: Option<String>,
        /// The claims by their result.
        counts: Counts,
        /// The claims that the fact-check contradicts, in a line.
        #[serde(skip_serializing_if = "Option::is_none")]
        contradicted: Option<String>,
        /// The path of the report.
        report: Option<String>,
        /// The path of the report as a page.
        page: Option<String>,
    },
    /// The effort of the whole run.
    Total(Effort),
    /// A gate of `--fail-on` is closed.
    Gate { gate: String, why: String },
}
