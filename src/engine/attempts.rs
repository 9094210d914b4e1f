//! What was asked of programs for a debate, and what became of it. Looks only.

use super::Engine;
use super::report::find;
use crate::command::NamedSlot;
use crate::debate::Debate;
use crate::error::{Error, Result};
use crate::state::{AttemptRecord, Attempts};
use crate::transcript;

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

    /// The prompt of the newest attempt at a slot, byte for byte.
    pub fn shown_to(&self, slot: &NamedSlot, wanted: Option<&str>) -> Result<String> {
        let store = self.store_meant(None);
        let (state, _) = find(&store, wanted)?;
        let record = AttemptRecord::of(&store, &state.debate.id);
        let attempts = record.read()?;
        let newest = attempts.all.iter().rev().find(|attempt| slot.is(&attempt.started.slot));
        if let Some(attempt) = newest {
            return record.prompt(attempt.started.attempt);
        }
        let entries = transcript::parse(&state.body);
        let name = slot.name();
        let filed = entries.replies().rev().find(|(filed, _)| slot.is(&filed.to_string()));
        Err(match filed {
            Some((_, reply)) if is_composed(&entries, reply) => Error::nothing(
                "the synthesis was made of judgments, and nobody was shown anything for it",
                "`anvil brief judge 1` prints what the first judge was shown",
            ),
            Some(_) => Error::nothing(
                format!("{name} was written in the conversation, which has read all before it"),
                "`anvil brief` lists what was asked of programs",
            ),
            None => Error::nothing(
                format!("no program was asked for {name}"),
                "`anvil brief` lists what was asked of programs",
            ),
        })
    }
}

/// True for a synthesis that judgments stand before.
fn is_composed(entries: &transcript::Entries, synthesis: &transcript::Entry) -> bool {
    let at = entries.0.iter().position(|entry| entry.begins == synthesis.begins);
    at.is_some_and(|at| entries.judgments_before(at).next().is_some())
}
