//! A worker: its debate, its agents, and what it knows.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::argue::at_this_moment;
use super::executor::Executor;
use super::limits::RunLimits;
use super::view::View;
use crate::engine::{Engine, SIGN_OF_LIFE, Stopped, Ticket, Waiting, Worker};
use crate::error::Result;
use crate::messages;
use crate::seats::Plan;
use crate::state::Client;
use crate::world::World;

/// Between two looks at whether there is something to do.
pub(super) const LOOKS: Duration = Duration::from_millis(150);

/// A worker at its debate.
pub(super) struct AtWork<'a> {
    pub(super) world: &'a World,
    pub(super) worker: Worker,
    /// `None`: the user writes.
    pub(super) plan: Option<Plan>,
    /// What has started it, where it helps a run.
    pub(super) leader: Option<Client>,
    pub(super) executor: Executor,
    pub(super) view: View,
    pub(super) in_project: bool,
    pub(super) as_json: bool,
    /// What the run that it helps may take.
    pub(super) limits: RunLimits,
    /// How often in a row its program was ended, and not by Anvil.
    pub(super) in_vain: usize,
    /// When it has said last that it lives.
    pub(super) seen: Cell<Instant>,
    /// What it was told last.
    pub(super) said: Option<Waiting>,
}

impl AtWork<'_> {
    pub(super) fn with<T>(&self, what: impl FnOnce(&Engine<'_>) -> Result<T, Stopped>) -> Result<T, Stopped> {
        let world = at_this_moment(self.world);
        let engine = Engine::new(&world);
        let done = what(&engine);
        for note in engine.take_notes() {
            if !self.as_json {
                self.view.print(&messages::note(&note))?;
            }
        }
        done
    }

    /// True while the task is its own, and the run that it helps is there. Says now and then that it lives.
    pub(super) fn holds(&self, ticket: &Ticket) -> bool {
        let world = at_this_moment(self.world);
        let engine = Engine::new(&world);
        if self.seen.get().elapsed() > SIGN_OF_LIFE {
            self.seen.set(Instant::now());
            let _ = engine.sign_of_life(ticket);
        }
        !self.leader.is_some_and(Client::is_gone) && engine.still_holds(ticket)
    }
}
