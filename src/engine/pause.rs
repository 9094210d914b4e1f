//! The user types, or the session ends: the debate pauses, or takes the words as its direction.

use super::filing::Completed;
use super::steer::{ResumeAction, Steered};
use super::turn::{Turn, is_writing, load_own_active};
use super::{Engine, LOCK_WAIT, Nothing, Session, Stopped};
use crate::command::Choice;
use crate::debate::{Debate, Phase};
use crate::error::Result;
use crate::reply::Reply;
use crate::state::{Change, Loaded, Locked, SessionRecord, StateFile, Store};

/// What a prompt of the user's own does to the debate of its session.
#[derive(Debug)]
pub enum PromptOutcome<'a> {
    /// The debate goes on; a reply that is being written is filed first.
    GoesOn,
    /// It goes on with these words as its direction, or as they say.
    Steered(Box<Steered>),
    /// It was to go on after a round, and now waits until it is resumed.
    Stopped(Box<Debate>),
    /// It waits, or is over, and Claude does not know yet that its protocol does not hold.
    Released(Released),
    /// It makes room: see [`Turn::interrupt`].
    Interrupts(Box<Turn<'a>>),
}

/// Why the protocol of a debate does not hold for what the user types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Released {
    /// The debate waits.
    Waits,
    /// It was cancelled, replaced or taken over.
    Over,
}

/// What a prompt or the end of its session did to a debate in progress.
#[derive(Debug)]
pub enum Interruption {
    /// It is paused.
    Paused(Box<Debate>),
    /// It pauses when the reply is filed that is being written.
    AfterReply,
    /// What had been written was the synthesis: it is complete.
    Completed(Box<Completed>),
}

impl Engine<'_> {
    /// The user typed a prompt of their own in this session: their turn comes first.
    ///
    /// After a round of an interactive debate, and while its replies are written, the words are the direction for what
    /// comes next. A debate in progress makes room for any others.
    pub fn prompt_typed<'a>(&'a self, session: &'a Session, words: &str) -> Result<PromptOutcome<'a>, Stopped> {
        let record = self.machine.read_session(&session.id);
        let known = record.as_ref().ok().cloned().flatten();
        let own = self.own(session, record);
        if let Err(Stopped::Nothing(Nothing::NoDebate | Nothing::NotOwner)) = own
            && self.is_news_that_it_is_over(session, known.as_ref())
        {
            return Ok(PromptOutcome::Released(Released::Over));
        }
        let (store, debate) = own?;
        let steers = debate.awaits_direction() || (debate.options.interactive && is_writing(&debate, session));
        // A command of somebody else's is no direction.
        if steers && !words.trim().is_empty() && !words.trim_start().starts_with('/') {
            return match Choice::typed(words) {
                // It makes room after the reply that is being written.
                Some(Choice::Stop) if debate.is_active() => {
                    Ok(PromptOutcome::Interrupts(Box::new(Turn { engine: self, session, store, debate })))
                }
                Some(Choice::Stop) => self.stop_by_prompt(&store, session),
                choice => self.steer_by_prompt(&store, session, choice, words),
            };
        }
        if !debate.is_active() {
            let is_aware = known.is_some_and(|known| known.is_informed);
            let waits = debate.progress.status.is_unfinished() && !debate.awaits_direction();
            if waits && !is_aware && !words.trim().is_empty() {
                self.remember_release(session, store.project());
                return Ok(PromptOutcome::Released(Released::Waits));
            }
            return Err(Nothing::NotActive.into());
        }
        // The plugin is installed twice, and the other one has taken these words as a direction.
        if debate.options.interactive && self.is_delivered_again(&debate, session, |_| true) {
            let choice = Choice::typed(words);
            let given = store.load()?.is_some_and(|loaded| Self::is_answered(&loaded.state, choice, words));
            if given {
                return Err(Nothing::Redelivered.into());
            }
        }
        Ok(PromptOutcome::Interrupts(Box::new(Turn { engine: self, session, store, debate })))
    }

    /// The session has no debate any more. True where it had one in this conversation and Claude does not know that yet;
    /// it is said once.
    fn is_news_that_it_is_over(&self, session: &Session, known: Option<&SessionRecord>) -> bool {
        match known {
            Some(known) if known.is_over => {
                self.machine.forget(&session.id);
                true
            }
            // The Stop of the reply that was being written says it to the user.
            Some(known) if !known.is_informed => {
                let _ = self.machine.remember(&session.id, &SessionRecord { is_informed: true, ..known.clone() });
                true
            }
            Some(_) | None => false,
        }
    }

    /// True when a debate in progress already goes on as these words say.
    fn is_answered(state: &StateFile, choice: Option<Choice>, words: &str) -> bool {
        let progress = &state.debate.progress;
        match choice {
            None => Self::is_given(state, words),
            Some(Choice::GoOn) => true,
            Some(Choice::Skip) => progress.synthesis_requested || progress.slot.phase == Phase::Synthesizer,
            Some(Choice::Stop) => false,
        }
    }

    /// The user stops an interactive debate after a round.
    fn stop_by_prompt<'a>(&self, store: &Store, session: &Session) -> Result<PromptOutcome<'a>, Stopped> {
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = locked.load()?.ok_or(Nothing::NoDebate)?;
        if !state.debate.is_owned_by(&session.id) {
            return Err(Nothing::NotOwner.into());
        }
        if !state.debate.awaits_direction() {
            return Err(Nothing::NotActive.into());
        }
        state.debate.pause("you stopped it", self.world.now);
        self.commit(&locked, &state, &Change::Pause)?;
        Ok(PromptOutcome::Stopped(Box::new(state.debate)))
    }

    /// The words of the user in an interactive debate: one of the answers that it offers, or a direction.
    fn steer_by_prompt<'a>(
        &self,
        store: &Store,
        session: &Session,
        choice: Option<Choice>,
        words: &str,
    ) -> Result<PromptOutcome<'a>, Stopped> {
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { state, .. } = locked.load()?.ok_or(Nothing::NoDebate)?;
        if !state.debate.is_owned_by(&session.id) {
            return Err(Nothing::NotOwner.into());
        }
        if !state.debate.is_active() && !state.debate.awaits_direction() {
            return Err(Nothing::NotActive.into());
        }
        if self.is_delivered_again(&state.debate, session, |_| Self::is_answered(&state, choice, words)) {
            return Err(Nothing::Redelivered.into());
        }
        if is_writing(&state.debate, session) {
            match choice {
                None => drop(self.note(&locked, state, ResumeAction::Steered(words))?),
                Some(Choice::Skip) => drop(self.note(&locked, state, ResumeAction::ToSynthesis)?),
                Some(Choice::GoOn | Choice::Stop) => {}
            }
            return Ok(PromptOutcome::GoesOn);
        }
        let steered = self.go_on_by_prompt(locked, state, session, choice, words)?;
        Ok(PromptOutcome::Steered(Box::new(steered)))
    }

    /// Files what this session wrote for its debate and no Stop has filed, before programs go on with it. `Some`: that was the
    /// synthesis.
    pub fn file_unfiled(&self, session: &Session, unfiled: Option<Reply>) -> Result<Option<Box<Completed>>, Stopped> {
        let Some(unfiled) = unfiled else { return Ok(None) };
        let store = self.store_meant(Some(session));
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, repair, .. } = load_own_active(&locked, session)?;
        let mut completed = self.catch_up(&locked, &mut state, repair.as_ref(), session, Some(unfiled))?;
        drop(locked);
        if let Some(completed) = &mut completed {
            self.report_on(&store, completed);
        }
        Ok(completed)
    }

    /// The session ends. Its debate can then be resumed anywhere: see [`Turn::end_session`].
    pub fn session_ends<'a>(&'a self, session: &'a Session) -> Result<Turn<'a>, Stopped> {
        self.own_turn(session).inspect_err(|_| self.machine.forget(&session.id))
    }

    /// A turn began that the user did not type, such as the news that an agent has finished: the debate runs in it.
    pub fn turn_began(&self, session: &Session) -> Result<(), Stopped> {
        let turn = self.own_turn(session)?;
        let locked = turn.store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = load_own_active(&locked, session)?;
        state.debate.enter_turn(session.prompt_id.as_deref());
        Ok(self.commit(&locked, &state, &Change::Turn)?)
    }
}

