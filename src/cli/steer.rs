//! `anvil steer` and `again`: the user directs a debate from a shell.

use crate::domain::command::{self, Statement, SteerOptions, TakeOver};
use crate::domain::transcript::Author;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

pub(super) fn steer(engine: &Engine<'_>, options: &SteerOptions) -> Result<()> {
    let (sessions, take_over) = (engine.sessions(), options.owner.take_over);
    match options.statement()? {
        Some(Statement::Fact(fact)) => {
            sessions.note_fact(None, &fact, Author::person(), take_over)?;
            return super::print(messages::FACT_NOTED);
        }
        Some(Statement::Answer(answer)) => {
            let question = sessions.answer(None, &answer, take_over)?;
            return super::print(&messages::answered(&question));
        }
        Some(Statement::Motion(motion)) => {
            let debate = sessions.correct_motion(None, &motion, take_over)?;
            return super::print(&messages::motion_corrected(&debate, Door::Shell));
        }
        None => {}
    }
    let steering = options.steering()?;
    let debate = sessions.direct(None, &steering, take_over)?;
    super::print(&messages::noted(&debate, &steering, Door::Shell))
}

pub(super) fn again(engine: &Engine<'_>, text: &str, owner: TakeOver) -> Result<()> {
    match engine.sessions().again(None, &command::news(text)?, owner.take_over) {
        Ok(resumed) => super::print(&messages::reopened(&resumed, &engine.sessions().project())),
        Err(stopped) => stopped.failure(),
    }
}
