//! What workers write: each files the slot of its task and nothing else, whoever leads the debate.

use super::filing::unfiled_name;
use super::request::{Answered, answer};
use super::tasks::{answered, take_over_retries};
use super::worker::{Ticket, WORKER_WAIT, can_be_led, is_valid, worker_session};
use super::{Aside, Completed, Engine, Session, Stopped, Submitted, no_debate};
use crate::debate::MAX_RETRIES;
use crate::error::{Error, Result};
use crate::state::{Change, Claim, Claims, Loaded, Locked, MAX_STRAY, StateFile};
use crate::tasks::Place;
use crate::text::clean;

/// What became of a worker's reply.
#[derive(Debug)]
pub enum TaskSubmitted {
    /// It is filed, or asked for again, as any other.
    Filed(Submitted),
    /// It is kept until the replies before it are filed.
    Kept,
    /// It is not usable as it is, and is asked for once more.
    AskedAgain(String),
    /// Its holder was not asked for it yet, and still holds the task.
    Early,
    /// It had its chances; the task is free again.
    Failed(String),
    /// The task is not this worker's any more, or the debate has moved on. The reply is in the archive, once.
    Late,
}

impl Engine<'_> {
    /// Files what a worker wrote, if the task still is its own and the debate still waits for that.
    pub fn submit_task(&self, ticket: &Ticket, text: &str) -> Result<TaskSubmitted, Stopped> {
        let store = self.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let loaded = locked.load()?.filter(|loaded| !loaded.is_lost);
        let Some(Loaded { mut state, repair, .. }) = loaded else { return Err(no_debate(&store).into()) };
        let mut claims = locked.claims(&ticket.id)?;
        let is_this = state.debate.id == ticket.id && state.debate.progress.status.is_unfinished();
        let claim = claims.on(&ticket.task).filter(|_| is_this && is_valid(&claims, ticket)).cloned();
        let Some(claim) = claim else { return self.too_late(&locked, &mut state, &mut claims, ticket, text) };
        if claim.received_at.is_some() {
            return Ok(TaskSubmitted::Kept);
        }
        let tasks = self.tasks_of(&store, &state, &claims);
        let task = tasks.iter().find(|task| task.id == ticket.task);
        if claim.answers.is_empty() {
            return Ok(TaskSubmitted::Early);
        }
        let task = task.filter(|task| task.is_ready);
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        let is_asked = |place: &Place| !is_edited && answered(&state, *place) == claim.answers;
        let Some(place) = task.map(|task| task.place).filter(is_asked) else {
            return self.too_late(&locked, &mut state, &mut claims, ticket, text);
        };
        if place == Place::of(&state.debate) {
            let mut submitted = self.file_task(&locked, state, claims, &claim, text)?;
            drop(locked);
            self.report_on_submitted(&store, &mut submitted);
            return Ok(TaskSubmitted::Filed(submitted));
        }
        let mut beside = place.standing(&state);
        take_over_retries(&mut beside, &claim);
        let again = match answer(&mut beside, text, self.world.now) {
            Answered::Judged { .. } | Answered::Next { .. } | Answered::Synthesis(..) => {
                locked.keep_claimed_reply(&ticket.id, claim.generation, text)?;
                if let Some(claim) = claims.on_mut(&ticket.task) {
                    claim.receive(text, self.world.now);
                }
                locked.keep_claims(&ticket.id, &claims)?;
                return Ok(TaskSubmitted::Kept);
            }
            Answered::Again { why, .. } => why,
            Answered::Failed => beside.debate.progress.status_detail.clone(),
        };
        self.keep_aside(&locked, &state, text, Aside::AskedAgain)?;
        let Some(kept) = claims.on_mut(&ticket.task) else { return Ok(TaskSubmitted::Late) };
        kept.form_retry = beside.debate.progress.form_retry;
        kept.retries = kept.retries.saturating_add(1);
        let has_failed = kept.retries > MAX_RETRIES;
        if has_failed {
            claims.release(&ticket.task);
        }
        locked.keep_claims(&ticket.id, &claims)?;
        Ok(if has_failed { TaskSubmitted::Failed(again) } else { TaskSubmitted::AskedAgain(again) })
    }

    /// Files the reply that is next.
    fn file_task(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        mut claims: Claims,
        claim: &Claim,
        text: &str,
    ) -> Result<Submitted, Stopped> {
        let id = state.debate.id.clone();
        let mut submitted = self.file_submitted(locked, &mut state, text, &worker_session(claim))?;
        match &submitted {
            Submitted::AskedAgain { .. } => {
                if let Some(claim) = claims.on_mut(&claim.task) {
                    claim.answers = answered(&state, Place::of(&state.debate));
                }
            }
            Submitted::Advanced { .. } | Submitted::Waits(..) => {
                claims.release(&claim.task);
                if let Some(completed) = self.file_kept(locked, &mut state, &mut claims)? {
                    submitted = Submitted::Completed(completed);
                } else if matches!(submitted, Submitted::Advanced { .. }) {
                    self.give_back(locked, &mut state, &mut claims, claim)?;
                }
            }
            Submitted::Failed(_) | Submitted::Completed(_) | Submitted::Stale => {
                claims.release(&claim.task);
            }
        }
        locked.keep_claims(&id, &claims)?;
        Ok(submitted)
    }

    /// The conversation that waited for this reply goes on, or waits for who holds the next one.
    fn give_back(&self, locked: &Locked<'_>, state: &mut StateFile, claims: &mut Claims, done: &Claim) -> Result<()> {
        let worker = worker_session(done);
        let Some(session) = done.handed_by.as_ref().filter(|_| state.debate.is_owned_by(&worker.id)) else {
            return Ok(());
        };
        if !state.debate.is_active() {
            return Ok(());
        }
        let next = Place::of(&state.debate).id(state.debate.progress.cycle);
        if let Some(claim) = claims.on_mut(&next).filter(|claim| can_be_led(claim)) {
            claim.handed_by = Some(session.clone());
            let session = Session { for_client: self.for_client_of(&worker), ..worker_session(claim) };
            state.debate.claim(&session.id, None, self.world.now);
            self.remember(&session, locked.project());
        } else {
            state.debate.pause(format!("{} has answered", clean(&done.worker, 60)), self.world.now);
            state.debate.assign_to(Some(session.clone()));
        }
        self.commit(locked, state, &Change::Pause)
    }

    /// The reply goes to the archive, once for each token that was given out. A conversation that waited for it goes on by itself.
    fn too_late(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        claims: &mut Claims,
        ticket: &Ticket,
        text: &str,
    ) -> Result<TaskSubmitted, Stopped> {
        let released = if is_valid(claims, ticket) { claims.release(&ticket.task) } else { None };
        let is_new = if claims.spend(&ticket.token) {
            locked.find_in_archive(&unfiled_name(state), text.as_bytes()).is_none()
        } else {
            claims.note_stray(text).ok_or_else(stray)?
        };
        if is_new {
            self.keep_aside(locked, state, text, Aside::Late)?;
        }
        locked.keep_claims(&ticket.id, claims)?;
        if let Some(claim) = released
            && state.debate.id == ticket.id
            && state.debate.is_active()
            && state.debate.is_owned_by(&worker_session(&claim).id)
        {
            let why = format!("it was changed while {} wrote", clean(&claim.worker, 60));
            state.debate.pause(why, self.world.now);
            state.debate.assign_to(claim.handed_by);
            self.commit(locked, state, &Change::Pause)?;
        }
        Ok(TaskSubmitted::Late)
    }

    /// Files the replies that workers wrote ahead, as far as their places have come. `Some`: the debate is complete.
    pub(super) fn file_kept(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        claims: &mut Claims,
    ) -> Result<Option<Box<Completed>>> {
        let id = state.debate.id.clone();
        while state.debate.progress.status.is_unfinished() {
            let place = Place::of(&state.debate);
            let task = place.id(state.debate.progress.cycle);
            let Some(claim) = claims.on(&task).filter(|claim| claim.is_received()).cloned() else { break };
            // One to another state of the debate was written for that.
            let is_asked = answered(state, place) == claim.answers;
            let text = locked.claimed_reply(&id, &claim)?.filter(|_| is_asked);
            if claim.form_retry {
                state.debate.retry_for_form();
            }
            let submitted = text.map(|text| {
                let submitted = self.file_submitted(locked, state, &text, &worker_session(&claim))?;
                Ok::<_, Error>((submitted, text))
            });
            claims.release(&task);
            let completed = match submitted.transpose()? {
                Some((Submitted::Completed(completed), _)) => Some(completed),
                // It was taken once already; what stands before it now is the same. Somebody writes another one.
                Some((Submitted::AskedAgain { .. } | Submitted::Failed(_), text)) => {
                    self.keep_aside(locked, state, &text, Aside::AskedAgain)?;
                    None
                }
                Some((Submitted::Advanced { .. } | Submitted::Waits(..) | Submitted::Stale, _)) | None => None,
            };
            locked.keep_claims(&id, claims)?;
            locked.forget_claimed_reply(&id, claim.generation);
            if completed.is_some() {
                return Ok(completed);
            }
        }
        Ok(None)
    }

    /// True where a worker has written the reply that is next already. Most debates have no workers.
    pub(super) fn has_kept_reply(locked: &Locked<'_>, state: &StateFile) -> bool {
        let task = Place::of(&state.debate).id(state.debate.progress.cycle);
        let claims = locked.claims(&state.debate.id).unwrap_or_default();
        claims.on(&task).is_some_and(Claim::is_received)
    }

    /// Files what workers have written ahead. `Some`: the debate is complete.
    pub(super) fn file_kept_replies(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
    ) -> Result<Option<Box<Completed>>> {
        let mut claims = locked.claims(&state.debate.id)?;
        self.file_kept(locked, state, &mut claims)
    }
}

/// What comes with a token that nobody gave out is a guess, and may come without end.
fn stray() -> Error {
    Error::usage(
        format!("nobody gave that token out; {MAX_STRAY} texts with such tokens are kept, and this one is not"),
        "claim a task, and copy its token whole",
    )
}
