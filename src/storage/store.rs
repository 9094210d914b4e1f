//! The store: a project's state file. Anyone reads it; only the holder of the lock changes it.
//!
//! The lock is a type: methods that change something exist on [`Locked`] alone.

use std::cell::RefCell;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::checkpoints::{self, Checkpoint};
use super::file::read::{Beginning, read_file, read_up_to};
use super::file::{self, StateFile, frontmatter};
use super::lock::{HeldCount, Lock};
use super::machine::Machine;
use super::machine::seal::SealKeys;
use super::recovery::{Recovered, Repair, lost, recover};
use super::{Project, not_written};
use crate::domain::command::is_seat_key;
use crate::domain::debate::{Alternatives, Debate, Status};
use crate::domain::document;
use crate::domain::ledger::{Counts, Ledger};
use crate::domain::transcript;
use crate::error::Result;
use crate::system::disk::{Disk, Flush, NewFile};
use crate::system::world::World;

/// The number of lock files that this process has tried: several of its workers may try at once.
static TRIED: AtomicU32 = AtomicU32::new(0);

/// Longest transcript in which a glance counts the claims, in bytes: some milliseconds.
const MAX_GLANCE: usize = 1024 * 1024;

/// Longest original of a document, in bytes.
const MAX_ORIGINAL: u64 = 4 * document::MAX_DOCUMENT_CHARS as u64 + 3;

/// A project's state, for reading.
#[derive(Clone, Debug)]
pub struct Store {
    project: Project,
    pub(super) machine: Machine,
    pub(super) disk: Disk,
    pub(super) now: Timestamp,
    checkpoints_kept: usize,
    /// The last head: its bytes, and the state without its body.
    last_head: RefCell<Option<(Vec<u8>, StateFile)>>,
}

/// The state as it was read and, if necessary, repaired in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    pub state: StateFile,
    /// How the state differs from the file.
    pub repair: Option<Repair>,
    /// The file has nothing of the debate, and the state says so.
    pub is_lost: bool,
    /// The file is the same as its checkpoint.
    is_as_written: bool,
}

impl Store {
    /// Touches no file.
    pub fn new(project: Project, world: &World) -> Self {
        Self {
            project: project.seen_from(&world.cwd),
            machine: Machine::new(world),
            disk: world.disk.clone(),
            now: world.now,
            checkpoints_kept: world.checkpoints_kept,
            last_head: RefCell::default(),
        }
    }

    /// The owner of this machine's keys.
    pub(super) fn keys(&self) -> SealKeys {
        SealKeys::Machine(self.machine.clone())
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// True if something lies at the path of the state file.
    pub fn has_file(&self) -> bool {
        fs_err::symlink_metadata(self.project.state_file()).is_ok()
    }

    /// True if git would add the state file, with all it says.
    pub fn is_seen_by_git(&self) -> bool {
        self.project.is_seen_by_git()
    }

    /// The first key of the head that chooses who writes, and its line. No such key counts.
    pub fn seat_key(&self) -> Option<(String, usize)> {
        let bytes = read_file(&self.project.state_file()).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let (head, _) = frontmatter::split(&text)?;
        let keys = frontmatter::read(head).unwrap_or_else(|_| frontmatter::salvage(head));
        let key = keys.into_keys().find(|key| is_seat_key(key))?;
        let line = frontmatter::line_of(head, &key);
        Some((key, line))
    }

    /// The debate without its transcript: one read of the file's beginning. `None`: no state file.
    pub fn read_head(&self) -> Result<Option<Debate>> {
        let Some(beginning) = Beginning::read(&self.project.state_file())? else { return Ok(None) };
        self.parse_head(&beginning).map(|head| Some(head.debate))
    }

    /// The debate while it runs or pauses, the words of its replies as their marks count them, and
    /// the counts of its claims if its transcript is orderly. Repairs nothing.
    pub fn glance(&self) -> Result<Option<(Debate, usize, Counts)>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let debate = self.parse_head(&beginning)?.debate;
        if !matches!(debate.progress.status, Status::InProgress | Status::Paused) {
            return Ok(None);
        }
        let body = beginning.take_body()?;
        let body = std::str::from_utf8(&body).unwrap_or_default();
        let is_cheap = body.len() <= MAX_GLANCE
            && transcript::reach_of_orderly(body, debate.schedule()).is_some();
        let counts = is_cheap.then(|| {
            Ledger::of_entries(&transcript::parse(body), &Alternatives::default()).counts()
        });
        Ok(Some((debate, transcript::words_marked(body), counts.unwrap_or_default())))
    }

