//! Resume a debate: this session owns it from now on, and its phase is asked for again.

use std::path::Path;

use jiff::Timestamp;

use super::filing::Completed;
use super::reading::{read_for_phase, read_for_session};
use super::steer::{ResumeAction, add_steering, has_argument, skip_to_synthesis, unfinished};
use super::turn::{check_own_active, is_writing};
use super::{Engine, LOCK_WAIT, Nothing, Session, Stopped, no_debate};
use crate::debate::{Debate, MAX_CYCLES, Phase, Status, Verb};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::prompt::{self, Ask, Opening, Read, Why};
use crate::reply::Reply;
use crate::state::{Change, Loaded, StateFile};
use crate::transcript;

/// A debate that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// The debate.
    pub debate: Debate,
    /// Where its report goes, if a place was named.
    pub report: Option<String>,
    /// What Claude gets.
    pub opening: Opening,
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
}

impl Engine<'_> {
    /// When the phase was asked for whose reply this session may have written without a Stop having filed it: a resume is
    /// to bring it. `None` where the debate meant is not this session's, or not in progress.
    #[must_use]
    pub fn unfiled_since(&self, session: &Session) -> Option<Timestamp> {
        let store = self.store_meant(Some(session));
        let debate = store.read_head().or_else(|_| Ok::<_, Error>(store.load()?.map(|loaded| loaded.state.debate)));
        let debate = debate.ok().flatten().filter(|debate| check_own_active(debate, session).is_ok())?;
        Some(debate.progress.updated_at)
    }

    /// Takes the debate of this project over and asks for its phase. Needs `take_over` while its owner runs elsewhere.
    /// `unfiled` is what this session wrote for it and no Stop has filed.
    pub fn resume(
        &self,
        session: &Session,
        take_over: bool,
        action: ResumeAction<'_>,
        unfiled: Option<Reply>,
    ) -> Result<Resumption, Stopped> {
        let store = self.store_meant(Some(session));
        if !store.has_file() {
            return Err(no_debate(&store).into());
        }
        self.write_due_reports_here(&store);
        let locked = store.lock(LOCK_WAIT)?;
        let loaded = locked.load()?.ok_or_else(|| no_debate(&store))?;
        let Loaded { mut state, repair, .. } = unfinished(loaded)?;
        let verb = match action {
            ResumeAction::AsItIs => Verb::Resume,
            ResumeAction::Steered(_) => Verb::Steer,
            ResumeAction::ToSynthesis => Verb::Synthesize,
        };
        self.check_may_change(verb, &state.debate, Some(session), take_over)?;
        let is_done = |debate: &Debate| match action {
            ResumeAction::AsItIs => true,
            ResumeAction::Steered(words) => Self::is_given(&state, words),
            ResumeAction::ToSynthesis => debate.progress.slot.phase == Phase::Synthesizer,
        };
        if repair.is_none() && self.is_delivered_again(&state.debate, session, is_done) {
            return Err(Nothing::Redelivered.into());
        }
        if action != ResumeAction::AsItIs && is_writing(&state.debate, session) {
            return Ok(Resumption::Noted(self.note(&locked, state, action)?));
        }
        if let Some(mut completed) = self.catch_up(&locked, &mut state, repair.as_ref(), session, unfiled)? {
            drop(locked);
            self.report_on(&store, &mut completed);
            return Ok(Resumption::Completed(completed));
        }
        let change = match action {
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
        let read = read_for_session(&state, session);
        state.debate.claim(&session.id, session.prompt_id.as_deref(), self.world.now);
        let steering = self.give_waiting_steering(&mut state, read);
        self.commit(&locked, &state, &change)?;
        drop(locked);
        let opening = opening(&state, &store.project().state_file(), Why::Turn, read, steering.as_deref());
        self.remember(session, store.project());
        self.say_foreign(&state.debate.id)?;
        let report = self.report_to_come(store.project(), &state.debate);
        Ok(Resumption::GoesOn(Box::new(Resumed { debate: state.debate, report, opening })))
    }

    /// A finished debate is opened once more: what it said stays, and `text` says what is new or narrower. In a shell it then waits.
    pub fn again(&self, session: Option<&Session>, text: &str, take_over: bool) -> Result<Resumed, Stopped> {
        let store = self.store_meant(session);
        if !store.has_file() {
            return Err(no_debate(&store).into());
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Loaded { mut state, .. } = locked.load()?.ok_or_else(|| no_debate(&store))?;
        if let Some(session) = session
            && self.is_delivered_again(&state.debate, session, |debate| debate.progress.cycle > 1)
        {
            return Err(Nothing::Redelivered.into());
        }
        let debate = &mut state.debate;
        if debate.progress.status != Status::Completed {
            return Err(Stopped::Failed(Error::nothing(
                format!("the debate here is {}, not complete", debate.progress.status.label()),
                "/anvil:resume goes on with it; /anvil:again opens a finished one once more",
            )));
        }
        self.check_may_change(Verb::Again, debate, session, take_over)?;
        if debate.progress.cycle >= MAX_CYCLES {
            return Err(Stopped::Failed(Error::failed(
                format!("a debate has at most {MAX_CYCLES} cycles"),
                "start one that builds on it: /anvil:debate QUESTION --follow-up ID",
            )));
        }
        debate.reopen();
        transcript::append_cycle(&mut state.body, debate.progress.cycle, self.world.now, text);
        let read = session.map_or(Read::Nothing, |session| read_for_session(&state, session));
        match session {
            Some(session) => state.debate.claim(&session.id, session.prompt_id.as_deref(), self.world.now),
            None => state.debate.pause("it was opened once more".to_owned(), self.world.now),
        }
        let steering = self.give_waiting_steering(&mut state, read);
        self.commit(&locked, &state, &Change::Again)?;
        drop(locked);
        let opening = opening(&state, &store.project().state_file(), Why::Again, read, steering.as_deref());
        if let Some(session) = session {
            self.remember(session, store.project());
        }
        let report = self.report_to_come(store.project(), &state.debate);
        Ok(Resumed { debate: state.debate, report, opening })
    }

    /// A direction that waits is given, where the debate goes on.
    fn give_waiting_steering(&self, state: &mut StateFile, read: Read) -> Option<String> {
        state.debate.require_read(state.debate.is_active() && read.is_needed());
        if state.debate.is_active() { self.give_steering(state) } else { None }
    }

    /// The conversation was compacted: what a debate in progress in this session needs again.
    pub fn after_compaction(&self, session: &Session) -> Result<Resumed, Stopped> {
        let (store, debate) = self.own(session, self.machine.read_session(&session.id))?;
        if !debate.is_active() && !debate.awaits_direction() {
            return Err(Nothing::NotActive.into());
        }
        let Loaded { state, .. } = store.load()?.ok_or(Nothing::NoDebate)?;
        let state_file = store.project().state_file();
        let read = read_for_phase(&state);
        let opening = opening(&state, &state_file, Why::Turn, read, None);
        let report = self.report_to_come(store.project(), &state.debate);
        Ok(Resumed { debate: state.debate, report, opening })
    }
}

/// Protocol and cue of a debate where it stands.
fn opening(state: &StateFile, state_file: &Path, why: Why, read: Read, steering: Option<&str>) -> Opening {
    let entries = transcript::parse(&state.body);
    let ledger = Ledger::of_entries(&entries);
    let cue = prompt::cue(&state.debate, state_file, &Ask { why, read, steering, ledger: &ledger });
    prompt::opening(&state.debate, entries.last_cycle().1, state_file, &cue)
}
