//! A session ends: its debate pauses, and any session may resume it.

use std::time::Duration;

use super::Call;
use super::read_reply::ended_turn;
use super::wire::Answer;
use anvil_engine::{Silence, Stopped, session};
use anvil_text::error::Result;

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let turn = session::session_ends(call.context, call.session)?;
    let unsaved = ended_turn(call.event, turn.phase_began(), Silence::Shown, Duration::ZERO);
    turn.end_session(unsaved)?;
    // The client reads no answer any more.
    Ok(Answer::Silent)
}
