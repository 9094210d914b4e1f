//! Why a debate and an issue do not exchange what they have.

use std::io;

use crate::ownership::resume_hint;
use anvil_text::error::{Failure, Kind};
use anvil_text::{Hint, Verb, hint};

#[derive(Debug, thiserror::Error)]
pub(crate) enum IssueError {
    #[error("no question of the debate waits for an answer")]
    NoQuestion,
    #[error("another debate is in {issue}: {there}. {sides}")]
    AnotherThere { issue: String, there: String, sides: String },
    #[error("somebody else has published to {issue} since. {sides}")]
    PublishedSince { issue: String, sides: String, number: String },
    #[error("{0} does not have the text that was written to it")]
    NotStored(String),
    #[error("others write the comment of {0} at the same time")]
    Contended(String),
    #[error("gh altered the text of {0}; nothing was written")]
    Altered(String),
    #[error("the body's block holds {0}")]
    BlockHolds(&'static str),
    #[error("the body has no Anvil block")]
    NoBlock,
    #[error("{0}")]
    NotOpened(#[source] io::Error),
    #[error("{0}")]
    Unread(#[source] io::Error),
    #[error("{name} has more than {most} bytes")]
    TooLong { name: String, most: u64 },
    #[error("{0} is not UTF-8")]
    NotUtf8(String),
    #[error("there is no debate in {issue}")]
    NoDebate { issue: String, number: String },
    #[error("the debate here has just changed")]
    JustChanged,
    #[error("another debate is unfinished here: {here}")]
    AnotherHere { here: String, is_run: bool },
    #[error("the debate here and the one in {issue} have diverged. {sides}")]
    Diverged { issue: String, sides: String },
}

impl Failure for IssueError {
    fn kind(&self) -> Kind {
        match self {
            Self::NoQuestion | Self::NoBlock | Self::NoDebate { .. } => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::NoQuestion => {
                return hint!["leave --ask out; ", Verb::Status, " shows what a debate asks"];
            }
            Self::PublishedSince { number, .. } => {
                return hint![
                    Verb::Pull.with(number.clone()),
                    " first; or ",
                    Verb::Publish.with(format!("{number} --force")),
                    ", which puts theirs aside here"
                ];
            }
            Self::Altered(_) => {
                let remove = "remove each ^ and \\ from the issue's text";
                let embed = Verb::Body.with("embed");
                return (hint![remove, ", or put the block in by hand: ", embed], remove).into();
            }
            Self::NoBlock => {
                let in_shell = hint![Verb::Body.with("embed"), " puts one in"];
                return (in_shell, hint![Verb::Publish.with("N"), " puts one in"]).into();
            }
            Self::NoDebate { number, .. } => {
                let publish = Verb::Publish.with(number.clone());
                return hint![publish, " puts the one of a project there"];
            }
            Self::AnotherHere { is_run, .. } => {
                let ends = " ends it, --force ends it and pulls this one";
                return resume_hint(*is_run, hint![" continues it, ", Verb::Cancel, ends]);
            }
            Self::AnotherThere { .. } => {
                "publish to another issue, or --force, which puts that debate aside here"
            }
            Self::NotStored(_) => {
                "somebody else edits it, or the forge changed it: check its edit history"
            }
            Self::BlockHolds(_) => "--force replaces it and puts it aside",
            Self::NotOpened(_) => "check the path",
            Self::Unread(_) | Self::TooLong { .. } | Self::NotUtf8(_) => {
                "bodies and state files are Markdown in UTF-8"
            }
            Self::JustChanged | Self::Contended(_) => "do it again",
            Self::Diverged { .. } => "--force takes theirs and puts this one aside",
        };
        hint.into()
    }
}
