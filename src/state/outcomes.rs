//! The journal of decisions on the disk: a line for each thing that the user says of a recommendation. Lines are added and never
//! taken away.

use super::read::read_file;
use super::store::{Locked, Store};
use super::{Project, not_written};
use crate::disk::Flush;
use crate::error::{Error, Result};
use crate::journal::Line;

/// Largest journal, in bytes: some ten thousand decisions.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What a project's journal says; empty where there is none. One look at the disk, where there is none.
pub fn journal(project: &Project) -> Result<String> {
    let bytes = read_file(&project.journal())?.unwrap_or_default();
    if bytes.len() > MAX_BYTES {
        return Err(full(project));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn full(project: &Project) -> Error {
    Error::failed(
        format!("{} has more than the {MAX_BYTES} bytes that a journal can have", project.journal().display()),
        "move it away; it is left untouched",
    )
}

impl Store {
    /// What the journal says; empty where there is none.
    pub fn journal(&self) -> Result<String> {
        journal(self.project())
    }
}

impl Locked<'_> {
    /// What the journal says, now that nobody else can add to it.
    pub fn journal(&self) -> Result<String> {
        self.store.journal()
    }

    /// Adds a line to the journal, and flushes it. One that was torn before it stays as it is.
    pub fn add_to_journal(&self, line: &Line) -> Result<()> {
        let (disk, project) = (&self.store.disk, self.project());
        // Also refuses what is no plain file.
        let before = self.journal()?;
        let mut text = serde_json::to_vec(line).unwrap_or_default();
        text.push(b'\n');
        if before.len() + text.len() > MAX_BYTES {
            return Err(full(project));
        }
        let path = project.journal();
        let added = disk
            .create_folder_in(project.shared_root(), &project.shared())
            .and_then(|()| disk.append_lines(&path, &text, &project.temps_for(&path), Flush::Now));
        added.map_err(|error| not_written(&error))
    }
}
