//! `anvil cancel`: the debate goes to the archive.

use crate::domain::command::TakeOver;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, owner: TakeOver) -> Result<()> {
    let archived = engine.sessions().cancel(None, owner.take_over)?;
    super::print(&messages::cancelled(&archived))
}
