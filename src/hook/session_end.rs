//! A session ends: its debate pauses, free to be resumed anywhere.

use super::hear::missed;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Session};
use crate::error::Result;

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    engine.session_ended(session, |debate| missed(event, debate.progress.updated_at, End::Told)).map(|_| Answer::Silent)
}
