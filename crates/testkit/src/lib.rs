//! For tests alone: hosts that act as Claude Code and as a shell, and bodies of issues.

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
pub mod sample;
pub mod screen;
pub mod world;
