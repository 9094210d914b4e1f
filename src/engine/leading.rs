//! Who leads a debate at which others work: a run waits for them, a conversation hands its place to them and gets it back.

use super::turn::load_own_active;
use super::worker::{can_be_led, worker_session};
use super::{Completed, Conclusion, Engine, LOCK_WAIT, Session, Stopped};
use crate::debate::{Slot, Status};
use crate::error::Result;
use crate::state::{Change, Claims, Loaded, Locked, StateFile};
use crate::tasks::{self, Place, Task};
use crate::text::clean;
use crate::transcript;

/// What a leader does next.
#[derive(Debug)]
pub enum LeaderNext {
    /// It writes what is next.
    Writes,
    /// A worker does.
    Waits(HeldTask),
    /// What workers wrote was the rest of it.
    Completed(Box<Completed>),
    /// A worker has completed it.
    Over(Box<Conclusion>),
}

/// A task that a worker holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldTask {
    /// Its id.
    pub task: String,
    /// Which reply it is.
    pub slot: String,
    /// Who holds it.
    pub worker: String,
    /// Their machine, where this one can't tell whether they are gone.
    pub elsewhere: Option<String>,
}

impl Engine<'_> {
    /// Everything that is filed, from the reply or judgment with this number on: whose it is, where, and its text.
    pub fn filed_since(&self, session: &Session, seen: usize) -> Result<Vec<(String, Slot, String)>, Stopped> {
        let loaded = self.store_meant(Some(session)).load()?;
        let Some(Loaded { state, .. }) = loaded else { return Ok(Vec::new()) };
        let entries = transcript::parse(&state.body);
        let max_rounds = state.debate.schedule().max_rounds;
        let mut judge = 0;
        let named = |entry: &transcript::Entry| {
            if let Some(slot) = entry.slot() {
                judge = 0;
                return (slot.label(max_rounds), slot, entry.text.clone());
            }
            judge += 1;
            (format!("judge {judge}"), state.debate.progress.slot, entry.text.clone())
        };
        Ok(entries.written().map(named).skip(seen).collect())
    }

    /// How many replies could be begun now beside the one that is next.
    pub fn side_by_side(&self, session: &Session) -> Result<usize, Stopped> {
        let store = self.store_meant(Some(session));
        let Some(Loaded { state, .. }) = store.load()? else { return Ok(0) };
        let claims = store.claims(&state.debate.id)?;
        let next = Place::of(&state.debate);
        let can_begin = |task: &&Task| {
            task.place != next
                && task.is_ready
                && task.status == tasks::Status::Available
                && task.place.is_beside_others(&state.debate)
        };
        Ok(self.tasks_of(&store, &state, &claims).iter().filter(can_begin).count())
    }

    /// What the session that leads a debate does next: what workers wrote is filed, and what one of them holds is theirs.
    pub fn leader_next(&self, session: &Session) -> Result<LeaderNext, Stopped> {
        let store = self.store_meant(Some(session));
        let Some(head) = store.read_head()? else { return Ok(LeaderNext::Writes) };
        if head.progress.status == Status::Completed && head.is_owned_by(&session.id) {
            return Ok(LeaderNext::Over(Box::new(self.conclusion_of(&store)?)));
        }
        // Most debates have no workers.
        if store.claims(&head.id)?.all.is_empty() {
            return Ok(LeaderNext::Writes);
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        let mut claims = locked.claims(&state.debate.id)?;
        if let Some(mut completed) = self.file_kept(&locked, &mut state, &mut claims)? {
            drop(locked);
            self.report_on(&store, &mut completed);
            return Ok(LeaderNext::Completed(completed));
        }
        Ok(Self::yield_or_take(&locked, &state, &mut claims)?)
    }

    /// Whoever holds what is next writes it; a claim whose holder is gone ends.
    fn yield_or_take(locked: &Locked<'_>, state: &StateFile, claims: &mut Claims) -> Result<LeaderNext> {
        let place = Place::of(&state.debate);
        let task = place.id(state.debate.progress.cycle);
        match claims.on(&task) {
            None => {}
            Some(claim) if claim.is_dead() => {
                claims.release(&task);
                locked.keep_claims(&state.debate.id, claims)?;
            }
            Some(claim) => {
                return Ok(LeaderNext::Waits(HeldTask {
                    task,
                    slot: place.name(),
                    worker: claim.worker.clone(),
                    elsewhere: (!claim.can_be_told()).then(|| clean(&claim.holder.host, 60)),
                }));
            }
        }
        Ok(LeaderNext::Writes)
    }

    /// The same for a conversation, which can't wait: from now on the debate is the worker's until that has answered. Changes the
    /// state, which is not written here. `Some`: who writes.
    pub(super) fn hand_over(
        &self,
        locked: &Locked<'_>,
        state: &mut StateFile,
        session: &Session,
    ) -> Result<Option<String>> {
        let id = state.debate.id.clone();
        let mut claims = locked.claims(&id).unwrap_or_default();
        // Most debates have no workers.
        if claims.all.is_empty() || !matches!(Self::yield_or_take(locked, state, &mut claims)?, LeaderNext::Waits(..)) {
            return Ok(None);
        }
        let task = Place::of(&state.debate).id(state.debate.progress.cycle);
        let Some(claim) = claims.on_mut(&task) else { return Ok(None) };
        claim.handed_by = Some(session.id.clone());
        let worker = clean(&claim.worker, 60);
        if can_be_led(claim) {
            let for_client = session.client.or_else(|| self.client_of(session));
            let runs = Session { for_client, ..worker_session(claim) };
            state.debate.claim(&runs.id, None, self.world.now);
            self.remember(&runs, locked.project());
        } else {
            state.debate.pause(format!("{worker} on {} writes", clean(&claim.holder.host, 60)), self.world.now);
        }
        locked.keep_claims(&id, &claims)?;
        Ok(Some(worker))
    }

    /// A session that resumes a debate whose next reply a worker holds: that is waited for. `None`: the session writes it, and a
    /// claim on it ends. A session that takes the debate over writes whatever is next.
    pub fn resume_with_worker(&self, session: &Session, take_over: bool) -> Result<Option<String>, Stopped> {
        let store = self.store_meant(Some(session));
        let Some(debate) = store.read_head().ok().flatten() else { return Ok(None) };
        if !debate.progress.status.is_unfinished()
            || store.claims(&debate.id).map_or(true, |claims| claims.all.is_empty())
        {
            return Ok(None);
        }
        self.may_go_on(session, &debate, take_over)?;
        store.begin_here(&debate.id)?;
        let locked = store.lock(LOCK_WAIT)?;
        let loaded = locked.load()?.filter(|loaded| loaded.state.debate.id == debate.id);
        let Some(Loaded { mut state, .. }) = loaded else { return Ok(None) };
        let task = Place::of(&state.debate).id(state.debate.progress.cycle);
        let mut claims = locked.claims(&debate.id)?;
        let holder = claims.on(&task).filter(|claim| !take_over && !claim.is_dead()).cloned();
        let Some(claim) = holder else {
            if claims.release(&task).is_some() {
                locked.keep_claims(&debate.id, &claims)?;
            }
            return Ok(None);
        };
        // It writes for this session already, or where nobody here sees when it has done so.
        if !can_be_led(&claim) {
            return Ok(Some(format!("{} on {}", clean(&claim.worker, 60), clean(&claim.holder.host, 60))));
        }
        if state.debate.is_active() && state.debate.is_owned_by(&worker_session(&claim).id) {
            return Ok(Some(clean(&claim.worker, 60)));
        }
        state.debate.claim(&session.id, None, self.world.now);
        let worker = self.hand_over(&locked, &mut state, session)?;
        self.commit(&locked, &state, &Change::Resume)?;
        if worker.is_some() {
            self.follow_worker(session, store.project(), &state.debate);
        }
        Ok(worker)
    }
}
