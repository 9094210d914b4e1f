//! The one way to work at a task. `worker` is the loop, `decision` the retry rule, `source` the
//! interface to the tasks: the seats of a debate that this process leads (`run/lead`), or the open
//! tasks of a debate that it joined (`join`, `joined`, `person`). The engine has the rules of a
//! debate.

mod decision;
pub(crate) mod join;
mod joined;
mod source;
mod worker;

pub(super) use source::{Desk, Obstacle, Offer, TaskSource, Terms, effort};
pub(super) use worker::{settle, work};
