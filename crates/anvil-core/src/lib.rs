//! The core of Anvil: a debate as data, and the rules that move it on. Pure.
//!
//! A [`Debate`](debate::Debate) has options, a place in its schedule and an owner; a transcript has
//! its replies. Everything else is derived from these two: the claims and the verdict, the tasks,
//! the revised document. No clock, no file and no environment: everything comes in as a value and
//! goes out as one.

// The floors, from the bottom: a module uses only those listed before it.

pub mod limits;

pub mod question;

pub mod place;

mod id;

pub mod journal;

pub mod options;

pub mod debate;

pub mod transcript;

pub mod document;

pub mod ledger;

pub mod reply;

pub mod attempt;

pub mod tasks;

pub mod issue;
