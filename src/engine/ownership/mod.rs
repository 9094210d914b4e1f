//! The owner of a debate, and the lock for changes to it.

pub(super) mod locked;
pub(super) mod owner;
pub(super) mod turn;

pub use owner::OwnerStatus;
pub use turn::Turn;
