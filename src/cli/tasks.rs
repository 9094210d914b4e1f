//! `anvil tasks`: lists the replies to write, or frees a task.

use anvil_core::tasks::TaskList;
use anvil_engine::{Context, tasks};
use anvil_messages::Door;
use anvil_system::world::World;
use anvil_text::error::Result;
use serde_json::json;

pub(super) fn tasks(
    world: &World,
    context: &Context<'_>,
    id: Option<&str>,
    drop: Option<&str>,
    as_json: bool,
    door: &Door,
) -> Result<()> {
    if let Some(task) = drop {
        return super::print(&anvil_messages::drop_line(task, &tasks::drop_claim(context, task)?));
    }
    let board = tasks::list(context, id)?;
    if as_json {
        let debate = &board.debate.id;
        let cycle = board.debate.cycle();
        let tasks = TaskList { schema: 1, debate, cycle, tasks: &board.tasks };
        return super::print_json(&json!(tasks));
    }
    super::print(&anvil_messages::tasks(&board, world.now, super::screen::screen(), door))
}
