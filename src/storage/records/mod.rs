//! The records of this machine about a debate: attempts, leases, the journal, revisions in issues.
//!
//! Every record has a seal. One that this machine did not write has no rights.

pub(crate) mod attempt_lines;
pub(crate) mod attempt_record;
pub(crate) mod attempts;
pub(crate) mod generation;
pub(crate) mod leases;
pub(crate) mod outcomes;
pub(crate) mod published;

pub use attempt_lines::{
    AttemptEvent, EndedLine, FailureKind, StartedLine, SubmittedLine, TurnLine,
};
pub use attempt_record::AttemptRecord;
pub use attempts::{Attempt, Attempts, Metrics, SeatState, SeatStatus};
pub use generation::{AttemptGeneration, Generation, Turn};
pub use leases::{Lease, Leases, MAX_STRAY};
pub use outcomes::Journal;
pub use published::Published;
