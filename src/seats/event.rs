//! What happens while programs argue a debate, as data: a line for people, or JSON for scripts.

use serde::Serialize;

use super::Effort;
use crate::state::FailureKind;

/// Who fills a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatPlan {
    /// The seat.
    pub seat: String,
    /// The agent, as the user calls it.
    pub agent: String,
    /// Whose models it runs.
    pub family: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// What is going to happen.
    Plan {
        /// The debate.
        id: String,
        /// What is argued.
        question: String,
        /// Who fills which seat.
        seats: Vec<SeatPlan>,
        /// Replies to the end.
        replies: u32,
        /// The longest that they can take together, in seconds, without retries.
        most_seconds: u64,
        /// What they take in tokens if they keep to the length that they are asked for.
        about_tokens: u64,
        /// The limits that were set, in words.
        limits: Vec<String>,
        /// Both sides are of this family.
        shared_family: Option<String>,
    },
    /// A debate is gone on with.
    Resumed {
        /// The debate.
        id: String,
        /// Where it stands.
        at: String,
    },
    /// An attempt that an earlier run began was found.
    Found {
        /// Which.
        attempt: u32,
        /// For which slot.
        slot: String,
        /// `finished`: its reply is filed without asking again. `running`: it is waited for, or ended. `lost`: it is asked again.
        how: &'static str,
    },
    /// A seat is asked.
    Asked {
        /// The attempt.
        attempt: u32,
        /// For which slot.
        slot: String,
        /// Who.
        agent: String,
    },
    /// An attempt failed.
    AttemptFailed {
        /// Which.
        attempt: u32,
        /// For which slot.
        slot: String,
        /// Who.
        agent: String,
        /// How.
        kind: FailureKind,
        /// In the program's own words.
        message: String,
        /// The next one begins after so many seconds. `None`: there is none.
        retry_in: Option<u64>,
    },
    /// Processes that an attempt has left could not be ended.
    StillRunning {
        /// Which.
        attempt: u32,
        /// For which slot.
        slot: String,
        /// How many.
        count: usize,
    },
    /// A reply is filed.
    Filed {
        /// Whose.
        slot: String,
        /// Who wrote it.
        agent: String,
        /// Its claims and moves, or the lines of its verdict, in short.
        heads: Vec<String>,
        /// Its words.
        words: usize,
        /// How long it took.
        seconds: u64,
        /// Tokens in and out, where they were told.
        tokens: Option<u64>,
        /// Its round has settled the argument.
        settled: bool,
    },
    /// A reply is not usable as it is.
    AskedAgain {
        /// Whose.
        slot: String,
        /// Why.
        why: String,
    },
    /// Claims were checked.
    Checked {
        /// After which round.
        slot: String,
        /// Who has looked.
        agent: String,
        /// What was found, a line a claim.
        lines: Vec<String>,
        /// How long it took.
        seconds: u64,
        /// Tokens in and out, where they were told.
        tokens: Option<u64>,
    },
    /// Claims stay unchecked, and the debate goes on.
    Unchecked {
        /// After which round.
        slot: String,
        /// Why.
        why: String,
    },
    /// A worker is there.
    Joined {
        /// The debate.
        id: String,
        /// How it is called.
        worker: String,
        /// Which seat it takes.
        seat: String,
    },
    /// A worker has nothing to do just now.
    WorkerWaits {
        /// For what.
        why: String,
    },
    /// A worker's reply came too late.
    WorkerLate {
        /// Whose.
        slot: String,
        /// Where it is now.
        kept_in: &'static str,
    },
    /// A worker goes.
    WorkerLeaves {
        /// Why.
        why: String,
    },
    /// The reply that is next is a worker's.
    HeldBy {
        /// Whose.
        slot: String,
        /// The worker.
        worker: String,
    },
    /// A limit leaves room for the synthesis alone.
    CutShort {
        /// The option that set it.
        limit: &'static str,
    },
    /// It waits.
    Paused {
        /// Where it stands.
        at: String,
        /// Why.
        why: String,
        /// A seat has failed.
        failed: bool,
    },
    /// It is complete.
    Completed {
        /// What to do, in a sentence.
        verdict: String,
        /// Claims that were made.
        claims: usize,
        /// Those that the synthesis accounts for.
        disposed: usize,
        /// What the fact-check contradicts, in a line.
        #[serde(skip_serializing_if = "Option::is_none")]
        contradicted: Option<String>,
        /// Where the report lies.
        report: Option<String>,
        /// The same as a page.
        page: Option<String>,
    },
    /// What it took.
    Total(Effort),
    /// A gate of `--fail-on` is closed.
    Gate {
        /// Which.
        gate: String,
        /// Why.
        why: String,
    },
}
