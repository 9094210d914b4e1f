//! A person speaks, or the session ends: the debate makes room.

use super::filing::{CaughtUp, Completed};
use super::{Engine, LOCK_WAIT, Nothing, Session, load_own_active};
use crate::debate::{Debate, Status};
use crate::error::Result;
use crate::reply::Heard;
use crate::state::{Change, Loaded};

/// What became of the debate.
#[derive(Debug)]
pub enum Paused {
    /// Nothing, and why.
    Nothing(Nothing),
    /// It is paused.
    Now(Box<Debate>),
    /// It goes on; a reply that is being written is filed first.
    GoesOn,
    /// What had been written was the synthesis: the debate is complete.
    Completed(Completed),
}

impl Engine<'_> {
    /// A person typed a prompt of their own in this session: their turn comes first.
    ///
    /// Typed while Claude was writing (the client gives such a prompt the id of the running turn), the reply is still filed
    /// when it stops, and then the debate pauses. Clients that do not name their turns pause at once.
    pub fn person_spoke(&self, session: &Session, hear: impl FnOnce(&Debate) -> Heard) -> Result<Paused> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = match load_own_active(&locked, session)? {
            Ok(loaded) => loaded,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let names_turns = session.prompt_id.is_some();
        if names_turns && state.debate.prompt_id == session.prompt_id {
            state.debate.pausing = true;
            self.commit(&locked, &state, &Change::Pause)?;
            return Ok(Paused::GoesOn);
        }
        // The debate's turn is over: a reply that no Stop has filed is filed first. Where turns have no names Claude may still
        // be writing.
        if names_turns
            && repair.is_none()
            && let Some(CaughtUp::Completed(completed)) = self.catch_up(&locked, &mut state, session, hear)?
        {
            return Ok(Paused::Completed(completed));
        }
        state.debate.pause("you typed a message".to_owned(), self.world.now);
        self.commit(&locked, &state, &Change::Pause)?;
        Ok(Paused::Now(Box::new(state.debate)))
    }

    /// The session ends. Its debate can then be resumed anywhere.
    pub fn session_ended(&self, session: &Session) -> Result<Paused> {
        let paused = self
            .change_own(session, &Change::Pause, |debate| debate.pause("its session ended".to_owned(), self.world.now));
        self.machine.forget(&session.id);
        paused
    }

    /// A turn began that no person typed, such as the news that an agent has finished.
    pub fn turn_began(&self, session: &Session) -> Result<Paused> {
        self.change_own(session, &Change::Turn, |debate| debate.prompt_id.clone_from(&session.prompt_id))
    }

    fn change_own(&self, session: &Session, change: &Change, make: impl FnOnce(&mut Debate)) -> Result<Paused> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let mut state = match load_own_active(&locked, session)? {
            Ok(loaded) => loaded.state,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        make(&mut state.debate);
        self.commit(&locked, &state, change)?;
        let debate = state.debate;
        Ok(if debate.status == Status::Paused { Paused::Now(Box::new(debate)) } else { Paused::GoesOn })
    }
}
