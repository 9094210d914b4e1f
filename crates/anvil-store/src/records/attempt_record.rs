//! The files of a debate's attempts: the record itself, and for each attempt its program's input
//! and output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::attempt_lines::AttemptEvent;
use super::attempts::{Attempt, AttemptLine, Attempts};
use crate::error::{StoreError, not_written};
use crate::file::id::is_safe_id;
use crate::file::read::{read_file, read_up_to};
use crate::json_lines::JsonLines;
use crate::machine::Machine;
use crate::project::digest;
use crate::store::Store;
use anvil_core::attempt::bounds::MAX_NUMBER;
use anvil_core::attempt::{CycleLine, TurnLine};
use anvil_system::disk::{Disk, Flush, NewFile};
use anvil_text::error::Result;
use jiff::Timestamp;

/// Largest record that is read, in bytes: thousands of attempts.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The newest debates of a user with replies, that show how long a reply takes, and the most that
/// are looked into for them.
const MOST_TIMED: usize = 5;
const MOST_LOOKED_INTO: usize = 20;

/// The record in a debate's folder, and the folder of its attempts.
const FILE: &str = "attempts.jsonl";
const FOLDER: &str = "attempts";

/// The log of a run in the background.
const LOG: &str = "run.log";

/// Space that an attempt reserves for its end, in bytes: a long reply, and a line.
const ROOM: usize = 64 * 1024;

/// The record of one debate's attempts, for the processes that run them. Lines are appended; the
/// folder of an attempt belongs to that attempt.
#[derive(Clone, Debug)]
pub struct AttemptRecord {
    disk: Disk,
    /// The folder above, which is no link.
    root: PathBuf,
    /// The debate's folder. `None`: there is no folder for records.
    folder: Option<PathBuf>,
}

impl Machine {
    /// How long the replies of this user's newest debates but this one took.
    pub fn reply_times(&self, but: &str) -> Vec<Duration> {
        let Some(folder) = self.debates_folder() else { return Vec::new() };
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut ids: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        ids.retain(|id| id != but);
        // An id begins with its day.
        ids.sort_unstable_by(|one, other| other.cmp(one));
        let debates = ids.iter().take(MOST_LOOKED_INTO).filter_map(|id| {
            let record = AttemptRecord {
                folder: self.debate_folder(id),
                ..AttemptRecord::at(&self.disk, &folder)
            };
            let times: Vec<Duration> = record.read().ok()?.reply_times().collect();
            (!times.is_empty()).then_some(times)
        });
        debates.take(MOST_TIMED).flatten().collect()
    }
}

impl AttemptRecord {
    pub fn new(store: &Store, id: &str) -> Self {
        let root = store.machine.folder().unwrap_or(Path::new("")).to_owned();
        Self { disk: store.disk.clone(), root, folder: store.machine.debate_folder(id) }
    }

    /// The record of a debate in a user's folder. `None`: the folder has no such debate.
    pub fn find(root: &Path, id: &str) -> Option<Self> {
        let folder = root.join("debates").join(id);
        (is_safe_id(id) && folder.is_dir()).then(|| Self::at(&Disk::default(), &folder))
    }

    /// The record in this folder, for a wrapper.
    pub fn at(disk: &Disk, folder: &Path) -> Self {
        let root = folder.parent().unwrap_or(folder).to_owned();
        Self { disk: disk.clone(), root, folder: Some(folder.to_owned()) }
    }

    /// The debate's folder.
    pub fn folder(&self) -> Result<&Path> {
        Ok(self.folder.as_deref().ok_or(StoreError::NoFolder)?)
    }

    fn lines(&self) -> Result<JsonLines<AttemptLine>> {
        let path = self.folder()?.join(FILE);
        Ok(JsonLines::new(path, MAX_BYTES, "record of attempts"))
    }

    pub fn read(&self) -> Result<Attempts> {
        let mut attempts = Attempts::default();
        attempts.read_on(self.lines_from(0)?.0);
        Ok(attempts)
    }

    /// The whole lines from a byte on, and the byte after them.
    pub(super) fn lines_from(&self, begin: u64) -> Result<(Vec<AttemptLine>, u64)> {
        if self.folder.is_none() {
            return Ok((Vec::new(), 0));
        }
        self.lines()?.read_from(begin)
    }

    /// The folder of one attempt, with its program's input and output.
    pub fn folder_of(&self, attempt: u32) -> PathBuf {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        folder.join(FOLDER).join(attempt.to_string())
    }

    /// Makes the debate's folder, or one in it. Never through a link.
    fn make(&self, folder: &Path) -> Result<()> {
        self.disk.create_private_folder(&self.root).map_err(not_written)?;
        self.disk.create_private_folder_in(&self.root, folder).map_err(not_written)
    }

    /// The number of the next attempt after these. No other process gets the same number, not even
    /// at the same time.
    pub fn reserve(&self, attempts: &Attempts) -> Result<u32> {
        let mut attempt = attempts.next_number();
        self.make(&self.folder()?.join(FOLDER))?;
        while attempt <= MAX_NUMBER {
            match self.disk.fresh_folder_at(&self.folder_of(attempt)) {
                Ok(()) => return Ok(attempt),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(not_written(error)),
            }
        }
        Err(StoreError::TooManyAttempts.into())
    }

