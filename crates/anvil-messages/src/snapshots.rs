//! Undo and redo, and the snapshots of a debate.

use std::fmt::Write as _;

use super::Door;
use anvil_core::debate::{Debate, Status};
use anvil_engine::{HistoryChange, SnapshotEntry, SnapshotList, UndonePart};
use anvil_text::{Verb, age, clean};

/// The output of undo and redo: `Anvil: undone: critic, round 2 (412 words)`, and below it the next
/// place, the file of the text, and how to reverse the change.
pub fn history_change(change: &HistoryChange, door: &Door) -> String {
    let debate = &change.debate;
    let mut changes = Vec::new();
    for (word, parts) in [("undone", &change.gone), ("back", &change.back)] {
        if !parts.is_empty() {
            let parts: Vec<String> = parts.iter().map(part).collect();
            changes.push(format!("{word}: {}", parts.join(", ")));
        }
    }
    let what =
        if changes.is_empty() { "the debate is unchanged".to_owned() } else { changes.join("; ") };
    let mut out = format!("Anvil: {what}");
    if debate.status() == Status::Completed {
        out.push_str("\n  next      nothing: the debate is complete");
    } else {
        let next = debate.place_label();
        let resume = super::resume(debate, door);
        let _ = write!(out, "\n  next      {next}; {resume} continues");
    }
    if let Some(aside) = &change.aside {
        let aside = clean(&change.project.display(aside), usize::MAX);
        let _ = write!(out, "\n  kept      {aside}");
        if let Some(before) = change.before {
            let redo = door.command(Verb::Undo.with("--redo"));
            let to = door.command(Verb::Undo.with(format!("--to {before}")));
            let _ = write!(out, "\n  {redo} or {to} reverts this.");
        }
    }
    out
}

fn part(part: &UndonePart) -> String {
    match part {
        UndonePart::Reply { place, words } => format!("{place} ({words} words)"),
        UndonePart::Judgment { words } => format!("judgment ({words} words)"),
        UndonePart::Opening { cycle } => format!("the opening of cycle {cycle}"),
    }
}

/// The output of `anvil undo --list`.
pub fn snapshots(history: &SnapshotList, door: &Door) -> String {
    let rows = &history.kept;
    let mut out = format!("Anvil: {}\n", clean(&history.question, 300));
    let has_cycles =
        rows.iter().filter_map(|row| row.debate.as_ref()).any(|debate| debate.cycle() > 1);
    let width = rows
        .iter()
        .map(|row| waits_for(row, has_cycles).chars().count())
        .max()
        .unwrap_or(0)
        .max(24);
    let _ = writeln!(out, "  {:>4}  {:<width$} {:>7}  when", "no", "waits for", "words");
    for row in rows {
        let updated = row.debate.as_ref().map(Debate::updated_at);
        let when = updated.map(|at| age(history.now, at)).unwrap_or_default();
        let here = if row.is_now { "  (now)" } else { "" };
        let waits = waits_for(row, has_cycles);
        let SnapshotEntry { number, words, .. } = row;
        let _ = writeln!(out, "  {number:>4}  {waits:<width$} {words:>7}  {when}{here}");
    }
    let _ = write!(out, "  {} restores one.", door.command(Verb::Undo.with("--to N")));
    out
}

/// The phase that a snapshot waits for.
fn waits_for(row: &SnapshotEntry, has_cycles: bool) -> String {
    let Some(debate) = &row.debate else { return "(damaged)".to_owned() };
    let waits = if debate.status() == Status::Completed {
        "complete".to_owned()
    } else {
        debate.place_label()
    };
    if has_cycles { format!("{waits}, cycle {}", debate.cycle()) } else { waits }
}
