//! Resume a debate: this session owns it from now on, and its phase is asked for again.

use super::filing::{CaughtUp, Completed};
use super::steer::{add_steering, has_argument, is_writing, skip_to_synthesis, unfinished};
use super::{Engine, LOCK_WAIT, Nothing, Session, no_debate};
use crate::debate::{Debate, MAX_CYCLES, Phase, Status, Verb};
use crate::error::{Error, Result};
use crate::prompt::{self, Ask, Opening, Read, Why};
use crate::reply::TurnOutput;
use crate::state::{Change, Loaded, Locked, StateFile};
use crate::transcript;

/// A debate that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// The debate.
    pub debate: Debate,
    /// What Claude is told.
    pub opening: Opening,
}

/// What the user wants of a debate that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeAction<'a> {
    /// What waits.
    AsItIs,
    /// The same, with a direction.
    Steered(&'a str),
    /// The synthesis.
    ToSynthesis,
}

/// What became of a request to go on.
#[derive(Debug)]
pub enum Resumption {
    /// The debate goes on.
    GoesOn(Box<Resumed>),
    /// A reply is being written; what the user wants comes after it.
    Noted(Box<Debate>),
    /// What this session had written was the synthesis: it is filed, and the debate complete.
    Completed(Box<Completed>),
    /// Nothing, and why.
    Nothing(Nothing),
}

