//! `anvil config`: what holds for every option, and which file says so.

use crate::engine::Engine;
use crate::error::Result;
use crate::say;

pub(super) fn run(engine: &Engine<'_>) -> Result<()> {
    let rows: Vec<[String; 3]> = engine
        .config()?
        .into_iter()
        .map(|setting| [setting.name, say::clean(&setting.value, 60), say::clean(&setting.from, usize::MAX)])
        .collect();
    super::print(&say::table(&rows))
}
