//! What the user reads: the one-line messages of the hook and the command line. Pure.
//!
//! Every text that came from a model or a file goes through [`text::clean`](crate::text::clean) before it reaches a screen.

mod past;
mod portable;
mod sides;
mod standing;
mod statusline;
mod stops;
mod watch;

pub use past::{FoundRow, PastRow, found, how, past, unread};
pub use portable::PortableLines;
pub use sides::{Side, nothing_to_pull, published, published_before, pulled};
pub use standing::{OwnerRow, Standing};
pub use statusline::statusline;
pub use stops::{awaits, awaits_still, boundary};
pub use watch::Watched;

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::debate::{Debate, Phase, Slot, Status};
use crate::text::{age, clean};

/// Said once where git would take the debate in.
pub const SEEN_BY_GIT: &str =
    "Anvil: git does not ignore the debate's file. Add this line to .gitignore: .claude/anvil-state.local.md";

/// Most characters of a question in a one-line message.
const QUESTION_IN_LINE: usize = 60;

/// A line about something beside what was asked for: `Anvil: NOTE.`
#[must_use]
pub fn note(text: &str) -> String {
    format!("Anvil: {}.", clean(text, 900))
}

/// The question, short enough for a line.
#[must_use]
pub fn question(debate: &Debate) -> String {
    clean(&debate.question, QUESTION_IN_LINE)
}

/// `"QUESTION…" (critic, round 1 of 3, paused)`
#[must_use]
pub fn named(debate: &Debate) -> String {
    format!("\"{}\" ({}, {})", question(debate), slot(debate), debate.progress.status.label())
}

/// `Anvil: advocate, round 1 of 3: QUESTION…`
#[must_use]
pub fn started(debate: &Debate) -> String {
    let report = debate.options.output.as_deref().map(|output| format!(" (report: {})", clean(output, 60)));
    // After the client's own words this fills one line of 100 columns.
    let cycle = if debate.progress.cycle > 1 { format!("cycle {}, ", debate.progress.cycle) } else { String::new() };
    format!("Anvil: {cycle}{}: {}{}", slot(debate), clean(&debate.question, 40), report.unwrap_or_default())
}

/// `Anvil: advocate, round 2 of 3, with your direction`: what the user typed was taken as one.
#[must_use]
pub fn steered(debate: &Debate) -> String {
    format!("Anvil: {}, with your direction", slot(debate))
}

/// `Anvil: critic, round 1 of 3 (advocate filed, 412 words)`
#[must_use]
pub fn advanced(debate: &Debate, filed: Slot, words: usize) -> String {
    let who = filed.phase.word();
    let what = if words == 0 { format!("{who} had nothing to add") } else { format!("{who} filed, {words} words") };
    format!("Anvil: {} ({what})", slot(debate))
}

/// `Anvil: critic, round 1 of 3, asked again (1 of 3): the reply was empty`
#[must_use]
pub fn asked_again(debate: &Debate, why: &str) -> String {
    if debate.progress.retry_count == 0 {
        return format!("Anvil: {}, asked again: {why}", slot(debate));
    }
    format!(
        "Anvil: {}, asked again ({} of {}): {why}",
        slot(debate),
        debate.progress.retry_count,
        crate::debate::MAX_RETRIES
    )
}

/// What the user hears whose wish comes after the reply that is being written, or with the next one.
#[must_use]
pub fn noted(debate: &Debate) -> String {
    let what = if debate.progress.synthesis_requested { "the synthesis comes" } else { "the direction is given" };
    match debate.progress.status {
        Status::InProgress => format!("Anvil: noted; {what} when this reply is written."),
        _ => format!("Anvil: noted; {what} when the debate goes on: /anvil:resume."),
    }
}

/// What the user hears who changed the number of rounds.
#[must_use]
pub fn rounds_changed(debate: &Debate) -> String {
    let next = format!("Anvil: {} now. Next: {}", rounds(debate.options.max_rounds), slot(debate));
    match debate.progress.status {
        // Esc ends a turn, and nobody is told.
        Status::InProgress => format!("{next}. If Claude is not writing, /anvil:resume asks for it."),
        _ => format!("{next}; /anvil:resume goes on."),
    }
}

/// `Anvil: paused before critic, round 1 of 3: WHY. Type /anvil:resume to go on.`
#[must_use]
pub fn paused(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    format!("Anvil: paused before {}: {why}. Type /anvil:resume to go on.", slot(debate))
}

