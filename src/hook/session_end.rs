//! A session ends: its debate pauses, and any session may resume it.

use super::read_reply::unsaved_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Session, Stopped};
use crate::error::Result;

pub(super) fn handle(
    event: &Event,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Answer, Stopped> {
    let turn = engine.sessions().session_ends(session)?;
    let unsaved = unsaved_reply(event, turn.asked_at(), End::Certain);
    turn.end_session(unsaved)?;
    // The client reads no answer any more.
    Ok(Answer::Silent)
}
