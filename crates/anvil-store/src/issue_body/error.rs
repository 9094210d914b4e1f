//! Why a body can't be read or written.

use std::fmt;

use super::{MAX_BODY_BYTES, MAX_UNITS, VERSION};
use anvil_text::error::Error;

/// Most characters of a reason.
const REASON: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// The body has this many blocks.
    Several(usize),
    /// The block has no end.
    Unclosed,
    /// Why the block can't be understood.
    Broken(String),
    /// The block has a key that chooses who writes, in this line of the body.
    NamesAgent { key: String, line: Option<usize> },
    /// The block is of this later version.
    Newer(u64),
    /// The body with its block would have this many characters, as [`super::units`] counts.
    TooLong { units: usize },
    /// The block has more sections than any debate needs.
    TooMany { count: usize, most: usize },
    /// The body is larger than the limit for reading.
    Huge,
}

impl fmt::Display for BodyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Several(count) => {
                write!(out, "the body has {count} Anvil blocks, and only one can be true")
            }
            Self::Unclosed => out.write_str("the body's Anvil block is broken: it has no end"),
            Self::Broken(why) => {
                write!(out, "the body's Anvil block is broken: {}", anvil_text::clean(why, REASON))
            }
            Self::NamesAgent { key, line } => {
                let line = line.map_or(String::new(), |line| format!(", line {line}"));
                let key = anvil_text::clean(key, 40);
                write!(out, "the body{line}: a debate in an issue can't choose who writes: {key}")
            }
            Self::Newer(version) => {
                write!(
                    out,
                    "the body's Anvil block has version {version}; this Anvil knows {VERSION}"
                )
            }
            Self::TooLong { units } => write!(
                out,
                "with the debate the body would have {units} characters, {} more than the \
                 {MAX_UNITS} it can have",
                units.saturating_sub(MAX_UNITS)
            ),
            Self::TooMany { count, most } => {
                write!(out, "the debate has {count} sections, and a body takes at most {most}")
            }
            Self::Huge => write!(out, "the body is larger than {MAX_BODY_BYTES} bytes"),
        }
    }
}

impl BodyError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Several(_) => {
                "take all but one out, or start afresh with --force, which puts them aside"
            }
            Self::Unclosed | Self::Broken(_) => {
                "the forge's edit history has it as it was; --force starts afresh and puts this \
                 one aside"
            }
            Self::NamesAgent { .. } => {
                "take the key out of the body, and type the option where you mean it"
            }
            Self::Newer(_) => {
                "a newer Anvil wrote it: upgrade this one; the body is left untouched"
            }
            Self::TooLong { .. } => {
                "what stands around the block counts too; `publish --comment` posts the report"
            }
            Self::TooMany { .. } => {
                "nothing was read or written; --force starts afresh and puts this body aside"
            }
            Self::Huge => "name a single issue body",
        }
    }
}

impl std::error::Error for BodyError {}

impl From<BodyError> for Error {
    fn from(error: BodyError) -> Self {
        Self::failed(error.to_string(), error.hint())
    }
}
