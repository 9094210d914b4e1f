//! Reads the model's reply from the event and from the end of the client's transcript.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::tail::{Start, Tail, TurnEnd};
use super::wire::Event;
use crate::domain::reply::{Reply, TurnOutput};

/// Longest wait for a late transcript: several times the delay of a client.
const TRANSCRIPT_WAIT: Duration = Duration::from_millis(500);
/// Longest wait if the phase requires a Read: only the transcript shows it, and a busy machine
/// writes later.
const TRANSCRIPT_WAIT_FOR_READ: Duration = Duration::from_secs(3);
const TRANSCRIPT_POLL: Duration = Duration::from_millis(5);

/// Reads the reply to the current phase. The transcript has the texts before tool calls. The event
/// has the last text, `last`, even if the transcript is late (2.1.329 does that).
///
/// The phase began at `phase_began`. `must_read`: its cue requires a Read of the debate's file.
pub(super) fn read_reply(
    event: &Event,
    last: Option<String>,
    phase_began: Timestamp,
    must_read: bool,
) -> TurnOutput {
    if event.has_running_agents() {
        return TurnOutput::AgentsRunning;
    }
    let wait = if must_read { TRANSCRIPT_WAIT_FOR_READ } else { TRANSCRIPT_WAIT };
    let mut tail = tail(event, last.as_deref(), phase_began, wait);
    let can_tell = can_tell(&tail, last.as_deref());
    if let Some(last) = last {
        if is_api_error(&last) && !tail.ends_with(&last) || tail.error.as_ref() == Some(&last) {
            return TurnOutput::ApiError;
        }
        if !last.trim().is_empty() && !tail.ends_with(&last) {
            tail.texts.push(last);
        }
    } else if tail.error.is_some() {
        return TurnOutput::ApiError;
    }
    TurnOutput::Reply(reply(tail, phase_began, can_tell))
}

fn reply(tail: Tail, phase_began: Timestamp, can_tell: bool) -> Reply {
    Reply {
        phase_began,
        texts: tail.texts,
        older: tail.older,
        beginning_missing: tail.start == Start::Missing,
        used_tool: tail.used_tool,
        reads: can_tell.then_some(tail.reads),
    }
}

/// True if the transcript has everything that the model did for this reply, and no agent worked for
/// it.
fn can_tell(tail: &Tail, last: Option<&str>) -> bool {
    let has_last = match last.filter(|last| !last.trim().is_empty()) {
        Some(last) => tail.ends_with(last),
        None => tail.end != TurnEnd::Open,
    };
    tail.is_whole && has_last && !tail.used_agent
}

/// A whole reply that no Stop has saved, from the transcript. Excludes a reply that the user or an
/// error has cut off, and one for which an agent may still work. `certainty`: how sure the reply's
/// end has to be.
pub(super) fn unsaved_reply(
    event: &Event,
    phase_began: Timestamp,
    certainty: TurnEnd,
) -> Option<Reply> {
    let tail = Tail::read(event.transcript_path.as_deref()?, phase_began, None);
    if tail.end < certainty || tail.error.is_some() || tail.used_agent {
        return None;
    }
    let can_tell = can_tell(&tail, None);
    Some(reply(tail, phase_began, can_tell))
}

/// Reads the end of the client's transcript. Every client writes it up to a tenth of a second late
/// (2.0.30 to 2.1.329), also while the hook runs. Waits for its last text, because only the
/// transcript has the texts before that.
fn tail(event: &Event, last: Option<&str>, phase_began: Timestamp, wait: Duration) -> Tail {
    let Some(path) = event.transcript_path.as_deref() else { return Tail::default() };
    let last = last.filter(|last| !last.trim().is_empty());
    let wait = if path.exists() { wait } else { wait.min(TRANSCRIPT_WAIT) };
    let started = Instant::now();
    let mut size = 0;
    let mut tail = Tail::default();
    loop {
        let now = std::fs::metadata(path).map_or(0, |meta| meta.len());
        if size != now {
            size = now;
            tail = Tail::read(path, phase_began, last);
        }
        let is_complete = last.map_or(tail.end != TurnEnd::Open, |last| {
            tail.ends_with(last) || tail.error.as_deref() == Some(last)
        });
        if is_complete || started.elapsed() > wait {
            return tail;
        }
        std::thread::sleep(TRANSCRIPT_POLL);
    }
}

/// True for the client's report of a failed request (2.1.47: `API Error: 400 {…}`).
fn is_api_error(text: &str) -> bool {
    text.strip_prefix("API Error: ")
        .is_some_and(|report| report.len() < 4_096 && !report.contains("\n\n"))
}
