//! The result of a complete debate, for messages to the user.

use super::error::ReportError;
use anvil_core::ledger::{Ledger, Standing, plan_changes};
use anvil_core::transcript;
use anvil_store::{IssueLag, Project, StateFile, Store};
use anvil_text::error::Result;
use std::path::PathBuf;

/// A complete debate and its report.
#[derive(Clone, Debug)]
pub struct Completed {
    pub id: String,
    pub question: String,
    /// What it came to.
    pub standing: Standing,
    /// The seats that another agent took, in a line.
    pub degraded: Option<String>,
    /// The changes to the plan that was argued about, word for word.
    pub plan_changes: Option<String>,
    /// The result for the document that it revised, in a sentence.
    pub document: Option<String>,
    /// The claims with their results in the synthesis.
    pub ledger: Ledger,
    /// True if the user named a place for the report.
    pub is_named: bool,
    /// Path of the report, or why it could not be written.
    pub report: Result<PathBuf>,
    /// Path of the report as an HTML page.
    pub page: Option<PathBuf>,
    /// The issue that lacks a part of it.
    pub behind: Option<IssueLag>,
    pub project: Project,
}

impl Completed {
    /// A complete debate without its reports.
    pub fn from_state(state: &StateFile, store: &Store, ledger: Ledger) -> Self {
        let debate = &state.debate;
        let entries = &transcript::parse(&state.body);
        let published = store.record(&debate.id).and_then(|record| record.published);
        Self {
            id: debate.id.clone(),
            question: debate.question.clone(),
            standing: ledger.standing(),
            degraded: anvil_report::degradation(entries),
            plan_changes: entries
                .synthesis()
                .filter(|_| debate.options.plan.is_some())
                .and_then(|entry| plan_changes(&entry.text))
                .map(|(changes, _)| changes),
            document: anvil_report::document(entries, &ledger),
            ledger,
            is_named: debate.options.output.is_some(),
            report: Err(ReportError::NotYet.into()),
            page: None,
            behind: published.and_then(|published| published.behind(&state.body)),
            project: store.project().clone(),
        }
    }

    /// Path of the report, if the user named a place for it and it is not the page.
    pub fn named_report(&self) -> Option<String> {
        let path = self.report.as_ref().ok()?;
        let is_page = self.page.as_ref() == Some(path);
        (self.is_named && !is_page).then(|| self.project.display(path))
    }
}
