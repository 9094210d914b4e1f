//! The core of Anvil: debates, claims, transcripts, options, tasks. Pure.
//!
//! Knows only `text` and `error`. It reads no clock, no file and no environment: everything comes
//! in as a value and goes out as one.

pub(crate) mod attempt;
pub(crate) mod debate;
pub(crate) mod document;
pub(crate) mod issue;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod options;
pub(crate) mod reply;
pub(crate) mod tasks;
pub(crate) mod transcript;
