//! The door to Claude Code: one event comes in on standard input, at most one answer goes out.
//!
//! Invariants: it always answers with valid JSON or nothing, so the client goes on whatever happens; in a session without
//! a debate it costs one or two looks at the disk; it only translates, and decides nothing about debates.

mod background;
mod isolated;
mod line;
mod news;
mod pre_tool_use;
mod prompt_submit;
mod read_reply;
mod session_end;
mod session_start;
mod stop;
mod tail;
mod wire;

pub use background::background;
pub use wire::{Answer, MAX_EVENT_BYTES};

use std::path::Path;

use crate::engine::{Engine, Nothing, Session, Stopped};
use crate::error::{Error, Result};
use crate::messages;
use crate::state::Client;
use crate::world::World;
use wire::{Event, Kind};

/// How the client's own prompts begin: the news that a background agent has ended.
const NOT_TYPED: &str = "<task-notification>";

/// Longest name of a session or a turn that is believed, in bytes: UUIDs have 36.
const MAX_NAME_BYTES: usize = 200;

/// Answers one event.
#[must_use]
pub fn answer(input: impl AsRef<[u8]>, world: World) -> Answer {
    let event = Event::parse(input.as_ref());
    // A large event is not kept beside what was read from it.
    drop(input);
    match event {
        Ok(event) => dispatch(event, world).unwrap_or_else(|error| explain(&error)),
        Err(error) => explain(&error),
    }
}

/// False for a folder that the client's JSON can't name: without its name the hook's own current folder is meant.
fn can_be_meant(cwd: &Path) -> bool {
    let is_lossy = cwd.as_os_str().to_string_lossy().contains('\u{FFFD}');
    cwd.is_absolute() && !is_lossy && cwd.is_dir()
}

/// An error as the user sees it.
#[must_use]
pub fn explain(error: &Error) -> Answer {
    Answer::Say(messages::error(error))
}

/// The world, in the folder that an event names.
fn where_it_happened(event: &Event, mut world: World) -> World {
    if let Some(cwd) = event.cwd.as_ref().filter(|cwd| **cwd != world.cwd && can_be_meant(cwd)) {
        world.cwd.clone_from(cwd);
    }
    world.in_its_folder()
}

fn dispatch(mut event: Event, world: World) -> Result<Answer> {
    let world = where_it_happened(&event, world);
    let mut session = match event.kind {
        Kind::Other => return Ok(Answer::Silent),
        Kind::Stop | Kind::PreToolUse | Kind::UserPromptSubmit | Kind::SessionStart | Kind::SessionEnd => {
            session(&event)?
        }
    };
    if matches!(event.kind, Kind::UserPromptSubmit | Kind::SessionStart) {
        session.client = client(&world);
    }
    let engine = Engine::new(&world);
    let answer = match event.kind {
        Kind::Stop => stop::handle(&mut event, &world, &engine, &session),
        Kind::PreToolUse => Ok(pre_tool_use::handle(&event, &engine, &session)),
        Kind::UserPromptSubmit => prompt_submit::handle(&event, &world, &engine, &session),
        Kind::SessionStart => session_start::handle(&event, &engine, &session),
        Kind::SessionEnd => session_end::handle(&event, &engine, &session),
        Kind::Other => Ok(Answer::Silent),
    };
    let answer = match answer {
        Err(Stopped::Nothing(Nothing::Follows)) => news::answer(&event, &engine, &session),
        answer => answer,
    };
    let answer = answer.unwrap_or_else(|stopped| match stopped {
        Stopped::Nothing(why) => messages::nothing(why).map_or(Answer::Silent, |line| Answer::Say(line.to_owned())),
        Stopped::Failed(error) => explain(&error),
    });
    Ok(engine.take_notes().iter().rev().fold(answer, |answer, note| answer.after(&messages::note(note))))
}

fn session(event: &Event) -> Result<Session> {
    let id = event.session_id.clone().filter(|id| !id.is_empty() && id.len() <= MAX_NAME_BYTES);
    let id = id.ok_or_else(|| Error::failed("the hook's event names no session", "it was not sent by Claude Code"))?;
    let prompt_id = event.prompt_id.clone().filter(|turn| turn.len() <= MAX_NAME_BYTES);
    Ok(Session { id, prompt_id, client: None, for_client: None })
}

/// The client process: it says so itself (2.1.329), or it is the parent of this program, after the shell that runs the
/// hook (2.0.30 to 2.1.329 put one in between).
fn client(world: &World) -> Option<Client> {
    world.client_pid.or_else(parent_client).map(Client::of_pid)
}

#[cfg(unix)]
fn parent_client() -> Option<u32> {
    let parent = u32::try_from(rustix::process::getppid()?.as_raw_nonzero().get()).ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).ok()?;
    let (name, fields) = stat.split_once('(')?.1.rsplit_once(") ")?;
    if matches!(name, "sh" | "bash" | "dash" | "zsh") {
        fields.split_ascii_whitespace().nth(1)?.parse().ok()
    } else {
        Some(parent)
    }
}

#[cfg(not(unix))]
fn parent_client() -> Option<u32> {
    None
}
