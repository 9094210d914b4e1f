//! A debate read as tasks: the replies to write, the replies that each waits for, and who may take
//! it. Pure.
//!
//! Only the attempts are stored (`records::attempts` of `anvil-store`). Everything else is derived
//! from the debate and its sections.

pub(crate) mod rules;
pub(crate) mod seat_filter;
pub(crate) mod status;
pub(crate) mod task;

pub use rules::{TaskRefusal, may_claim};
pub use seat_filter::SeatFilter;
pub use status::{Hold, TaskStatus};
pub use task::{
    ByProgram, Facts, Task, TaskContext, TaskHolder, TaskList, TaskOutcome, tasks, to_second,
};
