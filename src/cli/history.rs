//! `anvil undo`, `redo`, `checkpoints`, `restore` and `log`: a debate's past.

use crate::command::UndoOptions;
use crate::engine::Engine;
use crate::error::Result;
use crate::say;

pub(super) fn undo(engine: &Engine<'_>, options: &UndoOptions) -> Result<()> {
    super::print(&engine.undo(None, options.phases.into())?.to_string())
}

pub(super) fn redo(engine: &Engine<'_>) -> Result<()> {
    super::print(&engine.redo(None)?.to_string())
}

pub(super) fn checkpoints(engine: &Engine<'_>) -> Result<()> {
    super::print(&engine.history()?.to_string())
}

pub(super) fn restore(engine: &Engine<'_>, number: u32) -> Result<()> {
    super::print(&engine.restore(number)?.to_string())
}

pub(super) fn log(engine: &Engine<'_>) -> Result<()> {
    super::print(&say::harmless_json(engine.log()?.trim_end()))
}