impl Engine<'_> {
    /// Takes the debate of this project over and asks for its phase. Needs `take_over` while its owner runs elsewhere.
    /// `read_reply` gives what this session wrote for it and no Stop has filed.
    pub fn resume(
        &self,
        session: &Session,
        take_over: bool,
        onward: ResumeAction<'_>,
        read_reply: impl FnOnce(&Debate) -> TurnOutput,
    ) -> Result<Resumption> {
        let store = self.store_meant(Some(session));
        if !store.has_file() {
            return Err(no_debate(&store));
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(loaded) = locked.load()? else { return Err(no_debate(&store)) };
        self.write_due_reports(&store, || Ok(&locked), &loaded.state, &store.project().state_file());
        let Loaded { mut state, repair, .. } = unfinished(loaded)?;
        let verb = match onward {
            ResumeAction::AsItIs => Verb::Resume,
            ResumeAction::Steered(_) => Verb::Steer,
            ResumeAction::ToSynthesis => Verb::Synthesize,
        };
        self.check_may_change(verb, &state.debate, Some(session), take_over)?;
        let is_done = |debate: &Debate| match onward {
            ResumeAction::AsItIs => true,
            ResumeAction::Steered(words) => Self::is_given(&state, words),
            ResumeAction::ToSynthesis => debate.progress.slot.phase == Phase::Synthesizer,
        };
        if repair.is_none() && self.is_delivered_again(&state.debate, session, is_done) {
            return Ok(Resumption::Nothing(Nothing::Redelivered));
        }
        if onward != ResumeAction::AsItIs && is_writing(&state.debate, session) {
            return self.note(&locked, state, onward).map(Resumption::Noted);
        }
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        let output = read_reply(&state.debate);
        if !is_edited
            && let Some(CaughtUp::Completed(completed)) = self.catch_up(&locked, &mut state, session, output)?
        {
            return Ok(Resumption::Completed(completed));
        }
        let change = match onward {
            // Wished for while a reply was written that never came.
            ResumeAction::AsItIs if state.debate.progress.synthesis_requested && has_argument(&state) => {
                skip_to_synthesis(&mut state)?;
                Change::Synthesize
            }
            ResumeAction::AsItIs => Change::Resume,
            ResumeAction::Steered(text) => {
                add_steering(&mut state.debate, text)?;
                Change::Steer
            }
            ResumeAction::ToSynthesis => {
                skip_to_synthesis(&mut state)?;
                Change::Synthesize
            }
        };
        let read = what_to_read(&state, session);
        self.claim(session, &mut state.debate);
        let opening = self.opening(&locked, &mut state, Why::Turn, read);
        self.commit(&locked, &state, &change)?;
        self.remember(session, store.project());
        Ok(Resumption::GoesOn(Box::new(Resumed { debate: state.debate, opening })))
    }

    /// A finished debate is opened once more: what it said stays, and `text` says what is new or narrower. In a shell it then waits.
    pub fn again(&self, session: Option<&Session>, text: &str, take_over: bool) -> Result<Resumption> {
        let store = self.store_meant(session);
        if !store.has_file() {
            return Err(no_debate(&store));
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(Loaded { mut state, .. }) = locked.load()? else { return Err(no_debate(&store)) };
        if let Some(session) = session
            && self.is_delivered_again(&state.debate, session, |debate| debate.progress.cycle > 1)
        {
            return Ok(Resumption::Nothing(Nothing::Redelivered));
        }
        let debate = &mut state.debate;
        if debate.progress.status != Status::Completed {
            return Err(Error::nothing(
                format!("the debate here is {}, not complete", debate.progress.status.label()),
                "/anvil:resume goes on with it; /anvil:again opens a finished one once more",
            ));
        }
        self.check_may_change(Verb::Again, debate, session, take_over)?;
        if debate.progress.cycle >= MAX_CYCLES {
            return Err(Error::failed(
                format!("a debate has at most {MAX_CYCLES} cycles"),
                "start one that builds on it: /anvil:debate QUESTION --follow-up ID",
            ));
        }
        debate.reopen();
        transcript::append_cycle(&mut state.body, debate.progress.cycle, self.world.now, text);
        let read = match session {
            Some(session) => what_to_read(&state, session),
            None => Read::Nothing,
        };
        match session {
            Some(session) => self.claim(session, &mut state.debate),
            None => state.debate.pause("it was opened once more".to_owned(), self.world.now),
        }
        let opening = self.opening(&locked, &mut state, Why::Again, read);
        self.commit(&locked, &state, &Change::Again)?;
        if let Some(session) = session {
            self.remember(session, store.project());
        }
        Ok(Resumption::GoesOn(Box::new(Resumed { debate: state.debate, opening })))
    }

    /// The debate is this session's from now on, and in progress.
    pub(super) fn claim(&self, session: &Session, debate: &mut Debate) {
        debate.claim(&session.id, session.prompt_id.as_deref(), self.world.now);
    }

    /// Protocol and cue for the place where the debate stands; a direction that waits is given, where the debate goes on.
    fn opening(&self, locked: &Locked<'_>, state: &mut StateFile, why: Why, read: Read) -> Opening {
        state.debate.require_read(state.debate.is_active() && read.is_needed());
        let steering = if state.debate.is_active() { self.give_steering(state) } else { None };
        let state_file = locked.project().state_file();
        let cue = prompt::cue(&state.debate, &state_file, &Ask { why, read, steering: steering.as_deref() });
        prompt::opening(&state.debate, transcript::parse(&state.body).last_cycle().1, &state_file, &cue)
    }

    /// The conversation was compacted: what a debate in progress in this session needs again. `None` for any other.
    pub fn after_compaction(&self, session: &Session) -> Result<Option<Resumed>> {
        let Ok((store, debate)) = self.own(session)? else { return Ok(None) };
        if !debate.is_active() && !debate.awaits_direction() {
            return Ok(None);
        }
        let Some(Loaded { state, .. }) = store.load()? else { return Ok(None) };
        let state_file = store.project().state_file();
        let read = from_where_it_pays(&state);
        let cue = prompt::cue(&state.debate, &state_file, &Ask { why: Why::Turn, read, steering: None });
        let opening = prompt::opening(&state.debate, transcript::parse(&state.body).last_cycle().1, &state_file, &cue);
        Ok(Some(Resumed { debate: state.debate, opening }))
    }
}

/// A new conversation does not know the debate; the owner's most likely does, unless it was compacted.
fn what_to_read(state: &StateFile, session: &Session) -> Read {
    match from_where_it_pays(state) {
        // One that was asked for and not made is asked for again.
        Read::From(line) if state.debate.is_owned_by(&session.id) && !state.debate.ownership.must_read => {
            Read::IfMissing(line)
        }
        read => read,
    }
}

/// The synthesis needs every round, an argument the last exchange, and whoever does not know the material all of it.
pub(super) fn from_where_it_pays(state: &StateFile) -> Read {
    if let Some((line, _)) = state.lines_of_material() {
        return Read::From(line);
    }
    if transcript::line_of_round(&state.body, 1).is_none() {
        return Read::Nothing;
    }
    let slot = state.debate.progress.slot;
    let round = match slot.phase {
        Phase::Advocate | Phase::Critic if state.debate.progress.cycle == 1 => slot.round.saturating_sub(1).max(1),
        // Voices answer all those before them; a synthesis and another cycle look at everything.
        Phase::Advocate | Phase::Critic | Phase::Synthesizer | Phase::Stakeholder | Phase::Persona => {
            return Read::From(state.line_of_first_round().unwrap_or(1));
        }
    };
    Read::From(state.line_of_round(round).unwrap_or(1))
}
