//! Publishes a debate into an issue, and pulls it from one.

mod carry;
mod comment;
mod publish;
mod pull;
mod remote;
mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, embed, extract, state_in, state_of};
pub use comment::{AskedThere, Posted};
pub use publish::{Publication, Room, Written, keep_current, publish, room};
pub use pull::{Pulled, Taken, pull};
pub use side::Side;
