//! Publishes a debate into an issue, and pulls it from one.

pub(super) mod carry;
pub(super) mod publish;
pub(super) mod pull;
pub(super) mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, extract};
pub use publish::Publication;
pub use pull::{Pulled, Taken};
pub use side::Side;

pub use carry::{embed, state_in, state_of};
pub use publish::{keep_current, publish};
pub use pull::pull;
