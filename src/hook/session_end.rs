//! A session ends: its debate pauses, free to be resumed anywhere.

use super::wire::Answer;
use crate::engine::{Engine, Session};
use crate::error::Result;

pub(super) fn handle(engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    engine.session_ended(session).map(|_| Answer::Silent)
}
