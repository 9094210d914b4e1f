//! A debate that goes back, and what it can go back to.

use std::fmt::Write as _;

use crate::debate::Status;
use crate::engine::{CheckpointEntry, History, HistoryChange, Part};
use crate::text::{age, clean};

/// What undo, redo and restore say: `Anvil: undone: critic, round 2 (412 words)`, and below it what is next, where the
/// text lies and how to take this back.
#[must_use]
pub fn history_change(change: &HistoryChange) -> String {
    let debate = &change.debate;
    let list = |word: &str, parts: &[Part]| {
        let parts: Vec<String> = parts.iter().map(part).collect();
        (!parts.is_empty()).then(|| format!("{word}: {}", parts.join(", ")))
    };
    let what: Vec<String> = list("undone", &change.gone).into_iter().chain(list("back", &change.back)).collect();
    let what = if what.is_empty() { "nothing of the debate changed".to_owned() } else { what.join("; ") };
    let mut out = format!("Anvil: {what}");
    match debate.progress.status {
        Status::Completed => out.push_str("\n  next      nothing: the debate is complete"),
        _ => {
            let _ = write!(out, "\n  next      {}; /anvil:resume goes on", debate.slot_label());
        }
    }
    if let Some(archived) = &change.archived {
        let _ = write!(out, "\n  kept      {}", clean(&change.project.display(archived), usize::MAX));
        if let Some(before) = change.before {
            let _ = write!(out, "\n  /anvil:redo or `anvil restore {before}` takes this back.");
        }
    }
    out
}

fn part(part: &Part) -> String {
    match part {
        Part::Reply { slot, words } => format!("{slot} ({words} words)"),
        Part::Judgment { words } => format!("judgment ({words} words)"),
        Part::Opening { cycle } => format!("the opening of cycle {cycle}"),
    }
}

/// What `anvil checkpoints` shows.
#[must_use]
pub fn checkpoints(history: &History) -> String {
    let rows = &history.kept;
    let mut out = format!("Anvil: {}\n", clean(&history.question, 300));
    let cycles = rows.iter().filter_map(|row| row.debate.as_ref()).map(|debate| debate.progress.cycle).max();
    let waits = |row: &CheckpointEntry| {
        let Some(debate) = &row.debate else { return "(damaged)".to_owned() };
        let waits =
            if debate.progress.status == Status::Completed { "complete".to_owned() } else { debate.slot_label() };
        if cycles > Some(1) { format!("{waits}, cycle {}", debate.progress.cycle) } else { waits }
    };
    let width = rows.iter().map(|row| waits(row).chars().count()).max().unwrap_or(0).max(24);
    let _ = writeln!(out, "  {:>4}  {:<width$} {:>7}  when", "no", "waits for", "words");
    for row in rows {
        let when = row.debate.as_ref().map(|debate| age(history.now, debate.progress.updated_at)).unwrap_or_default();
        let here = if row.is_now { "  (now)" } else { "" };
        let _ = writeln!(out, "  {:>4}  {:<width$} {:>7}  {when}{here}", row.number, waits(row), row.words);
    }
    out.push_str("  `anvil restore NO` brings one back.");
    out
}
