//! The files of a debate's attempts: the record itself, and for each attempt its program's input
//! and output.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::attempt_lines::{EndedLine, Event, StartedLine, SubmittedLine};
use super::attempts::{Attempt, Attempts, Line};
use crate::error::{Error, Result};
use crate::storage::file::bounds::MAX_NUMBER;
use crate::storage::json_lines::JsonLines;
use crate::storage::machine::seal::{Key, Keys, Kind, aside, digest};
use crate::storage::store::{Locked, Store};
use crate::storage::{checkpoints, not_written};
use crate::system::disk::{Disk, Flush, NewFile};

/// Largest record that is read, in bytes: thousands of attempts.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// Space that an attempt reserves for its end, in bytes: a long reply, and a line.
const ROOM: usize = 64 * 1024;

/// The record of one debate's attempts, for the processes that run them.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    disk: Disk,
    root: PathBuf,
    folder: PathBuf,
    id: String,
    keys: Keys,
}

impl AttemptRecord {
    pub fn new(store: &Store, id: &str) -> Self {
        let project = store.project();
        Self {
            disk: store.disk.clone(),
            root: project.shared_root().to_owned(),
            folder: checkpoints::folder(project, id),
            id: id.to_owned(),
            keys: store.keys(),
        }
    }

    /// The record for a wrapper, which gets the folder and the key.
    pub fn at(disk: &Disk, folder: &Path, key: Key) -> Self {
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let keys = Keys::Given(key);
        Self { disk: disk.clone(), root: folder.to_owned(), folder: folder.to_owned(), id, keys }
    }

    /// The key that seals the record's lines.
    pub fn key(&self) -> Key {
        self.keys.own()
    }

