//! The day on which a recommendation is reviewed: its line in the journal, and the reviews that are
//! due when a session starts.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::{Context, Note};
use anvil_core::debate::Debate;
use anvil_core::journal::{self, Decision, Line, Review};
use anvil_core::ledger::{Standing, VerdictWord};
use anvil_store::{Project, Store};
use anvil_text::Hint;
use anvil_text::error::{Error, Failure, Kind, Result};

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

/// Saves the review day of a debate that is about to be completed, if its options name one. The
/// options keep the day too, so after a failure only the reminder is missing.
pub(crate) fn note_review(context: &Context<'_>, debate: &Debate, standing: &Standing) {
    let Some(day) = debate.options.review else { return };
    let line = Line { review: Some(day), ..line_for_debate(context, debate, standing) };
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
    let today = today(context);
    review.day(today).ok_or_else(|| {
        let given = match review {
            Review::On(day) => day.to_string(),
            Review::In(days) => format!("{days}d"),
        };
        PastDay { today, given }.into()
    })
}

#[derive(Debug, thiserror::Error)]
#[error("--review takes a day after today, which is {today} (UTC), not {given}")]
struct PastDay {
    today: Date,
    given: String,
}

impl Failure for PastDay {
    fn kind(&self) -> Kind {
        Kind::Usage
    }

    fn hint(&self) -> Hint {
        "name a later day, or a number of days such as 30d".into()
    }
}

/// The current day in UTC.
pub(crate) fn today(context: &Context<'_>) -> Date {
    context.world.now.to_zoned(TimeZone::UTC).date()
}

/// The due reviews for a session that starts. It reads nothing in a project without a debate,
/// and reports an error once.
pub(crate) fn reviews_found(context: &Context<'_>, store: &Store) -> Option<DueReviews> {
    let project = store.project();
    let read = context.machine.has_debates(project).then(|| store.decisions())?;
    let lines = read.map_err(|error| note_unread_once(context, project, error)).ok()?;
    let decisions = journal::decisions(lines);
    let due = journal::due(&decisions, today(context));
    due.first().map(|first| DueReviews { first: (*first).clone(), count: due.len() })
}

fn note_unread_once(context: &Context<'_>, project: &Project, error: Error) {
    if context.is_shown_first("journal-unread", project) {
        context.add_note(Note::JournalUnread(error));
    }
}

/// The journal line of a debate, without an outcome and a review. With `depends`, the confidence is
/// not that of a verdict.
pub(crate) fn line_for_debate(context: &Context<'_>, debate: &Debate, standing: &Standing) -> Line {
    let question = anvil_text::clean(&debate.question, QUESTION_CHARS);
    let verdict = standing.verdict().filter(|verdict| verdict.word != VerdictWord::Depends);
    let confidence = verdict.and_then(|verdict| verdict.confidence);
    new_line(context, debate.id.clone(), question, confidence)
}

pub(crate) fn new_line(
    context: &Context<'_>,
    id: String,
    question: String,
    confidence: Option<u8>,
) -> Line {
    let at = context.world.now;
    Line { at, id, question, confidence, outcome: None, note: None, review: None }
}
