//! `anvil tasks`: lists the replies to write, or frees a task.

use serde_json::json;

use crate::domain::tasks::TaskList;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;
use crate::system::world::World;

pub(super) fn tasks(
    world: &World,
    engine: &Engine<'_>,
    id: Option<&str>,
    drop: Option<&str>,
    as_json: bool,
) -> Result<()> {
    if let Some(task) = drop {
        return super::print(&messages::dropped(task, &engine.tasks().drop_claim(task)?));
    }
    let board = engine.tasks().list(id)?;
    if as_json {
        let (debate, cycle) = (&board.debate.id, board.debate.progress.cycle);
        let tasks = TaskList { schema: 1, debate, cycle, tasks: &board.tasks };
        return super::print_json(&json!(tasks));
    }
    super::print(&messages::tasks(&board, world.now))
}
