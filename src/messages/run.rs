//! What a run of programs says while it goes on.

use std::fmt::Write as _;
use std::time::Duration;

use super::error::ended;
use crate::seats::{RunEvent, SeatPlan};
use crate::text::{clean, duration, group};

/// The line for an event; `None`: it has none of its own.
#[must_use]
pub fn run_event(event: &RunEvent) -> Option<String> {
    Some(match event {
        RunEvent::Plan { id, seats, replies, most_seconds, about_tokens, limits, shared_family, .. } => {
            plan(id, seats, *replies, (*most_seconds, *about_tokens), limits, shared_family.as_deref())
        }
        RunEvent::Resumed { id, at } => format!("Anvil: {} goes on at {}", clean(id, 120), clean(at, 80)),
        RunEvent::Found { attempt, slot, how } => match *how {
            "finished" => format!("  attempt {attempt} ({slot}) was finished: its reply is filed without asking again"),
            "running" => format!("  attempt {attempt} ({slot}) still runs"),
            _ => format!("  attempt {attempt} ({slot}) was lost: it is asked again"),
        },
        RunEvent::AttemptFailed { slot, agent, kind, message, retry_in, .. } => {
            let agent = clean(agent, 60);
            let why = match clean(message, 200) {
                message if message.is_empty() => kind.label().to_owned(),
                message => format!("{}: {message}", kind.label()),
            };
            let next = match retry_in {
                Some(0) => ". It is asked again now".to_owned(),
                Some(seconds) => format!(". It is asked again in {seconds} s"),
                None => String::new(),
            };
            format!("  {slot}, {agent}: {why}{next}")
        }
        RunEvent::StillRunning { slot, count, .. } => {
            let (noun, verb) = if *count == 1 { ("process", "runs") } else { ("processes", "run") };
            format!(
                "  {slot}: {count} {noun} that it left could not be ended and still {verb}; `ps -ef` shows what runs"
            )
        }
        RunEvent::Filed { slot, agent, heads, words, seconds, tokens, settled } => {
            let tokens = tokens.map(|tokens| format!(", {} tokens", group(tokens as usize))).unwrap_or_default();
            let took = if *seconds == 0 { String::new() } else { format!(" in {}", duration(*seconds)) };
            let agent = if agent.starts_with("script:") { String::new() } else { format!(", {}", clean(agent, 60)) };
            let settled = if *settled { "\n  The round brought nothing new and left nothing open." } else { "" };
            let heads = heads.iter().map(|head| format!("\n  {}", clean(head, 240))).collect::<Vec<_>>().concat();
            format!("● {slot}{agent}: {} words{took}{tokens}{heads}{settled}", group(*words))
        }
        RunEvent::Checked { slot, agent, lines, seconds, tokens } => {
            let tokens = tokens.map(|tokens| format!(", {} tokens", group(tokens as usize))).unwrap_or_default();
            let took = if *seconds == 0 { String::new() } else { format!(" in {}", duration(*seconds)) };
            let claims = if lines.len() == 1 { "1 claim".to_owned() } else { format!("{} claims", lines.len()) };
            let lines = lines.iter().map(|line| format!("\n  {}", clean(&line.replace('*', ""), 200)));
            let lines = lines.collect::<Vec<_>>().concat();
            format!("○ {slot}, {}: {claims}{took}{tokens}{lines}", clean(agent, 60))
        }
        RunEvent::Unchecked { slot, why } => format!("  {slot}, left out: {}", ended(&clean(why, 300))),
        RunEvent::AskedAgain { slot, why } => format!("  {slot}, asked again: {}", clean(why, 300)),
        RunEvent::Joined { id, worker, seat } => {
            format!("Anvil: {} takes {} of {}", clean(worker, 60), clean(seat, 60), clean(id, 120))
        }
        RunEvent::WorkerWaits { why } => format!("  {}", ended(&clean(why, 300))),
        RunEvent::WorkerLate { slot, kept_in } => {
            format!("  {slot}: too late, the debate has moved on; what was written is in {kept_in}")
        }
        RunEvent::WorkerLeaves { why } => format!("Anvil: {}", ended(&clean(why, 400))),
        RunEvent::HeldBy { slot, worker } => format!("  {slot} is written by {}", clean(worker, 60)),
        RunEvent::CutShort { limit } => format!("  {limit} leaves room for the synthesis alone: it is next"),
        RunEvent::Paused { at, why, failed } => {
            let state = if *failed { "failed at" } else { "paused before" };
            format!("Anvil: {state} {}: {}", clean(at, 80), ended(&clean(why, 400)))
        }
        RunEvent::Asked { .. } => return None,
        RunEvent::Completed { verdict, claims, disposed, contradicted, report, page } => {
            let left = claims.saturating_sub(*disposed);
            let left = if left == 0 { String::new() } else { format!("\n  {disposed} of {claims} claims disposed of") };
            let checked = contradicted.as_deref().map(|line| format!("\n  {}", clean(line, 400))).unwrap_or_default();
            let report = report.as_deref().map_or_else(
                || "\n  the report could not be written: `anvil report` tries again".to_owned(),
                |path| format!("\n  report  {}", clean(path, 400)),
            );
            let page = page.as_deref().map(|path| format!("\n  page    {}", clean(path, 400))).unwrap_or_default();
            format!("Anvil: complete. {}{left}{checked}{report}{page}", ended(&clean(verdict, 240)))
        }
        RunEvent::Total(effort) => format!("  {}", effort.line()),
        RunEvent::Gate { gate, why } => format!("Anvil: --fail-on {gate}: {why}"),
    })
}

