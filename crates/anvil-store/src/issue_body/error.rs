//! Why a body can't be read or written.

use super::{MAX_BODY_BYTES, MAX_UNITS, VERSION};
use anvil_text::error::Failure;
use anvil_text::{Hint, clean};

/// Most characters of a reason.
const REASON: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    #[error("the body has {0} Anvil blocks, and only one can be true")]
    Several(usize),
    #[error("the body's Anvil block is broken: it has no end")]
    Unclosed,
    /// Why the block can't be understood.
    #[error("the body's Anvil block is broken: {}", clean(.0, REASON))]
    Broken(String),
    /// The block has a key that would choose the writers, in this line of the body.
    #[error(
        "the body{}: a debate in an issue can't choose the agents: {}",
        .line.map_or(String::new(), |line| format!(", line {line}")),
        clean(.key, 40)
    )]
    NamesAgent { key: String, line: Option<usize> },
    /// The block is of this later version.
    #[error("the body's Anvil block has version {0}; this Anvil knows {VERSION}")]
    Newer(u64),
    /// The body with its block would have this many characters, as [`super::units`] counts.
    #[error(
        "with the debate the body would have {units} characters, {} more than the {MAX_UNITS} it \
         can have",
        .units.saturating_sub(MAX_UNITS)
    )]
    TooLong { units: usize },
    /// The block has more sections than any debate needs.
    #[error("the debate has {count} sections, and a body takes at most {most}")]
    TooMany { count: usize, most: usize },
    /// The body is larger than the limit for reading.
    #[error("the body is larger than {MAX_BODY_BYTES} bytes")]
    Huge,
}

impl Failure for BodyError {
    fn hint(&self) -> Hint {
        let hint = match self {
            Self::Several(_) => {
                "remove all but one, or use --force, which replaces them and puts them aside"
            }
            Self::Unclosed | Self::Broken(_) => {
                "the forge's edit history has the original; --force replaces this one and puts it \
                 aside"
            }
            Self::NamesAgent { .. } => "remove the key from the body, and type the option yourself",
            Self::Newer(_) => {
                "a newer Anvil wrote it: upgrade this one; the body is left untouched"
            }
            Self::TooLong { .. } => {
                "the text around the block counts too; `publish --comment` posts the report"
            }
            Self::TooMany { .. } => {
                "nothing was read or written; --force replaces this body and puts it aside"
            }
            Self::Huge => "name a single issue body",
        };
        hint.into()
    }
}
