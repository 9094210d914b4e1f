//! The user speaks, or the session ends: the debate makes room.

use super::filing::{CaughtUp, Completed};
use super::resume::ResumeAction;
use super::steer::{Steered, is_writing};
use super::{Engine, LOCK_WAIT, Nothing, Session, load_own_active};
use crate::debate::Debate;
use crate::error::Result;
use crate::reply::TurnOutput;
use crate::state::{Change, Loaded, SessionRecord, Store};

/// What the user's words, or the end of a session, did to the debate.
#[derive(Debug)]
pub enum PromptOutcome {
    /// Nothing, and why.
    Nothing(Nothing),
    /// It is paused.
    Paused(Box<Debate>),
    /// It waits, or is over, and Claude does not know yet that its protocol does not hold.
    Released(Released),
    /// It goes on; a reply that is being written is filed first.
    GoesOn,
    /// It goes on with these words as its direction.
    Steered(Box<Steered>),
    /// What had been written was the synthesis: the debate is complete.
    Completed(Box<Completed>),
}

/// Why the protocol of a debate does not hold for what the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// The debate waits.
    Waits,
    /// It was cancelled, replaced or taken over.
    Over,
}

/// When room is made.
enum Room {
    /// At once, after what was heard.
    Now(TurnOutput),
    /// When the reply is filed that is being written.
    BehindReply,
}

