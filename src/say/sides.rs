//! A debate here and the same one in an issue, as a person reads it.

use super::{clean, place};
use crate::debate::{Debate, Status};

/// One side.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// Words filed so far.
    pub words: usize,
    /// The revision that it has or continues; 0: none yet.
    pub revision: u64,
}

impl Side<'_> {
    /// `revision 3, critic, round 2 of 3, 812 words`.
    #[must_use]
    pub fn line(&self) -> String {
        let revision = match self.revision {
            0 => "not published from here".to_owned(),
            revision => format!("revision {revision}"),
        };
        format!("{revision}, {}, {} words", stands(self.debate), self.words)
    }
}

/// `critic, round 2 of 3`; `complete`.
fn stands(debate: &Debate) -> String {
    match debate.status {
        Status::Completed => "complete".to_owned(),
        Status::Cancelled => "cancelled".to_owned(),
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => place(debate),
    }
}

/// It lies in the issue now.
#[must_use]
pub fn published(thread: &str, side: &Side<'_>, comments: usize) -> String {
    let parts = match comments {
        0 => String::new(),
        1 => " Its sections are in 1 comment.".to_owned(),
        count => format!(" Its sections are in {count} comments."),
    };
    format!("Anvil: published to {thread}, {}.{parts}", side.line())
}

/// Nothing was to be published.
#[must_use]
pub fn published_before(thread: &str, side: &Side<'_>) -> String {
    format!("Anvil: {thread} has it already: {}.", side.line())
}

/// It lies here now.
#[must_use]
pub fn pulled(thread: &str, side: &Side<'_>) -> String {
    let next = match side.debate.status {
        Status::Completed => "`anvil report` writes its report; /anvil:again argues once more.",
        Status::Cancelled => "/anvil:status shows it.",
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => "/anvil:resume goes on with it.",
    };
    format!("Anvil: pulled from {thread}, {}: {}\n{next}", side.line(), clean(&side.debate.question, 200))
}

/// The issue has nothing that is not here.
#[must_use]
pub fn nothing_to_pull(thread: &str, side: &Side<'_>) -> String {
    format!("Anvil: all of {thread} is here: {}.", side.line())
}
