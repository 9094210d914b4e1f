//! The archive of a debate, `archive/` in its folder: its state when it left its place, and texts
//! that left its state file. A file in it is never overwritten.
//!
//! A debate is put there before its state file is replaced or removed. If that fails, it is taken
//! out again.

pub(crate) mod past;
pub(crate) mod prune;

pub use past::{Location, Past, newest_first};

use std::path::{Path, PathBuf};

use super::file::read::{Identity, identity, read_file};
use super::locked::Locked;
use super::recovery::Repair;
use super::{StateFile, not_written};
use crate::error::Result;
use crate::system::disk::{Flush, NewFile};
use past::UNREADABLE;

/// The name of the archive in a debate's folder.
pub(crate) const ARCHIVE: &str = "archive";

/// The copies in the archive of a debate that is about to leave its place.
#[derive(Debug)]
#[must_use]
pub struct Leaving {
    /// Distinguishes the state file from the one that replaces it.
    was: Option<Identity>,
    /// The files that were made for this, of the debate with this id.
    id: String,
    copies: Vec<PathBuf>,
    /// The debate's path now.
    lies_in: PathBuf,
    /// Notes for the user.
    notes: Vec<String>,
}

impl Locked<'_> {
    /// Keeps the state file in the archive of a debate too, as `<id>-<what>.md`; returns its path.
    /// A copy that a killed run has left there is enough.
    pub fn keep_in_archive(&self, id: &str, what: &str) -> Result<PathBuf> {
        let text = read_file(&self.store.project().state_file())?.unwrap_or_default();
        match self.find_in_archive(id, what, &text) {
            Some(kept) => Ok(kept),
            None => self.write_to_archive(id, what, &text),
        }
    }

    /// Keeps a damaged state file in the archive as it is; a file that was only edited is not kept.
    /// Returns its path there, and a note for the user.
    pub(super) fn keep_damaged(
        &self,
        repair: &Repair,
        id: &str,
    ) -> Result<(Option<PathBuf>, String)> {
        let repairs = repair.repairs.join("; ");
        if !repair.damaged {
            return Ok((None, format!("the state file was edited: {repairs}")));
        }
        let kept = self.keep_in_archive(id, "damaged")?;
        let shown = self.store.project().display(&kept);
        let note = format!("the state file was repaired: {repairs}. As it was it lies in {shown}");
        Ok((Some(kept), note))
    }

    /// Writes a text into the archive of a debate, as `<id>-<what>.md`; returns its path.
    pub fn write_to_archive(&self, id: &str, what: &str, text: &[u8]) -> Result<PathBuf> {
        self.write_in_archive(id, &format!("{id}-{what}"), text)
    }

    fn write_in_archive(&self, id: &str, name: &str, text: &[u8]) -> Result<PathBuf> {
        let folder = self.folder(id)?;
        let target = free_place(&folder.path.join(ARCHIVE), name);
        folder.put(&target, &[text], Flush::Now).map_err(not_written)?;
        Ok(target)
    }

    /// Keeps a state that another one replaces in a file or an issue, in its debate's archive; returns
    /// its path. A copy that a killed run has left there is enough.
    pub fn keep_replaced(&self, state: &StateFile) -> Result<PathBuf> {
        let (id, text) = (&state.debate.id, state.render()?);
        self.store.machine.change_place(self.store.project(), |place| place.add(id))?;
        match self.find_in_archive(id, "replaced", text.as_bytes()) {
            Some(kept) => Ok(kept),
            None => self.write_to_archive(id, "replaced", text.as_bytes()),
        }
    }

    /// The path of this text in the archive of a debate, under a name that begins with
    /// `<id>-<what>`.
    pub fn find_in_archive(&self, id: &str, what: &str, text: &[u8]) -> Option<PathBuf> {
        let name = format!("{id}-{what}");
        let archive = self.store.machine.debate_folder(id)?.join(ARCHIVE);
        let entries = std::fs::read_dir(archive).into_iter().flatten().flatten();
        let mut named = entries
            .filter(|entry| entry.file_name().as_encoded_bytes().starts_with(name.as_bytes()))
            .map(|entry| entry.path());
        named.find(|path| is_text(path, text))
    }

    /// Puts this state into the archive under its id, before another one replaces the state file.
    pub fn leave(&self, state: &StateFile) -> Result<Leaving> {
        self.leaving(&state.debate.id, |leaving| {
            let text = state.render()?;
            self.previous.take();
            if let Some(repair) = self.repair.take() {
                let (as_it_was, note) = self.keep_damaged(&repair, &state.debate.id)?;
                leaving.notes.push(note);
                leaving.copies.extend(as_it_was);
            }
            self.put_own(leaving, state, text.as_bytes())
        })
    }

    /// Puts the state file into the archive as it is, under its debate's id, before another one
    /// replaces it.
    pub fn leave_as_it_is(&self, state: &StateFile) -> Result<Leaving> {
        self.leaving(&state.debate.id, |leaving| {
            // The file needs no repair any more.
            self.repair.take();
            self.previous.take();
            let text = read_file(&self.store.project().state_file())?.unwrap_or_default();
            self.put_own(leaving, state, &text)
        })
    }

    /// Puts an unreadable file into the archive as it is, before a debate replaces it. A folder or
    /// another object is moved there.
    pub fn leave_unreadable(&self) -> Result<Leaving> {
        let here = self.store.project().state_file();
        let is_file = std::fs::symlink_metadata(&here).is_ok_and(|meta| meta.is_file());
        let text = if is_file { std::fs::read(&here).map_err(not_written)? } else { Vec::new() };
        let id = self.id_of_unreadable(&text);
        self.leaving(&id, |leaving| {
            self.repair.take();
            self.previous.take();
            self.change_record(&id, |_| {})?;
            self.store.machine.change_place(self.store.project(), |place| place.add(&id))?;
            let target = self.folder(&id)?.path.join(ARCHIVE).join(format!("{id}.md"));
            if is_file {
                if !is_text(&target, &text) {
                    self.folder(&id)?.put(&target, &[&text], Flush::Now).map_err(not_written)?;
                    leaving.copies.push(target);
                }
                return Ok(());
            }
            let folder = self.folder(&id)?.path.clone();
            let archive = folder.join(ARCHIVE);
            self.store.disk.create_private_folder_in(&folder, &archive).map_err(not_written)?;
            self.store.disk.move_to(&here, &target, &folder).map_err(not_written)
        })
    }

    /// The name under which an unreadable file is kept: that of an earlier try with the same
    /// content, or a new one.
    fn id_of_unreadable(&self, text: &[u8]) -> String {
        let known = self.store.machine.place(self.store.project()).map(|place| place.debates);
        let is_it = |id: &String| {
            id.starts_with(UNREADABLE)
                && self.store.machine.debate_folder(id).is_some_and(|folder| {
                    is_text(&folder.join(ARCHIVE).join(format!("{id}.md")), text)
                })
        };
        let named = |number: u32| {
            let name = format!("{UNREADABLE}{}", self.store.now.strftime("%Y-%m-%d-%H%M%S"));
            if number == 1 { name } else { format!("{name}-{number}") }
        };
        let is_free = |id: &String| {
            self.store
                .machine
                .debate_folder(id)
                .is_some_and(|folder| !folder.join(ARCHIVE).exists())
        };
        let known = known.unwrap_or_default().into_iter().find(is_it);
        known.or_else(|| (1..=u32::MAX).map(named).find(is_free)).unwrap_or_default()
    }

    /// Ends a debate: puts this state into the archive under its id, and removes the state file.
    /// Returns the path, and notes for the user. After an error the debate is as it was.
    pub fn close(&self, state: &StateFile) -> Result<(PathBuf, Vec<String>)> {
        let leaving = self.leave(state)?;
        let (disk, project) = (&self.store.disk, self.store.project());
        if let Err(error) = disk.remove(&project.state_file()) {
            self.stay(&leaving);
            return Err(not_written(error));
        }
        // The debate is closed. After a loss of power it may be back, as it was.
        let _ = disk.sync_folder(&project.claude());
        let _ = self.leave_place();
        Ok((leaving.lies_in, leaving.notes))
    }

    /// Replaces the state file with that of another debate; the old one is already in the archive.
    /// After an error the old state file is in its place, unchanged.
    pub fn commit_over(&self, leaving: Leaving, state: &StateFile) -> Result<Vec<String>> {
        let committed = self.swap(state, NewFile::Another);
        if committed.is_err() && self.is_still_here(&leaving) {
            self.stay(&leaving);
        }
        Ok([leaving.notes, committed?].concat())
    }

    /// Makes the copies of the debate here; removes them again if one fails.
    fn leaving(&self, id: &str, make: impl FnOnce(&mut Leaving) -> Result<()>) -> Result<Leaving> {
        let lies_in = self.store.project().state_file();
        let (was, copies, notes) = (identity(&lies_in), Vec::new(), Vec::new());
        let mut leaving = Leaving { was, id: id.to_owned(), copies, lies_in, notes };
        match make(&mut leaving) {
            Ok(()) => Ok(leaving),
            Err(error) => {
                self.stay(&leaving);
                Err(error)
            }
        }
    }

    /// Removes the copies of a debate that keeps its place.
    fn stay(&self, leaving: &Leaving) {
        for copy in &leaving.copies {
            if self.folder(&leaving.id).is_ok() {
                let _ = self.store.disk.remove(copy);
            }
        }
    }

    fn is_still_here(&self, leaving: &Leaving) -> bool {
        leaving.was.is_some() && identity(&self.store.project().state_file()) == leaving.was
    }

    /// Writes a debate under its own name. A different copy under that name gets another name
    /// first.
    fn put_own(&self, leaving: &mut Leaving, state: &StateFile, text: &[u8]) -> Result<()> {
        let id = &state.debate.id;
        // It may be a debate that this machine did not see before.
        self.change_record(id, |_| {})?;
        self.store.machine.change_place(self.store.project(), |place| place.add(id))?;
        let own = self.folder(id)?.path.join(ARCHIVE).join(format!("{id}.md"));
        let there = read_file(&own)?;
        let archived = there
            .as_ref()
            .and_then(|bytes| StateFile::parse(std::str::from_utf8(bytes).ok()?).ok());
        // All its words are in the state too: a killed run has left it, or the debate was brought
        // back and continued.
        let says_no_more = |archived: StateFile| {
            archived.debate.id == *id && state.body.starts_with(&archived.body)
        };
        match there {
            None => leaving.copies.push(own.clone()),
            Some(_) if archived.is_some_and(says_no_more) => {}
            Some(there) => drop(self.write_in_archive(id, id, &there)?),
        }
        self.folder(id)?.put(&own, &[text], Flush::Now).map_err(not_written)?;
        leaving.lies_in = own;
        Ok(())
    }

    /// Removes a copy of the state file again, after a commit that failed. If the commit had
    /// already replaced the state file, the copy stays.
    pub fn discard(&self, archived: &Path) {
        let here = read_file(&self.store.project().state_file()).ok().flatten();
        if here.is_some_and(|here| is_text(archived, &here)) {
            let _ = self.store.disk.remove(archived);
        }
    }
}

/// True for a file with exactly this content.
fn is_text(path: &Path, text: &[u8]) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == text.len() as u64)
        && read_file(path).is_ok_and(|bytes| bytes.as_deref() == Some(text))
}

/// A free path in an archive.
fn free_place(archive: &Path, name: &str) -> PathBuf {
    let place = |number: usize| match number {
        1 => archive.join(format!("{name}.md")),
        _ => archive.join(format!("{name}-{number}.md")),
    };
    let is_taken = |number| std::fs::symlink_metadata(place(number)).is_ok();
    // A dozen look-ups find a free one among thousands of files.
    let (mut taken, mut free) = (0, 1);
    while is_taken(free) {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken.midpoint(free);
        if is_taken(middle) { taken = middle } else { free = middle }
    }
    place(free)
}
