//! `anvil cancel`: the debate goes to the archive.

use crate::command::TakeOver;
use crate::engine::Engine;
use crate::error::Result;
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, owner: TakeOver) -> Result<()> {
    let archived = engine.cancel(None, owner.take_over)?;
    super::print(&messages::cancelled(&archived))
}
