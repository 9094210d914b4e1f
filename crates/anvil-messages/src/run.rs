//! The progress of a run of programs.

use std::fmt::Write as _;
use std::time::Duration;

use super::Door;
use super::Screen;
use super::error::with_full_stop;
use super::turns::{time, tokens};
use anvil_core::attempt::FailureKind;
use anvil_core::transcript::ShortName;
use anvil_prompt::{FoundAttempt, RunEvent, SeatPlan, is_script};
use anvil_text::{Verb, clean, duration, group, number_of};

const SETTLED: &str = "\n  Nothing is left to argue.";

/// The lines for an event; `None`: the event has no line.
pub fn run_event(event: &RunEvent, screen: Screen, door: &Door) -> Option<String> {
    let text = text_of(event, screen, door)?;
    Some(text.lines().flat_map(|line| screen.wrap(line)).collect::<Vec<_>>().join("\n"))
}

fn text_of(event: &RunEvent, screen: Screen, door: &Door) -> Option<String> {
    Some(match event {
        RunEvent::Plan { id, .. } => format!("{}\n  debate {}", plan(event, door), clean(id, 120)),
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
            format!("  {slot}, {}: {}", short(agent), failure(*kind, message, *retry_in))
        }
        RunEvent::StandsIn { seat, agent, instead_of, kind } => {
            let [before, agent] = [instead_of, agent].map(|agent| short(agent));
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
            // A command line is long, and the plan has named it.
            let is_command = is_script(agent) || agent.starts_with("cmd:");
            let agent = if is_command { String::new() } else { format!(", {}", short(agent)) };
            let heads: &[String] = if *is_synthesis { &[] } else { heads };
            let settled = if *settled { SETTLED } else { "" };
            let heads = heads.iter().map(|head| screen.fit(&format!("  {}", clean(head, 240))));
            let heads = heads.map(|head| format!("\n{head}")).collect::<Vec<_>>().concat();
            let slot = screen.bold(&format!("● {slot}"));
            format!("{slot}{agent}: {}{cost}{heads}{settled}", anvil_text::words(*words))
        }
        RunEvent::Checked { slot, agent, lines, seconds, tokens } => {
            let found = check_lines(lines, &cost(*seconds, *tokens));
            format!("○ {slot}, {}: {found}", short(agent))
        }
        RunEvent::Unchecked { slot, why } => {
            format!("  {slot}, skipped: {}", with_full_stop(&clean(why, 300)))
        }
        RunEvent::AskedAgain { slot, why } => format!("  {slot}, asked again: {}", clean(why, 300)),
        RunEvent::CutShort { limit } => {
            format!("  {limit} leaves room only for the synthesis, which is next")
        }
        RunEvent::Paused { at, why, failed } => {
            let state = if *failed { "stopped at" } else { "paused before" };
            format!("Anvil {state} {}: {}", clean(at, 80), with_full_stop(&clean(why, 400)))
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
fn check_lines(lines: &[String], cost: &str) -> String {
    let claims = number_of(lines.len(), "claim", "claims");
    let lines = lines.iter().map(|line| format!("\n  {}", clean(&line.replace('*', ""), 200)));
    format!("{claims}{cost}{}", lines.collect::<Vec<_>>().concat())
}

/// An agent without its command line.
fn short(agent: &str) -> String {
    clean(ShortName::new(agent).as_str(), 60)
}

/// The agents of the seats, and the estimate.
pub fn run_plan(event: &RunEvent, screen: Screen, door: &Door) -> String {
    let text = plan(event, door);
    text.lines().flat_map(|line| screen.wrap(line)).collect::<Vec<_>>().join("\n")
}

fn plan(event: &RunEvent, door: &Door) -> String {
    let RunEvent::Plan { seats, estimate, limits, suggested, motion_line, .. } = event else {
        return String::new();
    };
    let estimate = *estimate;
    let agents = |seat: &SeatPlan| (seat.agent.clone(), seat.others.clone());
    let is_one = seats.iter().all(|seat| agents(seat) == agents(&seats[0]));
    let agents = if is_one {
        format!(", all by {}", seats.first().map(agents_of).unwrap_or_default())
    } else {
        let agents = seats.iter().map(|seat| format!("{} {}", seat.seat, agents_of(seat)));
        format!(": {}", agents.collect::<Vec<_>>().join(", "))
    };
    let replies = number_of(estimate.replies as usize, "reply", "replies");
    let mut text = format!("Anvil: {replies}{agents}");
    text.extend(motion_line.clone().map(|line| format!("\n{}", door.text(line))));
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
    let agent = if seat.is_script { "a script".to_owned() } else { short(&seat.agent) };
    let others: Vec<String> = seat.others.iter().map(|other| short(other)).collect();
    match others.join(", ") {
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
    let words =
        if words == 0 { String::new() } else { format!(" · {}", anvil_text::words(words)) };
    format!("{} · {}{words}", clean(what, 120), duration(since.as_secs()))
}

/// The commands that resume a debate of programs.
pub fn run_resumes(
    issue: Option<u32>,
    failed_seat: Option<&str>,
    is_in_project: bool,
    door: &Door,
) -> String {
    let publish = issue.map_or_else(String::new, |issue| format!(" --publish {issue}"));
    let (seat, effect) = match failed_seat {
        None => (String::new(), "continues"),
        Some(seat) => (format!(" --{seat} AGENT"), "gives the seat to the same or another agent"),
    };
    let command = door.command(Verb::Run.with(format!("--resume{publish}{seat}")));
    let in_client =
        if is_in_project { "; /anvil:resume in Claude Code continues it there" } else { "" };
    format!("  {command} {effect}{in_client}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_text::columns;

    fn saved(agent: &str) -> RunEvent {
        RunEvent::Saved {
            slot: "critic, round 1 of 2".to_owned(),
            agent: agent.to_owned(),
            heads: vec!["C1. 迁移到微服务可以让每个团队独立发布".repeat(4)],
            words: 7,
            seconds: 3,
            tokens: None,
            settled: false,
            is_synthesis: false,
        }
    }

    #[test]
    fn a_line_fits_its_terminal_in_every_script() {
        for width in [40, 80, 120] {
            let text = run_event(&saved("codex"), Screen::plain(width), &Door::default()).unwrap();
            let head = text.lines().last().unwrap();
            assert!((width - 1..=width).contains(&columns(head)), "{width}: {text}");
        }
        let whole = run_event(&saved("codex"), Screen::default(), &Door::default()).unwrap();
        assert!(columns(whole.lines().last().unwrap()) > 120, "{whole}");
        let gate = RunEvent::Unchecked { slot: "fact check".to_owned(), why: "no one ".repeat(40) };
        let text = run_event(&gate, Screen::plain(80), &Door::default()).unwrap();
        assert!(text.lines().count() > 1 && text.lines().all(|line| columns(line) <= 80), "{text}");
    }

    #[test]
    fn a_reply_names_its_agent_but_no_command_line() {
        let first = |agent: &str, screen| {
            let text = run_event(&saved(agent), screen, &Door::default()).unwrap();
            text.lines().next().unwrap().to_owned()
        };
        let plain = Screen::default();
        assert_eq!(first("codex", plain), "● critic, round 1 of 2, codex: 7 words in 3 s");
        for agent in ["cmd:/opt/argue.sh --token=x", "script:/tmp/replies.md"] {
            assert_eq!(first(agent, plain), "● critic, round 1 of 2: 7 words in 3 s");
        }
        let bold = first("codex", Screen { is_styled: true, ..plain });
        assert!(bold.starts_with("\u{1b}[1m● critic, round 1 of 2\u{1b}[0m, codex"), "{bold:?}");
    }
}
