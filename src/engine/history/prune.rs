//! Removes finished debates from the archive; no other code does. It removes only what it has
//! announced.

use std::path::PathBuf;

use super::History;
use crate::engine::LOCK_WAIT;
use crate::error::{Error, Result};
use crate::storage::{Location, Project, Store};

/// Finished debates that a prune removes.
#[derive(Clone, Debug)]
pub struct PrunePlan {
    pub project: Project,
    /// Number of the newest finished debates that stay.
    pub keep: usize,
    /// Newest first.
    pub debates: Vec<PruneCandidate>,
    /// Number of finished debates in the archive that stay.
    pub stay: usize,
}

/// A debate with the files that belong only to it.
#[derive(Clone, Debug)]
pub struct PruneCandidate {
    pub id: String,
    pub question: String,
    /// Files with their sizes in bytes, in the order of removal. The debate's file in the archive
    /// is the last.
    pub files: Vec<(PathBuf, u64)>,
}

impl History<'_> {
    /// Plans a prune that keeps the `keep` newest finished debates of the archive.
    pub fn prunable(&self, keep: usize) -> Result<PrunePlan> {
        plan(&self.context.store_meant(None), keep)
    }

    /// Removes the announced files that have not changed since. Returns their number and their size
    /// in bytes.
    pub fn prune(&self, announced: &PrunePlan) -> Result<(usize, u64)> {
        let store = Store::new(announced.project.clone(), self.context.world);
        let locked = store.lock(LOCK_WAIT)?;
        let now = plan(&store, announced.keep)?;
        let (mut files, mut bytes) = (0, 0);
        for debate in &now.debates {
            let Some(known) = announced.debates.iter().find(|known| known.id == debate.id) else {
                continue;
            };
            let sure: Vec<&(PathBuf, u64)> =
                debate.files.iter().filter(|file| known.files.contains(file)).collect();
            locked.remove_past(&debate.id, sure.iter().map(|(path, _)| path.as_path()))?;
            files += sure.len();
            bytes += sure.iter().map(|(_, bytes)| bytes).sum::<u64>();
        }
        Ok((files, bytes))
    }
}

/// The plan for the files as they are now.
fn plan(store: &Store, keep: usize) -> Result<PrunePlan> {
    let mut finished = Vec::new();
    let mut known = Vec::new();
    for past in store.past() {
        if let Ok(state) = past.state {
            known.push(state.debate.id.clone());
            let is_past = matches!(past.location, Location::InArchive | Location::InCheckpoints);
            let debate = &state.debate;
            if is_past
                && !debate.progress.status.is_unfinished()
                && !state.is_newer()
                && !store.went_on(debate)
            {
                finished.push(state.debate);
            }
            continue;
        }
        let place = match past.location {
            Location::Elsewhere => {
                format!(" of another worktree ({})", store.project().display(&past.file))
            }
            Location::Here => String::new(),
            Location::InArchive | Location::InCheckpoints => continue,
        };
        return Err(Error::failed(
            format!(
                "the state file{place} can't be read, and its debate may be one of the archive"
            ),
            "`anvil undo --to N` repairs it; then prune",
        ));
    }
    finished.sort_unstable_by(|one, other| {
        (other.progress.started_at, &other.id).cmp(&(one.progress.started_at, &one.id))
    });
    let gone = finished.split_off(finished.len().min(keep));
    let files = store
        .files_of_past(&gone.iter().map(|debate| debate.id.as_str()).collect::<Vec<_>>(), &known);
    let debates = gone
        .into_iter()
        .zip(files)
        .map(|(debate, files)| PruneCandidate { id: debate.id, question: debate.question, files })
        .collect();
    Ok(PrunePlan { project: store.project().clone(), keep, debates, stay: finished.len() })
}

impl PrunePlan {
    /// Size of all files that a prune removes.
    pub fn bytes(&self) -> u64 {
        self.debates.iter().flat_map(|debate| &debate.files).map(|(_, bytes)| bytes).sum()
    }
}
