//! A person speaks, or the session ends: the debate makes room.

use super::filing::{CaughtUp, Completed};
use super::{Engine, LOCK_WAIT, Nothing, Session, load_own_active};
use crate::debate::Debate;
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

/// When room is made.
enum Room {
    /// At once, behind what was heard.
    Now(Heard),
    /// When the reply is filed that is being written.
    BehindReply,
}

impl Engine<'_> {
    /// A person typed a prompt of their own in this session: their turn comes first.
    ///
    /// Typed while Claude was writing (the client gives such a prompt the id of the running turn), the reply is still filed
    /// when it stops, and then the debate pauses. Clients that do not name their turns pause at once.
    pub fn person_spoke(&self, session: &Session, hear: impl FnOnce(&Debate) -> Heard) -> Result<Paused> {
        let names_turns = session.prompt_id.is_some();
        self.pause_own(session, "you typed a message", |debate| {
            let is_same_turn = names_turns && debate.prompt_id == session.prompt_id;
            if is_same_turn {
                return Room::BehindReply;
            }
            // The debate's turn is over. Where turns have no names, Claude may still be writing.
            Room::Now(if names_turns { hear(debate) } else { Heard::AgentsRunning })
        })
    }

    /// The session ends. Its debate can then be resumed anywhere.
    pub fn session_ended(&self, session: &Session, hear: impl FnOnce(&Debate) -> Heard) -> Result<Paused> {
        let paused = self.pause_own(session, "its session ended", |debate| Room::Now(hear(debate)));
        self.machine.forget(&session.id);
        paused
    }

    /// Pauses the debate of this session; a reply that no Stop has filed is filed first.
    fn pause_own(&self, session: &Session, why: &str, room: impl FnOnce(&Debate) -> Room) -> Result<Paused> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = match load_own_active(&locked, session)? {
            Ok(loaded) => loaded,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let heard = match room(&state.debate) {
            Room::Now(heard) => heard,
            Room::BehindReply => {
                state.debate.pausing = true;
                self.commit(&locked, &state, &Change::Pause)?;
                return Ok(Paused::GoesOn);
            }
        };
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        if !is_edited
            && let Some(CaughtUp::Completed(completed)) = self.catch_up(&locked, &mut state, session, heard)?
        {
            return Ok(Paused::Completed(completed));
        }
        state.debate.pause(why.to_owned(), self.world.now);
        self.commit(&locked, &state, &Change::Pause)?;
        Ok(Paused::Now(Box::new(state.debate)))
    }

    /// A turn began that no person typed, such as the news that an agent has finished.
    pub fn turn_began(&self, session: &Session) -> Result<Paused> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(Paused::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        match load_own_active(&locked, session)? {
            Err(nothing) => Ok(Paused::Nothing(nothing)),
            Ok(Loaded { mut state, .. }) => {
                state.debate.prompt_id.clone_from(&session.prompt_id);
                self.commit(&locked, &state, &Change::Turn)?;
                Ok(Paused::GoesOn)
            }
        }
    }
}
