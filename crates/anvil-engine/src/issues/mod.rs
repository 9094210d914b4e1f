//! Publishes a debate into an issue, and pulls it from one.

pub(super) mod carry;
pub(super) mod comment;
pub(super) mod publish;
pub(super) mod pull;
mod remote;
pub(super) mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, embed, extract, state_in, state_of};
pub use comment::{AskedThere, Posted};
pub use publish::{Publication, Room, Written, keep_current, publish, room};
pub use pull::{Pulled, Taken, pull};
pub use side::Side;