fn plan(
    id: &str,
    seats: &[SeatPlan],
    replies: u32,
    (most_seconds, about_tokens): (u64, u64),
    limits: &[String],
    shared_family: Option<&str>,
) -> String {
    let is_one = seats.iter().all(|seat| seat.agent == seats[0].agent);
    let who = if is_one {
        format!(", all by {}", seats.first().map(|seat| clean(&seat.agent, 80)).unwrap_or_default())
    } else {
        let who = seats.iter().map(|seat| format!("{} {}", seat.seat, clean(&seat.agent, 80)));
        format!(": {}", who.collect::<Vec<_>>().join(", "))
    };
    let what = if replies == 1 { "1 reply".to_owned() } else { format!("{replies} replies") };
    let mut text = format!("Anvil: {what}{who}");
    if seats.iter().any(|seat| seat.family != "script") {
        let _ = write!(
            text,
            "\n  at most {} and about {} tokens, without retries",
            duration(most_seconds),
            group(about(about_tokens) as usize)
        );
    }
    if !limits.is_empty() {
        let _ = write!(text, "; {}", limits.join(", "));
    }
    if let Some(family) = shared_family.filter(|family| *family != "script") {
        let _ = write!(
            text,
            "\n  both sides are of one family ({}): another one, such as --critic codex, argues more independently",
            clean(family, 60)
        );
    }
    let _ = write!(text, "\n  debate {}", clean(id, 120));
    text
}

/// A guess is no better than its first two digits.
pub(super) fn about(count: u64) -> u64 {
    let unit = 10_u64.pow(count.checked_ilog10().unwrap_or(0).saturating_sub(1));
    count.div_ceil(unit) * unit
}

/// `critic, round 2 of 3 · codex · 34 s · 182 words`
#[must_use]
pub fn run_live(what: &str, since: Duration, words: usize) -> String {
    let words = if words == 0 { String::new() } else { format!(" · {} words", group(words)) };
    format!("{} · {}{words}", clean(what, 120), duration(since.as_secs()))
}

/// How a debate goes on that programs have argued so far.
#[must_use]
pub fn run_resumes(named: &str, failed_seat: Option<&str>) -> String {
    match failed_seat {
        None => format!("  `{named} run --resume` goes on; /anvil:resume takes it into Claude Code"),
        Some(seat) => format!(
            "  `{named} run --resume --{seat} AGENT` gives the seat to an agent, the same or another; /anvil:resume takes it into Claude Code"
        ),
    }
}
