//! Publishes a debate into an issue, and pulls it from one.

pub(super) mod carry;
pub(super) mod publish;
pub(super) mod pull;
pub(super) mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, embed, extract, state_in, state_of};
pub use publish::{Publication, keep_current, publish};
pub use pull::{Pulled, Taken, pull};
pub use side::Side;
