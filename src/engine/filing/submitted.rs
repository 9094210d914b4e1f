//! Saves replies, puts those without a place into the archive, and completes a debate.

use super::reading::reading;
use super::reply::{Filed, file};
use crate::domain::debate::{Debate, Stop};
use crate::domain::ledger::Ledger;
use crate::domain::reply::Reply;
use crate::domain::transcript;
use crate::engine::history::History;
use crate::engine::reports::completed::Completed;
use crate::engine::{Aside, Context, Note, Session};
use crate::error::Result;
use crate::seats::prompt::Why;
use crate::storage::{Change, Locked, Repair, StateFile};

/// The result of a reply that a program or a worker has submitted.
#[derive(Debug)]
pub enum Submitted {
    /// The reply is saved; another seat is next.
    Advanced {
        /// The reply's round has settled the argument.
        is_settled: bool,
    },
    /// The reply is not usable as it is, for this reason; the same seat is asked once more.
    AskedAgain(String),
    /// The reply is saved, and the debate waits for the user, as its options require.
    Waits(Box<Debate>, Stop),
    /// The seat has no retry left, and the debate has failed.
    Failed(Box<Debate>),
    /// The reply is the synthesis.
    Completed(Box<Completed>),
    /// The result of a check, a line for each claim. Without a line, the claims stay unchecked.
    Checked(Vec<String>),
    /// The reply is kept until the replies before it are saved.
    Kept,
    /// The worker has not received the request yet. It still holds the task.
    Early,
    /// The reply is not usable, for this reason, and its worker has no retry left. The task is free
    /// again.
    GivenUp(String),
    /// The debate has moved on, or the worker no longer holds the task. The reply is in the
    /// archive, once.
    Late,
}

/// Why a debate waits between two phases, for the user.
pub(crate) fn why_at(stop: Stop) -> &'static str {
    match stop {
        Stop::Steering => "it waits for your direction",
        Stop::Boundary => "a boundary between two phases",
    }
}

/// True if the file was edited so that a reply to the state before does not fit it.
pub(crate) fn is_edited(repair: Option<&Repair>) -> bool {
    repair.is_some_and(|repair| repair.moved || repair.asks_anew)
}

/// True for a reply to a phase that no longer waits. The time of a damaged file may differ between
/// two reads without a change to the file, so such a file never makes a reply late.
pub(crate) fn is_for_an_earlier_phase(
    reply: &Reply,
    state: &StateFile,
    repair: Option<&Repair>,
) -> bool {
    !repair.is_some_and(|repair| repair.damaged)
        && reply.asked_at != state.debate.progress.updated_at
}

/// The name in the archive of a reply that has no place in the transcript.
pub(crate) fn unfiled_name(state: &StateFile) -> String {
    format!("{}-unfiled", state.debate.id)
}

/// Applies a reply of a conversation to the state. Notes that its beginning is missing, which is
/// true even if the state then can't be written.
pub(crate) fn file_noted(
    context: &Context<'_>,
    locked: &Locked<'_>,
    state: &mut StateFile,
    reply: &Reply,
) -> Filed {
    let filed = file(state, reply, reading(reply, locked.project()), context.world.now);
    let is_filed = matches!(filed, Filed::Next { words: 1.., .. } | Filed::Synthesis(..));
    if is_filed && reply.beginning_missing {
        context.add_note(Note::BeginningMissing);
    }
    filed
}

/// Saves a reply that no Stop could save: the lock was held, the disk was full, or the hook was
/// killed. The reply is still in the client's transcript. `Some`: it was the synthesis.
pub(crate) fn catch_up(
    context: &Context<'_>,
    locked: &Locked<'_>,
    state: &mut StateFile,
    repair: Option<&Repair>,
    session: &Session,
    unfiled: Option<Reply>,
) -> Result<Option<Box<Completed>>> {
    let debate = &state.debate;
    let waits = debate.is_active() && debate.is_owned_by(&session.id) && !is_edited(repair);
    let is_reply = |reply: &Reply| waits && !is_for_an_earlier_phase(reply, state, repair);
    let Some(reply) = unfiled.filter(is_reply) else { return Ok(None) };
    let reply = reply.in_order(|| transcript::last_text(&state.body));
    let mut next = state.clone();
    match file_noted(context, locked, &mut next, &reply) {
        Filed::Next { slot, words, .. } if words > 0 => {
            context.commit(locked, &next, &Change::Advance { filed: slot, words })?;
            context.add_note(Note::FiledLate { slot, words });
        }
        Filed::Synthesis(text, ledger) => {
            *state = next;
            return complete(context, locked, state, &text, *ledger, session).map(Some);
        }
        // The seat is asked once more, as the Stop would have done.
        Filed::Again(Why::Unnumbered(_) | Why::Incomplete(_), text) => {
            keep_aside(context, locked, state, &text, Some(Aside::OutOfForm))?;
        }
        Filed::Next { .. } | Filed::Again(..) | Filed::Unreadable | Filed::NoMore => {
            return Ok(None);
        }
    }
    *state = next;
    Ok(None)
}

/// Keeps a reply in the archive that has no place in the transcript. `why`: the reason in the note;
/// `None` adds no note, because the seat is asked once more.
pub(crate) fn keep_aside(
    context: &Context<'_>,
    locked: &Locked<'_>,
    state: &StateFile,
    text: &str,
    why: Option<Aside>,
) -> Result<()> {
    if !text.is_empty() {
        let kept = locked.write_to_archive(&unfiled_name(state), text)?;
        if let Some(why) = why {
            context.add_note(Note::KeptAside { why, file: locked.project().display(&kept) });
        }
    }
    Ok(())
}

/// Commits a debate with its new synthesis. `Reports::with_reports` writes its reports when the lock
/// is free again.
pub(crate) fn complete(
    context: &Context<'_>,
    locked: &Locked<'_>,
    state: &StateFile,
    synthesis: &str,
    ledger: Ledger,
    session: &Session,
) -> Result<Box<Completed>> {
    // The reports may not take the space that the state needs. If this process dies in between,
    // they are due.
    History::new(context).note_review(locked, &state.debate, synthesis);
    locked.note_reports_due(&state.debate.id);
    let words = transcript::count_words(synthesis);
    context.commit(locked, state, &Change::Complete { words })?;
    context.machine.forget(&session.id);
    Ok(Box::new(Completed::of(&state.debate, locked.project(), synthesis, ledger)))
}
