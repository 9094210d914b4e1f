//! A debate here and the same one in an issue, as the user reads it.

use super::slot;
use crate::debate::{Debate, Named, Status};
use crate::text::{self, clean};

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
    match debate.progress.status {
        Status::Completed => "complete".to_owned(),
        Status::Cancelled => "cancelled".to_owned(),
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => slot(debate),
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

/// It lies here now, in `file`. Where its options came with it, what of them Claude is told to follow is somebody else's word.
#[must_use]
pub fn pulled(thread: &str, side: &Side<'_>, brings_options: bool, unseen: usize, file: &str) -> String {
    let next = match side.debate.progress.status {
        Status::Completed => "`anvil report` writes its report; /anvil:again argues once more.",
        Status::Cancelled => "/anvil:status shows it.",
        Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => "/anvil:resume goes on with it.",
    };
    let brought = brought(side.debate, brings_options).join(", ");
    let warning = match &*brought {
        "" => String::new(),
        brought => format!("\nClaude will be told to follow what it brings: {brought}. Read that in {file} first."),
    };
    let hidden = match unseen {
        0 => String::new(),
        count => {
            format!("\n{file} holds {}: no screen or report shows them, and Claude reads them.", text::unseen(count))
        }
    };
    format!(
        "Anvil: pulled from {thread}, {}: {}{warning}{hidden}\n{next}",
        side.line(),
        clean(&side.debate.question, 200)
    )
}

/// What a debate has of texts of its own that a role is told to follow.
fn brought(debate: &Debate, options: bool) -> Vec<String> {
    let named = |what: &str, name: &str| Some(format!("{what} {}", clean(name, 60)));
    let own = |what, named_text: &Named| named_text.text.as_ref().and_then(|_| named(what, &named_text.name));
    let options = options.then(|| {
        let rules = debate.options.house_rules.as_ref().map(|_| "house rules".to_owned());
        let mode = debate.options.mode_text.as_ref().and_then(|_| named("the mode", debate.options.mode.word()));
        let framework = debate.options.framework.as_ref().and_then(|framework| own("the framework", framework));
        let voices = debate.options.voices.iter().filter_map(|voice| own("the voice", voice));
        [rules, mode, framework].into_iter().flatten().chain(voices).collect::<Vec<_>>()
    });
    let steering = debate.progress.steering.as_ref().map(|_| "steering".to_owned());
    options.unwrap_or_default().into_iter().chain(steering).collect()
}

/// The issue has nothing that is not here.
#[must_use]
pub fn nothing_to_pull(thread: &str, side: &Side<'_>) -> String {
    format!("Anvil: all of {thread} is here: {}.", side.line())
}
