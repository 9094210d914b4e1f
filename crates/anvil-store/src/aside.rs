//! `aside/` in a debate's folder: texts that left its state file, or have no place in it, byte for
//! byte. They stay until the debate is pruned.

use std::cmp::Reverse;
use std::path::PathBuf;

use super::file::{StateFile, read_file};
use super::locked::{Locked, Transaction};
use super::project::digest;
use super::store::Store;
use super::{not_kept, not_written};
use anvil_system::disk::Flush;
use anvil_text::error::Result;

/// The folder of such texts in a debate's folder.
const FOLDER: &str = "aside";

/// Most texts of a debate that are kept without a valid token.
const MAX_STRAY: usize = 3;

/// Characters of the digest in a name.
const DIGEST_CHARS: usize = 12;

/// Why a text is put aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum AsideKind {
    /// A state file that had to be repaired.
    Damaged,
    /// An object at the path of the state file that could not be read.
    Unreadable,
    /// A state file before an undo.
    Undone,
    /// A state file with a cycle that was cancelled.
    Cancelled,
    /// A reply without a place in the transcript.
    #[strum(serialize = "unfiled")]
    Unplaced,
    /// A reply without a valid token.
    Stray,
    /// A state that another one replaced in a file or an issue.
    Replaced,
    /// A block in an issue that could not be read.
    Block,
}

impl AsideKind {
    fn word(self) -> &'static str {
        self.into()
    }

    /// The name of a text: equal texts are one file.
    fn name(self, text: &[u8]) -> String {
        let digest = digest(text);
        let digest = digest.get(..DIGEST_CHARS).unwrap_or(&digest);
        format!("{FOLDER}/{}-{digest}.md", self.word())
    }
}

impl Store {
    /// True if this text of a debate was put aside.
    pub fn is_aside(&self, id: &str, kind: AsideKind, text: &[u8]) -> bool {
        let path = self.machine.debate_folder(id).map(|folder| folder.join(kind.name(text)));
        path.is_some_and(|path| path.is_file())
    }

    /// The states of a debate whose last cycle was cancelled.
    pub fn cancelled_states(&self, id: &str) -> impl Iterator<Item = StateFile> {
        let folder = self.machine.debate_folder(id).map(|folder| folder.join(FOLDER));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        entries.into_iter().flatten().flatten().filter_map(|entry| {
            let name = entry.file_name();
            name.to_str()?.strip_prefix(AsideKind::Cancelled.word())?;
            StateFile::read(&entry.path()).ok()
        })
    }
}

impl Store {
    /// Puts a reply aside whose debate has no file; returns its path. It needs no lock of the place.
    pub fn put_reply_aside(&self, id: &str, reply: &str) -> Result<PathBuf> {
        self.machine.change_place(&self.project, |place| place.add(id))?;
        let folder = self.machine.lock_debate(id)?;
        let path = folder.path.join(AsideKind::Unplaced.name(reply.as_bytes()));
        folder.put(&path, &[reply.as_bytes()], Flush::Now).map_err(not_written)?;
        Ok(path)
    }
}

impl Locked<'_> {
    /// Puts a text of a debate aside, flushed; returns its path.
    pub fn put_aside(&mut self, id: &str, kind: AsideKind, text: &[u8]) -> Result<PathBuf> {
        let folder = self.folder(id)?;
        let path = folder.path.join(kind.name(text));
        folder.put(&path, &[text], Flush::Now).map_err(not_written)?;
        Ok(path)
    }

    /// Puts a reply without a valid token aside; returns its path. Such texts may come without end,
    /// so the last three are kept.
    pub fn put_stray_aside(&mut self, id: &str, text: &[u8]) -> Result<PathBuf> {
        let path = self.put_aside(id, AsideKind::Stray, text)?;
        let folder = self.folder(id)?.path.join(FOLDER);
        let mut others: Vec<PathBuf> = std::fs::read_dir(&folder)
            .map_err(not_written)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|other| *other != path)
            .filter(|other| {
                let name = other.file_name().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with(AsideKind::Stray.word()))
            })
            .collect();
        others.sort_by_key(|other| {
            Reverse(std::fs::metadata(other).and_then(|meta| meta.modified()).ok())
        });
        for old in others.iter().skip(MAX_STRAY - 1) {
            self.store.disk.remove(old).map_err(not_written)?;
        }
        Ok(path)
    }

    /// Puts the state file aside before an undo takes words out of it.
    pub fn put_undone_aside(&mut self, id: &str) -> Result<PathBuf> {
        let kept = self.put_file_aside(id, AsideKind::Undone);
        kept.map_err(|error| not_kept("what it would undo", &error))
    }

    /// Puts the state file aside as it is; it stays at its place too.
    pub(crate) fn put_file_aside(&mut self, id: &str, kind: AsideKind) -> Result<PathBuf> {
        let text = read_file(&self.project().state_file())?.unwrap_or_default();
        self.put_aside(id, kind, &text)
    }
}

impl Transaction<'_> {
    /// Puts the unreadable object at the path of the state file aside, in the folder of the debate
    /// that takes its place. A folder or another object is moved.
    pub fn put_unreadable_aside(&mut self, id: &str) -> Result<PathBuf> {
        // The next state there needs no repair.
        self.repair = None;
        let here = self.project().state_file();
        if std::fs::symlink_metadata(&here).is_ok_and(|meta| meta.is_file()) {
            let text = std::fs::read(&here).map_err(not_written)?;
            return self.put_aside(id, AsideKind::Unreadable, &text);
        }
        let folder = self.folder(id)?.path.clone();
        let target = folder.join(AsideKind::Unreadable.name(b""));
        let disk = &self.store.disk;
        let within = target.parent().unwrap_or(&folder);
        disk.create_private_folder_in(&folder, within).map_err(not_written)?;
        disk.move_to(&here, &target, &folder).map_err(not_written)?;
        Ok(target)
    }
}
