//! The status of a debate: a few lines while it is argued, and its result afterwards; and its line
//! in Claude Code's status line.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::Door;
use super::end::{End, NamedReport, end};
use super::error::capital;
use super::progress::{bar, claims, progress, work};
use super::stops::{asks, what_now};
use super::turns::restores;
use super::{Screen, indent, issue_behind};
use anvil_core::debate::Status;
use anvil_core::ledger::Ledger;
use anvil_core::place::Seat;
use anvil_core::tasks::TaskHolder;
use anvil_engine::{Glance, Look, MAX_TRIES, OwnerStatus, ReplyState, Writer};
use anvil_report::counts_line;
use anvil_store::Repair;
use anvil_text::{Verb, age, clean, columns, duration, hint, wrap};

/// Characters of a session's id that distinguish it from others.
const SESSION_CHARS: usize = 8;

/// The output of `/anvil:status` and `anvil status`, without a final line break.
pub fn status(look: &Look, door: &Door, screen: Screen) -> String {
    let width = screen.columns;
    let ledger = Ledger::of_entries(&look.entries, &look.debate.alternatives());
    if look.debate.status() == Status::Completed {
        return end_lines(look, &ledger, door, screen);
    }
    let mut lines = vec![clean(&look.debate.question, 300)];
    lines.extend(look.debate.motion().map(|motion| format!("  Motion: {}", clean(motion, 300))));
    let phase = phase(look, door);
    let progress = progress(look);
    let both = format!("  {phase}    {progress}");
    if look.next.interruption().is_some() {
        let (done, total) = look.debate.count_phases();
        lines.extend([format!("  {phase}"), format!("  {done} of {total} replies")]);
    } else if width.is_none_or(|width| columns(&both) <= width) {
        lines.push(both);
    } else {
        lines.extend([format!("  {phase}"), format!("  {progress}")]);
    }
    lines.extend(claims(&ledger));
    lines.push(format!("  {}", work(look)));
    lines.extend(exceptions(look, door));
    let file = clean(&look.project.display(&look.project.state_file()), usize::MAX);
    let hint = next_step(look, door).map_or_else(String::new, |hint| format!(" · {hint}"));
    let last = format!("  {file}{hint}");
    let [question, details @ ..] = lines.as_slice() else { return String::new() };
    let mut wrapped = width.map_or_else(|| vec![question.clone()], |width| wrap(question, width));
    for line in &mut wrapped {
        *line = screen.bold(line);
    }
    let fits = |line: &str| width.is_none_or(|width| columns(line) <= width);
    for line in details {
        match width {
            Some(width) if !fits(line) => wrapped.extend(indent(line, width)),
            _ => wrapped.push(line.clone()),
        }
    }
    match width {
        // A path stays whole, also one with blanks.
        Some(width) if !fits(&last) => {
            wrapped.push(format!("  {file}"));
            wrapped.extend(indent(hint.trim_start_matches(" · "), width));
        }
        _ => wrapped.push(last),
    }
    wrapped.join("\n")
}

fn end_lines(look: &Look, ledger: &Ledger, door: &Door, screen: Screen) -> String {
    let is_named = look.debate.options.output.is_some();
    let named = look.report.as_ref().filter(|path| is_named && look.page.as_ref() != Some(path));
    let report = match named {
        _ if look.is_report_due => NamedReport::Missing,
        Some(path) => NamedReport::Written(look.project.display(path)),
        None => NamedReport::NotWanted,
    };
    let standing = &ledger.standing();
    let page = look.page.as_ref().map(|page| look.project.display(page));
    let degraded = anvil_report::degradation(&look.entries);
    let document = anvil_report::document(&look.entries, ledger);
    let behind = look.behind.as_ref();
    let question = &look.debate.question;
    let facts = End { question, standing, degraded, document, ledger, report, page, behind };
    let mut text = end(&facts, door, screen);
    if let Some(repair) = &look.repair {
        let _ = write!(text, "\nNote: {}", clean(&self::repair(repair), 600));
    }
    text.extend(recovery_line(look).map(|line| format!("\n{line}")));
    text
}

