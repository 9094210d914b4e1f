//! The leader of a debate with workers. A run waits for workers; a conversation hands its place to
//! them and gets it back.

use super::Workers;
use super::worker::{can_be_led, worker_session};
use crate::domain::debate::{Slot, Status, Verb, stops_within};
use crate::domain::tasks::{self, Place, Task};
use crate::domain::transcript;
use crate::engine::ownership::{HeldDebate, lock_for, lock_own, remember};
use crate::engine::programs::Programs;
use crate::engine::reports::Reports;
use crate::engine::{Completed, Session, Stopped};
use crate::error::Result;
use crate::storage::{Lease, Leases, Loaded};
use crate::system::process::ProcessId;
use crate::text::clean;

#[derive(Debug)]
pub enum LeaderNext {
    /// The leader writes the next reply.
    Writes,
    /// A worker writes it.
    Waits(HeldTask),
    /// The debate is complete: workers had written the remaining replies, or one of them saved the
    /// synthesis.
    Completed(Box<Completed>),
}

/// A task that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldTask {
    /// The task's id.
    pub task: String,
    /// The reply's name: `critic, round 2`, `judge 2`.
    pub slot: String,
    pub place: Place,
    /// The worker's name.
    pub worker: String,
    /// The worker's process.
    pub process: ProcessId,
    /// The worker's machine, if this machine can't check whether the worker is gone.
    pub elsewhere: Option<String>,
}

/// A saved reply or judgment.
#[derive(Debug)]
pub struct FiledReply {
    /// The name in records.
    pub name: String,
    pub label: String,
    pub slot: Slot,
    pub is_judgment: bool,
    pub text: String,
}

