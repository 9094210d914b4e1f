//! A debate in the body of an issue: one invisible block that holds the whole state file. Pure:
//! texts in, texts out.
//!
//! Invariants: text outside of the block is kept byte for byte; a body has one block after any
//! number of updates; no reply can end the block; a block that can't be understood is a named
//! [`BodyError`] and is never written over. `docs/issue-body.md` describes the format.

pub(crate) mod block;
pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod escape;
pub(crate) mod sections;

pub use block::{contains, strip};
pub use error::BodyError;
pub use escape::{MAX_UNITS, units};

use document::BlockDocument;
use sections::Sections;
use serde_json::json;

use crate::project::digest;
use crate::{CarriedKeys, StateFile};
use anvil_text::Scrubber;
use anvil_text::error::Result;

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
    pub fn new(state: StateFile, revision: u64, scrubber: &Scrubber) -> Result<Self> {
        Ok(Self { revision, state: state.portable(scrubber)? })
    }

    pub fn state(&self) -> &StateFile {
        &self.state
    }

    /// The document of its block, with uncompressed texts: one line that can be printed.
    pub fn to_json(&self) -> String {
        BlockDocument::new(self, &Sections::from_state(&self.state), Packing::Plain).into_json()
    }

    /// SHA-256 of its document, in hexadecimal: the name of this block among all others.
    pub fn digest(&self) -> String {
        digest(self.to_json().as_bytes())
    }

    /// SHA-256 of the words of the user and the seats so far: the question, the options, the
    /// transcript, and the waiting direction. Its revision, status and times do not count.
    pub fn digest_here(&self) -> String {
        let CarriedKeys { identity, options, progress, added } = fixed_keys(self.state.keys());
        let words =
            json!([identity, options, progress, added, self.state.body, waiting(&self.state)]);
        digest(words.to_string().as_bytes())
    }

    /// True if both have the same question, options and keys of the user.
    pub fn has_options_of(&self, other: &Self) -> bool {
        fixed_keys(self.state.keys()) == fixed_keys(other.state.keys())
    }

    /// True if `other` is this debate, or lacks only sections that this one has after the same
    /// words. A state with another question, other options, a later status, or a direction or
    /// request that waits there alone, is another course.
    pub fn has_all_of(&self, other: &Self) -> bool {
        let mine = &self.state;
        let theirs = &other.state;
        let [my_progress, their_progress] =
            [mine, theirs].map(|state| (state.debate.step(), state.debate.updated_at()));
        self.has_words_of(other)
            && (mine.body.len() > theirs.body.len() || their_progress <= my_progress)
            && self.has_options_of(other)
    }

    /// True if `other` is this debate, and has no words that this one has not, nor a direction or
    /// request that waits there alone.
    pub fn has_words_of(&self, other: &Self) -> bool {
        let mine = &self.state;
        let theirs = &other.state;
        let after = mine.body.strip_prefix(&theirs.body);
        let has_words = after.is_some_and(|after| after.is_empty() || after.starts_with("\n#"));
        let adds_nothing = waiting(theirs) == (None, false) || waiting(theirs) == waiting(mine);
        has_words && adds_nothing && mine.debate.id == theirs.debate.id
    }
}

/// The direction that waits, and true if the user requested the synthesis.
fn waiting(state: &StateFile) -> (Option<&str>, bool) {
    (state.debate.steering(), state.debate.synthesis_requested())
}

/// The question, the options and the user's own keys.
fn fixed_keys(mut keys: CarriedKeys) -> CarriedKeys {
    // All progress moves on, except the time at which the debate began.
    keys.progress.retain(|(key, _)| *key == "started_at");
    keys
}

/// A body with a new block in place of all old ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// The body with its one block.
    pub body: String,
    /// The blocks that were removed, as they stood.
    pub removed: Vec<String>,
}

/// The body with this debate in its block. It replaces any other, also one that can't be
/// understood: the caller looks at [`extract`] and [`PortableDebate::has_all_of`] first.
pub fn embed(body: &str, carried: &PortableDebate) -> Result<Embedded, BodyError> {
    let embedded = embed_long(body, carried)?;
    let units = units(&embedded.body);
    if units > MAX_UNITS { Err(BodyError::TooLong { units }) } else { Ok(embedded) }
}

/// Like [`embed`], for a body that goes to no forge: it can be as long as one that is read.
pub fn embed_long(body: &str, carried: &PortableDebate) -> Result<Embedded, BodyError> {
    let plain = embed_packed(body, carried, Packing::Plain)?;
    let is_short = units(&plain.body) <= escape::MAX_PLAIN_UNITS;
    let embedded = if is_short { plain } else { embed_packed(body, carried, Packing::Deflated)? };
    if embedded.body.len() > MAX_BODY_BYTES { Err(BodyError::Huge) } else { Ok(embedded) }
}

/// The characters that a body with this debate has left, as [`units`] counts. `None`: it has too
/// many.
pub fn room(body: &str, carried: &PortableDebate) -> Result<Option<usize>, BodyError> {
    let packed = embed_packed(body, carried, Packing::Deflated)?;
    Ok(MAX_UNITS.checked_sub(units(&packed.body)))
}

fn embed_packed(
    body: &str,
    carried: &PortableDebate,
    packing: Packing,
) -> Result<Embedded, BodyError> {
    let found = block::find(body)?;
    let removed = found.iter().map(|found| body[found.range.clone()].to_owned()).collect();
    let sections = Sections::from_state(carried.state());
    let block = BlockDocument::new(carried, &sections, packing).block();
    let body = match found.as_slice() {
        [one] => block::put(body, Some(one.range.clone()), &block),
        _ => block::put(&block::strip(body), None, &block),
    };
    Ok(Embedded { body, removed })
}

/// The debate in a body. `None`: no block.
pub fn extract(body: &str) -> Result<Option<PortableDebate>, BodyError> {
    let found = block::find(body)?;
    let one = match found.as_slice() {
        [] => return Ok(None),
        [one] => one,
        several => return Err(BodyError::Several(several.len())),
    };
    let carried = BlockDocument::read(one.inner(body).ok_or(BodyError::Unclosed)?);
    carried.map(Some).map_err(|error| match error {
        BodyError::NamesAgent { key, .. } => {
            let line = block::line_of_key(body, &one.range, &key);
            BodyError::NamesAgent { key, line }
        }
        other => other,
    })
}

/// The form of the texts in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    /// Deflated, in base64.
    Deflated,
}
