//! Reads the model's reply from the event and from the end of the client's transcript.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::wire::Event;
use anvil_core::debate::Debate;
use anvil_core::ledger::block_of;
use anvil_core::place::Seat;
use anvil_core::reply::{CutTurn, Reply, TurnOutput};
use anvil_core::transcript::Author;
use anvil_engine::Silence;
use anvil_store::client::{Tail, TailStart, TextPiece, join_pieces};

/// Longest wait for a late transcript: several times the delay of a client.
const TRANSCRIPT_WAIT: Duration = Duration::from_millis(500);
/// Longest wait if the phase requires a Read: only the transcript shows it, and a busy machine
/// writes later.
const TRANSCRIPT_WAIT_FOR_READ: Duration = Duration::from_secs(3);
/// Longest wait for the transcript's line about an interruption.
pub(super) const INTERRUPTION_WAIT: Duration = Duration::from_millis(300);
const TRANSCRIPT_POLL: Duration = Duration::from_millis(5);

/// Reads the reply to the current phase. The transcript has the texts before tool calls. The event
/// has the last text, `last`, even if the transcript is late. `None`: agents of the turn work, and
/// it goes on.
///
/// The phase began at `phase_began`. `must_read`: its cue requires a Read of the debate's file. No
/// Stop ends a turn with an API error (2.1.200, 2.1.332).
pub(super) fn read_reply(
    event: &Event,
    last: Option<String>,
    phase_began: Timestamp,
    must_read: bool,
) -> Option<Reply> {
    if event.has_running_agents() {
        return None;
    }
    let wait = if must_read { TRANSCRIPT_WAIT_FOR_READ } else { TRANSCRIPT_WAIT };
    let mut tail = tail(event, last.as_deref(), phase_began, wait);
    if tail.is_interrupted {
        // No Stop ends an interrupted turn: these lines belong to the turn before.
        tail = Tail { start: tail.start, is_whole: true, ..Tail::default() };
    }
    let is_complete = is_complete(&tail, last.as_deref());
    if let Some(last) = last.filter(|last| !last.trim().is_empty() && !tail.ends_with(last)) {
        tail.texts.push(TextPiece { text: last, is_cut: false });
        tail.after_plan = tail.after_plan.map(|after| after + 1);
        tail.plan = tail.plan.map(|(plan, after)| (plan, after + 1));
    }
    Some(reply(tail, phase_began, is_complete))
}

/// True if the turn has the synthesis already, which no Stop has saved: Claude wrote it and then
/// called a tool.
pub(super) fn has_synthesis(event: &Event, debate: &Debate) -> bool {
    let Some(path) = event.transcript_path.as_deref() else { return false };
    let started = Instant::now();
    loop {
        let mut tail = Tail::read(path, debate.updated_at(), None);
        let is_written = debate.place().seat == Seat::Synthesizer && {
            take_block_of_plan(&mut tail);
            tail.texts.iter().any(|piece| block_of(&piece.text).is_some())
        };
        let is_whole = tail.used_tool || started.elapsed() > TRANSCRIPT_WAIT;
        if is_written || is_whole || debate.place().seat != Seat::Synthesizer {
            return is_written;
        }
        std::thread::sleep(TRANSCRIPT_POLL);
    }
}

/// The turn that an API error has ended. The transcript may not have the error yet.
pub(super) fn failed_turn(
    event: &Event,
    report: Option<String>,
    phase_began: Timestamp,
) -> CutTurn {
    let tail = tail(event, report.as_deref(), phase_began, TRANSCRIPT_WAIT);
    let error = report
        .filter(|report| !report.trim().is_empty())
        .or_else(|| tail.error.clone())
        .or_else(|| event.error.as_ref().map(|kind| format!("API Error: {kind}")))
        .unwrap_or_default();
    cut(Tail { error: Some(error), ..tail }, phase_began)
}

