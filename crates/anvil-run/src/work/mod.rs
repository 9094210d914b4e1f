//! The loop of every kind of work. `pool` runs attempts at the same time, `decision` is the retry
//! rule, `source` the interface to the tasks. The engine has the rules of a debate.

pub(crate) mod decision;
pub(crate) mod pool;
pub(crate) mod source;

pub(crate) use pool::work;
pub(crate) use source::{Blocker, NextStep, RunContext, TaskConfig, TaskSource, effort};
