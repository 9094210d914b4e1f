//! A debate into the body of an issue. A block is written over only by a debate that continues what it holds; what is taken out
//! otherwise goes to the archive.

use std::path::PathBuf;

use super::report::find;
use super::{Engine, LOCK_WAIT};
use crate::body::{self, Content, PortableDebate, Relation, relation};
use crate::error::{Error, Result};
use crate::state::StateFile;

/// A body with a debate in it.
#[derive(Debug)]
pub struct Embedded {
    /// The body.
    pub body: String,
    /// The comments that hold the sections, where that was wished for.
    pub comments: Vec<String>,
    /// Where what was taken out lies.
    pub kept: Option<PathBuf>,
}

impl Engine<'_> {
    /// The debate of this project, or an earlier one by the beginning of its id.
    pub fn state_of(&self, wanted: Option<&str>) -> Result<StateFile> {
        find(&self.store_meant(None), wanted).map(|(state, _)| state)
    }

    /// Puts a debate into a body. With `force` also over a block that it does not continue, or that can't be understood: then that
    /// one goes to the archive of this project.
    pub fn embed(&self, body: &str, state: StateFile, in_comments: bool, force: bool) -> Result<Embedded> {
        let mut carried = PortableDebate::of(state, 1)?;
        match body::extract(body)
            .map_err(Error::from)
            .and_then(|old| next_revision(old.as_ref(), &carried, in_comments))
        {
            Ok(revision) => carried.revision = revision,
            Err(error) if !force => return Err(error),
            Err(_) => {
                carried.revision = body::extract(body).ok().flatten().map_or(1, |old| old.revision().saturating_add(1));
                let fresh = body::embed_afresh(body, &carried, in_comments)?;
                let store = self.store_meant(None);
                let name = format!("{}-block", carried.state().debate.id);
                let kept = store.lock(LOCK_WAIT)?.write_to_archive(&name, &(fresh.removed.join("\n\n") + "\n"))?;
                let kept = Some(store.project().display(&kept).into());
                return Ok(Embedded { body: fresh.body, comments: fresh.comments, kept });
            }
        }
        if !in_comments {
            return Ok(Embedded { body: body::embed(body, &carried)?, comments: Vec::new(), kept: None });
        }
        let mut made = body::embed_in_comments(body, &carried)?;
        // Comments can't be compared, but what they would be can: the same debate stays the same revision.
        if made.0 != body && matches!(body::extract(body), Ok(Some(Content::InComments(_)))) {
            carried.revision = carried.revision.saturating_add(1);
            made = body::embed_in_comments(body, &carried)?;
        }
        Ok(Embedded { body: made.0, comments: made.1, kept: None })
    }
}

/// The revision with which a debate follows what a body holds.
fn next_revision(old: Option<&Content>, new: &PortableDebate, in_comments: bool) -> Result<u64> {
    let hint = "--force writes over it and keeps it in the archive";
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
        Some(Content::InComments(old)) if old.id() != new.state().debate.id => refused("another debate"),
        Some(Content::InComments(old)) if old.state().debate.progress.step > new.state().debate.progress.step => {
            refused("more of this debate than there is here")
        }
        // Whether comments say the same is told by what would be written.
        Some(Content::InComments(old)) => Ok(old.revision().saturating_add(u64::from(!in_comments))),
    }
}
