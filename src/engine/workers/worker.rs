//! A worker of a debate, the ticket for its task, and how its lease ends.

use std::time::Duration;

use jiff::Timestamp;

use super::Workers;
use crate::domain::debate::Debate;
use crate::domain::tasks::Wanted;
use crate::domain::transcript::Author;
use crate::engine::filing::append_fact;
use crate::engine::lookup::find;
use crate::engine::ownership::lock_any;
use crate::engine::{Aside, Session, Stopped, no_debate};
use crate::error::{Error, Result};
use crate::storage::{Holder, Lease, Leases, Loaded, RunId};
use crate::text::clean;

/// Longest wait of a worker for the lock. Many workers share it.
pub(crate) const WORKER_WAIT: Duration = Duration::from_secs(20);

/// The time between two signs of life of a worker.
pub const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// The name of a worker who gives none.
pub const USER: &str = "the user";

/// A process that writes replies of a debate, or its user.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The debate's id.
    pub id: String,
    /// The name of an agent or of the user.
    pub name: String,
    pub wanted: Wanted,
    /// Its process, if it has one, and its machine.
    pub holder: Holder,
}

impl Worker {
    /// True if it takes its task before that can be begun. A user in a shell does not: no
    /// process shows that they no longer wait.
    pub(crate) fn holds_ahead(&self) -> bool {
        self.wanted.holds_ahead() && self.holder.has_process()
    }
}

/// The right to submit the reply to one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The debate's id.
    pub id: String,
    /// The task's id.
    pub task: String,
    /// The number of the lease in the debate.
    pub generation: u32,
    /// The reply needs this token. Empty for a task that the same user holds in a shell.
    pub token: String,
}

impl Ticket {
    /// The token that its holder gets: `critic-2.7.0123…`.
    pub fn whole_token(&self) -> String {
        format!("{}.{}.{}", self.task, self.generation, self.token)
    }

    /// Reads a whole token as a ticket of this debate. `None`: it is no token.
    pub fn parse(token: &str, id: &str) -> Option<Self> {
        let mut parts = token.trim().split('.');
        let (task, generation) = (parts.next()?, parts.next()?.parse().ok()?);
        let secret = parts.next()?;
        let is_name =
            |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
        let is_secret = secret.len() == 32 && secret.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_whole = parts.next().is_none()
            && (1..=60).contains(&task.len())
            && task.chars().all(is_name)
            && is_secret;
        let (id, task, token) = (id.to_owned(), task.to_owned(), secret.to_owned());
        is_whole.then_some(Self { id, task, generation, token })
    }
}

