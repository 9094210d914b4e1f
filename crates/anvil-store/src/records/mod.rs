//! The record of a debate's attempts in this user's folder.

pub(crate) mod attempt_lines;
mod attempt_reader;
pub mod attempt_record;
pub mod attempts;

pub use attempt_lines::{AttemptEvent, ClaimLine, Origin, StartedLine};
pub use attempt_reader::AttemptReader;
pub use attempt_record::AttemptRecord;
pub use attempts::{Attempt, Attempts, USER};
