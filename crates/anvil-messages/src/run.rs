//! The progress of a run of programs.

use std::fmt::Write as _;
use std::time::Duration;

use super::error::ended;
use super::turns::{time, tokens};
use anvil_core::attempt::FailureKind;
use anvil_prompt::{FoundAttempt, RunEvent, SeatPlan, is_script};
use anvil_text::door::program;
use anvil_text::{clean, duration, group, number_of};

const SETTLED: &str = "\n  Nothing is left to argue.";

/// The line for an event; `None`: the event has no line.
pub fn run_event(event: &RunEvent) -> Option<String> {
    Some(match event {
        RunEvent::Plan { id, .. } => format!("{}\n  debate {}", run_plan(event), clean(id, 120)),
        RunEvent::Resumed { id, at } => {
            format!("Anvil: {} continues at {}", clean(id, 120), clean(at, 80))
        }
        RunEvent::Found { attempt, slot, how } => {
            let state = match how {
                FoundAttempt::Finished => "had finished: its reply is saved",
                FoundAttempt::Running => "is still running: waiting for its reply; Ctrl-C ends it",
                FoundAttempt::Lost => "was lost: asking again",
            };
            format!("  attempt {attempt} ({slot}) {state}")
        }
        RunEvent::AttemptFailed { slot, agent, kind, message, retry_in, .. } => {
            format!("  {slot}, {}: {}", clean(agent, 60), failure(*kind, message, *retry_in))
        }
        RunEvent::StandsIn { seat, agent, instead_of, kind } => {
            let before = clean(instead_of, 60);
            let agent = clean(agent, 60);
            format!("  {seat}, {before}: {}; {agent} takes the seat", kind.label())
        }
        RunEvent::StillRunning { slot, count, .. } => {
            let verb = if *count == 1 { "runs" } else { "run" };
            let processes = number_of(*count, "process", "processes");
            let left = "that it left behind could not be ended and still";
            format!("  {slot}: {processes} {left} {verb}; see `ps -ef`")
        }
        RunEvent::Saved { slot, agent, heads, words, seconds, tokens, settled, is_synthesis } => {
            let cost = cost(*seconds, *tokens);
            let agent =
                if is_script(agent) { String::new() } else { format!(", {}", clean(agent, 60)) };
            let heads: &[String] = if *is_synthesis { &[] } else { heads };
            let settled = if *settled { SETTLED } else { "" };
            let heads = heads.iter().map(|head| format!("\n  {}", clean(head, 240)));
            let heads = heads.collect::<Vec<_>>().concat();
            format!("● {slot}{agent}: {} words{cost}{heads}{settled}", group(*words))
        }
        RunEvent::Checked { slot, agent, lines, seconds, tokens } => {
            let found = checked(lines, &cost(*seconds, *tokens));
            format!("○ {slot}, {}: {found}", clean(agent, 60))
        }
        RunEvent::Unchecked { slot, why } => {
            format!("  {slot}, skipped: {}", ended(&clean(why, 300)))
        }
        RunEvent::AskedAgain { slot, why } => format!("  {slot}, asked again: {}", clean(why, 300)),
        RunEvent::CutShort { limit } => {
            format!("  {limit} leaves room only for the synthesis, which is next")
        }
        RunEvent::Paused { at, why, failed } => {
            let state = if *failed { "stopped at" } else { "paused before" };
            format!("Anvil {state} {}: {}", clean(at, 80), ended(&clean(why, 400)))
        }
        // A complete debate has its own end.
        RunEvent::Asked { .. } | RunEvent::Completed { .. } => return None,
        RunEvent::Total(effort) => format!("  {}", effort.line()),
        RunEvent::Gate { gate, why } => format!("Anvil: --fail-on {gate}: {why}"),
    })
}

