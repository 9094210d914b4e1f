//! The effect of a reply on a debate: its section, the next phase, a direction of the user.

pub(super) mod reading;
pub(super) mod reply;
pub(super) mod steering;
pub(super) mod submitted;

pub(crate) use reply::{Filed, reason};
pub(crate) use steering::{give_steering, skip_to_synthesis};
pub use submitted::Submitted;
