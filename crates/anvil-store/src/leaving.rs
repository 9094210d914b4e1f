//! A debate leaves its place. Before another one takes the place, the newest snapshot of the first
//! has the whole content of its file, and is flushed.

use std::path::PathBuf;

use super::aside::AsideKind;
use super::file::StateFile;
use super::file::read_file;
use super::locked::{Locked, Transaction};
use super::snapshots;
use anvil_system::disk::Flush;
use anvil_text::error::Result;

/// A debate that is about to leave its place: its newest snapshot is durable.
#[derive(Debug)]
pub(crate) struct Leaving {
    pub state: StateFile,
    /// The content of its file.
    file: Vec<u8>,
    snapshot: PathBuf,
    /// The earlier content of the snapshot.
    before: Option<Vec<u8>>,
    /// A note for the user.
    pub repaired: Option<String>,
}

impl Transaction<'_> {
    /// Prepares a debate's leave from its place, which the next commit gives to another one. Its
    /// file does not change.
    pub fn leave(mut self, state: StateFile) -> Result<Self> {
        // This makes its snapshot durable, whatever the debate is.
        self.finished = None;
        let file = read_file(&self.project().state_file())?.unwrap_or_default();
        let id = &state.debate.id;
        // This machine may not know the debate yet.
        self.list(id, |place| place.add(id))?;
        self.change_record(id, |_| {})?;
        let repair = self.repair.take();
        let repaired = repair.map(|repair| self.note_repair(&repair, id)).transpose()?;
        let in_file = std::str::from_utf8(&file).ok().and_then(|text| StateFile::parse(text).ok());
        let is_unchanged = in_file.is_some_and(|in_file| in_file == state);
        let rendered = state.render()?;
        let content = if is_unchanged { file.as_slice() } else { rendered.as_bytes() };
        let snapshot = self.folder(id)?.path.join(snapshots::name(&state.debate));
        let before = read_file(&snapshot)?;
        let put = self.put_snapshot(&state.debate, &[content], Flush::Now);
        let leaving = Leaving { state, file, snapshot, before, repaired };
        put.inspect_err(|_| self.stay(&leaving))?;
        self.leaving = Some(leaving);
        Ok(self)
    }
}

impl Locked<'_> {
    /// The debate stays at its place: its snapshot gets its earlier content back.
    pub(crate) fn stay(&mut self, Leaving { state, file, snapshot, before, .. }: &Leaving) {
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
    pub(crate) fn note_repair(&mut self, repair: &super::Repair, id: &str) -> Result<String> {
        let repairs = repair.repairs.join("; ");
        if !repair.damaged {
            return Ok(format!("the state file was edited: {repairs}"));
        }
        let aside = self.put_file_aside(id, AsideKind::Damaged)?;
        let aside = self.project().display(&aside);
        Ok(format!("the state file was repaired: {repairs}. The original is in {aside}"))
    }
}
