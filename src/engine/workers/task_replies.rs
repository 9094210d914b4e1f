//! Replies of workers. Each worker saves only the reply to its task, whether a conversation or a
//! run leads the debate.

use super::Workers;
use super::tasks::take_over_retries;
use super::worker::{Ticket, WORKER_WAIT, can_be_led, is_valid, waits_for, worker_session};
use crate::domain::debate::MAX_RETRIES;
use crate::domain::tasks::Place;
use crate::engine::filing::reply::{Filed, reason};
use crate::engine::filing::submitted::{is_edited, keep_aside, unfiled_name};
use crate::engine::ownership::owner::remember;
use crate::engine::programs::Programs;
use crate::engine::programs::request::{answer, answered};
use crate::engine::{Aside, Completed, Session, Stopped, Submitted, no_debate};
use crate::error::{Error, Result};
use crate::storage::{Change, Lease, Leases, Loaded, Locked, MAX_STRAY, StateFile};
use crate::text::clean;

impl Workers<'_> {
    /// Saves a worker's reply, if the worker still holds the task and the debate still waits for
    /// the reply.
    pub fn submit_task(&self, ticket: &Ticket, text: &str) -> Result<Submitted, Stopped> {
        let store = self.context.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let loaded = locked.load()?.filter(|loaded| !loaded.is_lost);
        let Some(Loaded { mut state, repair, .. }) = loaded else {
            return Err(no_debate(&store).into());
        };
        let mut leases = locked.leases(&ticket.id)?;
        let is_this = state.debate.id == ticket.id && state.debate.progress.status.is_unfinished();
        let lease =
            leases.on(&ticket.task).filter(|_| is_this && is_valid(&leases, ticket)).cloned();
        let Some(lease) = lease else {
            return self.too_late(&locked, &mut state, &mut leases, ticket, text);
        };
        if lease.received_at.is_some() {
            return Ok(Submitted::Kept);
        }
        let tasks = self.tasks_of(&store, &state, &leases);
        let task = tasks.iter().find(|task| task.id == ticket.task);
        if lease.answers.is_none() {
            return Ok(Submitted::Early);
        }
        let task = task.filter(|task| task.is_ready);
        let is_edited = is_edited(repair.as_ref());
        let is_asked =
            |place: &Place| !is_edited && Some(answered(&state, *place)) == lease.answers;
        let Some(place) = task.map(|task| task.place).filter(is_asked) else {
            return self.too_late(&locked, &mut state, &mut leases, ticket, text);
        };
        if place == Place::of(&state.debate) {
            let submitted = self.file_task(&locked, state, leases, &lease, text)?;
            drop(locked);
            return Ok(Programs::new(self.context).with_reports(&store, submitted));
        }
        let mut beside = state.clone();
        place.enter(&mut beside.debate);
        take_over_retries(&mut beside, &lease);
        let again = match answer(&mut beside, text, self.context.world.now) {
            Filed::Next { .. } | Filed::Synthesis(..) => {
                locked.keep_leased_reply(&ticket.id, lease.generation, text)?;
                if let Some(lease) = leases.on_mut(&ticket.task) {
                    lease.receive(text, self.context.world.now);
                }
                locked.keep_leases(&ticket.id, &leases)?;
                return Ok(Submitted::Kept);
            }
            Filed::Again(why, _) => reason(&why),
            Filed::NoMore | Filed::Unreadable => beside.debate.progress.status_detail.clone(),
        };
        keep_aside(self.context, &locked, &state, text, None)?;
        let Some(kept) = leases.on_mut(&ticket.task) else { return Ok(Submitted::Late) };
        kept.form_retry = beside.debate.progress.form_retry;
        kept.retries = kept.retries.saturating_add(1);
        let has_failed = kept.retries > MAX_RETRIES;
        if has_failed {
            leases.release(&ticket.task);
        }
        locked.keep_leases(&ticket.id, &leases)?;
        Ok(if has_failed { Submitted::GivenUp(again) } else { Submitted::AskedAgain(again) })
    }

    /// Saves the reply to the next place of the debate.
    fn file_task(
        &self,
        locked: &Locked<'_>,
        mut state: StateFile,
        mut leases: Leases,
        lease: &Lease,
        text: &str,
    ) -> Result<Submitted, Stopped> {
        let id = state.debate.id.clone();
        let mut submitted = Programs::new(self.context).file_submitted(
            locked,
            &mut state,
            text,
            &worker_session(lease),
        )?;
        if matches!(submitted, Submitted::AskedAgain(_)) {
            if let Some(lease) = leases.on_mut(&lease.task) {
                lease.answers = Some(answered(&state, Place::of(&state.debate)));
            }
        } else {
            leases.release(&lease.task);
        }
        let advances = matches!(submitted, Submitted::Advanced { .. });
        if advances || matches!(submitted, Submitted::Waits(..)) {
            if let Some(completed) = self.file_kept(locked, &mut state, &mut leases)? {
                submitted = Submitted::Completed(completed);
            } else if advances {
                self.give_back(locked, &mut state, &mut leases, lease)?;
            }
        }
        locked.keep_leases(&id, &leases)?;
        Ok(submitted)
    }

    /// Gives the debate back to the conversation that waited for this reply. If a worker holds the
    /// next reply, the conversation waits for that worker.
    fn give_back(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        leases: &mut Leases,
        done: &Lease,
    ) -> Result<()> {
        let worker = worker_session(done);
        let Some(session) =
            done.handed_by.as_ref().filter(|_| state.debate.is_owned_by(&worker.id))
        else {
            return Ok(());
        };
        if !state.debate.is_active() {
            return Ok(());
        }
        let next = Place::of(&state.debate).id(state.debate.progress.cycle);
        if let Some(lease) = leases.on_mut(&next).filter(|lease| can_be_led(lease)) {
            lease.handed_by = Some(session.clone());
            let session = Session {
                for_client: Programs::new(self.context).for_client_of(&worker),
                ..worker_session(lease)
            };
            state.debate.claim(&session.id, None, self.context.world.now);
            remember(self.context, &session, locked.project());
        } else {
            state
                .debate
                .pause(format!("{} has answered", clean(&done.worker, 60)), self.context.world.now);
            state.debate.assign_to(Some(session.clone()));
        }
        self.context.commit(locked, state, &Change::Pause)
    }

    /// Puts a late reply into the archive, once for each token that was given out. A conversation
    /// that waited for the reply goes on by itself.
    fn too_late(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        leases: &mut Leases,
        ticket: &Ticket,
        text: &str,
    ) -> Result<Submitted, Stopped> {
        let released = if is_valid(leases, ticket) { leases.release(&ticket.task) } else { None };
        let is_new = if leases.spend(&ticket.token) {
            locked.find_in_archive(&unfiled_name(state), text.as_bytes()).is_none()
        } else {
            leases.note_stray(text).ok_or_else(stray)?
        };
        if is_new {
            keep_aside(self.context, locked, state, text, Some(Aside::Late))?;
        }
        locked.keep_leases(&ticket.id, leases)?;
        if let Some(lease) = released
            && waits_for(&state.debate, &ticket.id, &lease)
        {
            let why = format!("it was changed while {} wrote", clean(&lease.worker, 60));
            state.debate.pause(why, self.context.world.now);
            state.debate.assign_to(lease.handed_by);
            self.context.commit(locked, state, &Change::Pause)?;
        }
        Ok(Submitted::Late)
    }

    /// Saves the replies that workers wrote ahead, up to the first place without one. `Some`: the
    /// debate is complete.
    pub(crate) fn file_kept(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        leases: &mut Leases,
    ) -> Result<Option<Box<Completed>>> {
        let id = state.debate.id.clone();
        while state.debate.progress.status.is_unfinished() {
            let place = Place::of(&state.debate);
            let task = place.id(state.debate.progress.cycle);
            let Some(lease) = leases.on(&task).filter(|lease| lease.is_received()).cloned() else {
                break;
            };
            // A reply to another state of the debate does not fit this one.
            let is_asked = Some(answered(state, place)) == lease.answers;
            let text = locked.leased_reply(&id, &lease)?.filter(|_| is_asked);
            if lease.form_retry {
                state.debate.retry_for_form();
            }
            leases.release(&task);
            let mut completed = None;
            if let Some(text) = text {
                let programs = Programs::new(self.context);
                let worker = worker_session(&lease);
                match programs.file_submitted(locked, state, &text, &worker)? {
                    Submitted::Completed(done) => completed = Some(done),
                    // The reply was accepted once, and the sections before it have not changed
                    // since. Another reply is written.
                    Submitted::AskedAgain(_) | Submitted::Failed(_) => {
                        keep_aside(self.context, locked, state, &text, None)?;
                    }
                    _ => {}
                }
            }
            locked.keep_leases(&id, leases)?;
            locked.forget_leased_reply(&id, lease.generation);
            if completed.is_some() {
                return Ok(completed);
            }
        }
        Ok(None)
    }

    /// True if a worker has already written the next reply. Most debates have no workers.
    pub(crate) fn has_kept_reply(locked: &Locked<'_>, state: &StateFile) -> bool {
        let task = Place::of(&state.debate).id(state.debate.progress.cycle);
        let leases = locked.leases(&state.debate.id).unwrap_or_default();
        leases.on(&task).is_some_and(Lease::is_received)
    }

    /// Like [`Self::file_kept`], and reads the leases first. `Some`: the debate is complete.
    pub(crate) fn file_kept_replies(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
    ) -> Result<Option<Box<Completed>>> {
        let mut leases = locked.leases(&state.debate.id)?;
        self.file_kept(locked, state, &mut leases)
    }
}

/// A token that was not given out is a guess. Texts with such tokens may come without end, so at
/// most [`MAX_STRAY`] are kept.
fn stray() -> Error {
    Error::usage(
        format!(
            "nobody gave that token out; {MAX_STRAY} texts with such tokens are kept, and this one is not"
        ),
        "claim a task, and copy its token whole",
    )
}