    /// Makes the folder of an attempt, with its prompt; returns the prompt's path.
    pub fn prepare(&self, attempt: u32, prompt: &str) -> Result<PathBuf> {
        let folder = self.folder_of(attempt);
        let file = folder.join("prompt.md");
        self.make(&folder)?;
        self.put(&file, prompt.as_bytes(), Flush::Later)?;
        Ok(file)
    }

    fn put(&self, path: &Path, content: &[u8], flush: Flush) -> Result<()> {
        self.disk.replace(path, content, NewFile::Private, flush).map_err(not_written)
    }

    /// A new log, readable for its user alone: for the process that argues the debate in the
    /// background.
    pub fn open_log(&self) -> Result<std::fs::File> {
        let folder = self.folder()?;
        self.make(folder)?;
        self.disk.open_for_output(&folder.join(LOG)).map_err(not_written)
    }

    /// True if a program wrote a reply of the debate, or one was claimed. False for most debates of
    /// a conversation.
    pub fn has_attempts(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.join(FOLDER).is_dir())
    }

    /// Changes with the record.
    pub fn signature(&self) -> Option<(u64, std::time::SystemTime)> {
        let meta = std::fs::metadata(self.folder.as_ref()?.join(FILE)).ok()?;
        Some((meta.len(), meta.modified().ok()?))
    }

    /// The text of the background log; empty if it can't be read.
    pub fn log(&self) -> String {
        let file = self.folder.as_ref().map(|folder| folder.join(LOG));
        let bytes = file.and_then(|file| read_up_to(&file, MAX_BYTES, "log of a run").ok()?);
        String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
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
        let expected = attempt.ended.as_ref()?.reply.as_ref()?;
        let path = self.folder_of(attempt.started.attempt).join("reply.md");
        let text = String::from_utf8(read_file(&path).ok()??).ok()?;
        (digest(text.as_bytes()) == *expected).then_some(text)
    }

    /// The output of its program: stdout and stderr.
    pub fn read_output(&self, attempt: u32) -> Option<(Vec<u8>, Vec<u8>)> {
        let folder = self.folder_of(attempt);
        let stdout = read_file(&folder.join("stdout")).ok()??;
        let stderr = read_file(&folder.join("stderr")).ok()??;
        Some((stdout, stderr))
    }

    /// The prompt of an attempt, byte for byte.
    pub fn prompt(&self, attempt: u32) -> Result<String> {
        let fault = match read_file(&self.folder_of(attempt).join("prompt.md"))? {
            None => "gone",
            Some(bytes) => match String::from_utf8(bytes) {
                Ok(prompt) => return Ok(prompt),
                Err(_) => "not UTF-8",
            },
        };
        Err(StoreError::Prompt { attempt, fault }.into())
    }

    /// Notes a turn of a conversation, in the time of a hook: one write without a flush. A turn was
    /// cut off only if nothing else is known about it: its first end counts, and a reply takes the
    /// place of any other.
    pub fn note_turn(&self, turn: TurnLine) {
        let is_noted = |attempts: Attempts| {
            attempts
                .turns
                .iter()
                .any(|noted| noted.generation == turn.generation && noted.asked == turn.asked)
        };
        if turn.is_cut() && self.read().is_ok_and(is_noted) {
            return;
        }
        let line = AttemptLine::from(AttemptEvent::Turn(turn));
        if let Ok(folder) = self.folder()
            && self.make(folder).is_ok()
        {
            let _ = self.append(&line, Flush::Later);
        }
    }

    /// Notes that another cycle begins: no attempt before it is waited for, whatever it writes.
    pub fn begin_cycle(&self, at: Timestamp) -> Result<()> {
        if !self.has_attempts() {
            return Ok(());
        }
        let line = AttemptLine::from(AttemptEvent::Cycle(CycleLine { at }));
        self.append(&line, Flush::Now)
    }

    /// Notes an event of an attempt; flushed on return. Of two ends of one attempt the first
    /// counts.
    pub fn note(&self, event: AttemptEvent) -> Result<()> {
        self.append(&event.into(), Flush::Now)
    }

    fn append(&self, line: &AttemptLine, flush: Flush) -> Result<()> {
        let lines = self.lines()?;
        let folder = self.folder()?;
        let line = JsonLines::line(line).map_err(not_written)?;
        self.disk.append_lines(lines.path(), &line, folder, flush).map_err(not_written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_the_end_of_an_attempt_is_taken_until_it_is_given_back() {
        let temp = tempfile::tempdir().unwrap();
        let (disk, root) = (Disk::default(), temp.path().to_owned());
        let record = AttemptRecord { disk, folder: Some(root.join("debate")), root };
        fs_err::create_dir_all(record.folder_of(1)).unwrap();
        record.take_room(1).unwrap();
        assert_eq!(fs_err::metadata(record.room(1)).unwrap().len(), ROOM as u64);
        record.give_room(1);
        assert!(!record.room(1).exists());
    }
}
