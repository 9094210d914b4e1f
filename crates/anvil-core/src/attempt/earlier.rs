//! An attempt as the next one sees it.

use super::{FailureKind, Slot};

/// An attempt: its agent, its seat, and its failure.
#[derive(Clone, Copy, Debug)]
pub struct EarlierAttempt<'a> {
    /// Counted from 1 through the debate.
    pub number: u32,
    pub seat: &'a str,
    pub slot: Slot,
    pub agent: &'a str,
    /// The agent that should write the reply, and can't.
    pub instead_of: Option<&'a str>,
    /// `None`: it runs, or brought a reply.
    pub failure: Option<FailureKind>,
}
