//! A session ends: its debate pauses, free to be resumed anywhere.

use super::read_reply::unfiled_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Session, Stopped};
use crate::error::Result;

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    let turn = engine.session_ends(session)?;
    let unfiled = unfiled_reply(event, turn.asked_at(), End::Certain);
    turn.end_session(unfiled)?;
    // Nobody reads an answer any more.
    Ok(Answer::Silent)
}
