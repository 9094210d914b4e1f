//! `anvil steer` and `again`: the user directs a debate from a shell.

use crate::domain::command::{self, SteerOptions, TakeOver};
use crate::domain::transcript::Author;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

pub(super) fn steer(engine: &Engine<'_>, options: &SteerOptions) -> Result<()> {
    let steering = options.steering()?;
    if let Some(fact) = steering.direction.as_deref().filter(|_| options.note) {
        let (sessions, take_over) = (engine.sessions(), options.owner.take_over);
        sessions.note_fact(None, fact, Author::person(), take_over)?;
        return super::print(messages::FACT_NOTED);
    }
    if let Some(answer) = steering.direction.as_deref().filter(|_| options.answer) {
        let question = engine.sessions().answer(None, answer, options.owner.take_over)?;
        return super::print(&messages::answered(&question));
    }
    let debate = engine.sessions().direct(None, &steering, options.owner.take_over)?;
    super::print(&messages::noted(&debate, &steering, Door::Shell))
}

pub(super) fn again(engine: &Engine<'_>, text: &str, owner: TakeOver) -> Result<()> {
    match engine.sessions().again(None, &command::news(text)?, owner.take_over) {
        Ok(resumed) => super::print(&messages::reopened(&resumed, &engine.sessions().project())),
        Err(stopped) => stopped.failure(),
    }
}
