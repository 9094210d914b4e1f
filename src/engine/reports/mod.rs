//! Shows a debate: its reports, its page, its claims.

pub(super) mod claims;
pub(super) mod completed;
mod document;
pub(super) mod report;

pub use claims::Claims;
pub(crate) use claims::places;
pub use completed::Completed;
pub use report::{Extent, Reported, ScreenReport};

use super::Context;
use crate::domain::debate::{Debate, Status};

/// Use cases that show a debate.
#[derive(Debug)]
pub struct Reports<'a> {
    context: &'a Context<'a>,
    /// Who wrote what is left out of a debate that is not complete.
    is_blind: bool,
}

impl<'a> Reports<'a> {
    pub(super) fn new(context: &'a Context<'a>) -> Self {
        Self { context, is_blind: false }
    }

    /// For a client that may write the next reply: no author before the debate is complete.
    pub fn for_seats(self) -> Self {
        Self { is_blind: true, ..self }
    }

    fn hides_authors(&self, debate: &Debate) -> bool {
        self.is_blind && debate.progress.status != Status::Completed
    }
}