impl Turn<'_> {
    /// The user's prompt comes first: the debate pauses, after the reply that no Stop has filed.
    ///
    /// Typed while Claude was writing (the client gives such a prompt the id of the running turn), the reply is still
    /// filed when it stops, and then the debate pauses. Clients that do not name their turns pause at once.
    pub fn interrupt(self, unfiled: Option<Reply>) -> Result<Interruption, Stopped> {
        let locked = self.store.lock(LOCK_WAIT)?;
        let mut loaded = load_own_active(&locked, self.session)?;
        if is_writing(&loaded.state.debate, self.session) {
            loaded.state.debate.request_pause();
            self.engine.commit(&locked, &loaded.state, &Change::Pause)?;
            return Ok(Interruption::AfterReply);
        }
        Ok(self.pause(locked, loaded, unfiled, "you typed a message")?)
    }

    /// The session is over: the debate pauses, after the reply that no Stop has filed.
    pub fn end_session(self, unfiled: Option<Reply>) -> Result<Interruption, Stopped> {
        let paused = self.store.lock(LOCK_WAIT).map_err(Stopped::from).and_then(|locked| {
            let loaded = load_own_active(&locked, self.session)?;
            Ok(self.pause(locked, loaded, unfiled, "its session ended")?)
        });
        self.engine.machine.forget(&self.session.id);
        paused
    }

    fn pause(&self, locked: Locked<'_>, loaded: Loaded, unfiled: Option<Reply>, why: &str) -> Result<Interruption> {
        let Self { engine, session, store, .. } = self;
        let Loaded { mut state, repair, .. } = loaded;
        if let Some(mut completed) = engine.catch_up(&locked, &mut state, repair.as_ref(), session, unfiled)? {
            drop(locked);
            engine.report_on(store, &mut completed);
            return Ok(Interruption::Completed(completed));
        }
        state.debate.pause(why.to_owned(), engine.world.now);
        engine.commit(&locked, &state, &Change::Pause)?;
        engine.remember_release(session, store.project());
        Ok(Interruption::Paused(Box::new(state.debate)))
    }
}
