//! For tests alone: hosts that act as Claude Code and as a shell, a host in the test's process with a
//! forge in memory, and samples.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    reason = "a test that finds something else than it expects has failed"
)]

extern crate self as testkit;

pub mod bodies;
pub mod forge;
pub mod host;
pub mod revision;
pub mod sample;
pub mod screen;
pub mod world;
