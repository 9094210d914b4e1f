//! The second hook of a command, which the client runs in the background: of those after which
//! programs may write for a session. It wakes an idle session when they are done. It starts nothing
//! and answers nothing.

use super::client::{self, Support};
use super::wire::{Event, EventKind};
use anvil_engine::Session;
use anvil_run::isolated;
use anvil_system::world::{Surface, World};

/// The text that wakes a session: the hook of the next prompt recognizes it. The user never sees
/// it.
const WAKES: &str = "anvil-isolated-news";

/// True for the prompt by which the client wakes a session for this. Other news may contain the
/// word too: an agent's findings, for example.
pub(super) fn wakes(prompt: &str) -> bool {
    let end = prompt.trim_ascii_end();
    let end = end
        .strip_suffix("</system-reminder>")
        .or_else(|| end.strip_suffix("</task-notification>"))
        .unwrap_or(end)
        .trim_ascii_end();
    prompt.trim_start().starts_with(super::NOT_TYPED)
        && prompt.matches(super::NOT_TYPED).count() == 1
        && prompt.contains("UserPromptExpansion")
        && end.ends_with(WAKES)
}

/// Waits while programs write for the session of this prompt. `Some`: wake the session with this
/// text.
pub fn background(input: &[u8], world: World) -> Option<&'static str> {
    // A client that prints its answer and ends has no idle session.
    let is_printing = world.surface == Surface::Print;
    if client::support(world.agent.as_deref()) == Support::TooOld || is_printing {
        return None;
    }
    let event =
        Event::parse(input).ok().filter(|event| event.kind == EventKind::UserPromptExpansion)?;
    let world = super::world_in_event_cwd(&event, world);
    let session = Session { client: super::client_process(&world), ..super::session(&event).ok()? };
    isolated::wait(&world, &session).then_some(WAKES)
}