/// `Critic, round 2 of 3, for 41 s`, or `Interrupted in critic, round 2 of 3 (WHY). /anvil:resume
/// continues.`
fn phase(look: &Look, door: &Door) -> String {
    let debate = &look.debate;
    let next = debate.place_label();
    let why = Some(clean(&debate.why_stopped(), 300)).filter(|why| !why.is_empty());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    match &look.next.state {
        ReplyState::Interrupted { why, .. } => {
            let resume = resume(look, door);
            format!("Interrupted in {next} ({}). {resume} continues.", clean(why, 80))
        }
        ReplyState::Written { writer, since, .. } => {
            let mut line = capital(&next);
            if look.next.tries > 1 {
                let _ = write!(line, ", try {}", look.next.tries);
            }
            // A run tries other agents too: it has no one limit. An interruption counts as no fault.
            let faults = u32::from(debate.retry_count());
            if look.next.tries == faults + 1 && faults > 0 && *writer == Writer::Conversation {
                let _ = write!(line, " of {MAX_TRIES}");
            }
            if let Some(since) = since {
                let waited = look.now.duration_since(*since).as_secs();
                let _ = write!(line, ", for {}", duration(u64::try_from(waited).unwrap_or(0)));
            }
            line
        }
        ReplyState::Awaited if debate.status() == Status::NotStarted => {
            format!("Not started: {next} is next")
        }
        ReplyState::Awaited => format!("{}: waits for a writer", capital(&next)),
        ReplyState::AwaitsDirection => format!("Waits for your direction before {next}"),
        ReplyState::Paused => format!("Paused before {next}{why}"),
        ReplyState::Failed => format!("Stopped at {next}{why}"),
        ReplyState::Received => format!("{}: written, not saved yet", capital(&next)),
        ReplyState::Over => capital(debate.status().label()),
    }
}

/// A line for each unusual state.
fn exceptions(look: &Look, door: &Door) -> Vec<String> {
    let debate = &look.debate;
    let mut lines = Vec::new();
    lines.extend(
        anvil_report::degradation(&look.entries).map(|line| format!("  {}", clean(&line, 400))),
    );
    let skipped = Some(look.skipped.join("; ")).filter(|skipped| !skipped.is_empty());
    lines.extend(skipped.map(|skipped| label_line("Passed over", &skipped, 300)));
    let question = asks(debate, &Ledger::of_entries(&look.entries, &debate.alternatives()));
    if !question.is_empty() {
        lines.extend(question);
        lines.push(format!("  {} answers", door.command(Verb::Steer.with("--answer TEXT"))));
    }
    let steering = debate.steering();
    lines.extend(steering.map(|text| label_line("Your direction for the next reply", text, 200)));
    if debate.synthesis_requested() && debate.place().seat != Seat::Synthesizer {
        let when = if debate.is_active() {
            "after this reply"
        } else {
            &format!("with {}", resume(look, door))
        };
        lines.push(format!("  You asked for the synthesis: it starts {when}"));
    }
    lines.extend(look.claims.iter().map(|(task, holder)| claim_line(task, holder)));
    let owner = look.owner.as_ref().filter(|owner| !owner.is_own);
    lines.extend(owner.map(|owner| self::owner(owner, look.now)));
    let behind = look.behind.as_ref().map(|behind| issue_behind(behind, Some(door)));
    lines.extend(behind.map(|line| format!("  {line}")));
    lines.extend(look.repair.as_ref().map(|found| label_line("Note", &repair(found), 600)));
    lines.extend(recovery_line(look).map(|line| format!("  {line}")));
    lines
}

fn label_line(label: &str, text: &str, most: usize) -> String {
    format!("  {label}: {}", clean(text, most))
}

/// `Session 1a2b3c4d owns this debate, taken up 3 min ago`
fn owner(owner: &OwnerStatus, now: Timestamp) -> String {
    let id: String = clean(&owner.session_id, 200).chars().take(SESSION_CHARS).collect();
    let name = match owner.run {
        Some(run) => format!("anvil run (process {})", run.pid),
        None => format!("Session {id}"),
    };
    let since =
        owner.since.map_or_else(String::new, |since| format!(", taken up {}", age(now, since)));
    match owner.is_running {
        Some(true) => format!("  {name} owns this debate{since}"),
        Some(false) => format!("  {name} owned this debate and has ended"),
        None => format!("  {name} owned this debate{since}"),
    }
}

