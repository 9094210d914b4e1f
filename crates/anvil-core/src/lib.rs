//! The core of Anvil: debates, claims, transcripts, options, tasks. Pure.
//!
//! It reads no clock, no file and no environment: everything comes in as a value and goes out as
//! one.

#[cfg(test)]
extern crate self as anvil_core;

pub mod attempt;
pub mod debate;
pub mod document;
pub mod issue;
pub mod journal;
pub mod ledger;
#[cfg(all(test, target_os = "linux"))]
mod linear;
pub mod options;
pub mod reply;
pub mod tasks;
pub mod transcript;
