//! `anvil undo`, `redo`, `checkpoints`, `restore` and `log`: a debate's past.

use serde_json::{Value, json};

use crate::command::{TakeOver, UndoOptions};
use crate::engine::{CheckpointEntry, Engine};
use crate::error::Result;
use crate::messages;
use crate::text;

pub(super) fn undo(engine: &Engine<'_>, options: &UndoOptions) -> Result<()> {
    super::print(&messages::history_change(&engine.undo(None, options.phases.into(), options.owner.take_over)?))
}

pub(super) fn redo(engine: &Engine<'_>, owner: TakeOver) -> Result<()> {
    super::print(&messages::history_change(&engine.redo(None, owner.take_over)?))
}

pub(super) fn checkpoints(engine: &Engine<'_>, id: Option<&str>, as_json: bool) -> Result<()> {
    let history = engine.history(id)?;
    if as_json {
        return super::print_json(&history.kept.iter().map(to_json).collect::<Vec<Value>>().into());
    }
    super::print(&messages::checkpoints(&history))
}

fn to_json(kept: &CheckpointEntry) -> Value {
    let debate = kept.debate.as_ref();
    json!({
        "number": kept.number,
        "is_damaged": debate.is_none(),
        "status": debate.map(|debate| debate.progress.status.word()),
        "phase": debate.map(|debate| debate.progress.slot.phase.word()),
        "round": debate.map(|debate| debate.progress.slot.round),
        "cycle": debate.map(|debate| debate.progress.cycle),
        "words": kept.words,
        "updated_at": debate.map(|debate| debate.progress.updated_at.to_string()),
        "is_now": kept.is_now,
    })
}

pub(super) fn restore(engine: &Engine<'_>, number: u32, id: Option<&str>, owner: TakeOver) -> Result<()> {
    super::print(&messages::history_change(&engine.restore(number, id, owner.take_over)?))
}

pub(super) fn log(engine: &Engine<'_>) -> Result<()> {
    super::print(&text::harmless_json(engine.log()?.trim_end()))
}
