//! The files of a debate's attempts: the record itself, and for each attempt what the program was given and what it printed.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::attempt_lines::{EndedLine, Event, StartedLine, SubmittedLine};
use super::attempts::{Attempt, Attempts};
use super::bounds::MAX_NUMBER;
use super::seal::{Key, Keys, Kind, aside, digest};
use super::store::{Locked, Store};
use super::{checkpoints, not_written};
use crate::disk::{Disk, Flush, NewFile};
use crate::error::{Error, Result};

/// Largest record that is read, in bytes: thousands of attempts.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Room that an attempt keeps for its end, in bytes: a long reply, and a line.
const ROOM: usize = 64 * 1024;

/// The record of one debate's attempts, for those who run them.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    disk: Disk,
    root: PathBuf,
    folder: PathBuf,
    /// The debate.
    id: String,
    keys: Keys,
}

impl AttemptRecord {
    /// That of the debate `id` of this store.
    #[must_use]
    pub fn of(store: &Store, id: &str) -> Self {
        let project = store.project();
        Self {
            disk: store.disk.clone(),
            root: project.shared_root().to_owned(),
            folder: checkpoints::folder(project, id),
            id: id.to_owned(),
            keys: store.keys(),
        }
    }

    /// The same for a wrapper, which is given the folder and the key.
    #[must_use]
    pub fn at(disk: &Disk, folder: &Path, key: Key) -> Self {
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let keys = Keys::Given(key);
        Self { disk: disk.clone(), root: folder.to_owned(), folder: folder.to_owned(), id, keys }
    }

    /// The key that its lines are sealed with.
    #[must_use]
    pub fn key(&self) -> Key {
        self.keys.own()
    }

