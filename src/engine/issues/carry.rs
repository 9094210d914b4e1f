//! Puts a debate into the body of an issue, and takes it out. A debate replaces only a block that
//! it continues; with `force` it replaces any block, and the old block is put aside.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::domain::transcript;
use crate::engine::lookup::find;
use crate::engine::{Context, LOCK_WAIT};
use crate::error::{Error, Result};
use crate::storage::issue_body::{
    self, Content, Fresh, MARKER, MAX_BODY_BYTES, PortableDebate, Relation, relation, units,
};
use crate::storage::{AsideKind, MAX_STATE_BYTES, StateFile, Store};

/// A body with a debate in it.
#[derive(Debug)]
pub struct Embedded {
    pub body: String,
    /// The file, put aside, with the block that was replaced.
    pub kept: Option<PathBuf>,
}

/// The content of a body's block.
#[derive(Debug)]
pub struct Checked {
    /// The debate, without its sections if those are in comments.
    pub content: Content,
    /// Number of sections and of their words. `None`: the sections are in comments.
    pub replies: Option<(usize, usize)>,
    /// True if head and sections agree.
    pub is_orderly: bool,
    /// Length of the whole body, as forges count it.
    pub units: usize,
}

impl Checked {
    /// The state, without sections if those are in comments.
    pub fn state(&self) -> &StateFile {
        match &self.content {
            Content::Whole(carried) => carried.state(),
            Content::InComments(index) => &index.state,
        }
    }

    /// Number of comments that hold the sections.
    pub fn comments(&self) -> usize {
        match &self.content {
            Content::Whole(_) => 0,
            Content::InComments(index) => index.hashes.len(),
        }
    }
}

/// The debate of this project, or the earlier debate `wanted`.
pub fn state_of(context: &Context<'_>, wanted: Option<&str>) -> Result<StateFile> {
    find(&context.store_meant(None), wanted).map(|(state, _)| state)
}

/// Reads a state file at any path.
pub fn state_in(_context: &Context<'_>, file: &Path) -> Result<StateFile> {
    StateFile::parse(&read(file, MAX_STATE_BYTES)?)
}

/// Puts a debate into a body. With `comments`, a folder, the sections go into files there. With
/// `force` it also replaces a block that the debate does not continue or that can't be read;
/// the old block is put aside.
pub fn embed(
    context: &Context<'_>,
    body: &str,
    state: StateFile,
    comments: Option<&Path>,
    force: bool,
) -> Result<Embedded> {
    let mut carried = PortableDebate::new(state, 1)?;
    let in_comments = comments.is_some();
    match issue_body::extract(body)
        .map_err(Error::from)
        .and_then(|old| next_revision(old.as_ref(), &carried, in_comments))
    {
        Ok(revision) => carried.revision = revision,
        Err(error) if !force => return Err(error),
        Err(_) => {
            let old = issue_body::extract(body).ok().flatten();
            carried.revision = old.map_or(1, |old| old.revision().saturating_add(1));
            let mut store = context.store_meant(None);
            let (fresh, kept) = embed_afresh(&mut store, body, &carried, in_comments)?;
            write_comments(context, comments, &fresh.comments)?;
            return Ok(Embedded { body: fresh.body, kept: Some(kept.into()) });
        }
    }
    if !in_comments {
        return Ok(Embedded { body: issue_body::embed(body, &carried)?, kept: None });
    }
    let mut made = issue_body::embed_in_comments(body, &carried)?;
    // The posted comments are not known here, so the new body is compared with the old one. An
    // equal body keeps its revision.
    if made.0 != body && matches!(issue_body::extract(body), Ok(Some(Content::InComments(_)))) {
        carried.revision = carried.revision.saturating_add(1);
        made = issue_body::embed_in_comments(body, &carried)?;
    }
    write_comments(context, comments, &made.1)?;
    Ok(Embedded { body: made.0, kept: None })
}

/// Writes each comment into a file of the folder.
fn write_comments(context: &Context<'_>, folder: Option<&Path>, comments: &[String]) -> Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let failed = |error: io::Error| Error::io(&error, "name a folder that can be written to");
    let disk = &context.world.disk;
    disk.create_folder(folder).map_err(failed)?;
    for (number, comment) in (1..).zip(comments) {
        let path = folder.join(format!("{number:03}.md"));
        let is_comment = |now: &[u8]| now.starts_with(MARKER.as_bytes());
        disk.replace_only(folder, &path, comment.as_bytes(), is_comment).map_err(failed)?;
    }
    Ok(())
}