/// `Recovered on 2026-11-26: …`: the last time.
fn recovery_line(look: &Look) -> Option<String> {
    let last = look.recovered.last()?;
    Some(format!("Recovered on {}", clean(&last.line(), 600)))
}

/// The difference between a state file and the debate that was read from it.
pub fn repair(repair: &Repair) -> String {
    format!("{} (saved with the next change)", repair.repairs.join("; "))
}

/// The claimant of a task.
fn claim_line(task: &str, holder: &TaskHolder) -> String {
    let progress = if holder.received_at.is_some() { " (written)" } else { "" };
    format!("  {}: {}{progress}", clean(&holder.name, 60), clean(task, 60))
}

pub(super) fn resume(look: &Look, door: &Door) -> String {
    if look.project.is_in_dir() {
        door.text(hint![Verb::Run.with("--resume")])
    } else {
        super::resume(&look.debate, door)
    }
}

/// The next command for the user.
fn next_step(look: &Look, door: &Door) -> Option<String> {
    let debate = &look.debate;
    let next = debate.next_place().id(debate.cycle());
    let resume = resume(look, door);
    let directs = format!("{} directs the next reply", door.command(Verb::Steer.with("TEXT")));
    if debate.is_active() && look.claims.contains_key(&next) {
        let submit = door.command(Verb::Submit.with("TOKEN"));
        let free = door.command(Verb::Tasks.with(format!("--drop {next}")));
        return Some(format!("{submit} saves its reply; {free} frees it"));
    }
    Some(match &look.next.state {
        ReplyState::Over if debate.status() == Status::Cancelled => restores(&debate.id, door),
        ReplyState::Interrupted { .. } | ReplyState::Over => return None,
        ReplyState::Written { is_overdue: true, .. } => {
            format!("if Claude is not writing: {resume}")
        }
        ReplyState::Written { .. } => directs,
        ReplyState::Awaited => {
            let does =
                if debate.status() == Status::NotStarted { "starts it" } else { "continues" };
            if door.is_client() {
                return Some(format!("{resume} {does}"));
            }
            format!("{} takes it, {resume} {does}", door.command(Verb::Claim.with(next)))
        }
        ReplyState::Received => format!("{resume} saves it and continues"),
        ReplyState::AwaitsDirection if door.is_client() => {
            what_now(debate, &Ledger::of_entries(&look.entries, &debate.alternatives())).to_owned()
        }
        ReplyState::AwaitsDirection => format!("{resume} continues, {directs}"),
        ReplyState::Paused | ReplyState::Failed => {
            format!("{resume} continues, {} ends it", door.command(Verb::Cancel))
        }
    })
}

/// Cells of the bar in the status line.
const CELLS: usize = 5;

/// `Anvil ▮▮▮▯▯ critic 2/3 · 1,204 words · 9 claims, 3 open`; `None` if no debate runs or waits.
pub fn statusline(glance: &Glance) -> Option<String> {
    let Glance { debate, words, counts, .. } = glance;
    let waits = match &glance.next.state {
        ReplyState::Interrupted { .. } => " · interrupted: /anvil:resume",
        ReplyState::Written { is_overdue: true, .. } => {
            " · if Claude is not writing: /anvil:resume"
        }
        ReplyState::Written { .. } => "",
        ReplyState::Awaited => " · waits for a writer",
        ReplyState::Received => " · a reply to save: /anvil:resume",
        ReplyState::AwaitsDirection => " · your turn",
        ReplyState::Paused => " · paused",
        ReplyState::Failed | ReplyState::Over => return None,
    };
    let bar = bar(debate, ["▮", "▯"], CELLS);
    let place = debate.place();
    let place = match place.seat {
        Seat::Advocate | Seat::Critic => {
            format!("{} {}/{}", place.seat, place.number(), debate.options.max_rounds)
        }
        Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => clean(&debate.label_of(place), 28),
    };
    let claims = counts_line(*counts).map_or_else(String::new, |counted| format!(" · {counted}"));
    Some(format!("Anvil {bar} {place}{waits} · {}{claims}", anvil_text::words(*words)))
}