    /// The whole state. A file that can't be trusted is repaired in memory: from the newest
    /// checkpoint that agrees with it, else from its own sections. `None`: no state file.
    pub fn load(&self) -> Result<Option<Loaded>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let head = self.parse_head(&beginning);
        let mut body = beginning.take_body()?;
        file::check_headings(&body)?;
        if let Ok(head) = head {
            match String::from_utf8(body).map(|body| StateFile { body, ..head }) {
                Ok(state)
                    if state.newer_schema.is_some()
                        || state.is_orderly() && self.is_as_written(&state) =>
                {
                    let (repair, is_lost) = (None, false);
                    return Ok(Some(Loaded { state, repair, is_lost, is_as_written: true }));
                }
                Ok(state) => body = state.body.into_bytes(),
                Err(error) => body = error.into_bytes(),
            }
        }
        let mut bytes = beginning.head;
        bytes.extend(body);
        let kept = |id: Option<&str>| {
            let id = id.map(str::to_owned).or_else(|| self.newest_debate());
            let list = id.map(|id| checkpoints::list(&self.project, &id)).unwrap_or_default();
            list.into_iter().rev().filter_map(|checkpoint| checkpoint.read())
        };
        let ((state, repair), is_lost) = match recover(&bytes, &kept, self.now) {
            Recovered::State(state, repair) => ((*state, repair), false),
            Recovered::Newer(schema) => return Err(file::newer(schema)),
            Recovered::Lost => (lost(self.now), true),
        };
        let repair = (!repair.repairs.is_empty()).then_some(repair);
        Ok(Some(Loaded { state, repair, is_lost, is_as_written: false }))
    }

    /// True if the state file was not changed since its checkpoint was written.
    fn is_as_written(&self, state: &StateFile) -> bool {
        let state_file = self.project.state_file();
        checkpoints::paths(&self.project, &state.debate)
            .any(|kept| checkpoints::is_fresh(&kept, &state_file))
    }

    /// Parses a head; the last one is cached.
    fn parse_head(&self, beginning: &Beginning) -> Result<StateFile> {
        let mut last = self.last_head.borrow_mut();
        if let Some((bytes, head)) = &*last
            && *bytes == beginning.head
        {
            return Ok(head.clone());
        }
        let text = std::str::from_utf8(&beginning.head).ok().filter(|_| beginning.is_closed);
        let head = StateFile::parse_head(text.ok_or_else(file::no_head)?)?;
        last.replace((beginning.head.clone(), head.clone()));
        Ok(head)
    }

    /// The checkpoints of a debate, the oldest first.
    pub fn checkpoints(&self, id: &str) -> Vec<Checkpoint> {
        checkpoints::list(&self.project, id)
    }

    /// The debate that was changed last here, and that has no state file in another worktree, by
    /// its checkpoints.
    pub fn newest_debate(&self) -> Option<String> {
        checkpoints::newest_debate(&self.project, &self.ids_elsewhere())
    }

    /// True if this debate was completed and not all its reports were written.
    pub fn are_reports_due(&self, id: &str) -> bool {
        std::fs::symlink_metadata(checkpoints::reports_due(&self.project, id)).is_ok()
    }

    /// The bytes of the document that a debate revises, as it was at the start. `None`: this machine
    /// does not have them.
    pub fn original(&self, id: &str, sha256: &str) -> Option<Vec<u8>> {
        let path = checkpoints::original(&self.project, id, sha256);
        let bytes = read_up_to(&path, MAX_ORIGINAL, "document").ok().flatten();
        bytes.filter(|bytes| document::sha256(bytes) == sha256)
    }

    /// Tries the lock out. False: the file system has no locks, and a file takes their place.
    pub fn try_lock(&self, wait: Duration) -> Result<bool> {
        Lock::try_out(&self.disk, &self.project.lock_file(), wait)
    }

    /// A file next to the lock, on which this process can try out whether locks hold.
    pub fn file_to_lock(&self) -> Result<PathBuf> {
        // The first lock makes the folder.
        drop(self.lock(Duration::from_secs(20))?);
        let (process, tried) = (std::process::id(), TRIED.fetch_add(1, Ordering::Relaxed));
        Ok(self.project.local().join(format!("lock-{process}-{tried}")))
    }

    /// Takes the lock, waiting at most `wait`.
    pub fn lock(&self, wait: Duration) -> Result<Locked<'_>> {
        let started = Instant::now();
        // Always in this order: a worktree's own lock first. The main checkout has only the shared
        // one.
        let own = self.lock_in(&self.project, started, wait)?;
        let main = self.project.is_shared().then(|| Project::at(self.project.shared_root()));
        let shared = main.map(|main| self.lock_in(&main, started, wait)).transpose()?;
        let (repair, previous) = (RefCell::default(), RefCell::default());
        Ok(Locked {
            store: self,
            repair,
            previous,
            _held: HeldCount::count(),
            _locks: (own, shared),
        })
    }

    /// Takes the lock of one checkout, and removes what killed processes have left in it.
    fn lock_in(&self, project: &Project, started: Instant, wait: Duration) -> Result<Lock> {
        let (local, claude) = (project.local(), project.claude());
        let made = self.disk.create_folder_in(project.place(), &local).and_then(|()| {
            let ignore = local.join(".gitignore");
            if ignore.exists() {
                return Ok(());
            }
            let (content, new) = (&[b"*\n".as_slice()], NewFile::Private);
            let made = self.disk.replace_by_way_of(&claude, &ignore, content, new, Flush::Later);
            // The holder of the lock removes temporary files, also ours; it has made the same file
            // before.
            made.or_else(|error| if ignore.exists() { Ok(()) } else { Err(error) })
        });
        made.map_err(not_written)?;
        let lock = Lock::take(&self.disk, &project.lock_file(), started, wait)?;
        self.disk.sweep(&claude);
        Ok(lock)
    }
}

