//! The second hook of a prompt, which the client runs in the background: it wakes an idle session when what programs write for it is
//! over. It starts nothing and answers nothing.

use super::wire::{Event, Kind};
use crate::engine::Session;
use crate::run::isolated;
use crate::world::World;

/// The commands after which programs may write for a session.
const BEGINS: [&str; 5] = ["/anvil:debate", "/anvil:resume", "/anvil:steer", "/anvil:synthesize", "/anvil:again"];

/// What the woken session's prompt holds, by which [`super::news`] knows it. The user never sees it.
pub(super) const WAKES: &str = "anvil-isolated-news";

/// Waits while programs write for the session of this prompt. `Some`: the session is to be woken, with this text.
#[must_use]
pub fn background(input: &[u8], world: World) -> Option<&'static str> {
    // Older clients run it in the foreground (2.0.30 and 2.1.47 measured).
    world.client_version?;
    let event = Event::parse(input).ok().filter(|event| event.kind == Kind::UserPromptSubmit)?;
    let prompt = event.prompt.as_deref().unwrap_or_default().trim_start();
    let is_woken = prompt.starts_with(super::NOT_TYPED) && prompt.contains(WAKES);
    if !is_woken && !BEGINS.iter().any(|command| prompt.starts_with(command)) {
        return None;
    }
    let world = super::where_it_happened(&event, world);
    let session = Session { client: super::client(&world), ..super::session(&event).ok()? };
    isolated::wait(&world, &session, is_woken).then_some(WAKES)
}