impl Workers<'_> {
    /// The saved replies and judgments after the first `seen`.
    pub fn saved_since(&self, session: &Session, seen: usize) -> Result<Vec<FiledReply>, Stopped> {
        let loaded = self.context.store_meant(Some(session)).load()?;
        let Some(Loaded { state, .. }) = loaded else { return Ok(Vec::new()) };
        let entries = transcript::parse(&state.body);
        let mut judge = 0;
        let named = |entry: &transcript::Entry| {
            let (name, label, slot) = if let Some(slot) = entry.slot() {
                judge = 0;
                (slot.to_string(), state.debate.label_of(slot), slot)
            } else {
                judge += 1;
                let name = format!("judge {judge}");
                (name.clone(), name, state.debate.progress.slot)
            };
            FiledReply { name, label, slot, is_judgment: judge > 0, text: entry.text.clone() }
        };
        Ok(entries.written().map(named).skip(seen).collect())
    }

    /// Number of replies that could begin now, at the same time as the next one, and of syntheses
    /// that come after them.
    pub fn side_by_side(&self, session: &Session) -> Result<(usize, u8), Stopped> {
        let store = self.context.store_meant(Some(session));
        let Some(Loaded { state, .. }) = store.load()? else { return Ok((0, 0)) };
        if stops_within(&state.debate) {
            return Ok((0, 0));
        }
        let leases = store.leases(&state.debate.id)?;
        let next = Place::next(&state.debate);
        let can_begin = |task: &&Task| {
            task.place != next
                && task.is_ready
                && task.status == tasks::TaskStatus::Available
                && task.place.is_concurrent(&state.debate)
        };
        let judges = if next.judge.is_some() { 0 } else { state.debate.judges() };
        Ok((self.tasks_of(&store, &state, &leases).iter().filter(can_begin).count(), judges))
    }

    /// The next action of the session that leads a debate. Saves the replies that workers wrote
    /// ahead. A reply that a worker holds stays with that worker.
    pub fn leader_next(&self, session: &Session) -> Result<LeaderNext, Stopped> {
        let mut store = self.context.store_meant(Some(session));
        let Some(debate) = store.read_head()? else { return Ok(LeaderNext::Writes) };
        if debate.progress.status == Status::Completed && debate.is_owned_by(&session.id) {
            let mut conclusion = Programs { context: self.context }.conclusion_of(&store)?;
            // The worker that saved the last reply may still be writing the reports.
            if conclusion.report.is_err() || conclusion.page.is_none() {
                conclusion = Reports::new(self.context).with_reports(&mut store, conclusion);
            }
            return Ok(LeaderNext::Completed(conclusion));
        }
        // Most debates have no workers.
        if store.leases(&debate.id)?.all.is_empty() {
            return Ok(LeaderNext::Writes);
        }
        let mut held = lock_own(self.context, &mut store, session)?;
        let mut leases = held.locked.leases(&held.state.debate.id)?;
        if let Some(completed) = Self::file_kept(&mut held, &mut leases)? {
            drop(held);
            let completed = Reports::new(self.context).with_reports(&mut store, completed);
            return Ok(LeaderNext::Completed(completed));
        }
        Ok(Self::yield_or_take(&held, &mut leases)?)
    }

    /// The worker that holds the next reply writes it. A lease ends if its holder is gone.
    fn yield_or_take(held: &HeldDebate<'_>, leases: &mut Leases) -> Result<LeaderNext> {
        let debate = &held.state.debate;
        let place = Place::next(debate);
        let task = place.id(debate.progress.cycle);
        match leases.on(&task) {
            None => {}
            Some(lease) if lease.is_dead() => {
                leases.release(&task);
                held.locked.keep_leases(&debate.id, leases)?;
            }
            Some(lease) => {
                return Ok(LeaderNext::Waits(HeldTask {
                    task,
                    slot: place.name(),
                    place,
                    worker: lease.worker.clone(),
                    process: lease.holder.process,
                    elsewhere: (!lease.can_be_checked()).then(|| clean(&lease.holder.host, 60)),
                }));
            }
        }
        Ok(LeaderNext::Writes)
    }

    /// Like [`Self::leader_next`], for a conversation, which can't wait: the worker owns the debate
    /// until it has answered. Changes the state and does not write it. `Some`: the worker that
    /// writes.
    pub(crate) fn hand_over(
        &self,
        held: &mut HeldDebate<'_>,
        session: &Session,
    ) -> Result<Option<String>> {
        let mut leases = held.locked.leases(&held.state.debate.id).unwrap_or_default();
        // Most debates have no workers.
        if leases.all.is_empty()
            || !matches!(Self::yield_or_take(held, &mut leases)?, LeaderNext::Waits(..))
        {
            return Ok(None);
        }
        let (debate, now) = (&mut held.state.debate, self.context.world.now);
        let task = Place::next(debate).id(debate.progress.cycle);
        let Some(lease) = leases.on_mut(&task) else { return Ok(None) };
        lease.handed_by = Some(session.id.clone());
        let worker = clean(&lease.worker, 60);
        if can_be_led(lease) {
            let for_client =
                session.client.or_else(|| Programs { context: self.context }.client_of(session));
            let runs = Session { for_client, ..worker_session(lease) };
            debate.claim(&runs.id, None, now);
            remember(self.context, &runs, held.locked.project());
        } else {
            debate.pause(format!("{worker} on {} writes", clean(&lease.holder.host, 60)), now);
        }
        held.locked.keep_leases(&debate.id, &leases)?;
        Ok(Some(worker))
    }

    /// Resumes a debate and waits for the worker that holds the next reply. `None`: the session
    /// writes the reply, and a lease on it ends. A session that takes the debate over always writes
    /// the next reply.
    pub fn resume_with_worker(
        &self,
        session: &Session,
        take_over: bool,
    ) -> Result<Option<String>, Stopped> {
        let mut store = self.context.store_meant(Some(session));
        let Some(debate) = store.read_head().ok().flatten() else { return Ok(None) };
        if !debate.progress.status.is_unfinished()
            || store.leases(&debate.id).map_or(true, |leases| leases.all.is_empty())
        {
            return Ok(None);
        }
        let (asker, any) = (Some(session), Ok::<Loaded, Stopped>);
        let mut held = lock_for(self.context, &mut store, Verb::Resume, asker, take_over, any)?;
        if held.state.debate.id != debate.id {
            return Ok(None);
        }
        let debate = &mut held.state.debate;
        let task = Place::next(debate).id(debate.progress.cycle);
        let mut leases = held.locked.leases(&debate.id)?;
        // It is refused: a debate has one driver.
        if leases.on(&task).is_some_and(Lease::is_of_shell) {
            return Ok(None);
        }
        let holder = leases.on(&task).filter(|lease| !take_over && !lease.is_dead()).cloned();
        let Some(lease) = holder else {
            if leases.release(&task).is_some() {
                held.locked.keep_leases(&debate.id, &leases)?;
            }
            return Ok(None);
        };
        // Nothing changes if the worker already writes for this session, or if this machine can't
        // see when the worker has finished.
        let worker = clean(&lease.worker, 60);
        if !can_be_led(&lease) {
            return Ok(Some(format!("{worker} on {}", clean(&lease.holder.host, 60))));
        }
        if debate.is_active() && debate.is_owned_by(&worker_session(&lease).id) {
            return Ok(Some(worker));
        }
        debate.claim(&session.id, None, self.context.world.now);
        let worker = self.hand_over(&mut held, session)?;
        held.commit()?;
        if worker.is_some() {
            let programs = Programs { context: self.context };
            programs.follow_worker(session, held.locked.project(), &held.state.debate);
        }
        Ok(worker)
    }
}
