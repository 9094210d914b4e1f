//! `anvil steer`, `synthesize`, `rounds` and `again`: a person directs a debate from a shell.

use crate::command;
use crate::engine::{Engine, Resumption};
use crate::error::Result;
use crate::say;

pub(super) fn steer(engine: &Engine<'_>, text: &str) -> Result<()> {
    super::print(&say::noted(&engine.steer(&command::steering(text)?)?))
}

pub(super) fn synthesize(engine: &Engine<'_>) -> Result<()> {
    super::print(&say::noted(&engine.synthesize()?))
}

pub(super) fn rounds(engine: &Engine<'_>, rounds: u8) -> Result<()> {
    super::print(&say::rounds_changed(&engine.change_rounds(None, rounds)?))
}

pub(super) fn again(engine: &Engine<'_>, text: &str) -> Result<()> {
    match engine.again(None, &command::news(text)?)? {
        Resumption::GoesOn(resumed) => {
            super::print(&format!("{}\nType /anvil:resume in Claude Code to begin.", say::started(&resumed.debate)))
        }
        Resumption::Noted(_) | Resumption::Completed(_) | Resumption::Nothing(_) => Ok(()),
    }
}
