//! Removes finished debates; no other code does. It removes only what it has announced.

use std::path::PathBuf;

use super::error::HistoryError;
use crate::{Context, LOCK_WAIT};
use anvil_store::{Location, Project, Scope, Store};
use anvil_text::error::Result;

/// Finished debates that a prune removes.
#[derive(Clone, Debug)]
pub struct PrunePlan {
    pub project: Project,
    /// Number of the newest finished debates that stay.
    pub keep: usize,
    /// Newest first.
    pub debates: Vec<PruneCandidate>,
    /// Number of finished debates that stay.
    pub stay: usize,
}

/// A debate with the files that belong only to it.
#[derive(Clone, Debug)]
pub struct PruneCandidate {
    pub id: String,
    pub question: String,
    /// The folder that has them.
    pub folder: PathBuf,
    /// Files with their sizes in bytes, in the order of removal. The newest snapshot is the last.
    pub files: Vec<(PathBuf, u64)>,
}

/// Plans a prune that keeps the `keep` newest finished debates.
pub fn prunable(context: &Context<'_>, keep: usize) -> Result<PrunePlan> {
    plan(&context.selected_store(None), keep)
}

/// Removes the announced files that have not changed since. Returns their number and their size
/// in bytes.
pub fn prune(context: &Context<'_>, announced: &PrunePlan) -> Result<(usize, u64)> {
    let mut store = Store::new(announced.project.clone(), context.world);
    let mut locked = store.lock(LOCK_WAIT)?;
    let now = plan(locked.store(), announced.keep)?;
    let mut files = 0;
    let mut bytes = 0;
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

/// The plan for the files as they are now.
fn plan(store: &Store, keep: usize) -> Result<PrunePlan> {
    let mut finished = Vec::new();
    for past in store.past(Scope::Place) {
        match past.state {
            Ok(state) => {
                let is_past = past.location == Location::Records;
                let is_finished = !state.debate.status().is_unfinished();
                if is_past && is_finished && !state.is_newer() {
                    finished.push(state.debate);
                }
            }
            Err(_) if past.location == Location::Here => {
                return Err(HistoryError::MayBeEarlier.into());
            }
            Err(_) => {}
        }
    }
    finished.sort_unstable_by(|one, other| {
        (other.started_at(), &other.id).cmp(&(one.started_at(), &one.id))
    });
    let gone = finished.split_off(finished.len().min(keep));
    let debates = gone
        .into_iter()
        .filter_map(|debate| {
            let (folder, files) = store.files_of_past(&debate.id)?;
            Some(PruneCandidate { id: debate.id, question: debate.question, folder, files })
        })
        .collect();
    Ok(PrunePlan { project: store.project().clone(), keep, debates, stay: finished.len() })
}

impl PrunePlan {
    /// Size of all files that a prune removes.
    pub fn bytes(&self) -> u64 {
        self.debates.iter().flat_map(|debate| &debate.files).map(|(_, bytes)| bytes).sum()
    }
}
