//! Takes the reply to a claimed task: saves it with all that are due after it, keeps an early one,
//! and puts a late one aside.

use super::claim::{LOCK_WAIT, end, is_driven, open_attempt, retries, state_at};
use super::due::{note_submitted, save_due};
use super::list::{is_due, tasks_of};
use super::ticket::Ticket;
use crate::filing::Interpretation;
use crate::ownership::{HeldDebate, lock_any};
use crate::programs::{accept_form, answer, answered, reply_of, save_reply};
use crate::{Aside, Context, ReplyOutcome, Stopped, no_debate, programs};
use anvil_core::attempt::{EndedLine, Exit, FailureKind, ReturnedLine};
use anvil_core::ledger::block_of;
use anvil_core::limits::MAX_RETRIES;
use anvil_core::place::Place;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::{self, EntryKind, NoteKind, count_words};
use anvil_store::{Attempt, AttemptEvent, AttemptRecord, StateFile, digest};
use anvil_text::error::Result;

/// Takes the reply to a claimed task, if the debate still waits for it.
pub fn submit(
    context: &Context<'_>,
    ticket: &Ticket,
    written: WrittenReply<'_>,
) -> Result<ReplyOutcome, Stopped> {
    let mut store = context.selected_store(None);
    let held = lock_any(context, &mut store, LOCK_WAIT)?.filter(|held| !held.is_lost);
    let Some(mut held) = held else { return Err(no_debate(&store).into()) };
    let record = AttemptRecord::new(held.locked.store(), &held.state.debate.id);
    let attempts = record.read()?;
    let debate = &held.state.debate;
    let is_this = debate.id == ticket.id
        && debate.status().is_unfinished()
        && !is_driven(context, debate)
        && !held.is_edited();
    let attempt = open_attempt(&held.state, &attempts, ticket).filter(|_| is_this);
    let tasks = tasks_of(context, held.locked.store(), &held.state, &attempts);
    let task = tasks.iter().find(|task| task.id == ticket.task && task.is_ready);
    let (Some(attempt), Some(task)) = (attempt, task) else {
        let known = ticket.attempt_of(&attempts);
        // The answer to the first call did not arrive.
        let again = known.filter(|known| has_reply(known, written.text));
        if again.is_some_and(|kept| is_due(&held.state, kept)) {
            return Ok(ReplyOutcome::Kept);
        }
        if again.is_some_and(|saved| saved.is_submitted) && has_words(&held.state, written) {
            return Ok(ReplyOutcome::SavedBefore);
        }
        return Ok(refuse_late(&held, &record, known, written.text)?);
    };
    let author = attempt.author();
    let written = WrittenReply { author: written.author.or(Some(&author)), ..written };
    let claim = ClaimUnderLock { held: &mut held, record: &record, attempt };
    if task.place != claim.held.state.debate.next_place() {
        return Ok(claim.keep_early(task.place, written)?);
    }
    let outcome = claim.save(written)?;
    drop(held);
    Ok(programs::with_reports(context, &mut store, outcome))
}

/// True if the debate has these words. After an undo it has lost those that were saved.
fn has_words(state: &StateFile, written: WrittenReply<'_>) -> bool {
    let words = reply_of(state, written).whole().0;
    let block = block_of(&words);
    transcript::parse(&state.body).0.iter().any(|entry| match entry.what {
        EntryKind::Note(NoteKind::VerdictBlock) => block.as_ref() == Some(&entry.text),
        _ => entry.text == words,
    })
}

/// True if the attempt ended with this text.
fn has_reply(attempt: &Attempt, text: &str) -> bool {
    let reply = attempt.ended.as_ref().and_then(|ended| ended.reply.as_ref());
    reply.is_some_and(|reply| *reply == digest(text.as_bytes()))
}

/// An open claim, under the lock of its debate.
struct ClaimUnderLock<'h, 's> {
    held: &'h mut HeldDebate<'s>,
    record: &'h AttemptRecord,
    attempt: &'h Attempt,
}

