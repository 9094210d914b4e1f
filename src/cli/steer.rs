//! `anvil steer`, `synthesize`, `rounds` and `again`: the user directs a debate from a shell.

use crate::command::{self, RoundsOptions, TakeOver};
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;

pub(super) fn steer(engine: &Engine<'_>, text: &str, owner: TakeOver) -> Result<()> {
    let direction = command::steering(text)?;
    super::print(&messages::noted(&engine.steer(None, &direction, owner.take_over)?, Some(&direction)))
}

pub(super) fn synthesize(engine: &Engine<'_>, owner: TakeOver) -> Result<()> {
    super::print(&messages::noted(&engine.synthesize(None, owner.take_over)?, None))
}

pub(super) fn rounds(engine: &Engine<'_>, options: &RoundsOptions) -> Result<()> {
    let changed = engine.change_rounds(None, options.rounds, options.owner.take_over)?;
    super::print(&messages::rounds_changed(&changed))
}

pub(super) fn again(engine: &Engine<'_>, text: &str, owner: TakeOver) -> Result<()> {
    match engine.again(None, &command::news(text)?, owner.take_over) {
        Ok(resumed) => super::print(&messages::reopened(&resumed)),
        Err(stopped) => stopped.failure(),
    }
}
