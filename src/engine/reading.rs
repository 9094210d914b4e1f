//! Claude's Read of the debate's file: whether it may, and whether it did where the cue asked for it.

use std::path::Path;

use super::{Engine, Session};
use crate::reply::{FileRead, Reply};
use crate::state::{Project, Store};

/// Whether the file was read for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It was.
    Done,
    /// The client's transcript can't tell.
    Unknown,
    /// Claude did not try.
    Skipped,
    /// Claude tried, and the client refused or failed.
    Failed,
}

impl Engine<'_> {
    /// True for the file of the debate that this session argues now. A link of its name to another file is another file.
    #[must_use]
    pub fn may_read(&self, session: &Session, path: &Path) -> bool {
        let project = self.recorded_project(session).unwrap_or_else(|| Project::at(self.here()));
        let debate = Store::of(project.clone(), self.world).read_head().unwrap_or_default();
        let is_own = debate.is_some_and(|debate| super::check_own_active(&debate, session).is_ok());
        is_own && is_state_file(&self.world.cwd.join(path), &project)
    }
}

/// What the client's transcript tells of the Read that the phase's cue asked for.
pub(super) fn reading(reply: &Reply, project: &Project) -> Reading {
    let Some(reads) = &reply.reads else { return Reading::Unknown };
    let is_it = |read: &&FileRead| read.path.as_deref().is_none_or(|path| is_state_file(Path::new(path), project));
    let mut outcome = Reading::Skipped;
    for read in reads.iter().filter(is_it) {
        if read.worked {
            return Reading::Done;
        }
        outcome = Reading::Failed;
    }
    outcome
}

fn is_state_file(path: &Path, project: &Project) -> bool {
    let state_file = project.state_file();
    let is_plain = std::fs::symlink_metadata(&state_file).is_ok_and(|meta| meta.is_file());
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    is_plain && real(path).is_some_and(|path| Some(path) == real(&state_file))
}
