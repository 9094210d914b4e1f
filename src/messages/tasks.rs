//! The tasks of a debate and their workers.

use std::fmt::Write as _;

use jiff::Timestamp;

use super::USUAL_COLUMNS;
use crate::domain::debate::{Debate, Seat};
use crate::domain::tasks::{Task, TaskHolder, TaskStatus, Wanted};
use crate::domain::transcript::count_words;
use crate::engine::{Board, Waiting};
use crate::error::Error;
use crate::storage::Lease;
use crate::text::door::Door;
use crate::text::{age, clean, group, table};

/// The output of `anvil tasks`: each task, its status and its worker.
pub fn tasks(board: &Board, now: Timestamp) -> String {
    let row = |task: &Task| {
        let mut more: Vec<String> = Vec::new();
        match (&task.result, &task.holder) {
            (Some(result), _) => {
                more.push(format!("{} words", group(count_words(&result.output))));
                more.extend(task.claimed_by.as_deref().map(|author| clean(author, 100)));
            }
            (None, holder) => {
                more.extend(task.claimed_by.as_deref().map(|who| clean(who, 100)));
                more.extend(holder.as_ref().map(|holder| held(task, holder, now)));
            }
        }
        if !task.is_ready && !task.status.is_over() {
            more.push(format!("after {}", task.dependencies.join(", ")));
        }
        let (slot, mut name) = (task.place.slot, task.id.clone());
        if let (Seat::Voice(_), Some(voice)) = (slot.seat(), board.debate.voice_at(slot)) {
            name = format!("{name}: {}", clean(&voice.name, 40));
        }
        [name, task.status.label().to_owned(), more.join("; ")]
    };
    let rows: Vec<[String; 3]> = board.tasks.iter().map(row).collect();
    let mut out = format!("Anvil: {}\n{}", board.debate.label(), table(&rows, USUAL_COLUMNS));
    let waits = |task: &&Task| {
        let holder = task.holder.as_ref().filter(|holder| !holder.is_gone);
        holder.is_some() && !task.is_ready && !task.status.is_over()
    };
    let waiting = board.tasks.iter().filter(waits).map(|task| {
        format!("{} ({})", clean(task.claimed_by.as_deref().unwrap_or_default(), 60), task.id)
    });
    let waiting = waiting.collect::<Vec<_>>().join(", ");
    if !waiting.is_empty() {
        let _ = write!(out, "\n  Waiting for work: {waiting}.");
    }
    let is_free = |task: &Task| matches!(task.status, TaskStatus::Available | TaskStatus::Failed);
    if board.tasks.iter().any(is_free) && board.debate.progress.status.is_unfinished() {
        out.push_str(&Door::Shell.text("\n  `anvil claim SEAT` takes one."));
    }
    if board.tasks.iter().filter_map(|task| task.holder.as_ref()).any(|holder| !holder.is_gone) {
        out.push_str(
            &Door::Shell.text("\n  `anvil tasks --drop TASK` frees a task whose worker is gone."),
        );
    }
    out
}

fn held(task: &Task, holder: &TaskHolder, now: Timestamp) -> String {
    if holder.is_gone {
        return format!("{} is gone", clean(&holder.worker, 60));
    }
    if task.status == TaskStatus::Done {
        return "kept until the replies before it are saved".to_owned();
    }
    if holder.process.is_none() {
        return format!("claimed {}", age(now, holder.claimed_at));
    }
    let since = task.claimed_at.map(|at| format!(", since {}", age(now, at))).unwrap_or_default();
    format!("last sign of life {}{since}", age(now, holder.seen_at))
}

pub fn dropped(lease: &Lease) -> String {
    let (task, worker) = (clean(&lease.task, 60), clean(&lease.worker, 60));
    format!("Anvil: {task} is free; what {worker} still writes for it is not saved")
}

/// The tasks that a worker takes.
pub fn wanted(wanted: Wanted) -> String {
    match wanted {
        Wanted::Any => "any seat".to_owned(),
        Wanted::Independent => "what is written side by side".to_owned(),
        Wanted::Seat(seat @ ("judge" | "voice"), None) => format!("the {seat}s"),
        Wanted::Seat(seat, None) => format!("the {seat}"),
        Wanted::Seat(seat, Some(number)) => format!("{seat} {number}"),
    }
}

/// A task is claimed, for a person at a terminal. Its token follows.
pub fn claimed(task: &str) -> String {
    let command = Door::Shell.command("submit TOKEN < reply.md");
    format!("Anvil: {task} is yours. Write it into a file, then {command}. The token:")
}

/// No task can be claimed now.
pub fn nothing_to_claim(why: &Waiting) -> Error {
    let what = worker_waits(why);
    match why {
        Waiting::NothingLeft => Error::nothing(what, "`anvil tasks` lists them all"),
        Waiting::Rests(_) => Error::nothing(what, "`anvil status` shows why"),
        Waiting::Dependencies(_) | Waiting::Held(_) | Waiting::BeingWritten(_) => Error::nothing(
            what,
            "`anvil claim --wait 10m` waits for one; `anvil tasks` lists them all",
        ),
    }
}

/// A reply is saved.
pub fn submitted(task: &str) -> String {
    format!("Anvil: {task} is saved")
}

/// The debate waits for its user after a reply.
pub fn rests_after(debate: &Debate) -> String {
    let why = clean(&debate.progress.status_detail, 300);
    format!("  The debate is paused: {why}. {} goes on", Door::Shell.command("run --resume"))
}

/// A reply came before those that it follows.
pub fn submitted_early(task: &str) -> String {
    format!("Anvil: {task} is kept until the replies before it are saved")
}

/// A reply is not usable as it is.
pub fn write_again(task: &str, why: &str) -> String {
    let why = clean(why, 300);
    format!("Anvil: {task} is not saved: {why}. Write it once more, and submit it with its token")
}

/// A synthesis is saved; a note says what is wrong with its block.
pub fn block_again(task: &str) -> String {
    format!("Anvil: submit the block of {task} with the same token")
}

/// A reply was not usable, and its task has no try left.
pub fn given_up(task: &str, why: &str) -> String {
    format!("Anvil: {task} is not saved: {}", clean(why, 300))
}

/// A reply whose token is used, unknown or too old.
pub fn not_your_task() -> Error {
    Error::failed(
        "the token is used or unknown, and the reply is put aside",
        "`anvil claim` takes a task anew; `anvil tasks` shows who holds what",
    )
}

/// Why a worker waits, as a sentence without its full stop.
pub fn worker_waits(why: &Waiting) -> String {
    match why {
        Waiting::Dependencies(tasks) => format!("waits for {}", tasks.join(", ")),
        Waiting::Held(who) => format!("waits: it is held by {}", clean(who, 80)),
        Waiting::BeingWritten(leader) => {
            format!("waits: {} writes what is next", clean(leader, 60))
        }
        Waiting::Rests(why) if why.is_empty() => "waits: the debate rests".to_owned(),
        Waiting::Rests(why) => format!(
            "waits: the debate rests ({}); {} or /anvil:resume in Claude Code goes on",
            clean(why, 200),
            Door::Shell.command("run --resume")
        ),
        Waiting::NothingLeft => "nothing of this seat is left to write".to_owned(),
    }
}