    /// The folder of the debate's checkpoints.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self) -> PathBuf {
        self.folder.join("attempts.jsonl")
    }

    /// What is on record.
    pub fn read(&self) -> Result<Attempts> {
        if is_foreign(&self.file()) {
            return Ok(Attempts { foreign: 1, ..Attempts::default() });
        }
        let bytes = super::read::read_up_to(&self.file(), MAX_BYTES, "record of attempts")?.unwrap_or_default();
        Ok(Attempts::parse(&bytes, &self.keys.reader(Kind::Attempt, &self.id)))
    }

    /// The folder of one attempt: what the program was given and what it printed.
    #[must_use]
    pub fn folder_of(&self, attempt: u32) -> PathBuf {
        self.folder.join("attempts").join(attempt.to_string())
    }

    /// The number of the next attempt, which nobody else gets: others may begin one at the same time.
    pub fn reserve(&self) -> Result<u32> {
        let mut attempt = self.read()?.next_number();
        let folder = self.folder.join("attempts");
        self.disk.create_folder_in(&self.root, &folder).map_err(|error| not_written(&error))?;
        loop {
            match self.disk.fresh_folder_at(&self.folder_of(attempt)) {
                Ok(()) => return Ok(attempt),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && attempt < MAX_NUMBER => attempt += 1,
                Err(error) => return Err(not_written(&error)),
            }
        }
    }

    /// Makes the folder of an attempt, with its prompt; gives back where that lies.
    pub fn prepare(&self, attempt: u32, prompt: &str) -> Result<PathBuf> {
        let folder = self.folder_of(attempt);
        let file = folder.join("prompt.md");
        let made = self.disk.create_folder_in(&self.root, &folder);
        let written = made.and_then(|()| self.disk.replace(&file, prompt.as_bytes(), NewFile::Private, Flush::Later));
        written.map_err(|error| not_written(&error))?;
        Ok(file)
    }

    /// A new log for what argues the debate in the background, for its owner alone.
    pub fn open_log(&self) -> Result<std::fs::File> {
        self.open_log_at(&self.log_file())
    }

    /// The same for what helps a run with replies that are written side by side.
    pub fn open_helper_log(&self, helper: u8) -> Result<std::fs::File> {
        self.open_log_at(&self.folder.join(format!("helper-{helper}.log")))
    }

    fn open_log_at(&self, path: &Path) -> Result<std::fs::File> {
        let made = self.disk.create_folder_in(&self.root, &self.folder);
        made.and_then(|()| self.disk.open_for_output(path)).map_err(|error| not_written(&error))
    }

    /// What that log says; empty where it can't be read.
    #[must_use]
    pub fn log(&self) -> String {
        let bytes = super::read::read_up_to(&self.log_file(), MAX_BYTES, "log of a run").ok().flatten();
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.join("run.log")
    }

    /// Takes room on the disk for the end of an attempt, before anything is paid for.
    pub fn take_room(&self, attempt: u32) -> Result<()> {
        let written = self.disk.replace(&self.room(attempt), &vec![b'.'; ROOM], NewFile::Private, Flush::Now);
        written.map_err(|error| not_written(&error))
    }

    /// Gives it back, to what is written next.
    pub fn give_room(&self, attempt: u32) {
        let _ = self.disk.remove(&self.room(attempt));
    }

    fn room(&self, attempt: u32) -> PathBuf {
        self.folder_of(attempt).join("room")
    }

    /// Keeps the reply of an attempt, before its end is noted; flushed when this comes back.
    pub fn keep_reply(&self, attempt: u32, text: &str) -> Result<()> {
        let path = self.folder_of(attempt).join("reply.md");
        self.disk.replace(&path, text.as_bytes(), NewFile::Private, Flush::Now).map_err(|error| not_written(&error))
    }

    /// The reply of an attempt that was received, word for word. `None`: it is not there, or not that.
    #[must_use]
    pub fn reply(&self, attempt: &Attempt) -> Option<String> {
        let wanted = attempt.ended.as_ref()?.reply.as_ref()?;
        let path = self.folder_of(attempt.started.attempt).join("reply.md");
        let text = String::from_utf8(super::read::read_file(&path).ok()??).ok()?;
        (digest(text.as_bytes()) == *wanted).then_some(text)
    }

    /// What its program printed: its output and its complaints.
    #[must_use]
    pub fn printed(&self, attempt: u32) -> Option<(Vec<u8>, Vec<u8>)> {
        let read = |name| super::read::read_file(&self.folder_of(attempt).join(name)).ok().flatten();
        Some((read("stdout")?, read("stderr")?))
    }

    /// The prompt of an attempt, byte for byte.
    pub fn prompt(&self, attempt: u32) -> Result<String> {
        let hint = "`anvil brief` lists the others";
        let bytes = super::read::read_file(&self.folder_of(attempt).join("prompt.md"))?
            .ok_or_else(|| Error::failed(format!("the prompt of attempt {attempt} is gone"), hint))?;
        String::from_utf8(bytes)
            .map_err(|_| Error::failed(format!("the prompt of attempt {attempt} is not UTF-8"), hint))
    }

    /// What the user has written for a task so far. `None`: nothing.
    pub fn draft(&self, task: &str) -> Result<Option<String>> {
        let path = self.draft_file(task);
        super::read::check_folder(&self.folder.join("drafts"))?;
        let bytes = super::read::read_file(&path)?;
        bytes
            .map(String::from_utf8)
            .transpose()
            .map_err(|_| Error::failed(format!("{} is not UTF-8", path.display()), "save it as UTF-8, or move it away"))
    }

    /// Keeps that; gives back where it lies.
    pub fn keep_draft(&self, task: &str, text: &str) -> Result<PathBuf> {
        let path = self.draft_file(task);
        let made = self.disk.create_folder_in(&self.root, &self.folder.join("drafts"));
        let written = made.and_then(|()| self.disk.replace(&path, text.as_bytes(), NewFile::Private, Flush::Now));
        written.map(|()| path).map_err(|error| not_written(&error))
    }

    /// What tells whether a draft was saved since: another file, or the same one at another time.
    #[must_use]
    pub fn draft_version(&self, task: &str) -> Option<(super::read::Identity, SystemTime)> {
        let path = self.draft_file(task);
        Some((super::read::identity(&path)?, std::fs::metadata(path).and_then(|meta| meta.modified()).ok()?))
    }

    /// It is filed.
    pub fn forget_draft(&self, task: &str) {
        if super::read::check_folder(&self.folder.join("drafts")).is_ok() {
            let _ = self.disk.remove(&self.draft_file(task));
        }
    }

    fn draft_file(&self, task: &str) -> PathBuf {
        self.folder.join("drafts").join(format!("{task}.md"))
    }

    /// Notes that an attempt begins; flushed when this comes back.
    pub fn note_started(&self, started: StartedLine) -> Result<()> {
        self.append(Event::Started(started))
    }

    /// Notes how it ended; flushed when this comes back. A second end of one attempt is not noted.
    pub fn note_ended(&self, ended: EndedLine) -> Result<()> {
        self.append(Event::Ended(ended))
    }

    /// Notes that its reply was handed to the debate; flushed when this comes back.
    pub fn note_submitted(&self, submitted: SubmittedLine) -> Result<()> {
        self.append(Event::Submitted(submitted))
    }

    fn append(&self, event: Event) -> Result<()> {
        let Some(line) = self.read()?.line(event, &self.id, &self.keys) else { return Ok(()) };
        self.set_aside().map_err(|error| not_written(&error))?;
        let written = self.disk.append_lines(&self.file(), &line, &self.folder, Flush::Now);
        written.map_err(|error| not_written(&error))
    }

    /// What this machine can't have written makes room for what it writes.
    fn set_aside(&self) -> std::io::Result<()> {
        let path = self.file();
        if is_foreign(&path) { self.disk.rename(&path, &aside(&path)) } else { Ok(()) }
    }
}

/// True for what this machine can't have written: it makes no link or folder of a record, and none of this size.
fn is_foreign(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file() || meta.len() > MAX_BYTES)
}

impl Store {
    /// The attempts of a debate.
    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        AttemptRecord::of(self, id).read()
    }
}

impl Locked<'_> {
    /// The same, for who holds the lock.
    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        self.store.attempts(id)
    }
}
