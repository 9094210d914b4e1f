//! An attempt to get a reply: what it answers, and what it came to.

mod failure;
mod generation;

pub use failure::FailureKind;
pub use generation::{Generation, Turn};
