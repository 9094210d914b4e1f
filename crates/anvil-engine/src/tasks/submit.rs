//! Takes the reply to a claimed task: saves it with all that are due after it, keeps an early one,
//! and puts a late one aside.

use super::claim::{LOCK_WAIT, end, open_attempt, retries, state_at};
use super::due::{note_submitted, save_due};
use super::list::{is_due, next_reply, tasks_of, writer};
use super::ticket::Ticket;
use crate::filing::{Filed, Interpretation, file_reply, wrong_block};
use crate::lookup::LookupError;
use crate::ownership::{HeldDebate, lock_any};
use crate::programs::{answer, answer_generation, reply_of};
use crate::{Aside, Context, Stopped, no_debate};
use anvil_core::attempt::{EndedLine, Exit, FailureKind, Generation, ReturnedLine};
use anvil_core::debate::Status;
use anvil_core::ledger::block_of;
use anvil_core::limits::MAX_RETRIES;
use anvil_core::place::Place;
use anvil_core::reply::WrittenReply;
use anvil_core::transcript::{self, EntryKind, NoteKind, count_words};
use anvil_store::{Attempt, AttemptEvent, AttemptRecord, StateFile, digest};
use anvil_text::error::{Error, Result};
use jiff::Timestamp;

/// What the reply to a claimed task did.
#[derive(Debug)]
pub enum Submitted {
    /// It was the reply to the next place.
    Filed(Filed),
    /// It is kept until the replies before it are saved.
    Kept,
    /// It was saved before, with the same claim.
    SavedBefore,
    /// It is not usable, for this reason, and its claim has no retry left. The task is free again.
    GivenUp(String),
    /// The debate has moved on, or another holder has the task. It is put aside, once.
    Late,
}

/// Takes the reply to a claimed task, if the debate still waits for it.
pub fn submit(
    context: &Context<'_>,
    ticket: &Ticket,
    written: WrittenReply<'_>,
) -> Result<Submitted, Stopped> {
    let mut store = context.selected_store(None);
    let held = lock_any(context, &mut store, LOCK_WAIT)?.filter(|held| !held.is_lost);
    let Some(held) = held else { return Err(no_debate(&store).into()) };
    let record = AttemptRecord::new(held.transaction.store(), &held.state.debate.id);
    let attempts = record.read()?;
    let debate = &held.state.debate;
    if debate.id == ticket.id && debate.status() == Status::Cancelled {
        let cancelled = LookupError::Cancelled { id: debate.id.clone() };
        let known = ticket.attempt_of(&attempts);
        refuse_late(held, &record, known, written.text)?;
        return Err(Error::from(cancelled).into());
    }
    let is_this = debate.id == ticket.id
        && debate.status().is_unfinished()
        && writer(context, &held.state, &attempts).is_none()
        && !held.is_edited();
    let attempt = open_attempt(&held.state, &attempts, ticket).filter(|_| is_this);
    let next = next_reply(context, &held.state, &attempts);
    let tasks = tasks_of(held.transaction.store(), &held.state, &attempts, &next);
    let task = tasks.iter().find(|task| task.id == ticket.task && task.is_ready);
    let (Some(attempt), Some(task)) = (attempt, task) else {
        let known = ticket.attempt_of(&attempts);
        // The answer to the first call did not arrive.
        if let Some(known) = known {
            let has_ended = has_reply(known, written.text);
            if has_ended && is_due(&held.state, known) {
                return Ok(Submitted::Kept);
            }
            if (has_ended || known.ended.is_none()) && has_words(&held.state, written) {
                let claim = OpenClaim { record: &record, attempt: known, now: context.world.now };
                claim.catch_up(&held, written.text)?;
                return Ok(Submitted::SavedBefore);
            }
        }
        return Ok(refuse_late(held, &record, known, written.text)?);
    };
    // The answer that asked for the block did not arrive: the same words are no other block.
    if held.state.debate.awaits_block()
        && task.place == held.state.debate.next_place()
        && has_words(&held.state, written)
    {
        return Ok(Submitted::Filed(Filed::BlockAgain(wrong_block(&held.state))));
    }
    let author = attempt.author();
    let written = WrittenReply { author: written.author.or(Some(&author)), ..written };
    let claim = OpenClaim { record: &record, attempt, now: context.world.now };
    if task.place == held.state.debate.next_place() {
        Ok(Submitted::Filed(claim.file(held, written)?))
    } else {
        Ok(claim.keep_early(held, task.place, written)?)
    }
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

/// An open claim, while its debate is locked.
struct OpenClaim<'a> {
    record: &'a AttemptRecord,
    attempt: &'a Attempt,
    now: Timestamp,
}

