//! What the model wrote in a phase: from the event and from the end of the client's transcript.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::tail::{End, Start, Tail};
use super::wire::Event;
use crate::reply::{Reply, TurnOutput};

/// How long a late transcript is waited for: several times as long as a client takes.
const TRANSCRIPT_WAIT: Duration = Duration::from_millis(500);
/// The same where the phase asked for a Read: only the transcript knows whether it was made, and a busy machine writes later.
const TRANSCRIPT_WAIT_FOR_READ: Duration = Duration::from_secs(3);
const TRANSCRIPT_POLL: Duration = Duration::from_millis(5);

/// What the model wrote since its phase was asked for: the client's transcript knows the texts before tool calls,
/// the event knows the last one even when the transcript is written late (2.1.329 does that).
///
/// The phase was asked for at `asked_at`; `must_read`: its cue wanted a Read of the debate's file.
pub(super) fn read_reply(event: &mut Event, asked_at: Timestamp, must_read: bool) -> TurnOutput {
    if event.has_running_agents() {
        return TurnOutput::AgentsRunning;
    }
    let wait = if must_read { TRANSCRIPT_WAIT_FOR_READ } else { TRANSCRIPT_WAIT };
    let mut tail = tail(event, asked_at, wait);
    let can_tell = can_tell(&tail, event.last_assistant_message.as_deref());
    if let Some(last) = event.last_assistant_message.take() {
        if is_api_error(&last) && !tail.ends_with(&last) || tail.error.as_ref() == Some(&last) {
            return TurnOutput::ApiError;
        }
        if !last.trim().is_empty() && !tail.ends_with(&last) {
            tail.texts.push(last);
        }
    } else if tail.error.is_some() {
        return TurnOutput::ApiError;
    }
    let reads = can_tell.then_some(tail.reads);
    TurnOutput::Reply(Reply {
        asked_at,
        texts: tail.texts,
        older: tail.older,
        beginning_missing: tail.start == Start::Missing,
        used_tool: tail.used_tool,
        reads,
    })
}

/// True when all that the model did for this reply is in the transcript, and nobody else did anything for it.
fn can_tell(tail: &Tail, last: Option<&str>) -> bool {
    let has_last = match last.filter(|last| !last.trim().is_empty()) {
        Some(last) => tail.ends_with(last),
        None => tail.end != End::Open,
    };
    tail.is_whole && has_last && !tail.used_agent
}

/// A whole reply in the client's transcript to a phase that still waits: no Stop has filed it. Nothing that was cut off by
/// the user or an error, and nothing while agents may work for it, whose news would go on with it. `certainty` is how sure
/// its end has to be.
pub(super) fn unfiled_reply(event: &Event, asked_at: Timestamp, certainty: End) -> Option<Reply> {
    let tail = Tail::read(event.transcript_path.as_deref()?, asked_at, None);
    if tail.end < certainty || tail.error.is_some() || tail.used_agent {
        return None;
    }
    let can_tell = can_tell(&tail, None);
    Some(Reply {
        asked_at,
        texts: tail.texts,
        older: tail.older,
        beginning_missing: tail.start == Start::Missing,
        used_tool: tail.used_tool,
        reads: can_tell.then_some(tail.reads),
    })
}

/// The end of the client's transcript. Every client writes it late, by up to a tenth of a second (2.0.30 to 2.1.329), also while
/// the hook runs: what it says of the last text is waited for, because texts before that one are only there.
fn tail(event: &Event, asked_at: Timestamp, wait: Duration) -> Tail {
    let Some(path) = event.transcript_path.as_deref() else { return Tail::default() };
    let last = event.last_assistant_message.as_deref().filter(|last| !last.trim().is_empty());
    let wait = if path.exists() { wait } else { wait.min(TRANSCRIPT_WAIT) };
    let started = Instant::now();
    let mut size = 0;
    let mut tail = Tail::default();
    loop {
        let now = std::fs::metadata(path).map_or(0, |meta| meta.len());
        if size != now {
            size = now;
            tail = Tail::read(path, asked_at, last);
        }
        let is_complete =
            last.map_or(tail.end != End::Open, |last| tail.ends_with(last) || tail.error.as_deref() == Some(last));
        if is_complete || started.elapsed() > wait {
            return tail;
        }
        std::thread::sleep(TRANSCRIPT_POLL);
    }
}

/// How the client reports a failed request in place of a reply (2.1.47: `API Error: 400 {…}`).
fn is_api_error(text: &str) -> bool {
    text.strip_prefix("API Error: ").is_some_and(|rest| rest.len() < 4_096 && !rest.contains("\n\n"))
}
