//! `anvil undo`: the earlier states of a debate.

use anvil_command::{Undo, UndoOptions};
use anvil_core::debate::Debate;
use anvil_engine::{Context, SnapshotEntry, history};
use anvil_messages::Door;
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn undo(
    context: &Context<'_>,
    options: &UndoOptions,
    as_json: bool,
    door: &Door,
) -> Result<()> {
    let take_over = options.owner.take_over;
    let change = match options.undo()? {
        Undo::Phases(phases) => history::undo(context, None, phases, take_over)?,
        Undo::Redo => history::redo(context, None, take_over)?,
        Undo::To(number, id) => history::restore(context, None, number, id, take_over)?,
        Undo::List(id) => {
            let history = history::snapshots(context, None, id)?;
            if as_json {
                let all: Vec<Value> = history.kept.iter().map(to_json).collect();
                return super::print_json(&all.into());
            }
            return super::print(&anvil_messages::snapshots(&history, door));
        }
    };
    super::print(&anvil_messages::history_change(&change, door))
}

fn to_json(kept: &SnapshotEntry) -> Value {
    let debate = kept.debate.as_ref();
    json!({
        "number": kept.number,
        "is_damaged": debate.is_none(),
        "status": debate.map(|debate| debate.status().word()),
        "phase": debate.map(Debate::phase),
        "round": debate.map(|debate| debate.place().number()),
        "cycle": debate.map(Debate::cycle),
        "words": kept.words,
        "updated_at": debate.map(|debate| debate.updated_at().to_string()),
        "is_now": kept.is_now,
    })
}