impl OpenClaim<'_> {
    /// Files the debate's next reply, and the kept ones after it.
    fn file(&self, held: HeldDebate<'_>, written: WrittenReply<'_>) -> Result<Filed> {
        let (held, filed) = file_reply(held, written, None)?;
        match filed {
            Filed::Again(_) | Filed::BlockAgain(_) => {
                let next = answer_generation(&held.state, held.state.debate.next_place());
                self.give_back(next, held.state.debate.form_retry())?;
                Ok(filed)
            }
            Filed::Failed(debate) => {
                self.fail(&debate.why_stopped())?;
                Ok(Filed::Failed(debate))
            }
            Filed::Completed(completed) => {
                self.end_saved(&held, written.text)?;
                Ok(Filed::Completed(held.write_reports(completed)))
            }
            Filed::Saved { .. } | Filed::Waits(..) => {
                self.end_saved(&held, written.text)?;
                let (held, completed) = save_due(held)?;
                Ok(completed
                    .map_or(filed, |completed| Filed::Completed(held.write_reports(completed))))
            }
        }
    }

    /// Keeps a reply until the replies before it are saved.
    fn keep_early(
        &self,
        mut held: HeldDebate<'_>,
        place: Place,
        written: WrittenReply<'_>,
    ) -> Result<Submitted> {
        let mut state = state_at(&held.state, place, retries(self.attempt));
        match answer(&mut state, written, self.now) {
            Interpretation::Next { .. }
            | Interpretation::Block { .. }
            | Interpretation::Synthesis { .. } => {
                self.end(written.text)?;
                Ok(Submitted::Kept)
            }
            Interpretation::Again(why, _) => {
                held.put_aside(written.text, None)?;
                self.give_back(answer_generation(&held.state, place), state.debate.form_retry())?;
                Ok(Submitted::Filed(Filed::Again(why)))
            }
            Interpretation::NoMore(_) => {
                let why = state.debate.why_stopped();
                held.put_aside(written.text, None)?;
                self.fail(&why)?;
                Ok(Submitted::GivenUp(why))
            }
        }
    }

    /// Notes that the reply has to be written again, with the same token.
    fn give_back(&self, generation: Generation, form_retry: bool) -> Result<()> {
        let (before, _) = retries(self.attempt);
        self.record.note(AttemptEvent::Returned(ReturnedLine {
            attempt: self.attempt.started.attempt,
            at: self.now,
            generation,
            retries: before.saturating_add(1).min(MAX_RETRIES),
            form_retry,
        }))
    }

    /// Keeps the reply, and notes that the debate has it.
    fn end_saved(&self, held: &HeldDebate<'_>, text: &str) -> Result<()> {
        self.end(text)?;
        note_submitted(held, self.record, self.attempt)
    }

    /// Notes what a process did not note that died after it had saved this reply.
    fn catch_up(&self, held: &HeldDebate<'_>, text: &str) -> Result<()> {
        if self.attempt.ended.is_none() {
            self.end(text)?;
        }
        if self.attempt.is_submitted {
            return Ok(());
        }
        note_submitted(held, self.record, self.attempt)
    }

    /// Keeps the reply, and notes that it came.
    fn end(&self, text: &str) -> Result<()> {
        self.record.keep_reply(self.attempt.started.attempt, text)?;
        let ended = self.end_line();
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
        self.record.note(AttemptEvent::Ended(EndedLine { error, message, ..self.end_line() }))
    }

    fn end_line(&self) -> EndedLine {
        let took = self.now.duration_since(self.attempt.started.at);
        EndedLine {
            attempt: self.attempt.started.attempt,
            at: self.now,
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
    mut held: HeldDebate<'_>,
    record: &AttemptRecord,
    known: Option<&Attempt>,
    text: &str,
) -> Result<Submitted> {
    if let Some(stale) = known.filter(|attempt| attempt.ended.is_none()) {
        end(record, stale, held.context.world.now, "the debate has moved on")?;
    }
    if text.trim().is_empty() || held.is_aside(text) {
        // Nothing to save, or saved before.
    } else if let Some(late) =
        known.filter(|attempt| !attempt.is_submitted && !attempt.is_received())
    {
        held.put_aside(text, Some(Aside::Late))?;
        note_submitted(&held, record, late)?;
    } else {
        held.put_stray_aside(text)?;
    }
    Ok(Submitted::Late)
}
