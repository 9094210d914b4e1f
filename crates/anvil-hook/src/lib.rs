//! The door to Claude Code: takes one event as JSON, and gives at most one answer.
//!
//! Invariants: it always answers with valid JSON or nothing, so the client goes on whatever
//! happens; in a session without a debate it costs at most three looks at the disk; it only
//! translates and decides nothing about debates.

mod background;
mod client;
mod command;
mod error;
mod in_words;
mod isolated;
mod news;
mod plan;
mod pre_tool_use;
mod prompt_submit;
mod read_reply;
mod session_end;
mod session_start;
mod stop;
mod stop_failure;
mod wire;

#[cfg(test)]
mod tests;

pub use background::background;
pub use client::{OLDEST, Version, version, version_text};
pub use error::HookError;
pub use wire::{Answer, MAX_EVENT_BYTES};

use anvil_core::reply::TurnOutput;
use anvil_engine::{Context, Session, Silence, Skipped, Stopped, session};
use anvil_messages::Door;
use anvil_system::process::{self, ProcessId};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};
use client::Support;
use read_reply::ended_turn;
use std::path::Path;
use std::time::Duration;
use wire::{Event, EventKind};

/// The beginning of each command.
const COMMANDS: &str = "/anvil:";

/// The beginning of the client's own prompts: the news that a background agent has ended.
const NOT_TYPED: &str = "<task-notification>";

/// Longest id of a session or a turn that is accepted, in bytes: UUIDs have 36.
const MAX_NAME_BYTES: usize = 200;

/// One event, and the values that its answer needs.
#[derive(Clone, Copy)]
struct Call<'a> {
    event: &'a Event,
    world: &'a World,
    context: &'a Context<'a>,
    session: &'a Session,
    door: &'a Door,
}

impl Call<'_> {
    /// Context for Claude, and a line for the user.
    fn tell(&self, context: &str, say: String) -> Answer {
        let event = self.event.kind.name();
        Answer::Context { event, context: context.to_owned(), say, title: None }
    }

    /// Ends a command, or the user's own prompt, with this text.
    fn end(&self, text: String) -> Answer {
        match self.event.kind {
            EventKind::UserPromptExpansion => self.block(text),
            _ => Answer::End(text),
        }
    }

    /// Ends it with this text; nothing of both stays in the conversation.
    fn block(&self, text: String) -> Answer {
        Answer::Block { event: self.event.kind.name(), text }
    }

    /// The end of this session's last turn if no Stop has saved it, for a command that takes its
    /// phase up again.
    fn read_unsaved_turn(&self) -> Option<TurnOutput> {
        let turn = session::owned_turn(self.context, self.session).ok()?;
        let silence = match turn.silence() {
            Silence::Unknown => Silence::Unknown,
            // The user wants the phase again, so its turn ends here at the latest.
            Silence::InTranscript | Silence::Shown => Silence::Shown,
        };
        ended_turn(self.event, turn.phase_began(), silence, Duration::ZERO)
    }
}

/// Answers one event.
///
/// `input`: its JSON, as the client writes it; the caller reads at most [`MAX_EVENT_BYTES`]. An
/// error is a line of the answer, with commands as `door` spells them.
pub fn answer(input: impl AsRef<[u8]>, world: World, door: &Door) -> Answer {
    let event = Event::parse(input.as_ref());
    // Free a large event: its content has been copied.
    drop(input);
    match event {
        Ok(event) => dispatch(event, world, door).unwrap_or_else(|error| explain(&error, door)),
        Err(error) => explain(&error, door),
    }
}

/// False for a folder that the client's JSON can't name: the hook's current folder replaces it.
fn is_usable_cwd(cwd: &Path) -> bool {
    let is_lossy = cwd.as_os_str().to_string_lossy().contains('\u{FFFD}');
    cwd.is_absolute() && !is_lossy && cwd.is_dir()
}

/// The answer that tells the user of an error.
pub fn explain(error: &Error, door: &Door) -> Answer {
    Answer::Say(anvil_messages::error(error, door))
}

/// The world, in the folder that the event names.
fn world_in_event_cwd(event: &Event, mut world: World) -> World {
    if let Some(cwd) = event.cwd.as_ref().filter(|cwd| **cwd != world.cwd && is_usable_cwd(cwd)) {
        world.cwd.clone_from(cwd);
    }
    world.in_its_folder()
}

fn dispatch(mut event: Event, world: World, door: &Door) -> Result<Answer> {
    if client::support(world.agent.as_deref()) == Support::TooOld {
        return Ok(answer_old_client(&event, door));
    }
    let world = world_in_event_cwd(&event, world);
    if event.kind == EventKind::Other {
        return Ok(Answer::Silent);
    }
    let mut session = session(&event)?;
    if matches!(
        event.kind,
        EventKind::UserPromptExpansion | EventKind::UserPromptSubmit | EventKind::SessionStart
    ) {
        session.client = client_process(&world);
    }
    let context = Context::new(&world);
    let last = event.last_assistant_message.take();
    let call = Call { event: &event, world: &world, context: &context, session: &session, door };
    let answer = match event.kind {
        EventKind::Stop => stop::handle(call, last),
        EventKind::StopFailure => stop_failure::handle(call, last),
        EventKind::PreToolUse => pre_tool_use::handle(call),
        EventKind::UserPromptExpansion => command::handle(call),
        EventKind::UserPromptSubmit => prompt_submit::handle(call),
        EventKind::SessionStart => session_start::handle(call),
        EventKind::SessionEnd => session_end::handle(call),
        EventKind::Other => Ok(Answer::Silent),
    };
    let answer = match answer {
        Err(Stopped::Skipped(Skipped::Follows)) => news::answer(call),
        answer => answer,
    };
    let answer = answer.unwrap_or_else(|stopped| match stopped {
        Stopped::Skipped(why) => anvil_messages::skip_line(why)
            .map_or(Answer::Silent, |line| Answer::Say(line.to_owned())),
        Stopped::Failed(error) => explain(&error, door),
    });
    let notes = context.take_notes();
    Ok(notes
        .iter()
        .rev()
        .fold(answer, |answer, note| answer.after(&anvil_messages::note(note, door))))
}

/// A command of an older client ends with one line. Nothing else is done for it.
fn answer_old_client(event: &Event, door: &Door) -> Answer {
    let is_command = event.kind == EventKind::UserPromptSubmit
        && event.words().trim_start().starts_with(COMMANDS);
    if is_command {
        Answer::End(anvil_messages::error(&HookError::OldClient.into(), door))
    } else {
        Answer::Silent
    }
}

fn session(event: &Event) -> Result<Session> {
    let id = event.session_id.clone().filter(|id| !id.is_empty() && id.len() <= MAX_NAME_BYTES);
    let id = id.ok_or(HookError::NoSession)?;
    let prompt_id = event.prompt_id.clone().filter(|turn| turn.len() <= MAX_NAME_BYTES);
    let transcript = event.transcript_path.clone();
    Ok(Session { prompt_id, transcript, ..Session::new(id) })
}

/// The client process: it names itself (2.1.329), or it is the parent of the shell that runs the
/// hook.
fn client_process(world: &World) -> Option<ProcessId> {
    world.client_pid.or_else(process::starter).map(ProcessId::from_pid)
}
