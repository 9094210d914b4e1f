//! The journal of decisions on the disk: a line for each thing that the user says of a recommendation. Lines are added and never
//! taken away. Those that this machine did not write came with a project's files, and nobody said them here.

use super::id::{MAX_ID_BYTES, is_safe_id};
use super::machine::Machine;
use super::read::read_up_to;
use super::seal::{Keys, Kind};
use super::store::{Locked, Store};
use super::{Project, not_written};
use crate::disk::Flush;
use crate::error::{Error, Result};
use crate::journal::{self, Line};

/// Largest journal, in bytes: some ten thousand decisions.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What a journal has of the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// Their lines.
    pub lines: Vec<Line>,
    /// Lines that this machine did not write; nothing in them counts.
    pub foreign: usize,
}

impl Machine {
    /// The journal of a project; empty where there is none.
    pub fn journal(&self, project: &Project) -> Result<Journal> {
        let bytes = read(project)?;
        let keys = Keys::Machine(self.clone());
        let own = keys.reader(Kind::Decision, "");
        let (mut text, mut foreign) = (Vec::new(), 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            if own.is_own(content) {
                text.extend_from_slice(line);
            } else {
                // A line that a death tore in half is nobody's.
                foreign += usize::from(content.ends_with(b"}"));
            }
        }
        // An id is shown in a command that the user may copy.
        let is_of_debate = |line: &Line| is_safe_id(&line.id) && line.id.len() <= MAX_ID_BYTES;
        let lines = journal::lines(&String::from_utf8_lossy(&text)).filter(is_of_debate).collect();
        Ok(Journal { lines, foreign })
    }
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
    /// The journal; empty where there is none.
    pub fn journal(&self) -> Result<Journal> {
        self.machine.journal(self.project())
    }
}

impl Locked<'_> {
    /// The journal, now that nobody else can add to it.
    pub fn journal(&self) -> Result<Journal> {
        self.store.journal()
    }

    /// Adds a line to the journal, and flushes it. One that was torn before it stays as it is.
    pub fn add_to_journal(&self, line: &Line) -> Result<()> {
        let (disk, project) = (&self.store.disk, self.project());
        // Also refuses what is no plain file.
        let before = read(project)?;
        let text = serde_json::to_vec(line).map_err(|error| not_written(&error.into()))?;
        let mut text = self.store.keys().seal(Kind::Decision, "", text);
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