    /// The folder of the debate's checkpoints.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn lines(&self) -> JsonLines<Line> {
        let path = self.folder.join("attempts.jsonl");
        let lines = JsonLines::unsealed(path, MAX_BYTES, "record of attempts");
        lines.sealed(self.keys.clone(), Kind::Attempt, &self.id)
    }

    pub fn read(&self) -> Result<Attempts> {
        let lines = self.lines();
        if lines.is_foreign() {
            return Ok(Attempts { foreign: 1, ..Attempts::default() });
        }
        Ok(Attempts::from_lines(lines.read()?))
    }

    /// The folder of one attempt, with its program's input and output.
    pub fn folder_of(&self, attempt: u32) -> PathBuf {
        self.folder.join("attempts").join(attempt.to_string())
    }

    /// The number of the next attempt. No other process gets the same one, also if it begins an
    /// attempt now.
    pub fn reserve(&self) -> Result<u32> {
        let mut attempt = self.read()?.next_number();
        let folder = self.folder.join("attempts");
        self.disk.create_folder_in(&self.root, &folder).map_err(|error| not_written(&error))?;
        loop {
            match self.disk.fresh_folder_at(&self.folder_of(attempt)) {
                Ok(()) => return Ok(attempt),
                Err(error)
                    if error.kind() == std::io::ErrorKind::AlreadyExists
                        && attempt < MAX_NUMBER =>
                {
                    attempt += 1;
                }
                Err(error) => return Err(not_written(&error)),
            }
        }
    }

    /// Makes the folder of an attempt, with its prompt; returns the prompt's path.
    pub fn prepare(&self, attempt: u32, prompt: &str) -> Result<PathBuf> {
        let folder = self.folder_of(attempt);
        let file = folder.join("prompt.md");
        let made = self.disk.create_folder_in(&self.root, &folder);
        let written = made.and_then(|()| {
            self.disk.replace(&file, prompt.as_bytes(), NewFile::Private, Flush::Later)
        });
        written.map_err(|error| not_written(&error))?;
        Ok(file)
    }

    /// A new log for the process that argues the debate in the background, readable for its user
    /// alone.
    pub fn open_log(&self) -> Result<std::fs::File> {
        self.open_log_at(&self.log_file())
    }

    /// A new log for a helper of a run whose replies are written at the same time.
    pub fn open_helper_log(&self, helper: u8) -> Result<std::fs::File> {
        self.open_log_at(&self.folder.join(format!("helper-{helper}.log")))
    }

    fn open_log_at(&self, path: &Path) -> Result<std::fs::File> {
        let made = self.disk.create_folder_in(&self.root, &self.folder);
        made.and_then(|()| self.disk.open_for_output(path)).map_err(|error| not_written(&error))
    }

    /// The text of the background log; empty if it can't be read.
    pub fn log(&self) -> String {
        let bytes =
            crate::storage::file::read::read_up_to(&self.log_file(), MAX_BYTES, "log of a run")
                .ok()
                .flatten();
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.join("run.log")
    }

    /// Reserves space on the disk for the end of an attempt, before anything is paid for.
    pub fn take_room(&self, attempt: u32) -> Result<()> {
        let written =
            self.disk.replace(&self.room(attempt), &vec![b'.'; ROOM], NewFile::Private, Flush::Now);
        written.map_err(|error| not_written(&error))
    }

    /// Frees that space for the next write.
    pub fn give_room(&self, attempt: u32) {
        let _ = self.disk.remove(&self.room(attempt));
    }

    fn room(&self, attempt: u32) -> PathBuf {
        self.folder_of(attempt).join("room")
    }

    /// Keeps the reply of an attempt, before its end is noted; flushed on return.
    pub fn keep_reply(&self, attempt: u32, text: &str) -> Result<()> {
        let path = self.folder_of(attempt).join("reply.md");
        self.disk
            .replace(&path, text.as_bytes(), NewFile::Private, Flush::Now)
            .map_err(|error| not_written(&error))
    }

    /// The received reply of an attempt, word for word. `None`: it is missing, or its digest is
    /// another one.
    pub fn reply(&self, attempt: &Attempt) -> Option<String> {
        let wanted = attempt.ended.as_ref()?.reply.as_ref()?;
        let path = self.folder_of(attempt.started.attempt).join("reply.md");
        let text = String::from_utf8(crate::storage::file::read::read_file(&path).ok()??).ok()?;
        (digest(text.as_bytes()) == *wanted).then_some(text)
    }

    /// The output of its program: stdout and stderr.
    pub fn printed(&self, attempt: u32) -> Option<(Vec<u8>, Vec<u8>)> {
        let read = |name| {
            crate::storage::file::read::read_file(&self.folder_of(attempt).join(name))
                .ok()
                .flatten()
        };
        Some((read("stdout")?, read("stderr")?))
    }

    /// The prompt of an attempt, byte for byte.
    pub fn prompt(&self, attempt: u32) -> Result<String> {
        let hint = "`anvil attempts` lists the others";
        let bytes =
            crate::storage::file::read::read_file(&self.folder_of(attempt).join("prompt.md"))?
                .ok_or_else(|| {
                    Error::failed(format!("the prompt of attempt {attempt} is gone"), hint)
                })?;
        String::from_utf8(bytes).map_err(|_| {
            Error::failed(format!("the prompt of attempt {attempt} is not UTF-8"), hint)
        })
    }

    /// The user's draft for a task. `None`: no draft.
    pub fn draft(&self, task: &str) -> Result<Option<String>> {
        let path = self.draft_file(task);
        crate::storage::file::read::check_folder(&self.folder.join("drafts"))?;
        let bytes = crate::storage::file::read::read_file(&path)?;
        bytes.map(String::from_utf8).transpose().map_err(|_| {
            Error::failed(
                format!("{} is not UTF-8", path.display()),
                "save it as UTF-8, or move it away",
            )
        })
    }

    /// Keeps a draft; returns its path.
    pub fn keep_draft(&self, task: &str, text: &str) -> Result<PathBuf> {
        let path = self.draft_file(task);
        let made = self.disk.create_folder_in(&self.root, &self.folder.join("drafts"));
        let written = made
            .and_then(|()| self.disk.replace(&path, text.as_bytes(), NewFile::Private, Flush::Now));
        written.map(|()| path).map_err(|error| not_written(&error))
    }

    /// Differs after a draft was saved: another file, or another time.
    pub fn draft_version(
        &self,
        task: &str,
    ) -> Option<(crate::storage::file::read::Identity, SystemTime)> {
        let path = self.draft_file(task);
        Some((
            crate::storage::file::read::identity(&path)?,
            std::fs::metadata(path).and_then(|meta| meta.modified()).ok()?,
        ))
    }

    /// The draft's reply is saved.
    pub fn forget_draft(&self, task: &str) {
        if crate::storage::file::read::check_folder(&self.folder.join("drafts")).is_ok() {
            let _ = self.disk.remove(&self.draft_file(task));
        }
    }

    fn draft_file(&self, task: &str) -> PathBuf {
        self.folder.join("drafts").join(format!("{task}.md"))
    }

    /// Notes that an attempt begins; flushed on return.
    pub fn note_started(&self, started: StartedLine) -> Result<()> {
        self.append(Event::Started(started))
    }

    /// Notes how it ended; flushed on return. A second end of one attempt is not noted.
    pub fn note_ended(&self, ended: EndedLine) -> Result<()> {
        self.append(Event::Ended(ended))
    }

    /// Notes that its reply was submitted to the debate; flushed on return.
    pub fn note_submitted(&self, submitted: SubmittedLine) -> Result<()> {
        self.append(Event::Submitted(submitted))
    }

    fn append(&self, event: Event) -> Result<()> {
        let Some(line) = self.read()?.next_line(event) else { return Ok(()) };
        self.add(&line).map_err(|error| not_written(&error))
    }

    /// A file that this machine did not make is moved away first.
    fn add(&self, line: &Line) -> std::io::Result<()> {
        let lines = self.lines();
        if lines.is_foreign() {
            self.disk.rename(lines.path(), &aside(lines.path()))?;
        }
        lines.append(&self.disk, &lines.line(line)?, &self.folder, Flush::Now)
    }
}

impl Store {
    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        AttemptRecord::new(self, id).read()
    }
}

impl Locked<'_> {
    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        self.store.attempts(id)
    }
}
