//! A document that the debate revised: its changes, and the objections to it.

use serde::Serialize;

use super::scrub::{ReportSource, scrub};
use anvil_core::ledger::{HunkFault, Id, Ledger, Revision};
use anvil_text::clean;

/// Longest quote in a sentence, in characters.
const MAX_QUOTE: usize = 120;

#[derive(Clone, Debug, Serialize)]
pub struct Revised {
    pub name: String,
    /// Of the bytes at the start.
    pub sha256: Option<String>,
    pub changes: Vec<ShownChange>,
    pub objections: Vec<ShownObjection>,
    /// In a sentence.
    #[serde(skip)]
    pub line: String,
}

/// A passage that a reply changed, or wanted to.
#[derive(Clone, Debug, Serialize)]
pub struct ShownChange {
    pub cycle: u32,
    pub round: u8,
    /// The objection that it answers.
    pub answers: Option<Id>,
    pub old: String,
    pub new: String,
    /// Its first line in the version before it, counted from 1.
    pub line: Option<usize>,
    /// Why it could not be made.
    pub unmade: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ShownObjection {
    pub id: Id,
    pub sentence: String,
    pub blocks: bool,
    pub quote: Option<String>,
    /// The document had these words when the objection was made.
    pub quote_found: bool,
    pub answered: bool,
}

impl ShownObjection {
    pub fn stands(&self) -> bool {
        !self.answered
    }
}

impl Revised {
    /// The document of a debate as it is saved. `None`: it revised none.
    pub fn from_source(source: &ReportSource<'_>, saved: &Ledger) -> Option<Self> {
        let revision = Revision::of_entries(source.entries, saved)?;
        let text = |text: &str| scrub(source, text);
        let line = text(&revision.summary());
        let changes = revision.changes.iter().map(|change| ShownChange {
            cycle: change.cycle,
            round: change.round,
            answers: change.hunk.answers.first().copied(),
            old: text(&change.hunk.old),
            new: text(change.hunk.new.as_deref().unwrap_or_default()),
            line: change.line.ok(),
            unmade: change.line.err().map(HunkFault::reason),
        });
        let objections = revision.objections.iter().map(|objection| ShownObjection {
            id: objection.id,
            sentence: text(&objection.sentence),
            blocks: objection.blocks,
            quote: objection.quote.as_deref().map(text),
            quote_found: objection.quote_found,
            answered: objection.is_answered,
        });
        Some(Self {
            changes: changes.collect(),
            objections: objections.collect(),
            name: text(&revision.document.name),
            sha256: revision.document.sha256,
            line,
        })
    }

    /// A sentence for each fault of a change or an objection.
    pub fn findings(&self) -> impl Iterator<Item = String> {
        let of_changes = (1..).zip(&self.changes).filter_map(|(number, change)| {
            let why = match (&change.unmade, change.answers) {
                (Some(why), _) => format!("was not made: it {why}"),
                (None, None) => "names no objection".to_owned(),
                (None, Some(_)) => return None,
            };
            Some(format!("Change {number} (round {}) {why}.", change.round))
        });
        let of_objections = self.objections.iter().filter_map(|objection| {
            let id = objection.id;
            match &objection.quote {
                None => Some(format!("{id} quotes nothing of the document.")),
                Some(_) if objection.quote_found => None,
                Some(quote) => Some(format!(
                    "{id} quotes words that the document did not have: “{}”.",
                    clean(quote, MAX_QUOTE)
                )),
            }
        });
        of_changes.chain(of_objections)
    }
}
