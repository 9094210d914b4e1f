//! An attempt to get a reply: the request that it answers, and its result.

pub mod bounds;
pub(crate) mod earlier;
pub(crate) mod effort;
pub(crate) mod failure;
pub(crate) mod generation;
pub(crate) mod lines;
pub(crate) mod metrics;
pub(crate) mod slot;

pub use earlier::EarlierAttempt;
pub use effort::{Effort, SeatRetries, by_kind};
pub use failure::FailureKind;
pub use generation::{Generation, Turn};
pub use lines::{CycleLine, EndedLine, Exit, Leftovers, ReturnedLine, SubmittedLine, TurnLine};
pub use metrics::{Metrics, SeatState, SeatStatus};
pub use slot::Slot;
