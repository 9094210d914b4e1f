//! The files of a finished debate, and their removal.

use std::path::{Path, PathBuf};

use super::past::{archived, belongs_to, entries};
use crate::error::Result;
use crate::storage::store::Locked;
use crate::storage::{Project, Store, checkpoints, not_written};

/// The forms of reports that lie in their default place.
const REPORTS: [&str; 3] = ["md", "html", "json"];

impl Store {
    /// The files of each of these debates, with their sizes, in the order of removal: reports,
    /// checkpoints, the files next to it in the archive, and its own file last, so that a debate
    /// that is only half removed is still listed. No links. A file with the name of another known
    /// debate belongs to that debate.
    pub fn files_of_past(&self, ids: &[&str], known: &[String]) -> Vec<Vec<(PathBuf, u64)>> {
        let project = self.project();
        let archive = archived(project);
        let reports: Vec<PathBuf> =
            project.locals().flat_map(|local| entries(project, &local.join("reports"))).collect();
        let stem = |path: &Path| {
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let of = |id: &&str| {
            let own = own_files(project, id);
            let written = reports.iter().filter(|path| {
                stem(path) == **id
                    && path
                        .extension()
                        .is_some_and(|form| REPORTS.iter().any(|known| form == *known))
            });
            let others = archive.iter().filter(|&path| {
                let stem = stem(path);
                !own.contains(path) && belongs_to(&stem, id) && !known.contains(&stem)
            });
            let kept = checkpoints::folders(project, id).flat_map(|folder| {
                let inside = folders_in(project, &folder);
                let of_those =
                    inside.iter().flat_map(|inside| entries(project, inside)).collect::<Vec<_>>();
                of_those.into_iter().chain(entries(project, &folder))
            });
            let all = written.cloned().chain(kept).chain(others.cloned()).chain(own.clone());
            all.filter_map(|path| size(&path).map(|size| (path, size))).collect()
        };
        ids.iter().map(of).collect()
    }
}

impl Locked<'_> {
    /// Removes files of a finished debate in this order, and its folders if they are empty then.
    pub fn remove_past<'a>(&self, id: &str, files: impl Iterator<Item = &'a Path>) -> Result<()> {
        let disk = &self.disk;
        let own = own_files(self.project(), id);
        let folders: Vec<PathBuf> = checkpoints::folders(self.project(), id).collect();
        let is_real = |folder: &&PathBuf| {
            !entries(self.project(), folder.parent().unwrap_or(folder)).is_empty()
        };
        let remove_folders = || {
            for folder in folders.iter().filter(is_real) {
                let mut inside = folders_in(self.project(), folder);
                inside.push(folder.join("attempts"));
                for inside in inside.iter().filter(|inside| inside.is_dir()) {
                    disk.remove_empty_folder(inside);
                }
                disk.remove_empty_folder(folder);
            }
        };
        for file in files {
            if own.iter().any(|own| own == file) {
                remove_folders();
            }
            disk.remove(file).map_err(not_written)?;
        }
        remove_folders();
        // A debate that has lost its file may have no archive.
        let archives = own.iter().filter_map(|own| own.parent()).filter(|archive| archive.is_dir());
        for archive in archives {
            disk.sync_folder(archive).map_err(not_written)?;
        }
        Ok(())
    }
}

/// The paths of a debate's own file in the archive: today's, and that of an earlier version.
fn own_files(project: &Project, id: &str) -> Vec<PathBuf> {
    project.locals().map(|local| local.join("archive").join(format!("{id}.md"))).collect()
}

/// The folders inside of a debate's own: of attempts, of kept replies, and of drafts.
fn folders_in(project: &Project, folder: &Path) -> Vec<PathBuf> {
    let mut folders = entries(project, &folder.join("attempts"));
    folders.extend(["claims", "drafts"].map(|name| folder.join(name)));
    folders
}

/// The size of a plain file.
fn size(path: &Path) -> Option<u64> {
    std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file).map(|meta| meta.len())
}