/// A project's state under its lock: only here it can change.
#[derive(Debug)]
pub struct Locked<'a> {
    pub(super) store: &'a Store,
    /// The repair in memory; the next commit writes it.
    pub(super) repair: RefCell<Option<Repair>>,
    /// The checkpoint path of the state that was read.
    pub(super) previous: RefCell<Option<PathBuf>>,
    _held: HeldCount,
    _locks: (Lock, Option<Lock>),
}

impl Deref for Locked<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
    }
}

impl Locked<'_> {
    /// Makes a file of the project for its owner alone, or replaces it.
    pub(super) fn put(&self, path: &Path, content: &[&[u8]], flush: Flush) -> io::Result<()> {
        let temps = self.project.temps_for(path);
        self.disk.replace_by_way_of(&temps, path, content, NewFile::Private, flush)
    }

    /// Like [`Self::put`], in a folder of the repository. Makes that folder too.
    pub(super) fn put_record(&self, path: &Path, content: &[u8], flush: Flush) -> io::Result<()> {
        let folder = path.parent().unwrap_or(self.project.root());
        self.disk.create_folder_in(self.project.shared_root(), folder)?;
        self.put(path, &[content], flush)
    }

    /// Keeps the bytes of the document that a debate revises, with its checkpoints.
    pub fn keep_original(&self, id: &str, bytes: &[u8]) -> Result<()> {
        let path = checkpoints::original(self.project(), id, &document::sha256(bytes));
        self.put_record(&path, bytes, Flush::Now).map_err(not_written)
    }

    /// The whole state, which no other process can change now. A file of a newer Anvil is refused.
    pub fn load(&self) -> Result<Option<Loaded>> {
        let loaded = self.store.load()?;
        if let Some(loaded) = &loaded {
            loaded.state.check_writable()?;
            self.repair.replace(loaded.repair.clone());
            let kept = || checkpoints::path(self.project(), &loaded.state.debate);
            self.previous.replace((!loaded.is_as_written).then(kept));
        }
        Ok(loaded)
    }

    /// Replaces the state file with this state. The state before stays as a checkpoint; a damaged
    /// file is kept in the archive as it was. Returns notes for the user.
    pub fn commit(&self, state: &StateFile) -> Result<Vec<String>> {
        self.swap(state, NewFile::Private)
    }

    pub(super) fn swap(&self, state: &StateFile, new: NewFile) -> Result<Vec<String>> {
        let Store { disk, project, .. } = self.store;
        let path = project.state_file();
        let head = state.render_head()?;
        let content = [head.as_bytes(), state.body.as_bytes()];
        let repaired =
            self.repair.take().map(|repair| self.keep_damaged(&repair, &state.debate.id));
        let (as_it_was, repairs) = repaired.transpose()?.unzip();
        let as_it_was = as_it_was.flatten();
        // Never through a link: one may have come with a repository.
        let kept_in = checkpoints::folder(project, &state.debate.id);
        let folder = disk.create_folder_in(project.shared_root(), &kept_in);
        if folder.is_ok() && as_it_was.is_none() {
            self.keep_previous(&path);
        }
        let swapped = disk.replace_by_way_of(&project.claude(), &path, &content, new, Flush::Now);
        if let Err(error) = swapped {
            disk.remove_empty_folder(&kept_in);
            if let Some(as_it_was) = as_it_was {
                self.discard(&as_it_was);
            }
            return Err(not_written(error));
        }
        let mut notes = Vec::from_iter(repairs);
        if let Err(error) = folder.and_then(|()| self.keep(&state.debate, &content)) {
            notes.push(format!("no checkpoint was kept: {error}"));
        }
        Ok(notes)
    }

    /// Notes that a debate's reports have to be written, if there is space for the note.
    pub fn note_reports_due(&self, id: &str) {
        let _ = self.put_record(&checkpoints::reports_due(&self.project, id), b"", Flush::Later);
    }

    /// Notes that the reports are written.
    pub fn note_reports_written(&self, id: &str) {
        let _ = self.disk.remove(&checkpoints::reports_due(self.project(), id));
    }

    /// If the user has edited the state that a commit is about to replace, keeps it as it is. The
    /// state as it was written stays next to it.
    fn keep_previous(&self, path: &Path) {
        let Some(kept) = self.previous.take() else { return };
        if !checkpoints::is_fresh(&kept, path) && kept.parent().is_some_and(Path::is_dir) {
            if kept.exists() {
                let _ = self.disk.rename(&kept, &checkpoints::as_written(&kept));
            }
            let _ = self.disk.keep_as(path, &kept, &self.project.temps_for(&kept));
        }
    }

    /// Keeps a state as the newest checkpoint, and removes the oldest.
    fn keep(&self, debate: &Debate, content: &[&[u8]]) -> io::Result<()> {
        self.put(&checkpoints::path(&self.project, debate), content, Flush::Later)?;
        if (debate.progress.step as usize) <= self.checkpoints_kept {
            return Ok(());
        }
        let kept = self.checkpoints(&debate.id);
        for old in &kept[..kept.len().saturating_sub(self.checkpoints_kept)] {
            self.disk.remove(&old.path)?;
        }
        Ok(())
    }

    /// Writes a report; over a file whose content `may_replace` allows, if there is one.
    pub fn write_report(
        &self,
        path: &Path,
        text: &str,
        may_replace: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        self.make_folder_of(path)?;
        let temps = self.project.temps_for(path);
        self.disk.replace_only(&temps, path, text.as_bytes(), may_replace)
    }

    /// Writes a report into Anvil's own folder, over anything of that name.
    pub fn write_own_report(&self, path: &Path, text: &str) -> io::Result<()> {
        self.make_folder_of(path)?;
        self.put(path, &[text.as_bytes()], Flush::Now)
    }

    fn make_folder_of(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(self.project.root());
        // The user named a path outside of the project, and its folder existed.
        let root = self.project.root_of(folder);
        root.map_or(Ok(()), |root| self.disk.create_folder_in(root, folder))
    }
}
