//! The archive: debates that have left their place. A file in it is never overwritten.
//!
//! A debate is put there before its state file is replaced or removed. If that fails, it is taken
//! out again.

pub(crate) mod past;
pub(crate) mod prune;

pub use past::{Location, Past, newest_first};

use std::path::{Path, PathBuf};

use super::file::read::{Identity, identity, is_same_file, read_file};
use super::recovery::Repair;
use super::store::Locked;
use super::{StateFile, not_written};
use crate::error::Result;
use crate::system::disk::{Flush, NewFile};
use past::UNREADABLE;

/// The copies in the archive of a debate that is about to leave its place.
#[derive(Debug)]
#[must_use]
pub struct Leaving {
    /// Distinguishes the state file from the one that replaces it.
    was: Option<Identity>,
    /// The files that were made for this.
    copies: Vec<PathBuf>,
    /// The debate's path now.
    lies_in: PathBuf,
    /// Notes for the user.
    notes: Vec<String>,
}

impl Locked<'_> {
    /// Keeps the state file in the archive too, as `<name>.md`; returns its path. A copy that a
    /// killed run has left there is enough.
    pub fn keep_in_archive(&self, name: &str) -> Result<PathBuf> {
        if let Some(kept) = self.find_here_in_archive(name) {
            return Ok(kept);
        }
        let target = self.free_place(name)?;
        self.link(&target)?;
        Ok(target)
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
        let kept = self.keep_in_archive(&format!("{id}-damaged"))?;
        let shown = self.project().display(&kept);
        let note = format!("the state file was repaired: {repairs}. As it was it lies in {shown}");
        Ok((Some(kept), note))
    }

    /// Writes a text into the archive, as `<name>.md`; returns its path.
    pub fn write_to_archive(&self, name: &str, text: &str) -> Result<PathBuf> {
        let target = self.free_place(name)?;
        self.write(&target, text.as_bytes())?;
        Ok(target)
    }

    /// The path of this text in the archive, under a name that begins with `name`.
    pub fn find_in_archive(&self, name: &str, text: &[u8]) -> Option<PathBuf> {
        // Compares the sizes first: there may be thousands of files.
        let is_as_long = |path: &PathBuf| {
            std::fs::metadata(path).is_ok_and(|meta| meta.len() == text.len() as u64)
        };
        let is_text = |path: &PathBuf| {
            is_as_long(path) && read_file(path).is_ok_and(|bytes| bytes.as_deref() == Some(text))
        };
        self.named(name).find(is_text)
    }

    /// The path of a copy of the state file in the archive, byte for byte, under a name that begins
    /// with `name`.
    fn find_here_in_archive(&self, name: &str) -> Option<PathBuf> {
        let here = self.project().state_file();
        let linked = self.named(name).find(|path| is_same_file(path, &here));
        linked.or_else(|| self.find_in_archive(name, &read_file(&here).ok().flatten()?))
    }

    fn named(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(self.project().archive()).into_iter().flatten().flatten();
        let named = entries
            .filter(move |entry| entry.file_name().as_encoded_bytes().starts_with(name.as_bytes()));
        named.map(|entry| entry.path())
    }

    /// Puts this state into the archive under its id, before another one replaces the state file.
    pub fn leave(&self, state: &StateFile) -> Result<Leaving> {
        self.leaving(|leaving| {
            let text = state.render()?;
            self.previous.take();
            if let Some(repair) = self.repair.take() {
                let (as_it_was, note) = self.keep_damaged(&repair, &state.debate.id)?;
                leaving.notes.push(note);
                leaving.copies.extend(as_it_was);
            }
            let (target, is_new) = self.own_place(state)?;
            self.write(&target, text.as_bytes())?;
            leaving.copies.extend(is_new.then(|| target.clone()));
            leaving.lies_in = target;
            Ok(())
        })
    }

    /// Puts the state file into the archive as it is, under its debate's id, before another one
    /// replaces it.
    pub fn leave_as_it_is(&self, state: &StateFile) -> Result<Leaving> {
        self.leaving(|leaving| {
            // The file needs no repair any more.
            self.repair.take();
            self.previous.take();
            let (target, is_new) = self.own_place(state)?;
            let here = self.project().state_file();
            if is_new {
                self.link(&target)?;
                leaving.copies.push(target);
            } else if !is_same_file(&target, &here) {
                self.write(&target, &read_file(&here)?.unwrap_or_default())?;
            }
            Ok(())
        })
    }

    /// Puts an unreadable file into the archive as it is, before a debate replaces it. A folder or
    /// another object is moved there.
    pub fn leave_unreadable(&self) -> Result<Leaving> {
        self.leaving(|leaving| {
            self.repair.take();
            self.previous.take();
            let here = self.project().state_file();
            if self.find_here_in_archive(UNREADABLE).is_some() {
                return Ok(());
            }
            let target =
                self.free_place(&format!("{UNREADABLE}{}", self.now.strftime("%Y-%m-%dT%H%M%S")))?;
            if std::fs::symlink_metadata(&here).is_ok_and(|meta| meta.is_file()) {
                self.link(&target)?;
                leaving.copies.push(target);
                return Ok(());
            }
            let temps = self.project().temps_for(&target);
            self.disk.move_to(&here, &target, &temps).map_err(not_written)
        })
    }

    /// Ends a debate: puts this state into the archive under its id, and removes the state file.
    /// Returns the path, and notes for the user. After an error the debate is as it was.
    pub fn close(&self, state: &StateFile) -> Result<(PathBuf, Vec<String>)> {
        let leaving = self.leave(state)?;
        let (disk, project) = (&self.disk, self.project());
        if let Err(error) = disk.remove(&project.state_file()) {
            self.stay(&leaving);
            return Err(not_written(error));
        }
        // The debate is closed. After a loss of power it may be back, as it was.
        let _ = disk.sync_folder(&project.claude());
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
    fn leaving(&self, make: impl FnOnce(&mut Leaving) -> Result<()>) -> Result<Leaving> {
        let lies_in = self.project().state_file();
        let (was, copies, notes) = (identity(&lies_in), Vec::new(), Vec::new());
        let mut leaving = Leaving { was, copies, lies_in, notes };
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
            let _ = self.disk.remove(copy);
        }
    }

    fn is_still_here(&self, leaving: &Leaving) -> bool {
        leaving.was.is_some() && identity(&self.project().state_file()) == leaving.was
    }

    /// The path of a debate under its own name, and whether that name is free. A different copy
    /// under that name gets another name first.
    fn own_place(&self, state: &StateFile) -> Result<(PathBuf, bool)> {
        let id = &state.debate.id;
        let free = self.free_place(id)?;
        let own = free.with_file_name(format!("{id}.md"));
        if free == own || !std::fs::symlink_metadata(&own).is_ok_and(|meta| meta.is_file()) {
            return Ok((free, true));
        }
        let text = read_file(&own)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let archived = text.and_then(|text| StateFile::parse(&text).ok());
        // All its words are in the state too: a killed run has left it, or the debate was brought
        // back and continued.
        let says_no_more = |archived: StateFile| {
            archived.debate.id == *id && state.body.starts_with(&archived.body)
        };
        if !archived.is_some_and(says_no_more) {
            let temps = self.project().temps_for(&own);
            self.disk.keep_as(&own, &free, &temps).map_err(not_written)?;
        }
        Ok((own, false))
    }

    fn write(&self, target: &Path, text: &[u8]) -> Result<()> {
        self.put(target, &[text], Flush::Now).map_err(not_written)
    }

    /// Gives the state file a second name, for good.
    fn link(&self, target: &Path) -> Result<()> {
        let (disk, temps) = (&self.disk, self.project().temps_for(target));
        disk.keep_as(&self.project().state_file(), target, &temps).map_err(not_written)?;
        disk.sync_folder(&self.project().archive()).map_err(|error| {
            let _ = disk.remove(target);
            not_written(error)
        })
    }

    /// A free path in the archive.
    fn free_place(&self, name: &str) -> Result<PathBuf> {
        let project = self.project();
        let folder = project.archive();
        self.disk.create_folder_in(project.shared_root(), &folder).map_err(not_written)?;
        let place = |number: usize| match number {
            1 => folder.join(format!("{name}.md")),
            _ => folder.join(format!("{name}-{number}.md")),
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
        Ok(place(free))
    }

    /// Removes the second name of the state file again, after a commit that failed. If the commit
    /// had already removed the first name, the second one stays.
    pub fn discard(&self, archived: &Path) {
        if is_same_file(archived, &self.project().state_file()) {
            let _ = self.disk.remove(archived);
        }
    }
}
