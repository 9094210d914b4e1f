//! The journal of decisions on the disk: a line for each thing that the user says of a recommendation. Lines are added and never
//! taken away.

use super::id::{MAX_ID_BYTES, is_safe_id};
use super::read::read_up_to;
use super::store::{Locked, Store};
use super::{Project, not_written};
use crate::disk::Flush;
use crate::error::{Error, Result};
use crate::journal::{self, Line};

/// Largest journal, in bytes: some ten thousand decisions.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The lines of a project's journal; none where there is no journal. One that git tracks is refused.
pub fn journal(project: &Project) -> Result<Vec<Line>> {
    let lines = any_journal(project)?;
    if !lines.is_empty() && came_along(project) {
        let name = project.relative(&project.journal());
        return Err(Error::failed(
            format!("git tracks {name}, so it may be somebody else's: nothing in it counts"),
            format!("if it is yours, take it out of git: git rm --cached {name}"),
        ));
    }
    Ok(lines)
}

/// The same whoever's it is. One look at the disk, where there is none.
pub fn any_journal(project: &Project) -> Result<Vec<Line>> {
    let bytes = read(project)?;
    // An id is shown in a command that the user may copy.
    let is_of_debate = |line: &Line| is_safe_id(&line.id) && line.id.len() <= MAX_ID_BYTES;
    Ok(journal::lines(&String::from_utf8_lossy(&bytes)).filter(is_of_debate).collect())
}

/// True for a journal that git tracks: it came with a clone, or goes into those of others.
#[must_use]
pub fn came_along(project: &Project) -> bool {
    super::git::tracks(&project.journal())
}

fn read(project: &Project) -> Result<Vec<u8>> {
    Ok(read_up_to(&project.journal(), MAX_BYTES as u64, "journal")?.unwrap_or_default())
}

fn full(project: &Project) -> Error {
    Error::failed(
        format!("{} would have more than the {MAX_BYTES} bytes that a journal can have", project.journal().display()),
        "move it away; a new one is begun",
    )
}

impl Store {
    /// The lines of the journal; none where there is none.
    pub fn journal(&self) -> Result<Vec<Line>> {
        journal(self.project())
    }
}

impl Locked<'_> {
    /// The lines of the journal, now that nobody else can add to it.
    pub fn journal(&self) -> Result<Vec<Line>> {
        self.store.journal()
    }

    /// Adds a line to the journal, and flushes it. One that was torn before it stays as it is.
    pub fn add_to_journal(&self, line: &Line) -> Result<()> {
        let (disk, project) = (&self.store.disk, self.project());
        // Also refuses what is no plain file.
        let before = read(project)?;
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
