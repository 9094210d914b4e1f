//! What was asked of programs for a debate, and what became of it. Looks only.

use super::Engine;
use super::report::find;
use crate::debate::Debate;
use crate::error::Result;
use crate::state::{AttemptRecord, Attempts};

impl Engine<'_> {
    /// The record of a debate's attempts here.
    #[must_use]
    pub fn attempt_record(&self, id: &str) -> AttemptRecord {
        AttemptRecord::of(&self.store_meant(None), id)
    }

    /// The attempts of the debate here, or of an earlier one by its number or id; and what that debate is.
    pub fn attempts(&self, wanted: Option<&str>) -> Result<(Debate, Attempts)> {
        let store = self.store_meant(None);
        let (state, _) = find(&store, wanted)?;
        let attempts = store.attempts(&state.debate.id)?;
        Ok((state.debate, attempts))
    }
}
