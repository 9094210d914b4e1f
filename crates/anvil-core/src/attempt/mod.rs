//! An attempt to get a reply: what it answers, and what it came to.

pub mod bounds;
mod effort;
mod failure;
mod generation;
mod lines;
mod metrics;
mod tried;

pub use effort::{Effort, SeatRetries, by_kind};
pub use failure::FailureKind;
pub use generation::{Generation, Turn};
pub use lines::{EndedLine, Exit, Leftovers, ReturnedLine, SubmittedLine, TurnLine};
pub use metrics::{Metrics, SeatState, SeatStatus};
pub use tried::Tried;
