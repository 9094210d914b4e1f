//! Replies that workers write: the tasks, their holders, and the results of the replies.

pub(super) mod leading;
pub(super) mod task_replies;
pub(super) mod tasks;
pub(super) mod worker;

pub use leading::{FiledReply, HeldTask, LeaderNext};
pub use tasks::{Asking, Board, NextTask, Waiting};
pub use worker::{SIGN_OF_LIFE, Ticket, USER, Worker};

use super::Context;

/// Tasks, and the workers that hold them.
#[derive(Debug)]
pub struct Workers<'a> {
    pub(super) context: &'a Context<'a>,
}
