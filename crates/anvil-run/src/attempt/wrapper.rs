//! The wrapper of an attempt: runs the agent and records its end, even if the executor is gone.
//!
//! The executor starts this program again as the head of a process group. After the executor has
//! recorded the beginning of the attempt, it writes the orders to the wrapper's standard input. If
//! they never come, the executor died before that, and the wrapper does nothing.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::copy;
use anvil_core::attempt::{EndedLine, Exit, FailureKind, Leftovers, bounds};
use anvil_core::options::FactCheck;
use anvil_core::reply::Usage;
use anvil_core::transcript;
use anvil_prompt::{AgentAnswer, Failure, Figures, OutputFormat, Printed, Retry, TimeLimits};
use anvil_store::project::any_path;
use anvil_store::{AttemptEvent, AttemptRecord, digest};
use anvil_system::disk::Disk;
use anvil_system::process::{self, AttemptEnd, Bounds, Cut, Left, ProcessId, Signals, Streams};
use anvil_system::world::{Clock, Programs};
use anvil_text::from_json;

/// The hidden verb that runs a wrapper.
pub const VERB: &str = "__attempt";

/// Most bytes that an agent may print: a thousand times the requested length.
const MAX_OUTPUT: u64 = 8 * 1024 * 1024;

/// Shorter words of a command are no secret, and other words contain them.
const SHORTEST_SECRET: usize = 3;

/// Most bytes of the orders.
const MAX_ORDERS: u64 = 1024 * 1024;

/// Tries to record an end. The reply is paid for, so it is worth ten.
const TRIES: u32 = 10;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    /// The folder of the debate's record.
    #[serde(with = "any_path")]
    pub record: PathBuf,
    pub attempt: u32,
    /// The agent and its arguments.
    pub command: Vec<OsString>,
    /// Words that stay out of the message of a failure, which may leave this machine.
    pub own_words: Vec<String>,
    /// The agent's working folder.
    #[serde(with = "any_path")]
    pub folder: PathBuf,
    /// The attempt's empty folder. The agent runs in it unless it may read the project.
    #[serde(with = "any_path")]
    pub fresh: PathBuf,
    /// How to read the reply.
    pub output: OutputFormat,
    /// A fact-check: its usable lines are chosen while the copy of the files exists.
    pub check: Option<FactCheck>,
    pub limits: TimeLimits,
    /// `Some`: the attempt ends with this process, because no other process would read its reply.
    pub executor: Option<ProcessId>,
}

impl Orders {
    /// True if the only process that would read the reply is gone.
    fn is_orphan(&self) -> bool {
        self.executor.is_some_and(ProcessId::is_gone)
    }
}

pub fn main() -> ExitCode {
    let Ok(signals) = Signals::listen(false) else { return ExitCode::FAILURE };
    let mut orders = Vec::new();
    let read = std::io::stdin().lock().take(MAX_ORDERS).read_to_end(&mut orders);
    let Some(orders) = read.ok().and_then(|_| from_json::<Orders>(&orders).ok()) else {
        return ExitCode::FAILURE;
    };
    carry_out(&Disk::default(), &orders, None, &|| signals.last().is_some());
    // On a platform where the agent's processes can't all be known, end those of the group.
    process::end_group(ProcessId::current());
    ExitCode::SUCCESS
}

/// Has the agent reply, and records the end. `programs`: what answers in place of the agent.
pub(super) fn carry_out(
    disk: &Disk,
    orders: &Orders,
    programs: Option<&dyn Programs>,
    has_signal: &dyn Fn() -> bool,
) {
    let record = AttemptRecord::at(disk, &orders.record);
    let is_stopped = || has_signal() || orders.is_orphan();
    let mut ended = run(disk, &record, orders, programs, &is_stopped);
    ended.message = without_secrets(&ended.message, &orders.own_words);
    // Remove it before the end is recorded: after that, no process searches for leftovers.
    disk.remove_fresh_folder(&orders.fresh);
    record.give_room(orders.attempt);
    for tried in 0..TRIES {
        if record.note(AttemptEvent::Ended(ended.clone())).is_ok() || orders.is_orphan() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50 << tried.min(6)));
    }
}

