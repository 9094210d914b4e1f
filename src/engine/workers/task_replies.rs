//! Replies of workers. Each worker saves only the reply to its task, whether a conversation or a
//! run leads the debate.

use super::Workers;
use super::tasks::take_over_retries;
use super::worker::{Ticket, USER, WORKER_WAIT, can_be_led, is_valid, waits_for, worker_session};
use crate::domain::debate::MAX_RETRIES;
use crate::domain::reply::Written;
use crate::domain::tasks::Place;
use crate::domain::transcript::Author;
use crate::engine::filing::{Filed, reason};
use crate::engine::ownership::{HeldDebate, lock_any, remember};
use crate::engine::programs::{Programs, accept_form, answer, answered, file_submitted};
use crate::engine::{Aside, Completed, Session, Stopped, Submitted, no_debate};
use crate::error::Result;
use crate::storage::{Lease, Leases};
use crate::text::clean;

impl Workers<'_> {
    /// Saves a worker's reply, if the worker still holds the task and the debate still waits for
    /// the reply.
    pub fn submit_task(&self, ticket: &Ticket, written: Written<'_>) -> Result<Submitted, Stopped> {
        let text = written.text;
        let user = self.shell_author(ticket);
        let written = Written { author: written.author.or(user.as_ref()), ..written };
        let mut store = self.context.store_meant(None);
        let held = lock_any(self.context, &mut store, WORKER_WAIT)?.filter(|held| !held.is_lost);
        let Some(mut held) = held else { return Err(no_debate(&store).into()) };
        let debate = &held.state.debate;
        let mut leases = held.locked.leases(&ticket.id)?;
        let is_this = debate.id == ticket.id && debate.progress.status.is_unfinished();
        let lease =
            leases.on(&ticket.task).filter(|_| is_this && is_valid(&leases, ticket)).cloned();
        let Some(lease) = lease else {
            return Self::too_late(held, leases, ticket, text);
        };
        if lease.received_at.is_some() {
            return Ok(Submitted::Kept);
        }
        let tasks = self.tasks_of(held.locked.store(), &held.state, &leases);
        let task = tasks.iter().find(|task| task.id == ticket.task);
        if lease.answers.is_none() {
            return Ok(Submitted::Early);
        }
        let task = task.filter(|task| task.is_ready);
        let is_asked = |place: &Place| {
            !held.is_edited() && Some(answered(&held.state, *place)) == lease.answers
        };
        let Some(place) = task.map(|task| task.place).filter(is_asked) else {
            return Self::too_late(held, leases, ticket, text);
        };
        if place == Place::next(&held.state.debate) {
            let submitted = self.file_task(&mut held, leases, &lease, written)?;
            drop(held);
            return Ok(Programs { context: self.context }.with_reports(&mut store, submitted));
        }
        let mut beside = held.state.clone();
        place.enter(&mut beside.debate);
        take_over_retries(&mut beside, &lease);
        let now = self.context.world.now;
        let note = accept_form(&beside, written, now);
        let is_accepted = note.is_some();
        self.context.add_notes(note);
        let again = match answer(&mut beside, written, now) {
            Filed::Next { .. } | Filed::Block { .. } | Filed::Synthesis(..) => {
                held.locked.keep_leased_reply(&ticket.id, lease.generation, text)?;
                if let Some(lease) = leases.on_mut(&ticket.task) {
                    lease.form_retry |= is_accepted;
                    lease.receive(written, now);
                }
                held.locked.keep_leases(&ticket.id, &leases)?;
                return Ok(Submitted::Kept);
            }
            Filed::Again(why, _) => reason(&why),
            Filed::NoMore(_) | Filed::Unreadable => beside.debate.progress.status_detail.clone(),
        };
        held.keep_aside(text, None)?;
        let Some(kept) = leases.on_mut(&ticket.task) else { return Ok(Submitted::Late) };
        kept.form_retry = beside.debate.progress.form_retry;
        kept.retries = kept.retries.saturating_add(1);
        let has_failed = kept.retries > MAX_RETRIES;
        if has_failed {
            leases.release(&ticket.task);
        }
        held.locked.keep_leases(&ticket.id, &leases)?;
        Ok(if has_failed { Submitted::GivenUp(again) } else { Submitted::AskedAgain(again) })
    }

    /// Who writes a reply that is submitted in a shell: the name that its claim gives.
    fn shell_author(&self, ticket: &Ticket) -> Option<Author> {
        let leases = self.context.store_meant(None).leases(&ticket.id).ok()?;
        let lease = leases.on(&ticket.task).filter(|lease| lease.is_of_shell())?;
        Some(match lease.worker.as_str() {
            USER => Author::person(),
            name => Author::new(name, None, None),
        })
    }

    /// Saves the reply to the next place of the debate.
    fn file_task(
        &self,
        held: &mut HeldDebate<'_>,
        mut leases: Leases,
        lease: &Lease,
        written: Written<'_>,
    ) -> Result<Submitted> {
        let mut submitted = file_submitted(held, written, &worker_session(lease))?;
        if matches!(submitted, Submitted::AskedAgain(_) | Submitted::BlockAgain(_)) {
            if let Some(lease) = leases.on_mut(&lease.task) {
                lease.answers = Some(answered(&held.state, Place::next(&held.state.debate)));
            }
        } else {
            leases.release(&lease.task);
        }
        let advances = matches!(submitted, Submitted::Advanced { .. });
        if advances || matches!(submitted, Submitted::Waits(..)) {
            if let Some(completed) = Self::file_kept(held, &mut leases)? {
                submitted = Submitted::Completed(completed);
            } else if advances {
                self.give_back(held, &mut leases, lease)?;
            }
        }
        held.locked.keep_leases(&held.state.debate.id, &leases)?;
        Ok(submitted)
    }

    /// Gives the debate back to the conversation that waited for this reply. If a worker holds the
    /// next reply, the conversation waits for that worker.
    fn give_back(
        &self,
        held: &mut HeldDebate<'_>,
        leases: &mut Leases,
        done: &Lease,
    ) -> Result<()> {
        let (debate, now) = (&mut held.state.debate, self.context.world.now);
        let worker = worker_session(done);
        let waits = debate.is_owned_by(&worker.id) && debate.is_active();
        let Some(session) = done.handed_by.as_ref().filter(|_| waits) else { return Ok(()) };
        let next = Place::next(debate).id(debate.progress.cycle);
        if let Some(lease) = leases.on_mut(&next).filter(|lease| can_be_led(lease)) {
            lease.handed_by = Some(session.clone());
            let for_client = Programs { context: self.context }.for_client_of(&worker);
            let session = Session { for_client, ..worker_session(lease) };
            debate.claim(&session.id, None, now);
            remember(self.context, &session, held.locked.project());
        } else {
            debate.pause(format!("{} has answered", clean(&done.worker, 60)), now);
            debate.assign_to(Some(session.clone()));
        }
        held.commit()
    }

    /// Puts a late reply aside, once for each issued token. A conversation that waited
    /// for the reply gets the debate back, paused.
    fn too_late(
        mut held: HeldDebate<'_>,
        mut leases: Leases,
        ticket: &Ticket,
        text: &str,
    ) -> Result<Submitted, Stopped> {
        let released = if is_valid(&leases, ticket) { leases.release(&ticket.task) } else { None };
        if text.trim().is_empty() {
            // An empty reply says nothing.
        } else if held.is_aside(text) {
            // It came before.
        } else if leases.spend(&ticket.token) {
            held.keep_aside(text, Some(Aside::Late))?;
        } else {
            let gone = leases.note_stray(text);
            held.keep_stray_aside(text, gone.as_deref())?;
        }
        held.locked.keep_leases(&ticket.id, &leases)?;
        if let Some(lease) = released
            && waits_for(&held.state.debate, &ticket.id, &lease)
        {
            let why = format!("it was changed while {} wrote", clean(&lease.worker, 60));
            held.state.debate.pause(why, held.context.world.now);
            held.state.debate.assign_to(lease.handed_by);
            held.commit()?;
        }
        Ok(Submitted::Late)
    }

    /// Saves the replies that workers wrote ahead, up to the first place without one. `Some`: the
    /// debate is complete.
    pub(crate) fn file_kept(
        held: &mut HeldDebate<'_>,
        leases: &mut Leases,
    ) -> Result<Option<Box<Completed>>> {
        let id = held.state.debate.id.clone();
        while held.state.debate.progress.status.is_unfinished() {
            let place = Place::next(&held.state.debate);
            let task = place.id(held.state.debate.progress.cycle);
            let Some(lease) = leases.on(&task).filter(|lease| lease.is_received()).cloned() else {
                break;
            };
            // A reply to another state of the debate does not fit this one.
            let is_asked = Some(answered(&held.state, place)) == lease.answers;
            let text = held.locked.leased_reply(&id, &lease)?.filter(|_| is_asked);
            leases.release(&task);
            let mut completed = None;
            if let Some(text) = text {
                if lease.form_retry {
                    held.state.debate.retry_for_form();
                }
                let written = Written { author: lease.author.as_ref(), ..text.as_str().into() };
                match file_submitted(held, written, &worker_session(&lease))? {
                    Submitted::Completed(done) => completed = Some(done),
                    // The reply was accepted once, and the sections before it have not changed
                    // since. Another reply is written.
                    Submitted::AskedAgain(_) | Submitted::Failed(_) => {
                        held.keep_aside(&text, None)?;
                    }
                    _ => {}
                }
            }
            held.locked.keep_leases(&id, leases)?;
            held.locked.forget_leased_reply(&id, lease.generation);
            if completed.is_some() {
                return Ok(completed);
            }
        }
        Ok(None)
    }

    /// True if a worker has already written the next reply. Most debates have no workers.
    pub(crate) fn has_kept_reply(held: &HeldDebate<'_>) -> bool {
        let debate = &held.state.debate;
        let task = Place::next(debate).id(debate.progress.cycle);
        let leases = held.locked.leases(&debate.id).unwrap_or_default();
        leases.on(&task).is_some_and(Lease::is_received)
    }
}
