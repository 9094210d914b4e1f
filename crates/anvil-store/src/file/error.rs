//! Why a file of Anvil's can't be read, or a debate can't be written as one.

use std::io;
use std::path::PathBuf;

use super::fields::SCHEMA;
use anvil_core::transcript::MAX_HEADINGS;
use anvil_text::error::Failure;
use anvil_text::{Hint, Verb, hint};

/// The end of a hint for a state file that only its user can repair.
pub(super) const OR_REPLACE: &str =
    "or start a new debate with --replace, which puts this file aside unchanged";

#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{} is not a regular file", .path.display())]
    Irregular { path: PathBuf, kind: IrregularFile },
    #[error(
        "{} has {size} bytes, more than the {most} that a {kind} can have", .path.display()
    )]
    TooLarge { path: PathBuf, size: u64, most: u64, kind: &'static str },
    #[error("can't read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] io::Error),
    #[error("{0}")]
    Unread(#[source] io::Error),
    #[error("it is gone")]
    Gone,
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("the state file does not begin with a closed frontmatter block")]
    NoHead,
    #[error("the debate has more than {MAX_HEADINGS} headings, and none can have so many")]
    TooManyHeadings,
    #[error("the state file has schema {0}; this Anvil knows {SCHEMA}")]
    Schema(i64),
    #[error(
        "the debate would have {whole} bytes, {head} of them frontmatter: more than can be read \
         back"
    )]
    TooLong { whole: usize, head: usize },
    #[error("the debate can't be read back as it would be written")]
    NotReadBack,
    #[error("`{0}` is invalid")]
    BadKey(String),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum IrregularFile {
    Link,
    Folder,
    Other,
}

impl Failure for FileError {
    fn hint(&self) -> Hint {
        let hint = match self {
            Self::TooLong { .. } => {
                return hint!["nothing was changed; ", Verb::Cancel, " ends the debate as it is"];
            }
            Self::NoHead => {
                return format!("repair the lines between the two --- by hand, {OR_REPLACE}")
                    .into();
            }
            Self::TooManyHeadings => {
                return format!("remove headings by hand, {OR_REPLACE}").into();
            }
            Self::Schema(schema) if *schema <= SCHEMA => {
                return format!("an earlier Anvil wrote it: continue with that one, {OR_REPLACE}")
                    .into();
            }
            Self::Irregular { kind, .. } => match kind {
                IrregularFile::Link => "Anvil follows no link there; move it away",
                IrregularFile::Folder => "a folder is there; move it away",
                IrregularFile::Other => "Anvil reads nothing else; move it away",
            },
            Self::TooLarge { .. } => "move it away; it is left untouched",
            Self::Unreadable(..) => "check that the file is readable; it is left untouched",
            Self::Unread(_) => "the state file can't be read to its end; it is left untouched",
            Self::Gone => "list them again",
            Self::NotUtf8 => "it is left untouched; a snapshot may hold the debate",
            Self::Schema(_) => {
                "a newer Anvil wrote it: upgrade this one; the file is left untouched"
            }
            Self::NotReadBack => "repair its state file by hand",
            Self::BadKey(_) => "it is left as it is",
        };
        hint.into()
    }
}
