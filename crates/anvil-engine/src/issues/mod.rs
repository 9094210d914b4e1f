//! Publishes a debate into an issue, and pulls it from one.

pub(crate) mod carry;
pub(crate) mod comment;
pub(crate) mod publish;
pub(crate) mod pull;
pub(crate) mod remote;
pub(crate) mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, embed, extract, state_in, state_of};
pub use comment::{AskedThere, Posted};
pub use publish::{Publication, Room, Written, keep_current, publish, room};
pub use pull::{Pulled, Taken, pull};
pub use side::Side;
