//! A person speaks, or the session ends: the debate makes room.

use super::{Engine, LOCK_WAIT, Nothing, Session, read_own_active};
use crate::debate::{Debate, Status};
use crate::error::Result;

/// What became of the debate.
#[derive(Debug)]
pub enum Paused {
    /// Nothing, and why.
    Nothing(Nothing),
    /// It is paused.
    Now(Box<Debate>),
    /// It goes on; a reply that is being written is filed first.
    GoesOn,
}

impl Engine<'_> {
    /// A person typed a prompt of their own in this session: their turn comes first.
    ///
    /// Typed while Claude was writing (the client gives such a prompt the id of the running turn), the reply is still filed
    /// when it stops, and then the debate pauses. Clients that do not name their turns pause at once.
    pub fn person_spoke(&self, session: &Session) -> Result<Paused> {
        self.change_own(session, |debate| {
            if session.prompt_id.is_some() && debate.prompt_id == session.prompt_id {
                debate.pausing = true;
            } else {
                debate.pause("you typed a message".to_owned(), self.world.now);
            }
        })
    }

    /// The session ends. Its debate can then be resumed anywhere.
    pub fn session_ended(&self, session: &Session) -> Result<Paused> {
        let paused = self.change_own(session, |debate| debate.pause("its session ended".to_owned(), self.world.now));
        self.machine.forget(&session.id);
        paused
    }

    /// A turn began that no person typed, such as the news that an agent has finished.
    pub fn turn_began(&self, session: &Session) -> Result<Paused> {
        self.change_own(session, |debate| debate.prompt_id.clone_from(&session.prompt_id))
    }

    fn change_own(&self, session: &Session, change: impl FnOnce(&mut Debate)) -> Result<Paused> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let mut state = match read_own_active(&locked, session)? {
            Ok(state) => state,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        change(&mut state.debate);
        locked.commit(&state)?;
        let debate = state.debate;
        Ok(if debate.status == Status::Paused { Paused::Now(Box::new(debate)) } else { Paused::GoesOn })
    }
}
