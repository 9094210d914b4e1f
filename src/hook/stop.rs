//! Claude is about to stop: its reply is filed, and it is told what comes next.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::tail::Tail;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Nothing, Outcome, Session};
use crate::error::Result;
use crate::reply::{Heard, Reply};
use crate::say;

/// How long a late transcript is waited for: several times as long as a client takes.
const TRANSCRIPT_WAIT: Duration = Duration::from_millis(500);
const TRANSCRIPT_POLL: Duration = Duration::from_millis(5);

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    Ok(match engine.file_reply(session, |debate| hear(event, debate.updated_at))? {
        Outcome::Nothing(Nothing::AgentsRunning) => {
            Answer::Say("Anvil: waiting for an agent that Claude has started; the reply is filed when it ends.".into())
        }
        Outcome::Nothing(Nothing::Lost) => Answer::Say(
            "Anvil: this session's debate was ended or taken over elsewhere; nothing of this turn is filed.".into(),
        ),
        Outcome::Nothing(
            Nothing::NoDebate | Nothing::NotOwner | Nothing::NotActive | Nothing::NotReadable | Nothing::Redelivered,
        ) => Answer::Silent,
        Outcome::ApiError(debate) => Answer::Say(format!(
            "Anvil: an API error ended the turn; the debate waits at {}. Type /anvil:resume to go on.",
            say::place(&debate)
        )),
        Outcome::Advanced { debate, filed, words, cue } => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: say::advanced(&debate, filed, words) }
        }
        Outcome::AskedAgain { debate, why, cue } => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: say::asked_again(&debate, why) }
        }
        Outcome::Paused(debate) => Answer::Say(say::paused(&debate)),
        Outcome::Failed(debate) => Answer::Say(say::failed(&debate)),
        Outcome::Completed { verdict, report, project } => {
            let verdict = say::clean(&verdict, 240);
            Answer::Say(match report {
                Ok(path) => format!("Anvil: complete. {verdict} Report: {}", say::clean(&project.display(&path), 400)),
                Err(error) => {
                    format!(
                        "Anvil: complete. {verdict} The report could not be written: {}",
                        say::clean(&error.to_string(), 400)
                    )
                }
            })
        }
    })
}

/// What the model wrote since its phase was asked for: the client's transcript knows the texts before tool calls,
/// the event knows the last one even when the transcript is written late (2.1.329 does that).
fn hear(event: &Event, asked_at: Timestamp) -> Heard {
    if event.has_running_agents() {
        return Heard::AgentsRunning;
    }
    let mut tail = tail(event, asked_at);
    if let Some(last) = &event.last_assistant_message {
        if is_api_error(last) && !tail.ends_with(last) || tail.error.as_deref() == Some(last) {
            return Heard::ApiError;
        }
        if !last.trim().is_empty() && !tail.ends_with(last) {
            tail.texts.push(last.clone());
        }
    } else if tail.error.is_some() {
        return Heard::ApiError;
    }
    Heard::Reply(Reply { texts: tail.texts, used_tool: tail.used_tool })
}

/// The end of the client's transcript. Every client writes it late, by up to a tenth of a second (2.0.30 to 2.1.329), also while
/// the hook runs: what it says of the last text is waited for, because texts before that one are only there.
fn tail(event: &Event, asked_at: Timestamp) -> Tail {
    let Some(path) = event.transcript_path.as_deref() else { return Tail::default() };
    let last = event.last_assistant_message.as_deref().filter(|last| !last.trim().is_empty());
    let started = Instant::now();
    let mut size = 0;
    let mut tail = Tail::default();
    loop {
        let now = std::fs::metadata(path).map_or(0, |meta| meta.len());
        if size != now {
            size = now;
            tail = Tail::read(path, asked_at);
        }
        let is_complete =
            last.map_or(tail.is_whole, |last| tail.ends_with(last) || tail.error.as_deref() == Some(last));
        if is_complete || started.elapsed() > TRANSCRIPT_WAIT {
            return tail;
        }
        std::thread::sleep(TRANSCRIPT_POLL);
    }
}

/// How the client reports a failed request in place of a reply (2.1.47: `API Error: 400 {…}`).
fn is_api_error(text: &str) -> bool {
    text.strip_prefix("API Error: ").is_some_and(|rest| rest.len() < 4_096 && !rest.contains("\n\n"))
}
