//! Resume a debate: this session owns it from now on, and its phase is asked for again.

use super::{Engine, LOCK_WAIT, Nothing, Session};
use crate::debate::{Debate, Phase, Status};
use crate::error::{Error, Result};
use crate::prompt::{self, Opening, Read, Why};
use crate::state::StateFile;
use crate::transcript;

/// A debate that goes on.
#[derive(Debug)]
pub struct Resumed {
    /// The debate.
    pub debate: Debate,
    /// What Claude is told.
    pub opening: Opening,
}

impl Engine<'_> {
    /// Takes the debate of this project over and asks for its phase. Needs `take_over` while its owner runs elsewhere.
    pub fn resume(&self, session: &Session, take_over: bool) -> Result<std::result::Result<Resumed, Nothing>> {
        let store = self.store_meant(Some(session));
        if store.read_head()?.is_none() {
            return Err(no_debate());
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(mut state) = locked.read()? else { return Err(no_debate()) };
        if !state.debate.status.is_unfinished() {
            return Err(Error::nothing(
                format!("the debate here is {}", state.debate.status.label()),
                "/anvil:status shows it, /anvil:debate starts another one",
            ));
        }
        if !take_over && self.runs_elsewhere(&state.debate, Some(session)) {
            return Err(Error::failed(
                "another running session owns this debate",
                "go on there, or take it over with /anvil:resume --take-over",
            ));
        }
        if self.is_delivered_again(&state.debate, session, |_| true) {
            return Ok(Err(Nothing::Redelivered));
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
        locked.commit(&state)?;
        self.remember(session, store.project());
        Ok(Ok(Resumed { debate: state.debate, opening }))
    }

    /// The conversation was compacted: what a debate in progress in this session needs again. `None` for any other.
    pub fn after_compaction(&self, session: &Session) -> Result<Option<Resumed>> {
        let Ok((store, _)) = self.own_active(session)? else { return Ok(None) };
        let Some(state) = store.read()? else { return Ok(None) };
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
fn from_where_it_pays(state: &StateFile) -> Read {
    if transcript::line_of_round(&state.body, 1).is_none() {
        return Read::Nothing;
    }
    let round = match state.debate.place.phase {
        Phase::Synthesizer => 1,
        Phase::Advocate | Phase::Critic => state.debate.place.round.saturating_sub(1).max(1),
    };
    Read::From(state.line_of_round(round).unwrap_or(1))
}

fn no_debate() -> Error {
    Error::nothing("there is no debate here", "/anvil:debate QUESTION starts one")
}
