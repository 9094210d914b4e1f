//! The journal of decisions on disk: a line for each note of the user on a recommendation. Lines
//! are added and never removed. Lines that this machine did not write came with a project's files,
//! not from this machine's user.

use crate::domain::journal::Line;
use crate::error::{Error, Result};
use crate::storage::file::id::{MAX_ID_BYTES, is_safe_id};
use crate::storage::json_lines::{JsonLines, Lines};
use crate::storage::machine::Machine;
use crate::storage::machine::seal::{SealKeys, SealKind};
use crate::storage::store::{Locked, Store};
use crate::storage::{Project, not_written};
use crate::system::disk::Flush;

/// Largest journal, in bytes: some ten thousand decisions.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The user's part of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    pub lines: Vec<Line>,
    /// Lines that this machine did not write; their contents do not count.
    pub foreign: usize,
}

impl Machine {
    /// The journal of a project; empty without a file.
    pub fn journal(&self, project: &Project) -> Result<Journal> {
        let Lines { all: mut lines, foreign } =
            file(project, SealKeys::Machine(self.clone())).read()?;
        // A command that the user may copy shows the id.
        lines.retain(|line| is_safe_id(&line.id) && line.id.len() <= MAX_ID_BYTES);
        Ok(Journal { lines, foreign })
    }
}

fn file(project: &Project, keys: SealKeys) -> JsonLines<Line> {
    let file = JsonLines::unsealed(project.journal(), MAX_BYTES, "journal");
    file.sealed(keys, SealKind::Decision, "")
}

fn full(project: &Project) -> Error {
    let path = project.journal();
    let path = path.display();
    Error::failed(
        format!("{path} would have more than the {MAX_BYTES} bytes that a journal can have"),
        "move it away; a new one is begun",
    )
}

impl Store {
    pub fn journal(&self) -> Result<Journal> {
        self.machine.journal(self.project())
    }
}

impl Locked<'_> {
    /// Adds a line to the journal, and flushes it. A torn line before it stays as it is.
    pub fn add_to_journal(&self, line: &Line) -> Result<()> {
        let (disk, project) = (&self.disk, self.project());
        let file = file(project, self.keys());
        // Refuses an object that is not a plain file.
        file.read()?;
        let line = file.line(line).map_err(not_written)?;
        if !file.has_room(&line) {
            return Err(full(project));
        }
        let made = disk.create_folder_in(project.shared_root(), &project.shared());
        let temps = project.temps_for(file.path());
        made.and_then(|()| disk.append_lines(file.path(), &line, &temps, Flush::Now))
            .map_err(not_written)
    }
}
