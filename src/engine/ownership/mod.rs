//! The owner of a debate, and the lock for changes to it.

pub(super) mod locked;
pub(super) mod owner;
pub(super) mod turn;

pub use owner::OwnerStatus;
pub use turn::Turn;

use super::Context;

/// Finds the owner of a debate, and checks who may change it.
#[derive(Debug)]
pub struct Ownership<'a> {
    context: &'a Context<'a>,
}

impl<'a> Ownership<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context }
    }
}
