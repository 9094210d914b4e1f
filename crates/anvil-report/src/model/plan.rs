//! The plan that a debate argued about, and what became of it.

use serde::Serialize;

use super::scrub::Scrubbed;
use anvil_core::document::Document;
use anvil_core::ledger::plan_changes;

#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    pub name: String,
    /// As it was argued about.
    pub before: String,
    /// What the synthesis wants changed, in Markdown.
    pub changes: Option<String>,
    /// As it was revised after the synthesis. `None`: it was not, or nobody saw it.
    pub after: Option<String>,
}

impl Plan {
    /// The plan of a debate. `None`: it argues about none.
    pub(super) fn from_scrubbed(scrubbed: &Scrubbed, synthesis: &str) -> Option<Self> {
        scrubbed.debate.options.plan.as_ref()?;
        let before = Document::of_entries(&scrubbed.entries)?;
        let after = Document::revised_plan(&scrubbed.entries);
        Some(Self {
            name: before.name,
            before: before.text,
            changes: plan_changes(synthesis).map(|(changes, _)| changes),
            after: after.map(|after| after.text),
        })
    }
}
