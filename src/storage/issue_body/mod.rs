//! A debate in the body of an issue: one invisible block that holds the whole state file. Pure:
//! texts in, texts out.
//!
//! Invariants: text outside of the block is kept byte for byte; a body has one block after any
//! number of updates; no reply can end the block; a block that can't be understood is a named
//! [`BodyError`] and is never written over. `docs/issue-body.md` describes the format.

mod block;
mod comments;
mod document;
mod error;
mod escape;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../../tests/linear/body.rs"]
pub(crate) mod linear;
mod relation;
mod sections;

pub use block::{contains, strip};
pub use comments::{MARKER, join};
pub use document::Index;
pub use error::BodyError;
pub use escape::{MAX_UNITS, units};
pub use relation::{Relation, relation};

use std::ops::Range;

use document::Document;
use sections::Sections;

use crate::error::Result;
use crate::storage::StateFile;

/// Largest body that is read, in bytes.
pub const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The version of the format that is written. A later one is reported, and never written over.
const VERSION: u64 = 1;

/// A debate as it travels: a state file without an owner and without paths of a machine, and a
/// count of its publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableDebate {
    /// Rises by one at each publish.
    pub revision: u64,
    state: StateFile,
}

impl PortableDebate {
    /// An error if the state could not be read back, or was written by a newer Anvil.
    pub fn new(state: StateFile, revision: u64) -> Result<Self> {
        Ok(Self { revision, state: state.portable()? })
    }

    pub fn state(&self) -> &StateFile {
        &self.state
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Whole(Box<PortableDebate>),
    /// The sections lie in comments: [`join`] puts them together.
    InComments(Box<Index>),
}

impl Content {
    pub fn revision(&self) -> u64 {
        match self {
            Self::Whole(carried) => carried.revision,
            Self::InComments(index) => index.revision,
        }
    }
}

/// A body with a new block in place of all old ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The body with its one block.
    pub body: String,
    /// The comments that hold the sections, if any.
    pub comments: Vec<String>,
    /// The blocks that were removed, as they stood.
    pub removed: Vec<String>,
}

/// The body with this debate in its block, which replaces the old block or is put at the end. The
/// block of another debate is replaced too: the caller checks [`extract`] and `relation` first.
pub fn embed(body: &str, carried: &PortableDebate) -> Result<String, BodyError> {
    within_limit(embed_long(body, carried)?)
}

/// Like [`embed`], for a body that goes to no forge: it can be as long as one that is read.
pub fn embed_long(body: &str, carried: &PortableDebate) -> Result<String, BodyError> {
    let old = only_block(body)?.map(|(range, _)| range);
    let sections = Sections::from_state(carried.state());
    let put = |packing| {
        block::put(body, old.clone(), &Document::whole(carried, &sections, packing).block())
    };
    let plain = put(Packing::Plain);
    let long =
        if units(&plain) <= escape::MAX_PLAIN_UNITS { plain } else { put(Packing::Deflated) };
    if long.len() > MAX_BODY_BYTES { Err(BodyError::Huge) } else { Ok(long) }
}

/// Removes all blocks of a body, also those that can't be understood, and adds one new block.
pub fn embed_afresh(
    body: &str,
    carried: &PortableDebate,
    in_comments: bool,
) -> Result<Fresh, BodyError> {
    let removed =
        block::find(body)?.iter().map(|found| body[found.range.clone()].to_owned()).collect();
    let bare = block::strip(body);
    let (body, comments) = if in_comments {
        embed_in_comments(&bare, carried)?
    } else {
        (embed(&bare, carried)?, Vec::new())
    };
    Ok(Fresh { body, comments, removed })
}

/// The body with a block that names comments, and those comments, which hold the sections. For
/// debates that are too long for a body.
pub fn embed_in_comments(
    body: &str,
    carried: &PortableDebate,
) -> Result<(String, Vec<String>), BodyError> {
    let old = only_block(body)?.map(|(range, _)| range);
    let Sections { is_titled, entries } = Sections::from_state(carried.state());
    let (hashes, comments) = comments::split(&carried.state().debate.id, entries);
    let body = block::put(body, old, &Document::in_comments(carried, is_titled, hashes)?.block());
    Ok((within_limit(body)?, comments))
}

/// The debate in a body. `None`: no block.
pub fn extract(body: &str) -> Result<Option<Content>, BodyError> {
    Ok(only_block(body)?.map(|(_, content)| content))
}

/// The one valid block of a body: its range and its content.
fn only_block(body: &str) -> Result<Option<(Range<usize>, Content)>, BodyError> {
    let found = block::find(body)?;
    match found.as_slice() {
        [] => Ok(None),
        [one] => {
            let content = Document::read(one.inner(body).ok_or(BodyError::Unclosed)?);
            let content = content.map_err(|error| match error {
                BodyError::NamesAgent { key, .. } => {
                    let line = block::line_of_key(body, &one.range, &key);
                    BodyError::NamesAgent { key, line }
                }
                other => other,
            })?;
            Ok(Some((one.range.clone(), content)))
        }
        several => Err(BodyError::Several(several.len())),
    }
}

/// The form of the texts in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Plain,
    /// Deflated, in base64.
    Deflated,
}

fn within_limit(body: String) -> Result<String, BodyError> {
    let units = units(&body);
    if units > MAX_UNITS { Err(BodyError::TooLong { units }) } else { Ok(body) }
}
