//! The journal of decisions on disk, `decisions.jsonl`: a line for each note of the user on a
//! recommendation, of every project. Lines are added and never removed.

use std::collections::HashSet;

use super::{Machine, no_folder};
use crate::file::id::{MAX_ID_BYTES, is_safe_id};
use crate::json_lines::JsonLines;
use crate::not_written;
use crate::store::Store;
use anvil_core::journal::Line;
use anvil_system::disk::Flush;
use anvil_text::error::Result;

/// Largest journal that is read, in bytes: hundreds of thousands of decisions.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

impl Machine {
    fn decisions_file(&self) -> Result<JsonLines<Line>> {
        let folder = self.folder.as_ref().ok_or_else(no_folder)?;
        Ok(JsonLines::new(folder.join("decisions.jsonl"), MAX_BYTES, "journal of decisions"))
    }

    /// Adds a line, unless `is_known` finds it among the known ones, and flushes it.
    pub fn add_decision(&self, line: &Line, is_known: impl FnOnce(&[Line]) -> bool) -> Result<()> {
        let file = self.decisions_file()?;
        self.alone(|| {
            if is_known(&file.read()?) {
                return Ok(());
            }
            let text = JsonLines::line(line).map_err(not_written)?;
            let folder = self.folder.as_deref().unwrap_or(file.path());
            let written = self.disk.append_lines(file.path(), &text, folder, Flush::Now);
            written.map_err(not_written)
        })
    }
}

impl Store {
    /// The decisions about the debates of this repository. A folder without debates has none, and
    /// reads nothing.
    pub fn decisions(&self) -> Result<Vec<Line>> {
        let ids: HashSet<String> = self
            .machine
            .places_around(self.project())
            .into_iter()
            .flat_map(|place| place.debates)
            .collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.all_decisions()
            .map(|lines| lines.into_iter().filter(|line| ids.contains(&line.id)).collect())
    }

    /// The decisions of every project.
    pub fn all_decisions(&self) -> Result<Vec<Line>> {
        let mut lines = self.machine.decisions_file()?.read()?;
        // A command that the user may copy shows the id.
        lines.retain(|line| is_safe_id(&line.id) && line.id.len() <= MAX_ID_BYTES);
        Ok(lines)
    }
}
