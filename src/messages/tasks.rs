//! The tasks of a debate, and those who work at them.

use jiff::Timestamp;

use super::USUAL_COLUMNS;
use super::error::ended;
use crate::body::Claimed;
use crate::debate::Debate;
use crate::engine::{Board, Waiting};
use crate::error::Error;
use crate::state::Claim;
use crate::tasks::{Status, Task, Wanted};
use crate::text::{age, clean, group, table};
use crate::transcript::count_words;

/// What the user is told who takes a seat without an editor.
pub const REPLY_ON_STDIN: &str =
    "set VISUAL or EDITOR, or give the reply on standard input: `anvil join --me --as SEAT < reply.md`";

/// What `anvil tasks` shows.
#[must_use]
pub fn tasks(board: &Board) -> String {
    let row = |task: &Task| {
        let who = task.claimed_by.as_deref().map(|who| clean(who, 60)).unwrap_or_default();
        let more = match (&task.result, task.status) {
            (Some(result), _) => format!("{} words", group(count_words(&result.output))),
            (None, Status::Done) => format!("{who}; kept until the replies before it are filed"),
            (None, Status::Available | Status::Failed) if !task.is_ready => {
                format!("after {}", task.dependencies.join(", "))
            }
            (None, Status::Claimed) if !task.is_ready => format!("{who}; after {}", task.dependencies.join(", ")),
            (None, _) => who,
        };
        [task.id.clone(), task.status.label().to_owned(), more]
    };
    let rows: Vec<[String; 3]> = board.tasks.iter().map(row).collect();
    let is_free = |task: &Task| matches!(task.status, Status::Available | Status::Failed);
    let hint = if board.tasks.iter().any(is_free) && board.debate.progress.status.is_unfinished() {
        "\n  `anvil join --as SEAT` takes those of a seat."
    } else {
        ""
    };
    format!("Anvil: {}\n{}{hint}", board.debate.label(), table(&rows, USUAL_COLUMNS))
}

/// What `anvil workers` shows.
#[must_use]
pub fn workers(board: &Board, now: Timestamp) -> String {
    if board.claims.all.is_empty() {
        let hint = if board.debate.progress.status.is_unfinished() {
            "\n  `anvil join --as SEAT` takes a seat of it."
        } else {
            ""
        };
        return format!("Anvil: nobody works at {}{hint}", board.debate.label());
    }
    let row = |claim: &Claim| {
        let how = match claim {
            claim if claim.received_at.is_some() => "has written it".to_owned(),
            claim if claim.is_dead() => "is gone; the task is free".to_owned(),
            claim if claim.started_at.is_some() => format!("writes; last sign of life {}", age(now, claim.seen_at)),
            claim => format!("holds it; last sign of life {}", age(now, claim.seen_at)),
        };
        let who = format!("process {} on {}", claim.holder.process.pid, clean(&claim.holder.host, 60));
        let since = format!("since {}", age(now, claim.claimed_at));
        [clean(&claim.task, 60), clean(&claim.worker, 60), format!("{how}; {who}, {since}")]
    };
    let rows: Vec<[String; 3]> = board.claims.all.iter().map(row).collect();
    format!(
        "Anvil: {}\n{}\n  `anvil workers --drop TASK` frees a task whose worker is gone.",
        board.debate.label(),
        table(&rows, USUAL_COLUMNS)
    )
}

/// The same of a debate in an issue.
#[must_use]
pub fn workers_there(debate: &Debate, claimed: &[(String, Claimed)], issue: u32) -> String {
    if claimed.is_empty() {
        return format!(
            "Anvil: nobody works at {} in issue {issue}\n  `anvil join --issue {issue} --as SEAT` takes a seat of it.",
            debate.label()
        );
    }
    let row = |(task, claimed): &(String, Claimed)| {
        let how = if claimed.reply.is_some() { "has written it" } else { "writes" };
        let who = format!("{} ({})", clean(&claimed.worker, 60), clean(&claimed.account, 60));
        [task.clone(), who, how.to_owned()]
    };
    let rows: Vec<[String; 3]> = claimed.iter().map(row).collect();
    format!(
        "Anvil: {}\n{}\n  `anvil publish {issue} --gather`, where the debate is, takes in what is written; --drop TASK frees a task whose worker is gone.",
        debate.label(),
        table(&rows, USUAL_COLUMNS)
    )
}

/// A task is free again.
#[must_use]
pub fn dropped(claim: &Claim) -> String {
    freed(&claim.task, &claim.worker)
}

/// The same of one that this worker had.
#[must_use]
pub fn freed(task: &str, worker: &str) -> String {
    format!("Anvil: {} is free; what {} still writes for it is not filed", clean(task, 60), clean(worker, 60))
}

/// Which tasks a worker takes.
#[must_use]
pub fn wanted(wanted: Wanted) -> String {
    match wanted {
        Wanted::Any => "any seat".to_owned(),
        Wanted::Independent => "what is written side by side".to_owned(),
        Wanted::Seat(phase, None) => format!("the {}", phase.word()),
        Wanted::Judge(None) => "the judges".to_owned(),
        Wanted::Judge(Some(number)) => format!("judge {number}"),
        Wanted::Seat(phase, Some(number)) => format!("{} {number}", phase.word()),
    }
}

/// Why a worker waits, as a sentence without its full stop.
#[must_use]
pub fn worker_waits(why: &Waiting) -> String {
    match why {
        Waiting::Dependencies(tasks) => format!("waits for {}", tasks.join(", ")),
        Waiting::Held(who) => format!("waits: it is held by {}", clean(who, 80)),
        Waiting::HeldThere(task, who, issue) => format!(
            "waits: {task} is held by {}; where that is gone, `anvil workers --drop {task} --issue {issue}` frees it",
            clean(who, 80)
        ),
        Waiting::Posted(task, issue) => {
            format!("waits: {task} is written; `anvil publish {issue} --gather` takes it in, where the debate is")
        }
        Waiting::BeingWritten(leader) => format!("waits: {} writes what is next", clean(leader, 60)),
        Waiting::Rests(why) if why.is_empty() => "waits: the debate rests".to_owned(),
        Waiting::Rests(why) => {
            format!("waits: the debate rests ({}); /anvil:resume or `anvil run --resume` goes on", clean(why, 200))
        }
        Waiting::NothingLeft => "nothing of this seat is left to write".to_owned(),
    }
}

/// A forge did not do what a worker asked for, and is asked again.
#[must_use]
pub fn asked_again_there(error: &Error) -> String {
    format!("waits: {error}; it is asked again")
}

/// The user has put a reply aside.
#[must_use]
pub fn put_aside(draft: &str, task: &str) -> String {
    let said = format!("{task} is put aside, in {draft}");
    format!("Anvil: {}\n  The same command takes it up again.", ended(&clean(&said, 500)))
}
