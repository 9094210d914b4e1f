//! Resume a debate: this session owns it from now on, and its phase is asked for again.

use super::filing::{CaughtUp, Completed};
use super::{Engine, LOCK_WAIT, Nothing, Session, no_debate};
use crate::debate::{Debate, Phase, Status};
use crate::error::{Error, Result};
use crate::prompt::{self, Opening, Read, Why};
use crate::reply::Heard;
use crate::state::{Change, Loaded, StateFile};
use crate::transcript;

/// A debate that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// The debate.
    pub debate: Debate,
    /// What Claude is told.
    pub opening: Opening,
}

/// What became of a request to go on.
#[derive(Debug)]
pub enum Resumption {
    /// The debate goes on.
    GoesOn(Resumed),
    /// What this session had written was the synthesis: it is filed, and the debate complete.
    Completed(Completed),
    /// Nothing, and why.
    Nothing(Nothing),
}

impl Engine<'_> {
    /// Takes the debate of this project over and asks for its phase. Needs `take_over` while its owner runs elsewhere.
    /// `hear` gives what this session wrote for it and no Stop has filed.
    pub fn resume(
        &self,
        session: &Session,
        take_over: bool,
        hear: impl FnOnce(&Debate) -> Heard,
    ) -> Result<Resumption> {
        let store = self.store_meant(Some(session));
        if !store.has_file() {
            return Err(no_debate(&store));
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(Loaded { mut state, repair, is_lost, .. }) = locked.load()? else { return Err(no_debate(&store)) };
        if is_lost {
            return Err(Error::failed(
                "the state file can't be read, and nothing tells what was debated",
                "repair it by hand, or start anew with --replace, which archives the file as it is",
            ));
        }
        if !state.debate.status.is_unfinished() {
            return Err(Error::nothing(
                format!("the debate here is {}", state.debate.status.label()),
                "/anvil:status shows it, /anvil:undo opens it again, /anvil:debate starts another one",
            ));
        }
        if !take_over && self.runs_elsewhere(&state.debate, Some(session)) {
            return Err(Error::failed(
                "another running session owns this debate",
                "go on there, or take it over with /anvil:resume --take-over",
            ));
        }
        if repair.is_none() && self.is_delivered_again(&state.debate, session, |_| true) {
            return Ok(Resumption::Nothing(Nothing::Redelivered));
        }
        let is_edited = repair.is_some_and(|repair| repair.moved || repair.asks_anew);
        let heard = hear(&state.debate);
        if !is_edited
            && let Some(CaughtUp::Completed(completed)) = self.catch_up(&locked, &mut state, session, heard)?
        {
            return Ok(Resumption::Completed(completed));
        }
        let read = what_to_read(&state, session);
        let debate = &mut state.debate;
        debate.session_id = Some(session.id.clone());
        debate.prompt_id.clone_from(&session.prompt_id);
        debate.status = Status::InProgress;
        debate.status_detail.clear();
        debate.pausing = false;
        debate.retry_count = 0;
        debate.continuations = 0;
        debate.updated_at = self.world.now;
        let state_file = store.project().state_file();
        let cue = prompt::cue(&state.debate, &state_file, Why::Turn, read);
        let opening = prompt::opening(&state.debate, &state_file, &cue);
        self.commit(&locked, &state, &Change::Resume)?;
        self.remember(session, store.project());
        Ok(Resumption::GoesOn(Resumed { debate: state.debate, opening }))
    }

    /// The conversation was compacted: what a debate in progress in this session needs again. `None` for any other.
    pub fn after_compaction(&self, session: &Session) -> Result<Option<Resumed>> {
        let Ok((store, _)) = self.own_active(session)? else { return Ok(None) };
        let Some(Loaded { state, .. }) = store.load()? else { return Ok(None) };
        let state_file = store.project().state_file();
        let cue = prompt::cue(&state.debate, &state_file, Why::Turn, from_where_it_pays(&state));
        let opening = prompt::opening(&state.debate, &state_file, &cue);
        Ok(Some(Resumed { debate: state.debate, opening }))
    }
}

/// A new conversation does not know the debate; the owner's most likely does, unless it was compacted.
fn what_to_read(state: &StateFile, session: &Session) -> Read {
    match from_where_it_pays(state) {
        Read::From(line) if state.debate.session_id.as_deref() == Some(&session.id) => Read::IfMissing(line),
        read => read,
    }
}

/// The synthesis needs every round, an argument the last exchange.
pub(super) fn from_where_it_pays(state: &StateFile) -> Read {
    if transcript::line_of_round(&state.body, 1).is_none() {
        return Read::Nothing;
    }
    let round = match state.debate.place.phase {
        Phase::Synthesizer => 1,
        Phase::Advocate | Phase::Critic => state.debate.place.round.saturating_sub(1).max(1),
    };
    Read::From(state.line_of_round(round).unwrap_or(1))
}
