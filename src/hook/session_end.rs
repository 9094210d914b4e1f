//! A session ends: its debate pauses, free to be resumed anywhere.

use super::read_reply::unfiled_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Session};
use crate::error::Result;

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    engine
        .session_ended(session, |debate| unfiled_reply(event, debate.progress.updated_at, End::Told))
        .map(|_| Answer::Silent)
}