fn reply(mut tail: Tail, phase_began: Timestamp, is_complete: bool) -> Reply {
    take_block_of_plan(&mut tail);
    // The number of whole texts after the plan.
    let after_plan = tail.after_plan.map(|after| {
        let cut = tail.texts.iter().rev().take(after).skip(1).filter(|piece| piece.is_cut);
        after - cut.count()
    });
    Reply {
        phase_began,
        texts: join_pieces(tail.texts),
        older: join_pieces(tail.older),
        beginning_missing: tail.start == TailStart::Missing,
        used_tool: tail.used_tool,
        after_plan,
        is_final: false,
        // An agent may have read it.
        reads: (is_complete && !tail.used_agent).then_some(tail.reads),
        author: Some(Author::new("claude", Some(&tail.model), Some("anthropic"))),
        usage: tail.usage.filter(|_| is_complete),
    }
}

/// Takes the plan as a piece of the reply, if only the plan has the block of a synthesis.
fn take_block_of_plan(tail: &mut Tail) {
    let Some((plan, after)) = tail.plan.take() else { return };
    let at = tail.texts.len().saturating_sub(after);
    let before = tail.texts[..at].iter().map(|piece| piece.text.as_str());
    let has_block = before.rev().any(|text| block_of(text).is_some());
    if !has_block && block_of(&plan).is_some() {
        tail.texts.insert(at, TextPiece { text: plan, is_cut: false });
        tail.after_plan = Some(after);
    }
}

fn cut(mut tail: Tail, phase_began: Timestamp) -> CutTurn {
    take_block_of_plan(&mut tail);
    let error = tail.error.clone();
    let is_stopped = tail.is_interrupted;
    let ended = tail.ended;
    let model = Some(tail.model.clone()).filter(|model| !model.is_empty());
    let usage = tail.usage.filter(|_| tail.is_whole);
    let is_whole = tail.is_whole && tail.after_plan.is_some();
    let before_plan = is_whole.then(|| Box::new(reply(tail, phase_began, true)));
    CutTurn { phase_began, error, is_stopped, ended, model, usage, before_plan }
}

/// True if the transcript has everything that the model did for this reply.
fn is_complete(tail: &Tail, last: Option<&str>) -> bool {
    let has_last = match last.filter(|last| !last.trim().is_empty()) {
        Some(last) => tail.ends_with(last),
        None => tail.has_ended,
    };
    tail.is_whole && has_last
}

/// The end of a turn that no Stop has saved, as far as event and transcript show it: a whole reply,
/// or a turn that was cut off. `None` while Claude or its agents may be writing. `wait`: how long
/// the transcript may take to show an end.
pub(super) fn ended_turn(
    event: &Event,
    phase_began: Timestamp,
    silence: Silence,
    wait: Duration,
) -> Option<TurnOutput> {
    let path = event.transcript_path.as_deref();
    let mut tail = path.map(|path| Tail::read(path, phase_began, None)).unwrap_or_default();
    // A command that was queued runs right after Esc, before the transcript says so.
    let started = Instant::now();
    while let Some(path) = path.filter(|path| path.exists())
        && silence == Silence::Shown
        && !tail.shows_cut()
        && !tail.has_ended
        && started.elapsed() < wait
    {
        std::thread::sleep(TRANSCRIPT_POLL);
        tail = Tail::read(path, phase_began, None);
    }
    match silence {
        Silence::InTranscript | Silence::Shown if tail.shows_cut() => {
            Some(TurnOutput::Cut(cut(tail, phase_began)))
        }
        Silence::Unknown | Silence::InTranscript => None,
        Silence::Shown if tail.used_agent => None,
        Silence::Shown if tail.has_ended => {
            let is_complete = is_complete(&tail, None);
            Some(TurnOutput::Reply(reply(tail, phase_began, is_complete)))
        }
        Silence::Shown => Some(TurnOutput::Cut(cut(tail, phase_began))),
    }
}

/// Reads the end of the client's transcript. The client writes it up to a tenth of a second late,
/// also while the hook runs. Waits for its last text, because only the
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
        let is_complete = last.map_or(tail.has_ended || tail.error.is_some(), |last| {
            tail.ends_with(last) || tail.error.as_deref() == Some(last)
        });
        if is_complete || started.elapsed() > wait {
            return tail;
        }
        std::thread::sleep(TRANSCRIPT_POLL);
    }
}
