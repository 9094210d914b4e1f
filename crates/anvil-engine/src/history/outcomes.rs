//! Outcomes of recommendations: saves them, lists reviews that are due, and counts how often a
//! confidence was right.

use super::error::HistoryError;
use crate::lookup::find;
use crate::reviews::{line_for_debate, new_line, review_day, today};
use crate::{Context, SAME_PROMPT, Session};
use anvil_core::journal::{self, Decision, Line, Outcome};
use anvil_core::ledger::Ledger;
use anvil_core::options::OutcomeNote;
use anvil_core::transcript;
use anvil_store::{Scope, Store};
use anvil_text::error::{Kind, Result};

/// Saves the outcome of a debate's recommendation, or the day of its next review.
pub fn record_outcome(
    context: &Context<'_>,
    session: Option<&Session>,
    noted: &OutcomeNote<'_>,
) -> Result<Line> {
    let OutcomeNote { id, outcome, note, review } = *noted;
    let review = review.map(|review| review_day(context, review)).transpose()?;
    let store = context.selected_store(session);
    let unnoted = journal_line(context, &store, id, outcome)?;
    let line = Line { outcome, note: note.map(str::to_owned), review, ..unnoted };
    // A plugin that is installed twice delivers the prompt twice.
    context.machine.add_decision(&line, |known| {
        known.iter().rfind(|known| known.id == line.id).is_some_and(|last| {
            context.is_within(SAME_PROMPT, last.at) && *last == Line { at: last.at, ..line.clone() }
        })
    })?;
    Ok(line)
}

/// The journal line of a debate, without the user's outcome. For a pruned debate it comes from
/// the journal.
fn journal_line(
    context: &Context<'_>,
    store: &Store,
    selector: Option<&str>,
    outcome: Option<Outcome>,
) -> Result<Line> {
    let state = match find(store, selector) {
        Ok((state, _)) => state,
        Err(error) => {
            let Some(selector) = selector.filter(|_| error.kind() == Kind::Nothing) else {
                return Err(error);
            };
            let Some(decision) = journaled_decision(store, selector)? else { return Err(error) };
            let Decision { id, question, confidence, .. } = decision;
            return Ok(new_line(context, id, question, confidence));
        }
    };
    let entries = transcript::parse(&state.body);
    let standing = Ledger::of_entries(&entries, &state.debate.alternatives()).standing();
    if outcome.is_some() && standing.verdict().is_none() {
        let label = state.debate.label();
        let why = standing.void_reason().map_or(label, |why| format!("no valid verdict: {why}"));
        return Err(HistoryError::NothingRecommended(why).into());
    }
    Ok(line_for_debate(context, &state.debate, &standing))
}

/// Decisions of this project with a due review, the longest due first.
pub fn due_reviews(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
) -> Result<Vec<Decision>> {
    let decisions = journal::decisions(journal_lines(context, session, scope)?);
    let due: Vec<Decision> =
        journal::due(&decisions, today(context)).into_iter().cloned().collect();
    if due.is_empty() {
        return Err(HistoryError::NothingDue.into());
    }
    Ok(due)
}

/// The decisions of this repository, or of every project.
pub(super) fn journal_lines(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
) -> Result<Vec<Line>> {
    let store = context.selected_store(session);
    if scope == Scope::All { store.all_decisions() } else { store.decisions() }
}

/// The decision with this id, or the only one with an id that begins with it.
fn journaled_decision(store: &Store, selector: &str) -> Result<Option<Decision>> {
    let mut found = journal::decisions(store.all_decisions()?);
    found.retain(|decision| decision.id.starts_with(selector));
    let whole = found.iter().position(|decision| decision.id == selector);
    let at = whole.or((found.len() == 1).then_some(0));
    Ok(at.map(|at| found.swap_remove(at)))
}
