//! Tasks of a debate that nobody drives: a person, a script or another program claims one, and
//! submits its reply. `list` derives them, `claim` hands one out for a `ticket`, `submit` takes its
//! reply, and `due` files what was kept.

pub(super) mod claim;
pub(super) mod due;
pub(super) mod list;
pub(super) mod submit;
pub(super) mod ticket;

pub use claim::{Claimant, Claimed, Waiting};
pub(super) use due::{file_due, has_due};
pub use list::TaskBoard;
pub(super) use list::holders;
pub use ticket::Ticket;

use super::Context;

/// The tasks of a debate, and the claims on them.
#[derive(Debug)]
pub struct Tasks<'a> {
    pub(super) context: &'a Context<'a>,
}
