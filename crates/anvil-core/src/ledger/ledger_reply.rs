//! The replies of a debate, as the ledger reads them.

use crate::place::Place;
use crate::transcript::Entries;

/// A reply, as input of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerReply<'a> {
    pub place: Place,
    pub cycle: u32,
    pub text: &'a str,
    /// The corrected block of a synthesis, if it has one.
    pub repeat: Option<&'a str>,
    /// True for a synthesis that the program composed of judgments.
    pub is_of_judges: bool,
}

impl<'a> LedgerReply<'a> {
    /// A reply, or a synthesis with the block that it has.
    pub fn new(place: Place, cycle: u32, text: &'a str) -> Self {
        Self { place, cycle, text, repeat: None, is_of_judges: false }
    }
}

/// The replies of a transcript, each synthesis with its corrected block.
pub fn ledger_replies(entries: &Entries) -> impl Iterator<Item = LedgerReply<'_>> {
    entries.replies().map(|(place, reply)| LedgerReply {
        repeat: entries.repeat_of(reply),
        is_of_judges: entries.is_of_judges(reply),
        ..LedgerReply::new(place, reply.cycle, &reply.text)
    })
}
