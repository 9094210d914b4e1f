//! A debate leaves its place. Before another one takes the place, the newest snapshot of the first
//! has the whole content of its file, and is flushed.

use std::path::PathBuf;

use super::aside::AsideKind;
use super::file::StateFile;
use super::file::read_file;
use super::locked::{Commit, Locked};
use super::{not_written, snapshots};
use anvil_system::disk::Flush;
use anvil_text::error::Result;

/// A debate that is about to leave its place: its newest snapshot is durable.
#[derive(Debug)]
#[must_use]
pub struct Leaving {
    state: StateFile,
    /// The content of its file.
    file: Vec<u8>,
    snapshot: PathBuf,
    /// The earlier content of the snapshot.
    before: Option<Vec<u8>>,
    /// Notes for the user.
    notes: Vec<String>,
}

impl Locked<'_> {
    /// Prepares a debate's leave from its place. Its file does not change.
    pub fn leave(&self, state: StateFile) -> Result<Leaving> {
        // This makes its snapshot durable, whatever the debate is.
        self.finished.take();
        let file = read_file(&self.project().state_file())?.unwrap_or_default();
        let id = &state.debate.id;
        let mut notes = Vec::new();
        // This machine may not know the debate yet.
        self.list(id, |place| place.add(id))?;
        self.change_record(id, |_| {})?;
        if let Some(repair) = self.repair.take() {
            notes.push(self.note_repair(&repair, id)?);
        }
        let in_file = std::str::from_utf8(&file).ok().and_then(|text| StateFile::parse(text).ok());
        let is_unchanged = in_file.is_some_and(|in_file| in_file == state);
        let rendered = state.render()?;
        let content = if is_unchanged { file.as_slice() } else { rendered.as_bytes() };
        let snapshot = self.folder(id)?.path.join(snapshots::name(&state.debate));
        let before = read_file(&snapshot)?;
        let put = self.put_snapshot(&state.debate, &[content], Flush::Now);
        let leaving = Leaving { state, file, snapshot, before, notes };
        put.inspect_err(|_| self.stay(&leaving)).map(|()| leaving)
    }

    /// Ends a debate: removes its file; its last snapshot stays. Returns the snapshot's path, and
    /// notes for the user. After an error the debate is as it was.
    pub fn close(&self, state: StateFile) -> Result<(PathBuf, Vec<String>)> {
        let leaving = self.leave(state)?;
        let disk = &self.store.disk;
        let project = &self.store.project;
        if let Err(error) = disk.remove(&project.state_file()) {
            self.stay(&leaving);
            return Err(not_written(error));
        }
        // The debate is closed. After a loss of power it may be back, as it was.
        let _ = disk.sync_folder(&project.claude());
        let _ = self.store.machine.change_place(project, |place| place.here = None);
        let _ = self.thin_out(&leaving.state, self.store.snapshots_kept(true));
        Ok((leaving.snapshot, leaving.notes))
    }

    /// Replaces the state file with that of another debate. After an error the old state file is in
    /// its place, unchanged.
    pub fn commit_over(&self, leaving: Leaving, state: &StateFile) -> Result<Vec<String>> {
        match self.commit(state, Commit::Another) {
            Ok(notes) => {
                let _ = self.thin_out(&leaving.state, self.store.snapshots_kept(true));
                Ok([leaving.notes, notes].concat())
            }
            Err(error) => {
                self.stay(&leaving);
                Err(error)
            }
        }
    }

    /// The debate stays at its place: its snapshot gets its earlier content back.
    fn stay(&self, Leaving { state, file, snapshot, before, .. }: &Leaving) {
        let here = read_file(&self.project().state_file()).ok().flatten();
        if here.as_ref() != Some(file) {
            return;
        }
        if let Some(before) = before {
            let _ = self.put_snapshot(&state.debate, &[before], Flush::Later);
        } else if self.folder(&state.debate.id).is_ok() {
            let _ = self.store.disk.remove(snapshot);
        }
    }

    /// A note for the user about a repair. A file that was damaged, and not just edited, is put
    /// aside first.
    pub(crate) fn note_repair(&self, repair: &super::Repair, id: &str) -> Result<String> {
        let repairs = repair.repairs.join("; ");
        if !repair.damaged {
            return Ok(format!("the state file was edited: {repairs}"));
        }
        let aside = self.put_file_aside(id, AsideKind::Damaged)?;
        let aside = self.project().display(&aside);
        Ok(format!("the state file was repaired: {repairs}. The original is in {aside}"))
    }
}
