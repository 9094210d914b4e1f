//! A session starts: an unfinished debate in its project is mentioned; a compacted one is reminded of its protocol.

use super::wire::{Answer, Event};
use crate::engine::{Engine, Session};
use crate::error::Result;
use crate::say;

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    if event.source.as_deref() == Some("compact") {
        return Ok(match engine.after_compaction(session)? {
            None => Answer::Silent,
            Some(resumed) => Answer::Context {
                event: "SessionStart",
                context: resumed.opening.as_str().to_owned(),
                say: say::started(&resumed.debate),
            },
        });
    }
    Ok(match engine.unfinished(session)? {
        None => Answer::Silent,
        Some(found) => Answer::Say(say::unfinished(&found.debate, found.runs_elsewhere)),
    })
}
