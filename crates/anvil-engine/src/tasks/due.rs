//! Replies that are kept until the replies before them are saved.

use crate::Completed;
use crate::filing::{Filed, file_reply};
use crate::ownership::HeldDebate;
use crate::programs::{answer_generation, generation_of};
use anvil_core::attempt::SubmittedLine;
use anvil_core::reply::WrittenReply;
use anvil_store::{Attempt, AttemptEvent, AttemptRecord};
use anvil_text::error::Result;

/// Notes that the debate has got the reply of an attempt.
pub(super) fn note_submitted(
    held: &HeldDebate<'_>,
    record: &AttemptRecord,
    attempt: &Attempt,
) -> Result<()> {
    let attempt = attempt.started.attempt;
    let at = held.context.world.now;
    record.note(AttemptEvent::Submitted(SubmittedLine { attempt, at }))
}

/// True if a reply may be kept for the next place. Most debates of a conversation have none.
pub(crate) fn has_due(held: &HeldDebate<'_>) -> bool {
    let record = AttemptRecord::new(held.transaction.store(), &held.state.debate.id);
    record.has_attempts() && due(held, &record).is_ok_and(|due| due.is_some())
}

/// The received reply to the next place.
fn due(held: &HeldDebate<'_>, record: &AttemptRecord) -> Result<Option<Attempt>> {
    let place = held.state.debate.next_place();
    let answers = [answer_generation(&held.state, place), generation_of(&held.state.debate)];
    Ok(record.read()?.waiting(place.into(), &answers).cloned())
}

/// Saves the replies that are kept, up to the first place without one. `Some`: the debate is
/// complete.
pub(crate) fn save_due(
    mut held: HeldDebate<'_>,
) -> Result<(HeldDebate<'_>, Option<Box<Completed>>)> {
    let record = AttemptRecord::new(held.transaction.store(), &held.state.debate.id);
    while held.state.debate.status().is_unfinished() && record.has_attempts() {
        let Some(attempt) = due(&held, &record)? else { break };
        let Some(text) = record.reply(&attempt) else {
            note_submitted(&held, &record, &attempt)?;
            continue;
        };
        if attempt.returned.is_some_and(|returned| returned.form_retry) {
            held.state.debate.retry_for_form();
        }
        let author = attempt.author();
        let written = WrittenReply { author: Some(&author), ..text.as_str().into() };
        let filed;
        (held, filed) = file_reply(held, written, None)?;
        // The reply was accepted once, and the sections before it have changed since. Its seat
        // writes another one.
        if matches!(filed, Filed::Again(_) | Filed::Failed(_)) {
            held.put_aside(&text, None)?;
        }
        note_submitted(&held, &record, &attempt)?;
        if let Filed::Completed(completed) = filed {
            return Ok((held, Some(completed)));
        }
    }
    Ok((held, None))
}
