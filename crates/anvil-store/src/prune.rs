//! The files of a finished debate, and their removal.

use std::path::{Path, PathBuf};

use crate::locked::Locked;
use crate::machine::{Machine, REPORTS, is_folder};
use crate::not_written;
use crate::store::Store;
use anvil_system::disk::is_temporary;
use anvil_text::error::Result;

/// A debate's folder.
#[derive(Clone, Debug)]
pub struct StoredDebate {
    pub id: String,
    pub folder: PathBuf,
    /// Sizes of its files, in bytes.
    pub bytes: u64,
}

impl Machine {
    /// The folders of all debates of this user, by name.
    pub fn debates(&self) -> Vec<StoredDebate> {
        let mut debates: Vec<StoredDebate> = self
            .debates_folder()
            .and_then(|folder| std::fs::read_dir(folder).ok())
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let id = entry.file_name().into_string().ok()?;
                let folder = self.debate_folder(&id).filter(|folder| is_folder(folder))?;
                let bytes = files(&folder).iter().map(|(_, bytes)| bytes).sum();
                Some(StoredDebate { id, folder, bytes })
            })
            .collect();
        debates.sort_by(|one, other| one.id.cmp(&other.id));
        debates
    }

    /// The folder of a debate that has nothing but its lock and its record.
    pub(crate) fn folder_without_content(&self, id: &str) -> Option<StoredDebate> {
        let folder = self.debate_folder(id).filter(|folder| is_folder(folder))?;
        files(&folder).is_empty().then(|| StoredDebate { id: id.to_owned(), folder, bytes: 0 })
    }

    /// Removes a debate's folder with all that is in it.
    pub fn remove_debate(&self, debate: &StoredDebate) -> Result<()> {
        let held = self.lock_debate(&debate.id)?;
        self.disk.remove_folder(&held.path).map_err(not_written)
    }
}

impl Store {
    /// The folder of a debate, and its files with their sizes in the order of removal: the
    /// snapshots last, so that a debate that is only half removed is still listed. No links.
    pub fn files_of_past(&self, id: &str) -> Option<(PathBuf, Vec<(PathBuf, u64)>)> {
        let folder = self.machine.debate_folder(id)?;
        let files = files(&folder);
        Some((folder, files))
    }
}

impl Locked<'_> {
    /// Removes files of a finished debate in this order, and its folders if they are empty then.
    pub fn remove_past<'a>(
        &mut self,
        id: &str,
        files: impl Iterator<Item = &'a Path>,
    ) -> Result<()> {
        let folder = self.folder(id)?.path.clone();
        for file in files {
            self.store.disk.remove(file).map_err(not_written)?;
        }
        for inside in folders(&folder).iter().filter(|inside| **inside != folder) {
            self.store.disk.remove_empty_folder(inside);
        }
        if entries(&folder).iter().all(|path| is_lock_or_record(path)) {
            self.store.disk.remove(&folder.join("debate.json")).map_err(not_written)?;
            self.store.disk.remove(&folder.join("lock")).map_err(not_written)?;
            self.store.disk.remove_empty_folder(&folder);
        }
        Ok(())
    }
}

/// The plain files of a debate: those of the folders in its folder, then its own, the newest
/// snapshot last. Its lock and its record go with the folder.
fn files(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut paths: Vec<PathBuf> = folders(folder)
        .iter()
        .flat_map(|folder| entries(folder))
        .filter(|path| path.parent() != Some(folder) || !is_lock_or_record(path))
        .collect();
    paths.sort_by_key(|path| {
        path.parent() == Some(folder)
            && path.extension().is_some_and(|extension| extension == "md")
            && !REPORTS.iter().any(|report| path.ends_with(report))
    });
    paths
        .into_iter()
        .filter_map(|path| {
            let meta = std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
            Some((path, meta.len()))
        })
        .collect()
}

fn is_lock_or_record(path: &Path) -> bool {
    path.ends_with("lock") || path.ends_with("debate.json")
}

/// A folder and those in it, each after those in it.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut at = 0;
    while let Some(next) = found.get(at).cloned() {
        found.extend(entries(&next).into_iter().filter(|path| is_folder(path)));
        at += 1;
    }
    found.reverse();
    found
}

/// The contents of a folder, by name, without temporary files. Empty for a link.
fn entries(folder: &Path) -> Vec<PathBuf> {
    if !is_folder(folder) {
        return Vec::new();
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| !is_temporary(&entry.file_name()))
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable();
    paths
}
