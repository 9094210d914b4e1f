//! Publishes a debate into an issue, and pulls it from one.

pub(super) mod carry;
pub(super) mod publish;
pub(super) mod pull;
pub(super) mod side;

pub use carry::{Checked, Embedded, body_from, body_in, check, extract};
pub use publish::Publication;
pub use pull::{Pulled, Taken};
pub use side::Side;

use super::Context;

/// Use cases for a debate in an issue.
#[derive(Debug)]
pub struct Issues<'a> {
    pub(super) context: &'a Context<'a>,
}
