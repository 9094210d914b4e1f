//! The use cases in this process: what each does to the debate, and what it returns.

#![expect(clippy::unwrap_used, reason = "a test that finds no value has failed")]
#![expect(clippy::needless_pass_by_value, reason = "a check takes the outcome as it is returned")]

mod block;
mod cancel;
mod claims;
mod defaults;
mod history;
mod ownership;
mod plans;
mod programs;
mod publish;
mod recovery;
mod reports;
mod steering;
mod turns;
mod undo;
