//! The core of Anvil: debates, claims, transcripts, commands, tasks. Pure.
//!
//! Knows only `text` and `error`. It reads no clock, no file and no environment: everything comes
//! in as a value and goes out as one.

pub(crate) mod attempt;
pub(crate) mod command;
pub(crate) mod debate;
pub(crate) mod document;
pub(crate) mod issue;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod reply;
pub(crate) mod tasks;
pub(crate) mod transcript;