impl Workers<'_> {
    /// Ends a worker's lease, unless its reply is kept already. `why`: the reason for the pause, if
    /// the debate waited for this worker.
    pub fn leave_task(&self, ticket: &Ticket, why: &str) -> Result<(), Stopped> {
        let mut store = self.context.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let mut leases = locked.leases(&ticket.id)?;
        let is_kept = |lease: &Lease| lease.received_at.is_some();
        if !is_valid(&leases, ticket) || leases.on(&ticket.task).is_some_and(is_kept) {
            return Ok(());
        }
        let Some(lease) = leases.release(&ticket.task) else { return Ok(()) };
        if let Some(Loaded { mut state, .. }) = locked.load()?
            && waits_for(&state.debate, &ticket.id, &lease)
        {
            let why = format!("{}: {}", clean(&lease.worker, 60), clean(why, 300));
            state.debate.pause(why, self.context.world.now);
            self.context.commit(&locked, &state)?;
        }
        Ok(locked.keep_leases(&ticket.id, &leases)?)
    }

    /// Puts a late reply of an earlier holder aside, once.
    pub fn keep_late(&self, id: &str, text: &str) -> Result<(), Stopped> {
        let mut store = self.context.store_meant(None);
        if let Some(held) = lock_any(self.context, &mut store, WORKER_WAIT)?
            && held.state.debate.id == id
            && !held.is_aside(text)
        {
            held.keep_aside(text, Some(Aside::Late))?;
        }
        Ok(())
    }

    /// True while the worker holds the task and the debate is unfinished. A file that can't be read
    /// just now counts as true.
    pub fn still_holds(&self, ticket: &Ticket) -> bool {
        let store = self.context.store_meant(None);
        let is_it =
            |debate: Debate| debate.id == ticket.id && debate.progress.status.is_unfinished();
        let is_here = store.read_head().map_or(true, |debate| debate.is_some_and(is_it));
        is_here && store.leases(&ticket.id).map_or(true, |leases| is_valid(&leases, ticket))
    }

    /// Files a fact that the holder of a task has found.
    pub fn note_fact(&self, ticket: &Ticket, text: &str, author: Author) -> Result<()> {
        let mut store = self.context.store_meant(None);
        let held = lock_any(self.context, &mut store, WORKER_WAIT)?.filter(|held| !held.is_lost);
        let Some(mut held) = held else { return Err(no_debate(&store)) };
        let is_here = held.state.debate.progress.status.is_unfinished();
        if !is_here || !is_valid(&held.locked.leases(&ticket.id)?, ticket) {
            return Err(Error::failed(
                format!("you no longer hold {}", ticket.task),
                "claim a task; only who holds one notes a fact",
            ));
        }
        append_fact(&mut held.state, text, author, self.context.world.now)?;
        held.commit()
    }

    /// Notes that a worker is alive, at most once in [`SIGN_OF_LIFE`].
    pub fn sign_of_life(&self, ticket: &Ticket) -> Result<(), Stopped> {
        let mut store = self.context.store_meant(None);
        let locked = store.lock(WORKER_WAIT)?;
        let mut leases = locked.leases(&ticket.id)?;
        if is_valid(&leases, ticket)
            && let Some(lease) = leases.on_mut(&ticket.task)
            && is_due(lease, self.context.world.now)
        {
            lease.seen_at = self.context.world.now;
            locked.keep_leases(&ticket.id, &leases)?;
        }
        Ok(())
    }

    /// The ticket of a task that this user holds in a shell.
    pub fn shell_ticket(&self, task: &str) -> Result<Ticket> {
        let (state, _) = find(&self.context.store_meant(None), None)?;
        let id = state.debate.id;
        let leases = self.context.store_meant(None).leases(&id)?;
        let lease = leases.on(task).filter(|lease| lease.is_of_shell() && !lease.is_received());
        let lease = lease.ok_or_else(|| {
            Error::failed(
                format!("no claim of {} is open in a shell", clean(task, 60)),
                "`anvil claim SEAT` takes a task; `anvil tasks` shows who holds what",
            )
        })?;
        let (task, generation) = (lease.task.clone(), lease.generation);
        Ok(Ticket { id, task, generation, token: String::new() })
    }

    /// Frees all tasks of the debate here that are claimed in a shell.
    pub fn drop_claims(&self) -> Result<()> {
        let mut store = self.context.store_meant(None);
        let (state, _) = find(&store, None)?;
        let locked = store.lock(WORKER_WAIT)?;
        let mut leases = locked.leases(&state.debate.id)?;
        let is_open = |lease: &&Lease| lease.is_of_shell() && !lease.is_received();
        let open: Vec<String> =
            leases.all.iter().filter(is_open).map(|lease| lease.task.clone()).collect();
        for task in &open {
            leases.release(task);
        }
        if open.is_empty() { Ok(()) } else { locked.keep_leases(&state.debate.id, &leases) }
    }

    /// Ends a lease because the user reports that its holder is gone.
    pub fn drop_lease(&self, task: &str) -> Result<Lease> {
        let mut store = self.context.store_meant(None);
        let (state, _) = find(&store, None)?;
        let locked = store.lock(WORKER_WAIT)?;
        let mut leases = locked.leases(&state.debate.id)?;
        let shown = clean(task, 60);
        if leases.on(task).is_some_and(Lease::is_received) {
            return Err(Error::nothing(
                format!("{shown} is written, and kept until the replies before it are saved"),
                "`anvil tasks` shows what it waits for",
            ));
        }
        let dropped = leases.release(task).ok_or_else(|| {
            Error::nothing(format!("nobody holds {shown}"), "`anvil tasks` shows who holds what")
        })?;
        locked.keep_leases(&state.debate.id, &leases)?;
        Ok(dropped)
    }
}

/// True if the last sign of life is [`SIGN_OF_LIFE`] old, or is in the future.
fn is_due(lease: &Lease, now: Timestamp) -> bool {
    let silence = now.duration_since(lease.seen_at);
    silence.is_negative() || silence.unsigned_abs() >= SIGN_OF_LIFE
}

/// True for a ticket with a lease that still counts.
pub(crate) fn is_valid(leases: &Leases, ticket: &Ticket) -> bool {
    leases.on(&ticket.task).is_some_and(|lease| {
        let has_token =
            lease.is_of(&ticket.token) || ticket.token.is_empty() && lease.is_of_shell();
        lease.generation == ticket.generation && has_token
    })
}

/// True for a living worker that this machine can check. A waiting conversation wakes up when such
/// a worker has answered.
pub(crate) fn can_be_led(lease: &Lease) -> bool {
    lease.can_be_checked() && !lease.is_dead()
}

/// True if the debate `id` waits for the worker with this lease.
pub(crate) fn waits_for(debate: &Debate, id: &str, lease: &Lease) -> bool {
    debate.id == id && debate.is_active() && debate.is_owned_by(&worker_session(lease).id)
}

/// The session of a worker for which a conversation waits.
pub(crate) fn worker_session(lease: &Lease) -> Session {
    session_of(&lease.holder)
}

/// The session of a worker. Its id comes from the process, like the id of a run's session.
pub(crate) fn session_of(holder: &Holder) -> Session {
    let client = holder.process;
    let id = RunId::from(client).to_string();
    Session { id, prompt_id: None, client: Some(client), for_client: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_task() {
        let own = Ticket {
            id: "one".into(),
            task: "cycle-2-critic-1".into(),
            generation: 7,
            token: "0a".repeat(16),
        };
        assert_eq!(Ticket::parse(&own.whole_token(), "one"), Some(own));
        for wrong in [
            "",
            "critic-1",
            "critic-1.1.",
            "critic-1.x.00",
            "../x.1.00",
            "critic-1.1.zz",
            ".1.",
            "a.1.b.c",
        ] {
            assert_eq!(Ticket::parse(wrong, "one"), None, "{wrong}");
        }
    }
}
