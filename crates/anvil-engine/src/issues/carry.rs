//! Puts a debate into the body of an issue, and takes it out, for `anvil body`.

use std::io::Read;
use std::path::Path;

use super::error::IssueError;
use super::publish::put_aside;
use super::remote::{PublishStep, publish_step};
use crate::Context;
use crate::lookup::find;
use anvil_core::transcript;
use anvil_store::issue_body::{self, MAX_BODY_BYTES, PortableDebate, units};
use anvil_store::{MAX_STATE_BYTES, StateFile};
use anvil_text::error::Result;

/// A body with a debate in it.
#[derive(Debug)]
pub struct BodyWithDebate {
    pub body: String,
    /// The file with the block that was replaced by force, as the user reads it.
    pub kept: Option<String>,
}

/// The content of a body's block.
#[derive(Debug)]
pub struct CheckedBody {
    pub carried: PortableDebate,
    /// Number of replies.
    pub replies: usize,
    /// Number of their words.
    pub words: usize,
    /// True if head and sections agree.
    pub is_orderly: bool,
    /// Length of the whole body, as forges count it.
    pub units: usize,
}

/// The debate of this project, or the earlier debate `selector`.
pub fn state_of(context: &Context<'_>, selector: Option<&str>) -> Result<StateFile> {
    find(&context.selected_store(None), selector).map(|(state, _)| state)
}

/// Reads a state file at any path.
pub fn state_in(_context: &Context<'_>, file: &Path) -> Result<StateFile> {
    StateFile::parse(&read(file, MAX_STATE_BYTES)?)
}

/// Puts a debate into a body. With `force` it also replaces a block that has what this debate
/// lacks, or that can't be read; the old block is put aside.
pub fn embed(
    context: &Context<'_>,
    body: &str,
    state: StateFile,
    force: bool,
) -> Result<BodyWithDebate> {
    let mut store = context.selected_store(None);
    // The record may be of any issue.
    let known = store.record(&state.debate.id).and_then(|record| record.published);
    let scrubber = context.scrubber(store.project());
    let mut ours = PortableDebate::new(state, 1, &scrubber)?;
    let old = issue_body::extract(body);
    let allowed: Result<()> = match &old {
        Ok(old) => {
            let revision = old.as_ref().map_or(0, |old| old.revision);
            ours.revision = revision.saturating_add(1);
            match (publish_step(&ours, old.as_ref(), known.as_ref(), &store, &scrubber), old) {
                (PublishStep::PullFirst, Some(old)) => Err(refusal(&ours, old).into()),
                (PublishStep::Nothing, _) => {
                    ours.revision = revision;
                    Ok(())
                }
                _ => Ok(()),
            }
        }
        Err(error) => Err(error.clone().into()),
    };
    if let Err(error) = &allowed
        && !force
    {
        return Err(error.clone());
    }
    let put = issue_body::embed(body, &ours)?;
    let kept = allowed.is_err().then(|| put_aside(&mut store, &ours.state().debate.id, &put));
    Ok(BodyWithDebate { body: put.body, kept: kept.transpose()? })
}

fn refusal(ours: &PortableDebate, old: &PortableDebate) -> IssueError {
    let is_same = ours.state().debate.id == old.state().debate.id;
    let content = if is_same { "what this debate does not have here" } else { "another debate" };
    IssueError::BlockHolds(content)
}

/// The debate in a body.
pub fn extract(body: &str) -> Result<PortableDebate> {
    Ok(issue_body::extract(body)?.ok_or(IssueError::NoBlock)?)
}

/// Reads the block of a body.
pub fn check(body: &str) -> Result<CheckedBody> {
    let carried = extract(body)?;
    let entries = transcript::parse(&carried.state().body);
    Ok(CheckedBody {
        replies: entries.replies().count(),
        words: entries.words(),
        is_orderly: carried.state().is_orderly(),
        units: units(body),
        carried,
    })
}

pub fn body_in(file: &Path) -> Result<String> {
    read(file, MAX_BODY_BYTES as u64)
}

/// Reads a body. Errors call the reader `name`.
pub fn body_from(reader: impl Read, name: &str) -> Result<String> {
    read_all(reader, name, MAX_BODY_BYTES as u64)
}

fn read(file: &Path, most: u64) -> Result<String> {
    let opened = fs_err::File::open(file).map_err(IssueError::NotOpened)?;
    read_all(opened, &file.display().to_string(), most)
}

fn read_all(from: impl Read, name: &str, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes).map_err(IssueError::Unread)?;
    if bytes.len() as u64 > most {
        return Err(IssueError::TooLong { name: name.to_owned(), most }.into());
    }
    String::from_utf8(bytes).map_err(|_| IssueError::NotUtf8(name.to_owned()).into())
}
