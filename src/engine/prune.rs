//! Remove finished debates from the archive: the only thing that ever does. What goes is told first, and nothing else goes.

use std::path::PathBuf;

use super::{Engine, LOCK_WAIT};
use crate::error::{Error, Result};
use crate::state::{Lies, Project, Store};

/// Finished debates that can go.
#[derive(Clone, Debug)]
pub struct PrunePlan {
    /// Whose they are.
    pub project: Project,
    /// How many of the newest stay.
    pub keep: usize,
    /// The newest first.
    pub debates: Vec<PruneCandidate>,
    /// Finished debates of the archive that stay.
    pub stay: usize,
}

/// One of them, with all that is its own.
#[derive(Clone, Debug)]
pub struct PruneCandidate {
    /// Its id.
    pub id: String,
    /// Its question.
    pub question: String,
    /// Its files in the order in which they go, with their sizes; its own in the archive is the last.
    pub files: Vec<(PathBuf, u64)>,
}

impl Engine<'_> {
    /// What would go if this many of the newest finished debates of the archive stay.
    pub fn prunable(&self, keep: usize) -> Result<PrunePlan> {
        plan(&self.store_meant(None), keep)
    }

    /// Removes what was announced, as far as it is still what it was; says how many files, and how large.
    pub fn prune(&self, announced: &PrunePlan) -> Result<(usize, u64)> {
        let store = Store::of(announced.project.clone(), self.world);
        let locked = store.lock(LOCK_WAIT)?;
        let now = plan(&store, announced.keep)?;
        let (mut files, mut bytes) = (0, 0);
        for debate in &now.debates {
            let Some(known) = announced.debates.iter().find(|known| known.id == debate.id) else { continue };
            let sure: Vec<&(PathBuf, u64)> = debate.files.iter().filter(|file| known.files.contains(file)).collect();
            locked.remove_past(&debate.id, sure.iter().map(|(path, _)| path.as_path()))?;
            files += sure.len();
            bytes += sure.iter().map(|(_, bytes)| bytes).sum::<u64>();
        }
        Ok((files, bytes))
    }
}

/// What goes and what stays, as the disk is now.
fn plan(store: &Store, keep: usize) -> Result<PrunePlan> {
    let mut finished = Vec::new();
    let mut known = Vec::new();
    for past in store.past() {
        match past.state {
            Ok(state) => {
                known.push(state.debate.id.clone());
                let is_past = matches!(past.lies, Lies::InArchive | Lies::InCheckpoints);
                let debate = &state.debate;
                if is_past && !debate.progress.status.is_unfinished() && !state.is_newer() && !store.went_on(debate) {
                    finished.push(state.debate);
                }
            }
            Err(_) if matches!(past.lies, Lies::Here | Lies::Elsewhere) => {
                let place = match past.lies {
                    Lies::Elsewhere => format!(" of another worktree ({})", store.project().display(&past.file)),
                    Lies::Here | Lies::InArchive | Lies::InCheckpoints => String::new(),
                };
                return Err(Error::failed(
                    format!("the state file{place} can't be read, and its debate may be one of the archive"),
                    "/anvil:resume or `anvil restore NO` repairs it; then prune",
                ));
            }
            Err(_) => {}
        }
    }
    finished
        .sort_unstable_by(|one, other| (other.progress.started_at, &other.id).cmp(&(one.progress.started_at, &one.id)));
    let gone = finished.split_off(finished.len().min(keep));
    let files = store.files_of_past(&gone.iter().map(|debate| debate.id.as_str()).collect::<Vec<_>>(), &known);
    let debates = gone
        .into_iter()
        .zip(files)
        .map(|(debate, files)| PruneCandidate { id: debate.id, question: debate.question, files })
        .collect();
    Ok(PrunePlan { project: store.project().clone(), keep, debates, stay: finished.len() })
}

impl PrunePlan {
    /// The size of all that goes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.debates.iter().flat_map(|debate| &debate.files).map(|(_, bytes)| bytes).sum()
    }
}
