//! Folders: makes and removes them, and sets their permissions.

use std::io;
use std::path::{Path, PathBuf};

use super::modes::{Folder, keep_folder_for_owner, make_folder};
use super::{Disk, Operation, failed_to};

impl Disk {
    /// Makes a folder and those above it.
    pub fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.create_folders(path, Folder::Shared)
    }

    /// Makes a folder and those above it for their owner alone, whatever the umask.
    pub fn create_private_folder(&self, path: &Path) -> io::Result<()> {
        self.create_folders(path, Folder::Private)
    }

    fn create_folders(&self, path: &Path, kind: Folder) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        self.probe_result(Operation::CreateFolder, path)?;
        let missing: Vec<&Path> = path
            .ancestors()
            .take_while(|path| !path.as_os_str().is_empty() && !path.is_dir())
            .collect();
        for folder in missing.into_iter().rev() {
            make(folder, kind)?;
        }
        Ok(())
    }

    /// Makes a folder below `root` and those in between. Refuses a link on the way: a cloned
    /// repository can hold one that leads out of the project.
    pub fn create_folder_in(&self, root: &Path, folder: &Path) -> io::Result<()> {
        self.create_in(root, folder, Folder::Shared)
    }

    /// Like [`Self::create_folder_in`], for their owner alone.
    pub fn create_private_folder_in(&self, root: &Path, folder: &Path) -> io::Result<()> {
        self.create_in(root, folder, Folder::Private)
    }

    fn create_in(&self, root: &Path, folder: &Path, kind: Folder) -> io::Result<()> {
        let mut path = root.to_owned();
        for part in folder.strip_prefix(root).map_err(io::Error::other)?.components() {
            path.push(part);
            match std::fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => {
                    return Err(io::Error::other(format!(
                        "{} is a link or a file, not a folder",
                        path.display()
                    )));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.probe_result(Operation::CreateFolder, &path)?;
                    make(&path, kind)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Makes an empty folder of a random name, for its owner alone.
    pub fn fresh_folder(&self, within: &Path, prefix: &str) -> io::Result<PathBuf> {
        self.probe_result(Operation::CreateFolder, within)?;
        let made = tempfile::Builder::new().prefix(prefix).tempdir_in(within)?.keep();
        keep_folder_for_owner(&made)?;
        Ok(made)
    }

    /// Makes an empty folder of this name, for its owner alone. A folder of this name is an error.
    pub fn fresh_folder_at(&self, path: &Path) -> io::Result<()> {
        self.probe_result(Operation::CreateFolder, path)?;
        make_folder(path, Folder::Private)
    }

    /// Removes a folder that [`Disk::fresh_folder`] made, with the files of a program in it.
    pub fn remove_fresh_folder(&self, path: &Path) {
        if self.probe_result(Operation::Remove, path).is_ok()
            && std::fs::remove_dir_all(path).is_err()
        {
            // A program may have left folders that can't be changed.
            give_access(path);
            let _ = std::fs::remove_dir_all(path);
        }
    }

    /// Removes a folder with all its contents, and follows no link. A missing folder is no error.
    pub fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.probe_result(Operation::Remove, path)?;
        match std::fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes a folder if it is empty; returns true if it is gone.
    pub fn remove_empty_folder(&self, path: &Path) -> bool {
        self.probe_result(Operation::Remove, path).is_ok() && fs_err::remove_dir(path).is_ok()
    }
}

/// Makes a folder and those in it accessible for their owner. Follows no link.
fn give_access(path: &Path) {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        if std::fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir()) {
            let _ = keep_folder_for_owner(&folder);
            let inside = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(inside.map(|entry| entry.path()));
        }
    }
}

/// Makes a folder, unless another process is faster.
fn make(folder: &Path, kind: Folder) -> io::Result<()> {
    match make_folder(folder, kind) {
        Err(_) if std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) => Ok(()),
        made => made.map_err(|error| failed_to("make", folder, &error)),
    }
}
