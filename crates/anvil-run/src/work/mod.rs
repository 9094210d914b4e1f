//! The one way to work at replies. `pool` is the loop, `decision` the retry rule, `source` the
//! interface to the tasks, such as those of a debate that this process argues (`run/lead`). The
//! engine has the rules of a debate.

mod decision;
mod pool;
mod source;

pub(super) use pool::work;
pub(super) use source::{Blocker, NextStep, RunContext, TaskConfig, TaskSource, effort};