impl Engine<'_> {
    /// The user typed a prompt of their own in this session: their turn comes first.
    ///
    /// Typed while Claude was writing (the client gives such a prompt the id of the running turn), the reply is still filed
    /// when it stops, and then the debate pauses. Clients that do not name their turns pause at once. After a round of an
    /// interactive debate, and while its replies are written, the words are the direction for what comes next.
    pub fn person_spoke(
        &self,
        session: &Session,
        words: &str,
        read_reply: impl FnOnce(&Debate) -> TurnOutput,
    ) -> Result<PromptOutcome> {
        let record = self.machine.read_session(&session.id);
        let known = record.as_ref().ok().cloned().flatten();
        let (store, debate) = match self.own_by(session, record)? {
            Ok(own) => own,
            Err(nothing) => return Ok(self.released(session, known, nothing)),
        };
        let names_turns = session.prompt_id.is_some();
        let steers = debate.awaits_direction() || (debate.options.interactive && is_writing(&debate, session));
        // A command of somebody else's is no direction.
        if steers && !words.trim().is_empty() && !words.trim_start().starts_with('/') {
            return self.steered_by(&store, session, words);
        }
        if !debate.is_active() {
            let is_told = known.is_some_and(|known| known.is_told);
            let waits = debate.progress.status.is_unfinished() && !debate.awaits_direction();
            if waits && !is_told && !words.trim().is_empty() {
                self.remember_told(session, store.project());
                return Ok(PromptOutcome::Released(Released::Waits));
            }
            return Ok(PromptOutcome::Nothing(Nothing::NotActive));
        }
        // The plugin is installed twice, and the other one has taken these words as a direction.
        if debate.options.interactive && self.is_delivered_again(&debate, session, |_| true) {
            let given = store.load()?.is_some_and(|loaded| Self::is_given(&loaded.state, words));
            if given {
                return Ok(PromptOutcome::Nothing(Nothing::Redelivered));
            }
        }
        self.pause_own(session, "you typed a message", |debate| {
            let is_same_turn = names_turns && debate.ownership.prompt_id == session.prompt_id;
            if is_same_turn {
                return Room::BehindReply;
            }
            // The debate's turn is over. Where turns have no names, Claude may still be writing.
            Room::Now(if names_turns { read_reply(debate) } else { TurnOutput::AgentsRunning })
        })
    }

    /// The session has no debate any more. Where it had one in this conversation, Claude is to know that once.
    fn released(&self, session: &Session, known: Option<SessionRecord>, nothing: Nothing) -> PromptOutcome {
        match (known, nothing) {
            (Some(known), Nothing::NoDebate | Nothing::NotOwner) if known.is_over => {
                self.machine.forget(&session.id);
                PromptOutcome::Released(Released::Over)
            }
            // The Stop of the reply that was being written says it to the user.
            (Some(known), Nothing::NoDebate | Nothing::NotOwner) if !known.is_told => {
                let _ = self.machine.remember(&session.id, &SessionRecord { is_told: true, ..known });
                PromptOutcome::Released(Released::Over)
            }
            _ => PromptOutcome::Nothing(nothing),
        }
    }

    /// The words of the user in an interactive debate.
    fn steered_by(&self, store: &Store, session: &Session, words: &str) -> Result<PromptOutcome> {
        let locked = store.lock(LOCK_WAIT)?;
        let Some(Loaded { state, .. }) = locked.load()? else { return Ok(PromptOutcome::Nothing(Nothing::NoDebate)) };
        if !state.debate.is_owned_by(&session.id) {
            return Ok(PromptOutcome::Nothing(Nothing::NotOwner));
        }
        if !state.debate.is_active() && !state.debate.awaits_direction() {
            return Ok(PromptOutcome::Nothing(Nothing::NotActive));
        }
        if self.is_delivered_again(&state.debate, session, |_| Self::is_given(&state, words)) {
            return Ok(PromptOutcome::Nothing(Nothing::Redelivered));
        }
        if is_writing(&state.debate, session) {
            self.note(&locked, state, ResumeAction::Steered(words))?;
            return Ok(PromptOutcome::GoesOn);
        }
        let steered = self.go_on_steered(&locked, state, session, words)?;
        Ok(PromptOutcome::Steered(Box::new(steered)))
    }

    /// The session ends. Its debate can then be resumed anywhere.
    pub fn session_ended(
        &self,
        session: &Session,
        read_reply: impl FnOnce(&Debate) -> TurnOutput,
    ) -> Result<PromptOutcome> {
        let paused = self.pause_own(session, "its session ended", |debate| Room::Now(read_reply(debate)));
        self.machine.forget(&session.id);
        paused
    }

    /// Pauses the debate of this session; a reply that no Stop has filed is filed first.
    fn pause_own(&self, session: &Session, why: &str, room: impl FnOnce(&Debate) -> Room) -> Result<PromptOutcome> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(PromptOutcome::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = match load_own_active(&locked, session)? {
            Ok(loaded) => loaded,
            Err(nothing) => return Ok(PromptOutcome::Nothing(nothing)),
        };
        let output = match room(&state.debate) {
            Room::Now(output) => output,
            Room::BehindReply => {
                state.debate.request_pause();
                self.commit(&locked, &state, &Change::Pause)?;
                return Ok(PromptOutcome::GoesOn);
            }
        };
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        if !is_edited
            && let Some(CaughtUp::Completed(completed)) = self.catch_up(&locked, &mut state, session, output)?
        {
            return Ok(PromptOutcome::Completed(completed));
        }
        state.debate.pause(why.to_owned(), self.world.now);
        self.commit(&locked, &state, &Change::Pause)?;
        self.remember_told(session, store.project());
        Ok(PromptOutcome::Paused(Box::new(state.debate)))
    }

    /// A turn began that no person typed, such as the news that an agent has finished.
    pub fn turn_began(&self, session: &Session) -> Result<PromptOutcome> {
        let store = match self.own_active(session)? {
            Ok((store, _)) => store,
            Err(nothing) => return Ok(PromptOutcome::Nothing(nothing)),
        };
        let locked = store.lock(LOCK_WAIT)?;
        match load_own_active(&locked, session)? {
            Err(nothing) => Ok(PromptOutcome::Nothing(nothing)),
            Ok(Loaded { mut state, .. }) => {
                state.debate.enter_turn(session.prompt_id.as_deref());
                self.commit(&locked, &state, &Change::Turn)?;
                Ok(PromptOutcome::GoesOn)
            }
        }
    }
}
