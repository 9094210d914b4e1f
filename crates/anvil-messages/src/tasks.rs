//! The tasks of a debate, and their claimants.

use jiff::Timestamp;

use super::turns::label;
use super::{Door, Screen};
use anvil_core::debate::Debate;
use anvil_core::place::Seat;
use anvil_core::tasks::{Task, TaskHolder, TaskStatus};
use anvil_core::transcript::count_words;
use anvil_engine::{TaskBoard, Waiting};
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, age, clean, hint, table, words};

/// The output of `anvil tasks`: each task, its status and its claimant.
pub fn tasks(board: &TaskBoard, now: Timestamp, screen: Screen, door: &Door) -> String {
    let rows: Vec<[String; 3]> =
        board.tasks.iter().map(|task| task_row(&board.debate, task, now)).collect();
    let label = label(&board.debate, &board.next);
    let mut out = format!("Anvil: {label}\n{}", table(&rows, screen.width()));
    let has_free_task = board
        .tasks
        .iter()
        .any(|task| matches!(task.status, TaskStatus::Available | TaskStatus::Failed));
    if has_free_task && board.debate.status().is_unfinished() {
        out.push_str(&door.text(hint!["\n  ", Verb::Claim.with("SEAT"), " takes one."]));
    }
    let mut holders = board.tasks.iter().filter_map(|task| task.holder.as_ref());
    if board.debate.status().is_unfinished() && holders.any(|holder| !holder.is_gone) {
        out.push_str(&door.text(hint![
            "\n  ",
            Verb::Tasks.with("--drop TASK"),
            " frees an abandoned one."
        ]));
    }
    out
}

fn task_row(debate: &Debate, task: &Task, now: Timestamp) -> [String; 3] {
    let mut more: Vec<String> = Vec::new();
    match (&task.result, &task.holder) {
        (Some(result), _) => {
            more.push(words(count_words(&result.output)));
            more.extend(task.claimed_by.as_deref().map(|author| clean(author, 100)));
        }
        (None, holder) => {
            more.extend(task.claimed_by.as_deref().map(|who| clean(who, 100)));
            more.extend(holder.as_ref().map(|holder| hold_state(task, holder, now)));
        }
    }
    if !task.is_ready && !task.status.is_over() {
        more.push(format!("after {}", task.dependencies.join(", ")));
    }
    let place = task.place.in_schedule();
    let mut name = task.id.clone();
    if let (Seat::Voice(_), Some(voice)) = (place.seat, debate.voice_at(place)) {
        name = format!("{name}: {}", clean(&voice.name, 40));
    }
    [name, task.status.label().to_owned(), more.join("; ")]
}

fn hold_state(task: &Task, holder: &TaskHolder, now: Timestamp) -> String {
    if holder.is_gone {
        return format!("{} is gone", clean(&holder.name, 60));
    }
    if task.status == TaskStatus::Done {
        return "kept until the replies before it are saved".to_owned();
    }
    format!("claimed {}", age(now, holder.claimed_at))
}

/// A claim is dropped. `name`: the former claimant.
pub fn drop_line(task: &str, name: &str) -> String {
    let task = clean(task, 60);
    let name = clean(name, 60);
    format!("Anvil: {task} is free; a reply that {name} still writes is not saved")
}

/// A task is claimed, for a person at a terminal. Its token follows.
pub fn claim_line(task: &str, door: &Door) -> String {
    let command = door.command(Verb::Submit.with("TOKEN < reply.md"));
    format!("Anvil: {task} is yours. Write the reply to a file, then {command}. The token:")
}

/// No task can be claimed now.
pub fn nothing_to_claim(why: Waiting, door: &Door) -> Error {
    ClaimError::Waits { what: claim_waits(&why, door), why }.into()
}

#[derive(Debug, thiserror::Error)]
enum ClaimError {
    #[error("{what}")]
    Waits { what: String, why: Waiting },
    /// The token of a reply is used, unknown or too old.
    #[error("the token is used or unknown, and the reply is put aside")]
    NotYours,
}

impl Failure for ClaimError {
    fn kind(&self) -> Kind {
        match self {
            Self::Waits { .. } => Kind::Nothing,
            Self::NotYours => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Waits { why: Waiting::NothingLeft, .. } => hint![Verb::Tasks, " lists them all"],
            Self::Waits { why: Waiting::Paused(_), .. } => hint![Verb::Status, " shows why"],
            Self::Waits { why: Waiting::Dependencies(_) | Waiting::Held(_), .. } => {
                let claim = Verb::Claim.with("--wait 10m");
                hint![claim, " waits for one; ", Verb::Tasks, " lists them all"]
            }
            Self::NotYours => {
                hint![Verb::Claim, " takes a task again; ", Verb::Tasks, " shows who holds what"]
            }
        }
    }
}

pub fn submit_line(task: &str) -> String {
    format!("Anvil: {task} is saved")
}

/// The debate waits for its user after a reply.
pub fn rests_after(debate: &Debate, door: &Door) -> String {
    let why = clean(&debate.why_stopped(), 300);
    format!(
        "  The debate is paused: {why}. {} continues it",
        door.command(Verb::Run.with("--resume"))
    )
}

/// A reply came before those that it follows.
pub fn early_submit_line(task: &str) -> String {
    format!("Anvil: {task} is kept until the replies before it are saved")
}

/// A reply is not usable as it is.
pub fn write_again(task: &str, why: &str) -> String {
    let why = clean(why, 300);
    format!("Anvil: {task} is not saved: {why}. Write it again, and submit it with the same token")
}

/// A synthesis is saved; a note says what is wrong with its block.
pub fn block_again(task: &str) -> String {
    format!("Anvil: submit the block of {task} with the same token")
}

/// A reply was not usable, and its task has no try left.
pub fn give_up_line(task: &str, why: &str) -> String {
    format!("Anvil: {task} is not saved: {}", clean(why, 300))
}

/// The token of a reply is used, unknown or too old.
pub fn not_your_task() -> Error {
    ClaimError::NotYours.into()
}

/// Why a claim waits, as a sentence without its full stop.
pub(super) fn claim_waits(why: &Waiting, door: &Door) -> String {
    match why {
        Waiting::Dependencies(tasks) => format!("waits for {}", tasks.join(", ")),
        Waiting::Held(who) => format!("waits: it is held by {}", clean(who, 80)),
        Waiting::Paused(why) if why.is_empty() => "waits: the debate is paused".to_owned(),
        Waiting::Paused(why) => format!(
            "waits: the debate is paused ({}); {} or /anvil:resume in Claude Code continues",
            clean(why, 200),
            door.command(Verb::Run.with("--resume"))
        ),
        Waiting::NothingLeft => "this seat has nothing left to write".to_owned(),
    }
}
