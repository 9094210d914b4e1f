//! `anvil cancel`: the debate goes to the archive.

use crate::engine::Engine;
use crate::error::Result;
use crate::world::World;

pub(super) fn run(world: &World) -> Result<()> {
    let archived = Engine::new(world).cancel(None)?;
    super::print(&format!("Anvil: cancelled. The debate lies in {}.", archived.display()))
}