impl ClaimUnderLock<'_, '_> {
    /// Saves the debate's next reply, and the kept ones after it.
    fn save(self, written: WrittenReply<'_>) -> Result<ReplyOutcome> {
        let outcome = save_reply(self.held, written, None)?;
        match &outcome {
            ReplyOutcome::Again { .. } | ReplyOutcome::BlockAgain { .. } => {
                let next = self.held.state.debate.next_place();
                self.give_back(&self.held.state, next)?;
            }
            ReplyOutcome::Failed(debate) => self.fail(&debate.why_stopped())?,
            _ => {
                self.end(written.text)?;
                note_submitted(self.held, self.record, self.attempt)?;
            }
        }
        if matches!(outcome, ReplyOutcome::Saved { .. } | ReplyOutcome::Waits { .. })
            && let Some(completed) = save_due(self.held)?
        {
            return Ok(ReplyOutcome::Completed(completed));
        }
        Ok(outcome)
    }

    /// Keeps a reply until the replies before it are saved.
    fn keep_early(self, place: Place, written: WrittenReply<'_>) -> Result<ReplyOutcome> {
        let mut state = state_at(&self.held.state, place, retries(self.attempt));
        let now = self.held.context.world.now;
        let note = accept_form(&state, written, now);
        self.held.context.add_notes(note);
        let why = match answer(&mut state, written, now) {
            Interpretation::Next { .. }
            | Interpretation::Block { .. }
            | Interpretation::Synthesis(..) => {
                self.end(written.text)?;
                return Ok(ReplyOutcome::Kept);
            }
            Interpretation::Again(why, _) => why,
            Interpretation::NoMore(_) | Interpretation::Unreadable => {
                let why = state.debate.why_stopped();
                self.held.put_aside(written.text, None)?;
                self.fail(&why)?;
                return Ok(ReplyOutcome::GivenUp(why));
            }
        };
        self.held.put_aside(written.text, None)?;
        self.give_back(&state, place)?;
        Ok(ReplyOutcome::Again { why, cue: None })
    }

    /// Notes that the reply has to be written again, with the same token.
    fn give_back(&self, state: &StateFile, place: Place) -> Result<()> {
        let (before, _) = retries(self.attempt);
        self.record.note(AttemptEvent::Returned(ReturnedLine {
            attempt: self.attempt.started.attempt,
            at: self.held.context.world.now,
            generation: answered(&self.held.state, place),
            retries: before.saturating_add(1).min(MAX_RETRIES),
            form_retry: state.debate.form_retry(),
        }))
    }

    /// Keeps the reply, and notes that it came.
    fn end(&self, text: &str) -> Result<()> {
        self.record.keep_reply(self.attempt.started.attempt, text)?;
        let ended = self.ended();
        self.record.note(AttemptEvent::Ended(EndedLine {
            exit: Exit { bytes: text.len() as u64, ..ended.exit },
            words: count_words(text),
            reply: Some(digest(text.as_bytes())),
            ..ended
        }))
    }

    /// Notes that the claim had its last try.
    fn fail(&self, why: &str) -> Result<()> {
        let error = Some(FailureKind::Misshapen);
        let message = why.to_owned();
        self.record.note(AttemptEvent::Ended(EndedLine { error, message, ..self.ended() }))
    }

    fn ended(&self) -> EndedLine {
        let now = self.held.context.world.now;
        let took = now.duration_since(self.attempt.started.at);
        EndedLine {
            attempt: self.attempt.started.attempt,
            at: now,
            exit: Exit {
                duration_ms: u64::try_from(took.as_millis()).unwrap_or(0),
                ..Exit::default()
            },
            ..EndedLine::default()
        }
    }
}

/// Puts a late reply aside, once for each claim; of texts without a good token the last few.
fn refuse_late(
    held: &HeldDebate<'_>,
    record: &AttemptRecord,
    known: Option<&Attempt>,
    text: &str,
) -> Result<ReplyOutcome> {
    if let Some(stale) = known.filter(|attempt| attempt.ended.is_none()) {
        end(record, stale, "the debate has moved on")?;
    }
    if text.trim().is_empty() || held.is_aside(text) {
        // Nothing to save, or saved before.
    } else if let Some(late) =
        known.filter(|attempt| !attempt.is_submitted && !attempt.is_received())
    {
        held.put_aside(text, Some(Aside::Late))?;
        note_submitted(held, record, late)?;
    } else {
        held.put_stray_aside(text)?;
    }
    Ok(ReplyOutcome::Late)
}
