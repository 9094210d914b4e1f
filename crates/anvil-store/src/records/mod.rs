//! The records about a debate in this user's folder: attempts, decisions.

pub(crate) mod attempt_lines;
pub mod attempt_record;
pub mod attempts;
pub mod outcomes;

pub use attempt_lines::{AttemptEvent, ClaimLine, StartedLine};
pub use attempt_record::AttemptRecord;
pub use attempts::{Attempt, Attempts, USER};
