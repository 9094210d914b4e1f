//! A debate read as tasks: which replies there are to write, what each of them waits for, and who may take it. Pure.
//!
//! Nothing of it is stored but who holds a task (`state/claims.rs`): the rest is told by the debate and its sections.

#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/tasks.rs"]
pub(crate) mod linear;
mod place;
mod rules;
mod status;
mod task;
mod wanted;

pub use place::Place;
pub use rules::{Refusal, may_claim};
pub use status::{Hold, Status};
pub use task::{Context, Facts, Outcome, Task, tasks};
pub use wanted::Wanted;
