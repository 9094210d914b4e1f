//! The files of a debate's attempts: the record itself, and for each attempt its program's input
//! and output.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::attempt_lines::{AttemptEvent, TurnLine};
use super::attempts::{Attempt, AttemptLine, Attempts};
use crate::error::{Error, Result};
use crate::storage::file::bounds::MAX_NUMBER;
use crate::storage::file::read::{Identity, check_folder, identity, read_file, read_up_to};
use crate::storage::json_lines::JsonLines;
use crate::storage::machine::seal::{Key, SealKeys, SealKind, aside, digest};
use crate::storage::store::Store;
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
    keys: SealKeys,
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
        let keys = SealKeys::Given(key);
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

    fn lines(&self) -> JsonLines<AttemptLine> {
        self.sealed_with(self.keys.clone())
    }

    fn sealed_with(&self, keys: SealKeys) -> JsonLines<AttemptLine> {
        let path = self.folder.join("attempts.jsonl");
        let lines = JsonLines::unsealed(path, MAX_BYTES, "record of attempts");
        lines.sealed(keys, SealKind::Attempt, &self.id)
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

    /// The number of the next attempt. No other process gets the same number, not even at the same
    /// time.
    pub fn reserve(&self) -> Result<u32> {
        let mut attempt = self.read()?.next_number();
        let folder = self.folder.join("attempts");
        self.disk.create_folder_in(&self.root, &folder).map_err(not_written)?;
        while attempt <= MAX_NUMBER {
            match self.disk.fresh_folder_at(&self.folder_of(attempt)) {
                Ok(()) => return Ok(attempt),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(not_written(error)),
            }
        }
        Err(Error::failed(
            format!("the debate has had {MAX_NUMBER} attempts, and no more are counted"),
            "start the debate anew",
        ))
    }

    /// Makes the folder of an attempt, with its prompt; returns the prompt's path.
    pub fn prepare(&self, attempt: u32, prompt: &str) -> Result<PathBuf> {
        let folder = self.folder_of(attempt);
        let file = folder.join("prompt.md");
        self.disk.create_folder_in(&self.root, &folder).map_err(not_written)?;
        self.put(&file, prompt.as_bytes(), Flush::Later)?;
        Ok(file)
    }

    fn put(&self, path: &Path, content: &[u8], flush: Flush) -> Result<()> {
        self.disk.replace(path, content, NewFile::Private, flush).map_err(not_written)
    }

    /// A new log, readable for its user alone: for the process that argues the debate in the
    /// background, or for a helper of a run that writes replies at the same time.
    pub fn open_log(&self, helper: Option<u8>) -> Result<std::fs::File> {
        let path = helper.map_or_else(
            || self.log_file(),
            |helper| self.folder.join(format!("helper-{helper}.log")),
        );
        let made = self.disk.create_folder_in(&self.root, &self.folder);
        made.and_then(|()| self.disk.open_for_output(&path)).map_err(not_written)
    }

    /// The text of the background log; empty if it can't be read.
    pub fn log(&self) -> String {
        let bytes = read_up_to(&self.log_file(), MAX_BYTES, "log of a run").ok().flatten();
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.join("run.log")
    }

    /// Reserves space on the disk for the end of an attempt, before anything is paid for.
    pub fn take_room(&self, attempt: u32) -> Result<()> {
        self.put(&self.room(attempt), &vec![b'.'; ROOM], Flush::Now)
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
        self.put(&self.folder_of(attempt).join("reply.md"), text.as_bytes(), Flush::Now)
    }

    /// The received reply of an attempt, word for word. `None`: it is missing, or its digest
    /// differs.
    pub fn reply(&self, attempt: &Attempt) -> Option<String> {
        let wanted = attempt.ended.as_ref()?.reply.as_ref()?;
        let path = self.folder_of(attempt.started.attempt).join("reply.md");
        let text = String::from_utf8(read_file(&path).ok()??).ok()?;
        (digest(text.as_bytes()) == *wanted).then_some(text)
    }

    /// The output of its program: stdout and stderr.
    pub fn printed(&self, attempt: u32) -> Option<(Vec<u8>, Vec<u8>)> {
        let read = |name| read_file(&self.folder_of(attempt).join(name)).ok().flatten();
        Some((read("stdout")?, read("stderr")?))
    }

    /// The prompt of an attempt, byte for byte.
    pub fn prompt(&self, attempt: u32) -> Result<String> {
        let hint = "`anvil attempts` lists the others";
        let wrong =
            |what| Error::failed(format!("the prompt of attempt {attempt} is {what}"), hint);
        let bytes = read_file(&self.folder_of(attempt).join("prompt.md"))?;
        String::from_utf8(bytes.ok_or_else(|| wrong("gone"))?).map_err(|_| wrong("not UTF-8"))
    }

    /// The user's draft for a task. `None`: no draft.
    pub fn draft(&self, task: &str) -> Result<Option<String>> {
        let path = self.draft_file(task);
        check_folder(&self.folder.join("drafts"))?;
        let bytes = read_file(&path)?;
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
        let folder = self.folder.join("drafts");
        self.disk.create_folder_in(&self.root, &folder).map_err(not_written)?;
        self.put(&path, text.as_bytes(), Flush::Now)?;
        Ok(path)
    }

    /// Differs after a draft was saved: another file, or another time.
    pub fn draft_version(&self, task: &str) -> Option<(Identity, SystemTime)> {
        let path = self.draft_file(task);
        Some((identity(&path)?, std::fs::metadata(path).ok()?.modified().ok()?))
    }

    /// Removes the draft when its reply is saved.
    pub fn forget_draft(&self, task: &str) {
        if check_folder(&self.folder.join("drafts")).is_ok() {
            let _ = self.disk.remove(&self.draft_file(task));
        }
    }

    fn draft_file(&self, task: &str) -> PathBuf {
        self.folder.join("drafts").join(format!("{task}.md"))
    }

    /// Notes a turn of a conversation, in the time of a hook: one write without a flush. Without a
    /// key the line would count for nothing, and is not written. A turn was cut off only if nothing
    /// else is known about it: its first end counts, and a reply takes the place of any other.
    pub fn note_turn(&self, turn: TurnLine) {
        let is_it = |it: &TurnLine| it.generation == turn.generation && it.asked == turn.asked;
        if turn.is_cut() && self.read().is_ok_and(|attempts| attempts.turns.iter().any(is_it)) {
            return;
        }
        let Some(key) = self.keys.kept() else { return };
        let lines = self.sealed_with(SealKeys::Given(key));
        let line = lines.line(&AttemptLine::without_state(AttemptEvent::Turn(turn)));
        // Never through a link.
        let made = self.disk.create_folder_in(&self.root, &self.folder);
        if let (Ok(line), Ok(())) = (line.as_deref(), made)
            && !lines.is_foreign()
        {
            let _ = self.disk.append_lines(lines.path(), line, &self.folder, Flush::Later);
        }
    }

    /// Notes an event of an attempt; flushed on return. A second end of one attempt is not noted.
    pub fn note(&self, event: AttemptEvent) -> Result<()> {
        let Some(line) = self.read()?.next_line(event) else { return Ok(()) };
        let lines = self.lines();
        // A file that this machine did not make is moved away first.
        if lines.is_foreign() {
            self.disk.rename(lines.path(), &aside(lines.path())).map_err(not_written)?;
        }
        let line = lines.line(&line).map_err(not_written)?;
        self.disk.append_lines(lines.path(), &line, &self.folder, Flush::Now).map_err(not_written)
    }
}

impl Store {
    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        AttemptRecord::new(self, id).read()
    }
}
