//! The lines of the record of attempts. [`attempt`](anvil_core::attempt) has the results of an
//! attempt; this module has the process or person behind it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::machine::holder::Holder;
use anvil_core::attempt::{
    CycleLine, EndedLine, Generation, ReturnedLine, Slot, SubmittedLine, TurnLine,
};
use anvil_system::process::ProcessId;

/// An attempt begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartedLine {
    /// Counted from 1 through the debate.
    pub attempt: u32,
    pub at: Timestamp,
    /// The seat, such as `critic`.
    pub seat: String,
    /// The reply, such as `critic, round 2`.
    pub slot: Slot,
    /// A reply to an earlier generation is never saved.
    pub generation: Generation,
    #[serde(flatten)]
    pub origin: Origin,
    /// The program and its arguments. Never the prompt, and no value of a variable.
    pub command: Vec<String>,
    /// Its wrapper, which leads its process group.
    #[serde(flatten)]
    pub process: ProcessId,
    /// The value of `ANVIL_CHILD` in the environment of every process of the attempt.
    pub token: String,
    /// Why it is not the first one for this slot; empty for the first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recovery: String,
    /// The claim of its task. Then the attempt has no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimLine>,
}

/// The writer of the reply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The agent, as the user named it; the name that a claim gives.
    pub agent: String,
    /// The vendor of its models; empty for a claim.
    #[serde(default)]
    pub family: String,
    /// The agent that should write the reply, and can't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
}

/// A claim of a task by a person, a script or another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimLine {
    /// The task, by its id.
    pub task: String,
    /// The SHA-256 of the token that the reply has to bring, in hexadecimal digits. It is never
    /// the token of an agent's process.
    pub token: String,
    /// The user's name on that machine; empty if it is not known.
    pub user: String,
    /// Its machine, and the process that claimed it if that one waits for the reply.
    pub holder: Holder,
}

/// An event of an attempt, as a line of its record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AttemptEvent {
    Started(Box<StartedLine>),
    Returned(ReturnedLine),
    Ended(EndedLine),
    Submitted(SubmittedLine),
    Turn(TurnLine),
    Cycle(CycleLine),
}
