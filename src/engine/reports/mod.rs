//! Shows a debate: its reports, its page, its claims.

pub(super) mod claims;
pub(super) mod completed;
pub(super) mod report;

pub use claims::Claims;
pub(crate) use claims::places;
pub use completed::Completed;
pub use report::{Extent, Reported, ScreenReport};

use super::Context;

/// Use cases that show a debate.
#[derive(Debug)]
pub struct Reports<'a> {
    context: &'a Context<'a>,
}

impl<'a> Reports<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context }
    }
}
