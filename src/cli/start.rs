//! `anvil start`: a debate that waits for a session.

use crate::command::{self, DebateOptions};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, question: &str, options: &DebateOptions) -> Result<()> {
    // Two results argued against each other are a question by themselves.
    let asks_itself = question.trim().is_empty() && !options.versus.is_empty();
    let question = if asks_itself { String::new() } else { command::question(question)? };
    let started = match engine.start(None, &question, options) {
        Ok(started) => started,
        Err(stopped) => return stopped.failure(),
    };
    super::print(&messages::prepared(&started))
}
