//! Who works at a debate: a worker, the ticket for the task that it holds, and how it lets that go.

use std::time::Duration;

use jiff::Timestamp;

use super::filing::unfiled_name;
use super::report::find;
use super::{Aside, Engine, Note, Session, Stopped};
use crate::error::{Error, Result};
use crate::state::{Change, Claim, Claims, Holder, Loaded, Project, RunRecord, Store, digest};
use crate::tasks::Wanted;
use crate::text::clean;

/// How long a worker waits for the lock: many of them share it.
pub(super) const WORKER_WAIT: Duration = Duration::from_secs(20);

/// A worker says that it lives as often as this.
pub const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Who works.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The debate.
    pub id: String,
    /// How it is called: an agent, or the user.
    pub name: String,
    /// Which tasks it takes.
    pub wanted: Wanted,
    /// Its process.
    pub holder: Holder,
}

/// The right to file the reply to one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The debate.
    pub id: String,
    /// The task.
    pub task: String,
    /// Which claim of the debate it is.
    pub generation: u32,
    /// What the reply has to bring with it.
    pub token: String,
}

impl Engine<'_> {
    /// A worker lets its task go. `why`: what kept it from writing, where the debate waited for that.
    pub fn leave_task(&self, ticket: &Ticket, why: &str) -> Result<(), Stopped> {
        let store = self.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let mut claims = locked.claims(&ticket.id)?;
        if !is_valid(&claims, ticket) {
            return Ok(());
        }
        let Some(claim) = claims.release(&ticket.task) else { return Ok(()) };
        if let Some(Loaded { mut state, .. }) = locked.load()?
            && state.debate.id == ticket.id
            && state.debate.is_active()
            && state.debate.is_owned_by(&worker_session(&claim).id)
        {
            state.debate.pause(format!("{}: {}", clean(&claim.worker, 60), clean(why, 300)), self.world.now);
            self.commit(&locked, &state, &Change::Pause)?;
        }
        Ok(locked.keep_claims(&ticket.id, &claims)?)
    }

    /// Keeps what an earlier holder of a task has written, which is late; once.
    pub fn keep_late(&self, id: &str, text: &str) -> Result<(), Stopped> {
        let store = self.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let Some(Loaded { state, .. }) = locked.load()?.filter(|loaded| loaded.state.debate.id == id) else {
            return Ok(());
        };
        if locked.find_in_archive(&unfiled_name(&state), text.as_bytes()).is_none() {
            self.keep_aside(&locked, &state, text, Aside::Late)?;
        }
        Ok(())
    }

    /// What this machine has on record of the programs that argue a debate.
    #[must_use]
    pub fn run_record(&self, id: &str, project: &Project) -> Option<RunRecord> {
        self.machine.run(id).filter(|record| record.root == project.root())
    }

    /// This machine begins or joins a debate, if it has not yet: who works at it by now may have come with its files.
    pub fn begin_here(&self, project: &Project, id: &str) -> Result<()> {
        Store::of(project.clone(), self.world).begin_here(id)
    }

    /// Says once that a debate has records which this machine did not write.
    pub fn say_foreign(&self, id: &str) -> Result<()> {
        let store = self.store_meant(None);
        let count = store.attempts(id)?.foreign + store.claims(id)?.foreign();
        self.say_foreign_once(store.project(), id, count, false);
        Ok(())
    }

    pub(super) fn say_foreign_once(&self, project: &Project, of: &str, count: usize, is_journal: bool) {
        let what = format!("foreign-{}", &digest(of.as_bytes())[..16]);
        if count == 0 || self.machine.was_said(&what, project) {
            return;
        }
        let _ = self.machine.remember_said(&what, project);
        self.add_note(Note::ForeignRecords { count, is_journal });
    }

    /// True while the task is this worker's and the debate waits for it. What can't be read just now is taken for it.
    #[must_use]
    pub fn still_holds(&self, ticket: &Ticket) -> bool {
        let store = self.store_meant(None);
        let is_here = store.read_head().map_or(true, |debate| {
            debate.is_some_and(|debate| debate.id == ticket.id && debate.progress.status.is_unfinished())
        });
        is_here && store.claims(&ticket.id).map_or(true, |claims| is_valid(&claims, ticket))
    }

    /// Notes that a worker lives.
    pub fn sign_of_life(&self, ticket: &Ticket) -> Result<(), Stopped> {
        let store = self.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let mut claims = locked.claims(&ticket.id)?;
        if is_valid(&claims, ticket)
            && let Some(claim) = claims.on_mut(&ticket.task)
            && is_due(claim, self.world.now)
        {
            claim.seen_at = self.world.now;
            locked.keep_claims(&ticket.id, &claims)?;
        }
        Ok(())
    }

    /// The user says that whoever holds a task is gone.
    pub fn drop_claim(&self, task: &str) -> Result<Claim> {
        let store = self.store_meant(None);
        let (state, _) = find(&store, None)?;
        let locked = store.lock(WORKER_WAIT)?;
        let mut claims = locked.claims(&state.debate.id)?;
        if claims.on(task).is_some_and(Claim::is_received) {
            return Err(Error::nothing(
                format!("{} is written, and kept until the replies before it are filed", clean(task, 60)),
                "`anvil tasks` shows what it waits for",
            ));
        }
        let dropped = claims.release(task).ok_or_else(|| {
            Error::nothing(format!("nobody holds {}", clean(task, 60)), "`anvil workers` shows who holds what")
        })?;
        locked.keep_claims(&state.debate.id, &claims)?;
        Ok(dropped)
    }
}

/// True where a worker has not said for a while that it lives.
fn is_due(claim: &Claim, now: Timestamp) -> bool {
    let said = now.duration_since(claim.seen_at);
    said.is_negative() || said.unsigned_abs() >= SIGN_OF_LIFE
}

/// True for a ticket whose claim counts still.
pub(super) fn is_valid(claims: &Claims, ticket: &Ticket) -> bool {
    claims.on(&ticket.task).is_some_and(|claim| claim.generation == ticket.generation && claim.is_of(&ticket.token))
}

/// True for a worker whose process this machine can look at: a conversation is woken when that has answered.
pub(super) fn can_be_led(claim: &Claim) -> bool {
    claim.can_be_told() && !claim.is_dead()
}

/// The session of a worker for which a conversation waits.
pub(super) fn worker_session(claim: &Claim) -> Session {
    session_of(&claim.holder)
}

/// As that of a run, it is named for its process.
pub(super) fn session_of(holder: &Holder) -> Session {
    let client = holder.process;
    let id = format!("{}{}-{}", super::RUN, client.pid, client.started);
    Session { id, prompt_id: None, client: Some(client), for_client: None }
}
