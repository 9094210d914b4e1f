//! Why material or a text of the user can't be used.

use std::io;

use super::text::Unreadable;
use anvil_core::document::MAX_DOCUMENT_CHARS;
use anvil_system::process::ProcessError;
use anvil_text::error::{Failure, Kind};
use anvil_text::masking::MASK;
use anvil_text::{Hint, group, number_of};

/// A text file that the user names.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    #[error("{0} looks like a secret")]
    Secret(String),
    #[error("there is no {0}")]
    Missing(String),
    #[error("{} {}", .0, .1.reason())]
    Unreadable(String, Unreadable),
    #[error("{0} is not text")]
    NotText(String),
    #[error("{0} has control characters")]
    Controls(String),
    #[error("{0} is empty")]
    Empty(String),
    #[error("{0} has \"{MASK}\", which stands for a secret")]
    Masked(String),
    #[error("{} has more than {} characters", .0, group(MAX_DOCUMENT_CHARS))]
    TooLong(String),
}

impl TextError {
    /// The error for a file of this name that was not read.
    pub(crate) fn unread(name: String, why: Unreadable) -> Self {
        match why {
            Unreadable::Failed(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::Missing(name)
            }
            why => Self::Unreadable(name, why),
        }
    }
}

impl Failure for TextError {
    fn kind(&self) -> Kind {
        match self {
            Self::Unreadable(..) => Kind::Failed,
            _ => Kind::Usage,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::Secret(_) => "put what the debate needs into a file of another name",
            Self::Missing(_) => "check the path",
            Self::Unreadable(..) => "name a text file that is readable",
            Self::NotText(_) | Self::Controls(_) | Self::Empty(_) | Self::Masked(_) => {
                "name a text file of UTF-8 and ordinary lines"
            }
            Self::TooLong(_) => "argue about a part of it",
        };
        hint.into()
    }
}

/// What `--context`, `--diff` and `--pr` ask for, and the files of a checkout.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MaterialError {
    #[error("--context is empty")]
    Empty,
    #[error("--context: there is no {typed}")]
    Missing { typed: String, folder: String },
    #[error("--context: {typed} can't be read: {error}")]
    Unreadable {
        typed: String,
        #[source]
        error: io::Error,
    },
    #[error("--context: nothing matches {0}")]
    NoMatch(String),
    #[error("none of the requested material could be used ({0})")]
    Unusable(String),
    #[error("the context could not be gathered in {0} s: a file system does not answer")]
    Late(u64),
    #[error("--diff: {0} is not a revision")]
    NoRevision(String),
    #[error("--diff: unknown revision {0}")]
    UnknownRevision(String),
    #[error("--diff: {0} is not in a git checkout")]
    NoCheckout(String),
    #[error("--diff: nothing has changed since {0}")]
    Unchanged(String),
    #[error(
        "--diff: nothing has changed since {base} but {}",
        number_of(*.files, "untracked file", "untracked files")
    )]
    Untracked { base: String, files: usize },
    #[error(
        "--diff: {revision} and HEAD share no commit{}",
        .depth.map_or_else(String::new, |depth| {
            format!(" in this clone, which has a depth of {depth}")
        })
    )]
    NoMergeBase {
        revision: String,
        /// Of a shallow clone.
        depth: Option<usize>,
    },
    #[error("git diff: this clone lacks objects, and Anvil fetches nothing")]
    LacksObjects(String),
    #[error("git diff {0}")]
    Diff(#[source] ProcessError),
    #[error("--pr: can't read gh's answer about {0}")]
    Answer(String),
    #[error("--pr: gh is not logged in")]
    LoggedOut,
    #[error("--pr: there is no pull request {0}")]
    NoPullRequest(u32),
    #[error("--pr: this is not a checkout of a GitHub repository")]
    NoRepository,
    #[error("--pr: gh: {0}")]
    Gh(String),
    #[error("the project's files could not be read in time")]
    LateFiles,
    #[error(
        "the files that decisions rest on could not be read: there is no git checkout, or the \
         disk does not answer"
    )]
    NoFiles,
}

impl Failure for MaterialError {
    fn kind(&self) -> Kind {
        match self {
            Self::Empty
            | Self::Missing { .. }
            | Self::NoMatch(_)
            | Self::NoRevision(_)
            | Self::UnknownRevision(_)
            | Self::NoCheckout(_)
            | Self::NoMergeBase { .. }
            | Self::NoPullRequest(_)
            | Self::NoRepository => Kind::Usage,
            Self::Unusable(_) | Self::Unchanged(_) | Self::Untracked { .. } => Kind::Nothing,
            _ => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        let hint = match self {
            Self::Missing { folder, .. } => {
                return format!("paths are relative to {folder}").into();
            }
            Self::LacksObjects(revision) => {
                let diff = format!("git diff {revision}");
                return format!("run `{}` once, then start the debate again", diff.trim_end())
                    .into();
            }
            Self::NoMergeBase { revision, depth } => {
                let as_it_is = format!("--diff={revision}.. compares with it as it is");
                return match depth {
                    Some(_) => {
                        format!("`git fetch --unshallow` gets the whole history; {as_it_is}")
                    }
                    None => as_it_is,
                }
                .into();
            }
            Self::Empty => "name a file, a folder or a pattern like 'src/**/*.rs'",
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NoMatch(_) => {
                "folders are matched by **/, and what git ignores is left out; '**/*.rs' means all \
                 Rust files"
            }
            Self::Unusable(_) => "name other files, or ask without them",
            Self::Late(_) => "name files on a disk that answers, or leave --context and --diff out",
            Self::NoRevision(_) | Self::UnknownRevision(_) => {
                "name a branch, a tag or a commit: --diff main"
            }
            Self::NoCheckout(_) => "start the debate in one, or leave --diff out",
            Self::Unchanged(_) => "name a revision: --diff main",
            Self::Untracked { .. } => "`git add -N FILE` puts a new file into the diff",
            Self::Diff(_) => "see what `git diff` says",
            Self::Answer(_) => "update gh: https://cli.github.com",
            Self::LoggedOut => "log in with `gh auth login`",
            Self::NoPullRequest(_) => "`gh pr list` shows those that are open",
            Self::NoRepository => "start the debate in one, or leave --pr out",
            Self::Gh(_) => "see what `gh pr view` says",
            Self::LateFiles => "check its disk",
            Self::NoFiles => "run this in a checkout, and see whether `git status` works there",
        };
        hint.into()
    }
}
