//! One attempt at a reply. `executor` starts it and records its beginning, `wrapper` runs the agent
//! and records its end. `environment` and `copy` prepare what the agent finds; `script` is an agent
//! that reads its replies from a file, `scratch` a folder that goes with its process. This module
//! does not know how a debate goes on.

mod copy;
pub(super) mod environment;
mod executor;
pub mod scratch;
pub mod script;
pub mod wrapper;

pub(super) use executor::{
    Executor, Orphan, Running, install_signal_handlers, not_run, own_program,
};
pub(super) use scratch::Scratch;
