//! `anvil list`: the texts that a debate can be told to use.

use crate::engine::Engine;
use crate::error::Result;

pub(super) fn run(engine: &Engine<'_>, kind: Option<&str>) -> Result<()> {
    super::print(&engine.list(kind)?)
}