/// `Anvil: failed at critic, round 1 of 3: WHY. Type /anvil:resume to try again.`
#[must_use]
pub fn failed(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 200);
    format!("Anvil: failed at {}: {why}. Type /anvil:resume to try again.", slot(debate))
}

/// `Anvil: an unfinished debate is here, "QUESTION…" (critic, round 1 of 3, paused). /anvil:resume goes on with it, …`
#[must_use]
pub fn unfinished(debate: &Debate, runs_elsewhere: bool) -> String {
    let state = named(debate);
    if runs_elsewhere {
        return format!("Anvil: a debate runs in another session here, {state}. /anvil:status shows it.");
    }
    format!("Anvil: an unfinished debate is here, {state}. /anvil:resume goes on with it, /anvil:cancel archives it.")
}

/// What undo, redo and restore say: `Anvil: undone: critic, round 2 (412 words)`, and below it what is next, where the
/// text lies and how to take this back.
#[must_use]
pub fn moved(debate: &Debate, gone: &[String], back: &[String], archived: Option<&str>, before: Option<u32>) -> String {
    let list = |word: &str, sections: &[String]| match sections {
        [] => None,
        sections => Some(format!("{word}: {}", sections.join(", "))),
    };
    let what: Vec<String> = list("undone", gone).into_iter().chain(list("back", back)).collect();
    let what = if what.is_empty() { "nothing of the debate changed".to_owned() } else { what.join("; ") };
    let mut out = format!("Anvil: {what}");
    match debate.progress.status {
        Status::Completed => out.push_str("\n  next      nothing: the debate is complete"),
        _ => {
            let _ = write!(out, "\n  next      {}; /anvil:resume goes on", slot(debate));
        }
    }
    if let Some(archived) = archived {
        let _ = write!(out, "\n  kept      {}", clean(archived, usize::MAX));
        if let Some(before) = before {
            let _ = write!(out, "\n  /anvil:redo or `anvil restore {before}` takes this back.");
        }
    }
    out
}

/// A line of the listing of checkpoints.
#[derive(Clone, Copy, Debug)]
pub struct KeptRow<'a> {
    /// Its number.
    pub number: u32,
    /// The debate then; `None`: it is damaged.
    pub debate: Option<&'a Debate>,
    /// Words filed then.
    pub words: usize,
    /// It is where the debate stands.
    pub is_now: bool,
}

/// What `anvil checkpoints` shows.
pub fn checkpoints<'a>(question: &str, rows: impl Iterator<Item = KeptRow<'a>>, now: Timestamp) -> String {
    let mut out = format!("Anvil: {}\n", clean(question, 300));
    let rows: Vec<KeptRow<'_>> = rows.collect();
    let cycles = rows.iter().filter_map(|row| row.debate).map(|debate| debate.progress.cycle).max().unwrap_or(1);
    let waits = |row: &KeptRow<'_>| {
        let Some(debate) = row.debate else { return "(damaged)".to_owned() };
        let waits = if debate.progress.status == Status::Completed { "complete".to_owned() } else { slot(debate) };
        if cycles > 1 { format!("{waits}, cycle {}", debate.progress.cycle) } else { waits }
    };
    let width = rows.iter().map(|row| waits(row).chars().count()).max().unwrap_or(0).max(24);
    let _ = writeln!(out, "  {:>4}  {:<width$} {:>7}  when", "no", "waits for", "words");
    for row in &rows {
        let when = row.debate.map(|debate| age(now, debate.progress.updated_at)).unwrap_or_default();
        let here = if row.is_now { "  (now)" } else { "" };
        let _ = writeln!(out, "  {:>4}  {:<width$} {:>7}  {when}{here}", row.number, waits(row), row.words);
    }
    out.push_str("  `anvil restore NO` brings one back.");
    out
}

/// Where the debate stands: `critic, round 2 of 3`, or `legal, stakeholder 2 of 3`.
#[must_use]
pub fn slot(debate: &Debate) -> String {
    let label = debate.progress.slot.label(debate.options.max_rounds);
    match (debate.progress.slot.phase, debate.voice_at(debate.progress.slot)) {
        (Phase::Stakeholder | Phase::Persona, Some(voice)) => format!("{}, {label}", clean(&voice.name, 40)),
        _ => label,
    }
}

fn rounds(count: u8) -> String {
    if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") }
}