/// Puts a debate into a body in place of a block that it does not continue. Gives back the path of
/// that block, as the user reads it.
pub(crate) fn embed_afresh(
    store: &mut Store,
    body: &str,
    carried: &PortableDebate,
    in_comments: bool,
) -> Result<(Fresh, String)> {
    let fresh = issue_body::embed_afresh(body, carried, in_comments)?;
    let removed = fresh.removed.join("\n\n") + "\n";
    let id = &carried.state().debate.id;
    let kept = store.lock(LOCK_WAIT)?.put_aside(id, AsideKind::Block, removed.as_bytes())?;
    Ok((fresh, store.project().display(&kept)))
}

/// The debate in a body. If its sections are in comments, the files of the folder `comments` hold
/// those comments.
pub fn extract(body: &str, comments: Option<&Path>) -> Result<PortableDebate> {
    match block(body)? {
        Content::Whole(carried) => Ok(*carried),
        Content::InComments(index) => {
            let folder = comments.ok_or_else(|| {
                Error::failed(
                    format!("the debate's sections lie in {} comments", index.hashes.len()),
                    "--comments names a folder with the issue's comments, a file each",
                )
            })?;
            Ok(issue_body::join(&index, &texts(folder)?)?)
        }
    }
}

/// Reads the block of a body.
pub fn check(body: &str) -> Result<Checked> {
    let content = block(body)?;
    let mut checked = Checked { content, replies: None, is_orderly: true, units: units(body) };
    if let Content::Whole(carried) = &checked.content {
        let entries = transcript::parse(&carried.state().body);
        checked.replies = Some((entries.replies().count(), entries.words()));
        checked.is_orderly = carried.state().is_orderly();
    }
    Ok(checked)
}

pub fn body_in(file: &Path) -> Result<String> {
    read(file, MAX_BODY_BYTES as u64)
}

/// Reads a body. Errors call the reader `name`.
pub fn body_from(reader: impl Read, name: &str) -> Result<String> {
    read_all(reader, name, MAX_BODY_BYTES as u64)
}

fn block(body: &str) -> Result<Content> {
    issue_body::extract(body)?.ok_or_else(|| {
        Error::nothing(
            "the body has no Anvil block",
            ("`anvil body embed` puts one in", "`anvil publish N` puts one in"),
        )
    })
}

fn read(file: &Path, most: u64) -> Result<String> {
    let opened = fs_err::File::open(file).map_err(|error| Error::io(&error, "check the path"))?;
    read_all(opened, &file.display().to_string(), most)
}

fn read_all(from: impl Read, name: &str, most: u64) -> Result<String> {
    let mut bytes = Vec::new();
    let hint = "bodies and state files are Markdown in UTF-8";
    from.take(most + 1).read_to_end(&mut bytes).map_err(|error| Error::io(&error, hint))?;
    if bytes.len() as u64 > most {
        return Err(Error::failed(format!("{name} has more than {most} bytes"), hint));
    }
    String::from_utf8(bytes).map_err(|_| Error::failed(format!("{name} is not UTF-8"), hint))
}

/// The texts of all files in a folder, without its subfolders.
fn texts(folder: &Path) -> Result<Vec<String>> {
    let hint = "name a folder with the issue's comments, a file each";
    let failed = |error: io::Error| Error::io(&error, hint);
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            texts.push(read(&path, MAX_BODY_BYTES as u64)?);
        }
    }
    Ok(texts)
}

/// The revision of a debate that replaces the content of a body. Fails if the debate does not
/// continue that content.
fn next_revision(old: Option<&Content>, new: &PortableDebate, in_comments: bool) -> Result<u64> {
    let hint = "--force writes over it and puts it aside";
    let refused = |what: &str| Err(Error::failed(format!("the body's block holds {what}"), hint));
    match old {
        None => Ok(1),
        Some(Content::Whole(old)) => match relation(new, old) {
            Relation::Same => Ok(old.revision),
            Relation::Ahead => Ok(old.revision.saturating_add(1)),
            Relation::Behind => refused("more of this debate than there is here"),
            Relation::Diverged => refused("another course of this debate than the one here"),
            Relation::Unrelated => refused("another debate"),
        },
        Some(Content::InComments(old)) if old.state.debate.id != new.state().debate.id => {
            refused("another debate")
        }
        Some(Content::InComments(old))
            if old.state.debate.progress.step > new.state().debate.progress.step =>
        {
            refused("more of this debate than there is here")
        }
        // `embed` compares the new body with the old one to find changed comments.
        Some(Content::InComments(old)) => Ok(old.revision.saturating_add(u64::from(!in_comments))),
    }
}
