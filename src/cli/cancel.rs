//! `anvil cancel`: the debate goes to the archive.

use crate::engine::Engine;
use crate::error::Result;

pub(super) fn run(engine: &Engine<'_>) -> Result<()> {
    let archived = engine.cancel(None)?;
    super::print(&format!("Anvil: cancelled. The debate lies in {}.", archived.display()))
}