/// ` in 34 s, 1,200 tokens`
fn cost(seconds: u64, tokens: Option<u64>) -> String {
    let took = if seconds == 0 { String::new() } else { format!(" in {}", duration(seconds)) };
    let tokens = tokens.map(|tokens| format!(", {} tokens", group(tokens as usize)));
    took + &tokens.unwrap_or_default()
}

/// Why an attempt failed, and when the next one begins.
fn failure(kind: FailureKind, message: &str, retry_in: Option<u64>) -> String {
    let why = match clean(message, 200) {
        message if message.is_empty() => kind.label().to_owned(),
        message => format!("{}: {message}", kind.label()),
    };
    match retry_in {
        Some(0) => why + ". Asking again now",
        Some(seconds) => format!("{why}. Asking again in {seconds} s"),
        None => why,
    }
}

/// `2 claims in 34 s`, and a line for each.
fn checked(lines: &[String], cost: &str) -> String {
    let claims = number_of(lines.len(), "claim", "claims");
    let lines = lines.iter().map(|line| format!("\n  {}", clean(&line.replace('*', ""), 200)));
    format!("{claims}{cost}{}", lines.collect::<Vec<_>>().concat())
}

/// The agents of the seats, and the estimate.
pub fn run_plan(event: &RunEvent) -> String {
    let RunEvent::Plan { seats, estimate, limits, suggested, motion_line, .. } = event else {
        return String::new();
    };
    let estimate = *estimate;
    let is_one = seats.iter().all(|seat| agents_of(seat) == agents_of(&seats[0]));
    let agents = if is_one {
        format!(", all by {}", seats.first().map(agents_of).unwrap_or_default())
    } else {
        let agents = seats.iter().map(|seat| format!("{} {}", seat.seat, agents_of(seat)));
        format!(": {}", agents.collect::<Vec<_>>().join(", "))
    };
    let replies = number_of(estimate.replies as usize, "reply", "replies");
    let mut text = format!("Anvil: {replies}{agents}");
    text.extend(motion_line.iter().map(|line| format!("\n{line}")));
    // A script takes no time and no tokens.
    let has_program = seats.iter().any(|seat| !seat.is_script);
    let takes = has_program.then(|| time(estimate).into_iter().chain([tokens(estimate)]));
    let details =
        takes.into_iter().flatten().chain(limits.iter().cloned()).collect::<Vec<_>>().join("; ");
    if !details.is_empty() {
        let _ = write!(text, "\n  {details}");
    }
    text.extend(suggested.as_deref().map(one_family));
    text
}

/// `codex (else claude)`
pub(super) fn agents_of(seat: &SeatPlan) -> String {
    // The user has just typed the name of the script's file.
    let agent = if seat.is_script { "a script".to_owned() } else { clean(&seat.agent, 80) };
    match seat.others.join(", ") {
        others if others.is_empty() => agent,
        others => format!("{agent} (else {})", clean(&others, 200)),
    }
}

/// Shown once in a project.
pub(super) fn one_family(other: &str) -> String {
    format!("\n  Both seats use one model family: --critic {other} is more independent.")
}

/// `critic, round 2 of 3 · codex · 34 s · 182 words`
pub fn run_live(what: &str, since: Duration, words: usize) -> String {
    let words = if words == 0 { String::new() } else { format!(" · {} words", group(words)) };
    format!("{} · {}{words}", clean(what, 120), duration(since.as_secs()))
}

/// The commands that resume a debate of programs.
pub fn run_resumes(issue: Option<u32>, failed_seat: Option<&str>, is_in_project: bool) -> String {
    let publish = issue.map_or_else(String::new, |issue| format!(" --publish {issue}"));
    let (seat, effect) = match failed_seat {
        None => (String::new(), "continues"),
        Some(seat) => (format!(" --{seat} AGENT"), "gives the seat to the same or another agent"),
    };
    let command = format!("{} run --resume{publish}{seat}", program());
    let in_client =
        if is_in_project { "; /anvil:resume in Claude Code continues it there" } else { "" };
    format!("  `{command}` {effect}{in_client}")
}
