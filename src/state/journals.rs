//! The list of projects that have a journal, for what is counted across projects: `journals.jsonl` among this machine's records. It
//! is kept only where the user has asked for it: no file, no list.

use std::path::{Path, PathBuf};

use super::machine::Machine;
use super::not_written;
use super::read::read_file;
use crate::disk::{Flush, NewFile};
use crate::error::{Error, Result};

impl Machine {
    /// The roots of the projects in the list, each once. `None`: no list is kept.
    pub fn journals(&self) -> Result<Option<Vec<PathBuf>>> {
        let Some(bytes) = self.journals_file().map(|path| read_file(&path)).transpose()?.flatten() else {
            return Ok(None);
        };
        let mut roots: Vec<PathBuf> = Vec::new();
        for line in String::from_utf8_lossy(&bytes).lines() {
            // What can't be read was torn.
            if let Ok(root) = serde_json::from_str::<PathBuf>(line)
                && root.is_absolute()
                && !roots.contains(&root)
            {
                roots.push(root);
            }
        }
        Ok(Some(roots))
    }

    /// Begins a list, or empties the one that is kept.
    pub fn empty_journals(&self) -> Result<()> {
        let path = self.journals_file().ok_or_else(nowhere)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = self
            .disk
            .create_private_folder(folder)
            .and_then(|()| self.disk.replace(&path, b"", NewFile::Private, Flush::Now));
        written.map_err(|error| not_written(&error))
    }

    /// Ends the list, and forgets what is in it.
    pub fn end_journals(&self) -> Result<()> {
        let Some(path) = self.journals_file() else { return Ok(()) };
        self.disk.remove(&path).map_err(|error| not_written(&error))
    }

    /// Adds a project to the list, where one is kept. False: its path is not UTF-8, which the list can't hold.
    pub fn list_journal(&self, root: &Path) -> Result<bool> {
        let (Some(path), Some(known)) = (self.journals_file(), self.journals()?) else { return Ok(true) };
        if known.iter().any(|known| known == root) {
            return Ok(true);
        }
        let Ok(mut line) = serde_json::to_vec(root) else { return Ok(false) };
        line.push(b'\n');
        let folder = path.parent().unwrap_or(Path::new("."));
        let added = self.disk.append_lines(&path, &line, folder, Flush::Now);
        added.map(|()| true).map_err(|error| not_written(&error))
    }

    fn journals_file(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join("journals.jsonl"))
    }
}

fn nowhere() -> Error {
    Error::failed(
        "there is no folder to keep a list in",
        "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to",
    )
}
