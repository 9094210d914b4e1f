//! Outcomes of recommendations: saves them, finds reviews that are due, and counts how often a
//! confidence was right.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::lookup::find;
use crate::{Context, Note, SAME_PROMPT, Session};
use anvil_core::debate::Debate;
use anvil_core::journal::{self, Calibration, Decision, Line, Outcome, Review};
use anvil_core::ledger::{Synthesis, VerdictWord};
use anvil_core::options::Noted;
use anvil_core::transcript;
use anvil_store::{Project, Scope, StateFile, Store};
use anvil_text::error::{Error, Kind, Result};

/// Maximum length of a question in the journal, in characters.
const QUESTION_CHARS: usize = 300;

/// Reviews that are due when a session starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueReviews {
    /// The decision that has waited longest.
    pub first: Decision,
    /// Number of due reviews, `first` included.
    pub count: usize,
}

/// Saves the outcome of a debate's recommendation, or the day of its next review.
pub fn record_outcome(
    context: &Context<'_>,
    session: Option<&Session>,
    noted: &Noted<'_>,
) -> Result<Line> {
    let Noted { id, outcome, note, review } = *noted;
    let review = review.map(|review| review_day(context, review)).transpose()?;
    let store = context.selected_store(session);
    let meant = line_of(context, &store, id, outcome)?;
    let line = Line { outcome, note: note.map(str::to_owned), review, ..meant };
    // A plugin that is installed twice delivers the prompt twice.
    let is_there = |known: &[Line]| {
        known.iter().rfind(|known| known.id == line.id).is_some_and(|last| {
            context.is_within(SAME_PROMPT, last.at) && *last == Line { at: last.at, ..line.clone() }
        })
    };
    context.machine.add_decision(&line, is_there)?;
    Ok(line)
}

/// The journal line of a debate, without the user's outcome. For a pruned debate it comes from
/// the journal.
fn line_of(
    context: &Context<'_>,
    store: &Store,
    wanted: Option<&str>,
    outcome: Option<Outcome>,
) -> Result<Line> {
    let state = match find(store, wanted) {
        Ok((state, _)) => state,
        Err(error) => {
            let wanted = wanted.filter(|_| error.kind() == Kind::Nothing);
            let known = wanted.map(|id| journaled(store, id)).transpose()?;
            let Some(decision) = known.flatten() else { return Err(error) };
            let Decision { id, question, confidence, .. } = decision;
            return Ok(line(context, id, question, confidence));
        }
    };
    let synthesis = synthesis(&state);
    if outcome.is_some() && synthesis.is_none() {
        return Err(Error::failed(
            format!("this debate has recommended nothing yet: {}", state.debate.label()),
            "note its outcome down after the synthesis",
        ));
    }
    Ok(line_on(context, &state.debate, synthesis.as_deref()))
}

fn line_on(context: &Context<'_>, debate: &Debate, synthesis: Option<&str>) -> Line {
    let question = anvil_text::clean(&debate.question, QUESTION_CHARS);
    let read = synthesis.map(|text| Synthesis::parse(text, &debate.alternatives()));
    // With `depends`, the confidence is not that of a verdict.
    let read = read.filter(|read| read.word() != Some(&VerdictWord::Depends));
    let confidence = read.and_then(|read| read.confidence);
    line(context, debate.id.clone(), question, confidence)
}

fn line(context: &Context<'_>, id: String, question: String, confidence: Option<u8>) -> Line {
    let at = context.world.now;
    Line { at, id, question, confidence, outcome: None, note: None, review: None }
}

/// Saves the review day of a debate that is about to be completed, if its options name one. The
/// options keep the day too, so after a failure only the reminder is missing.
pub(crate) fn note_review(context: &Context<'_>, debate: &Debate, synthesis: &str) {
    let Some(day) = debate.options.review else { return };
    let line = Line { review: Some(day), ..line_on(context, debate, Some(synthesis)) };
    // A run that died here, or an earlier cycle, may have saved it already.
    let noted = context.machine.add_decision(&line, |known| {
        known.iter().any(|line| line.id == debate.id && line.review == Some(day))
    });
    if let Err(why) = noted {
        context.add_note(Note::ReviewNotNoted { day, why });
    }
}

/// Fails if the day is not after today.
pub(crate) fn review_day(context: &Context<'_>, review: Review) -> Result<Date> {
    review.day(today(context)).ok_or_else(|| {
        Error::usage(
            "--review takes a day after today",
            "for example 2027-01-15 in the year before, or 30d",
        )
    })
}

/// The current day in UTC.
fn today(context: &Context<'_>) -> Date {
    context.world.now.to_zoned(TimeZone::UTC).date()
}

/// Decisions of this project with a due review, the longest due first.
pub fn due_reviews(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
) -> Result<Vec<Decision>> {
    let decisions = journal::decisions(lines(context, session, scope)?);
    let due: Vec<Decision> =
        journal::due(&decisions, today(context)).into_iter().cloned().collect();
    if due.is_empty() {
        return Err(Error::nothing(
            "no review is due in this project",
            "`anvil history ID --review 30d` says when to look again",
        ));
    }
    Ok(due)
}

/// The decisions of this repository, or of every project.
pub(super) fn lines(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
) -> Result<Vec<Line>> {
    let store = context.selected_store(session);
    if scope == Scope::All { store.all_decisions() } else { store.decisions() }
}

/// The due reviews for a session that starts. It reads nothing in a project without a debate,
/// and reports an error once.
pub(crate) fn reviews_found(context: &Context<'_>, store: &Store) -> Option<DueReviews> {
    let project = store.project();
    let read = context.machine.has_debates(project).then(|| store.decisions())?;
    let lines = read.map_err(|error| say_unread_once(context, project, error)).ok()?;
    let decisions = journal::decisions(lines);
    let due = journal::due(&decisions, today(context));
    due.first().map(|first| DueReviews { first: (*first).clone(), count: due.len() })
}

fn say_unread_once(context: &Context<'_>, project: &Project, error: Error) {
    if !context.machine.has_shown("journal-unread", project)
        && context.machine.remember_shown("journal-unread", project)
    {
        context.add_note(Note::JournalUnread(error));
    }
}

/// Counts how often each confidence was right in this project.
pub fn calibration(
    context: &Context<'_>,
    session: Option<&Session>,
    scope: Scope,
) -> Result<Calibration> {
    let lines = lines(context, session, scope)?;
    Ok(Calibration::from_decisions(&journal::decisions(lines)))
}

/// Text of the last synthesis.
fn synthesis(state: &StateFile) -> Option<String> {
    let entries = transcript::parse(&state.body);
    entries.synthesis().map(|entry| entries.block_text(entry).to_owned())
}

/// The decision with this id, or the only one with an id that begins with it.
fn journaled(store: &Store, wanted: &str) -> Result<Option<Decision>> {
    let mut found = journal::decisions(store.all_decisions()?);
    found.retain(|decision| decision.id.starts_with(wanted));
    let whole = found.iter().position(|decision| decision.id == wanted);
    let at = whole.or((found.len() == 1).then_some(0));
    Ok(at.map(|at| found.swap_remove(at)))
}
