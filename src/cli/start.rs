//! `anvil start`: prepares a debate for a session.

use crate::domain::command::{self, DebateOptions};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, question: &str, options: &DebateOptions) -> Result<()> {
    // Two earlier results that are argued against each other need no question.
    let needs_no_question = question.trim().is_empty() && !options.versus.is_empty();
    let question = if needs_no_question { String::new() } else { command::question(question)? };
    let started = match engine.sessions().start(None, &question, options) {
        Ok(started) => started,
        Err(stopped) => return stopped.failure(),
    };
    super::print(&messages::prepared(&started))
}