/// A message without the user's words, their values after `=`, and their folders.
fn without_secrets(message: &str, own_words: &[String]) -> String {
    let mut secrets = Vec::new();
    for word in own_words {
        secrets.push(word.clone());
        secrets.extend(word.split_once('=').map(|(_, value)| value.to_owned()));
        secrets.extend(Path::new(word).parent().map(|folder| folder.display().to_string()));
    }
    secrets.retain(|secret| secret.len() >= SHORTEST_SECRET);
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    secrets.iter().fold(message.to_owned(), |message, secret| message.replace(secret, "…"))
}

fn run(
    disk: &Disk,
    record: &AttemptRecord,
    orders: &Orders,
    programs: Option<&dyn Programs>,
    is_stopped: &dyn Fn() -> bool,
) -> EndedLine {
    attend(disk, record, orders, programs, is_stopped).unwrap_or_else(|why| {
        let failure = Failure::new(FailureKind::Missing, &format!("it can't be started: {why}"));
        EndedLine {
            attempt: orders.attempt,
            at: Clock::default().now(),
            error: Some(failure.kind),
            message: failure.message,
            ..EndedLine::default()
        }
    })
}

/// Runs the agent. `Err`: why it could not be started.
fn attend(
    disk: &Disk,
    record: &AttemptRecord,
    orders: &Orders,
    programs: Option<&dyn Programs>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<EndedLine, Box<dyn std::error::Error>> {
    let folder = record.folder_of(orders.attempt);
    record.take_room(orders.attempt)?;
    let streams = Streams {
        input: std::fs::File::open(folder.join("prompt.md"))?,
        output: disk.open_for_output(&folder.join("stdout"))?,
        stderr: disk.open_for_output(&folder.join("stderr"))?,
    };
    let end = if let Some(programs) = programs {
        attend_value(programs, &orders.command, streams)?
    } else {
        let command =
            process::agent(&orders.command, &orders.folder).map_err(|error| error.to_string())?;
        let TimeLimits { whole, first_byte, silence } = orders.limits;
        let bounds = Bounds { whole, first_byte, silence, bytes: MAX_OUTPUT };
        process::attend(command, streams, bounds, is_stopped).map_err(|error| error.to_string())?
    };
    let output = std::fs::read(folder.join("stdout")).unwrap_or_default();
    let stderr = std::fs::read(folder.join("stderr")).unwrap_or_default();
    let printed = Printed { code: end.code, output: &output, stderr: &stderr };
    let mut answer = judge(orders.output, &end, &printed, is_stopped());
    if let (Ok(reply), Some(check)) = (&mut answer, orders.check) {
        reply.text = copy::usable_lines(check, &reply.text, &orders.folder);
    }
    record.give_room(orders.attempt);
    let saved = match &answer {
        Ok(reply) => record.keep_reply(orders.attempt, &reply.text),
        Err(_) => Ok(()),
    };
    let ended = ended_line(orders.attempt, &end, answer);
    // The reply is still in the printed output, so the attempt counts as received.
    Ok(EndedLine { stdout: saved.is_err().then(|| orders.output.word().to_owned()), ..ended })
}

/// The end of an agent that is a value.
fn attend_value(
    programs: &dyn Programs,
    command: &[OsString],
    mut streams: Streams,
) -> std::io::Result<AttemptEnd> {
    let (code, printed) = programs.agent(command, &std::io::read_to_string(streams.input)?);
    streams.output.write_all(printed.as_bytes())?;
    let bytes = printed.len() as u64;
    let (code, took, left) = (Some(code), Duration::ZERO, Left::default());
    Ok(AttemptEnd { code, signal: None, cut: None, took, bytes, left })
}

/// Judges the end of an attempt. An attempt that was cut off has no reply, but may have cost
/// something. A signal for this process goes to its whole group, so the agent may have ended by it
/// first.
fn judge(
    output: OutputFormat,
    end: &AttemptEnd,
    printed: &Printed<'_>,
    is_stopped: bool,
) -> Result<AgentAnswer, Failure> {
    let answer = anvil_prompt::answer(output, printed);
    let Some(cut) = end.cut.or_else(|| (is_stopped && answer.is_err()).then_some(Cut::Stopped))
    else {
        return answer;
    };
    let figures = match answer {
        Ok(answer) => answer.figures,
        Err(failure) => failure.figures,
    };
    let (kind, message) = match cut {
        Cut::Stopped => (FailureKind::Interrupted, "the debate was stopped".to_owned()),
        Cut::Whole => (FailureKind::TimeLimit, "its reply took longer than allowed".to_owned()),
        Cut::FirstByte => (FailureKind::TimeLimit, "it printed nothing".to_owned()),
        Cut::Silence => (FailureKind::TimeLimit, "it printed nothing for too long".to_owned()),
        Cut::Bytes => (FailureKind::Misshapen, format!("it printed more than {MAX_OUTPUT} bytes")),
    };
    Err(Failure { figures, ..Failure::new(kind, &message) })
}

fn ended_line(attempt: u32, end: &AttemptEnd, answer: Result<AgentAnswer, Failure>) -> EndedLine {
    let ended = EndedLine {
        attempt,
        at: Clock::default().now(),
        exit: Exit {
            code: end.code,
            signal: end.signal,
            duration_ms: u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX),
            bytes: end.bytes,
        },
        left: Leftovers { left_behind: end.left.behind(), still_running: end.left.running },
        ..EndedLine::default()
    };
    let (ended, Figures { model, usage, cost }) = match answer {
        Ok(AgentAnswer { text, figures }) => {
            let words = transcript::count_words(&text);
            let reply = digest(text.as_bytes());
            (EndedLine { words, reply: Some(reply), ..ended }, figures)
        }
        Err(Failure { kind, message, retry, figures }) => {
            let seconds = retry.and_then(|retry| match retry {
                Retry::After(seconds) => Some(seconds),
                Retry::At(at) => u64::try_from(at.saturating_sub(ended.at.as_second())).ok(),
            });
            let retry_after = seconds.and_then(bounds::seconds);
            (EndedLine { error: Some(kind), message, retry_after, ..ended }, figures)
        }
    };
    EndedLine { model, tokens: usage.map(Usage::sum), usage, cost, ..ended }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_prompt::RunEvent;

    #[test]
    fn the_time_until_a_service_wants_to_be_asked_again_is_bounded() {
        let end = AttemptEnd {
            code: Some(1),
            signal: None,
            cut: None,
            took: Duration::ZERO,
            bytes: 0,
            left: Left::default(),
        };
        let now = Clock::default().now().as_second();
        let after = |retry| {
            let failure = Failure { retry: Some(retry), ..Failure::new(FailureKind::Quota, "") };
            ended_line(1, &end, Err(failure)).retry_after
        };
        assert_eq!(after(Retry::After(7)), Some(7));
        assert!(after(Retry::At(now + 100)).is_some_and(|left| (95..=100).contains(&left)));
        let never = [Retry::After(u64::MAX), Retry::At(i64::MAX), Retry::At(now - 9)];
        assert_eq!(never.map(after), [None; 3]);
    }

    #[test]
    fn an_agent_killed_with_its_group_has_not_failed() {
        let end = |code, signal| AttemptEnd {
            code,
            signal,
            cut: None,
            took: Duration::ZERO,
            bytes: 0,
            left: Left::default(),
        };
        let kind = |code, signal, output: &[u8], is_stopped| {
            let printed = Printed { code, output, stderr: b"" };
            judge(OutputFormat::Text, &end(code, signal), &printed, is_stopped)
                .map_err(|failure| failure.kind)
        };
        assert_eq!(kind(None, Some(15), b"", true), Err(FailureKind::Interrupted));
        assert_eq!(kind(Some(143), None, b"half", true), Err(FailureKind::Interrupted));
        assert_eq!(kind(None, Some(15), b"", false), Err(FailureKind::Crash));
        // A whole reply counts, even if a signal came after it.
        assert_eq!(
            kind(Some(0), None, b"A reply.", true).map(|answer| answer.text),
            Ok("A reply.".to_owned())
        );
    }

    #[test]
    fn processes_that_cannot_be_ended_are_recorded_and_shown() {
        let left = Left { ended: 2, running: 1 };
        let end = AttemptEnd {
            code: Some(0),
            signal: None,
            cut: None,
            took: Duration::ZERO,
            bytes: 0,
            left,
        };
        let printed = Printed { code: Some(0), output: b"A reply.", stderr: b"" };
        let ended = ended_line(1, &end, judge(OutputFormat::Text, &end, &printed, false));
        assert_eq!((ended.left.left_behind, ended.left.still_running, ended.error), (3, 1, None));
        let event =
            RunEvent::StillRunning { attempt: 1, slot: "critic, round 1".to_owned(), count: 1 };
        let line = anvil_messages::run_event(
            &event,
            anvil_messages::Screen::default(),
            &anvil_messages::Door::default(),
        )
        .unwrap();
        assert!(
            line.starts_with("  critic, round 1: 1 process that it left behind could not be ended"),
            "{line}"
        );
    }
}
