//! The replies of a debate, as the ledger reads them.

use crate::debate::Place;
use crate::transcript::Entries;

/// A reply, as input of the ledger.
#[derive(Clone, Copy, Debug)]
pub struct Spoken<'a> {
    pub place: Place,
    pub cycle: u32,
    pub text: &'a str,
    /// The corrected block of a synthesis, if it has one.
    pub repeat: Option<&'a str>,
    /// True for a synthesis that the program composed of judgments.
    pub is_of_judges: bool,
}

impl<'a> Spoken<'a> {
    /// A reply, or a synthesis with the block that it has.
    pub fn new(place: Place, cycle: u32, text: &'a str) -> Self {
        Self { place, cycle, text, repeat: None, is_of_judges: false }
    }
}

/// The replies of a transcript, each synthesis with its corrected block.
pub fn spoken(entries: &Entries) -> impl Iterator<Item = Spoken<'_>> {
    entries.replies().map(|(place, reply)| Spoken {
        repeat: entries.repeat_of(reply),
        is_of_judges: entries.is_of_judges(reply),
        ..Spoken::new(place, reply.cycle, &reply.text)
    })
}
