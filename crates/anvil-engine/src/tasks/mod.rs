//! Tasks of a debate without a driver: a person, a script or another program claims one, and
//! submits its reply. `list` derives them, `claim` hands one out for a `ticket`, `submit` takes its
//! reply, and `due` saves kept replies.

pub(crate) mod claim;
pub(crate) mod due;
mod error;
pub(crate) mod list;
pub(crate) mod submit;
pub(crate) mod ticket;

pub(crate) use claim::end_claims;
pub use claim::{
    Claimant, Claimed, Waiting, claim, drop_claim, drop_claims, leave, note_fact, request_again,
    shell_ticket, still_holds,
};
pub(crate) use due::{has_due, save_due};
pub use list::{TaskBoard, list, signature, unfinished_debate};
pub(crate) use list::{holder, holders};
pub use submit::{Submitted, submit};
pub use ticket::Ticket;
