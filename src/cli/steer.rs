//! `anvil steer` and `again`: the user directs a debate from a shell.

use crate::domain::command::{self, SteerOptions, TakeOver};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

pub(super) fn steer(engine: &Engine<'_>, options: &SteerOptions) -> Result<()> {
    let steering = options.steering()?;
    let debate = engine.sessions().direct(None, &steering, options.owner.take_over)?;
    super::print(&messages::noted(&debate, &steering, Door::Shell))
}

pub(super) fn again(engine: &Engine<'_>, text: &str, owner: TakeOver) -> Result<()> {
    match engine.sessions().again(None, &command::news(text)?, owner.take_over) {
        Ok(resumed) => super::print(&messages::reopened(&resumed)),
        Err(stopped) => stopped.failure(),
    }
}
