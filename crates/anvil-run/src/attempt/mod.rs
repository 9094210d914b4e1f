//! One attempt at a reply. `executor` starts it and records its beginning, `wrapper` runs the agent
//! and records its end. `environment` and `copy` prepare what the agent finds; `script` is an agent
//! that reads its replies from a file, `scratch` a folder that is removed with its process. This
//! module knows no rules of a debate.

pub(crate) mod copy;
pub(crate) mod environment;
pub(crate) mod executor;
pub mod scratch;
pub mod script;
pub mod wrapper;

pub(crate) use executor::{Executor, Orphan, Running, install_signal_handlers, not_run};
pub(crate) use scratch::Scratch;
