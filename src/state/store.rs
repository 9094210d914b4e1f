//! The store: a project's state file, read by anyone, changed only by who holds the lock.
//!
//! The lock is a type: methods that change something exist on [`Locked`] alone.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::checkpoints::{self, Checkpoint};
use super::file::{self, ReadHead, StateFile};
use super::lock::{Held, Lock};
use super::log::{self, Change};
use super::machine::Machine;
use super::read::Beginning;
use super::recover::{Of, Recovered, Repair, lost, recover};
use super::seal::Keys;
use super::{Project, not_written};
use crate::debate::{Debate, Status};
use crate::disk::{Disk, Flush, NewFile};
use crate::error::{Error, Result};
use crate::ledger::{Counts, Ledger};
use crate::transcript;
use crate::world::World;

/// How many files of this process have been tried with locks: several of its workers may do so at once.
static TRIED: AtomicU32 = AtomicU32::new(0);

/// Longest transcript whose claims a glance counts, in bytes: some milliseconds.
const MAX_GLANCE: usize = 1024 * 1024;

/// A project's state, for reading.
#[derive(Clone, Debug)]
pub struct Store {
    project: Project,
    pub(super) machine: Machine,
    pub(super) disk: Disk,
    pub(super) now: Timestamp,
    checkpoints_kept: usize,
    /// The head that was read last, and what it says.
    last_head: RefCell<Option<(Vec<u8>, ReadHead)>>,
}

/// The state as it was read and, where that was needed, repaired in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The state.
    pub state: StateFile,
    /// How it differs from the file.
    pub repair: Option<Repair>,
    /// Nothing could be told of the debate: the state says just that.
    pub is_lost: bool,
    /// Nobody has changed the file since its checkpoint was written.
    is_as_written: bool,
}

impl Store {
    /// The store of a project. Touches nothing.
    #[must_use]
    pub fn of(project: Project, world: &World) -> Self {
        Self {
            project: project.seen_from(&world.cwd),
            machine: Machine::of(world),
            disk: world.disk.clone(),
            now: world.now,
            checkpoints_kept: world.checkpoints_kept,
            last_head: RefCell::default(),
        }
    }

    /// Who has the keys of this machine.
    pub(super) fn keys(&self) -> Keys {
        Keys::Machine(self.machine.clone())
    }

    /// Whose state this is.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// True when something lies where the state file belongs.
    #[must_use]
    pub fn has_file(&self) -> bool {
        fs_err::symlink_metadata(self.project.state_file()).is_ok()
    }

    /// True when git would take the state file in, with all it says.
    #[must_use]
    pub fn is_seen_by_git(&self) -> bool {
        super::git::would_add(self.project.root(), &self.project.state_file())
    }

    /// The debate without its transcript: one read of the file's beginning. `None`: there is no state file.
    pub fn read_head(&self) -> Result<Option<Debate>> {
        let Some(beginning) = Beginning::read(&self.project.state_file())? else { return Ok(None) };
        self.parse_head(&beginning).map(|head| Some(head.debate))
    }

    /// The debate while it runs or waits, the words of its replies as far as their marks tell them, and how its claims stand where
    /// its transcript is orderly. Nothing is repaired.
    pub fn glance(&self) -> Result<Option<(Debate, usize, Counts)>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else { return Ok(None) };
        let debate = self.parse_head(&beginning)?.debate;
        if !matches!(debate.progress.status, Status::InProgress | Status::Paused) {
            return Ok(None);
        }
        let body = beginning.take_rest()?;
        let body = std::str::from_utf8(&body).unwrap_or_default();
        let is_cheap = body.len() <= MAX_GLANCE && transcript::reach_of_orderly(body, debate.schedule()).is_some();
        let counts = if is_cheap { Ledger::of_entries(&transcript::parse(body)).counts() } else { Counts::default() };
        Ok(Some((debate, transcript::words_marked(body), counts)))
    }

    /// The whole state. A file that can't be trusted is repaired in memory: from the newest checkpoint that agrees with it,
    /// else from its own sections. `None`: there is no state file.
    pub fn load(&self) -> Result<Option<Loaded>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else { return Ok(None) };
        let head = self.parse_head(&beginning);
        let mut body = beginning.take_rest()?;
        if let Ok(head) = head {
            match String::from_utf8(body).map(|body| head.with_body(body)) {
                Ok(state) if state.newer_schema.is_some() || state.is_orderly() && self.is_as_written(&state) => {
                    return Ok(Some(Loaded { state, repair: None, is_lost: false, is_as_written: true }));
                }
                Ok(state) => body = state.body.into_bytes(),
                Err(error) => body = error.into_bytes(),
            }
        }
        let mut bytes = beginning.head;
        bytes.extend(body);
        let kept = |of: Of<'_>| {
            let id = match of {
                Of::Debate(id) => Some(id.to_owned()),
                Of::Newest => self.newest_debate(),
            };
            let list = id.map(|id| checkpoints::list(&self.project, &id)).unwrap_or_default();
            list.into_iter().rev().filter_map(|checkpoint| checkpoint.read())
        };
        match recover(&bytes, &kept, self.now) {
            Recovered::State(state, repair) => {
                let repair = (!repair.said.is_empty()).then_some(repair);
                Ok(Some(Loaded { state: *state, repair, is_lost: false, is_as_written: false }))
            }
            Recovered::Newer(schema) => Err(file::newer(schema)),
            Recovered::Lost => {
                let (state, repair) = lost(self.now);
                Ok(Some(Loaded { state, repair: Some(repair), is_lost: true, is_as_written: false }))
            }
        }
    }

    /// True when nobody has changed the state file since its checkpoint was written.
    fn is_as_written(&self, state: &StateFile) -> bool {
        let state_file = self.project.state_file();
        checkpoints::paths(&self.project, &state.debate).any(|kept| checkpoints::is_fresh(&kept, &state_file))
    }

    /// Reads a head; the one that was read last is not read again.
    fn parse_head(&self, beginning: &Beginning) -> Result<ReadHead> {
        let mut last = self.last_head.borrow_mut();
        if let Some((bytes, head)) = &*last
            && *bytes == beginning.head
        {
            return Ok(head.clone());
        }
        let text = std::str::from_utf8(&beginning.head).ok().filter(|_| beginning.is_closed);
        let head = ReadHead::parse(text.ok_or_else(file::no_head)?)?;
        last.replace((beginning.head.clone(), head.clone()));
        Ok(head)
    }

    /// The checkpoints of a debate, the oldest first.
    #[must_use]
    pub fn checkpoints(&self, id: &str) -> Vec<Checkpoint> {
        checkpoints::list(&self.project, id)
    }

    /// The debate that was changed last here and in no other worktree, as far as its checkpoints tell.
    #[must_use]
    pub fn newest_debate(&self) -> Option<String> {
        checkpoints::newest_debate(&self.project, &self.ids_elsewhere())
    }

    /// True when this debate was completed and not all its reports were written.
    #[must_use]
    pub fn are_reports_due(&self, id: &str) -> bool {
        std::fs::symlink_metadata(checkpoints::reports_due(&self.project, id)).is_ok()
    }

    /// What happened to a debate, one JSON object a line.
    #[must_use]
    pub fn log(&self, id: &str) -> String {
        log::read(&self.project, id)
    }

    /// Tries the lock out. False: the file system has none, and a file takes its place.
    pub fn try_lock(&self, wait: Duration) -> Result<bool> {
        Lock::try_out(&self.disk, &self.project.lock_file(), wait)
    }

    /// A file beside the lock, on which this process can try out whether locks hold.
    pub fn file_to_lock(&self) -> Result<PathBuf> {
        // Its folder is made with the first lock.
        drop(self.lock(Duration::from_secs(20))?);
        Ok(self.project.local().join(format!("lock-{}-{}", std::process::id(), TRIED.fetch_add(1, Ordering::Relaxed))))
    }

    /// Takes the lock, waiting at most `wait`.
    pub fn lock(&self, wait: Duration) -> Result<Locked<'_>> {
        let started = Instant::now();
        // Always in this order: a worktree's own first. The main checkout has no other than the shared one.
        let own = self.lock_in(self.project.root(), started, wait)?;
        let root = self.project.shared_root();
        let shared = self.project.is_shared().then(|| self.lock_in(root, started, wait)).transpose()?;
        let (repair, previous) = (RefCell::default(), RefCell::default());
        Ok(Locked { store: self, repair, previous, _held: Held::count(), _locks: (own, shared) })
    }

    /// Takes the lock of one checkout, and sweeps away what a kill has left there.
    fn lock_in(&self, root: &Path, started: Instant, wait: Duration) -> Result<Lock> {
        let project = Project::at(root);
        let (local, claude) = (project.local(), project.claude());
        let made = self.disk.create_folder_in(root, &local).and_then(|()| {
            let ignore = local.join(".gitignore");
            let new = || self.disk.replace_by_way_of(&claude, &ignore, &[b"*\n"], NewFile::Private, Flush::Later);
            // Whoever has the lock sweeps temporary files away, also ours; they have made the same file before.
            if ignore.exists() {
                Ok(())
            } else {
                new().or_else(|error| if ignore.exists() { Ok(()) } else { Err(error) })
            }
        });
        made.map_err(|error| not_written(&error))?;
        let lock = Lock::take(&self.disk, &project.lock_file(), started, wait)?;
        self.disk.sweep(&claude);
        Ok(lock)
    }
}

/// A project's state, held: only here it can change.
#[derive(Debug)]
pub struct Locked<'a> {
    pub(super) store: &'a Store,
    /// What was repaired in memory; the next commit makes it true.
    pub(super) repair: RefCell<Option<Repair>>,
    /// Where the state that was read belongs among the checkpoints.
    pub(super) previous: RefCell<Option<PathBuf>>,
    _held: Held,
    _locks: (Lock, Option<Lock>),
}

impl Locked<'_> {
    /// Whose state this is.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.store.project
    }

    /// The whole state, as it stands now that nobody else can change it. A file of a newer Anvil is refused.
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

    /// Swaps the state file for this one. The state before stays as a checkpoint; a damaged file stays in the archive as it was.
    /// Gives back what the user should know of that.
    pub fn commit(&self, state: &StateFile, change: &Change) -> Result<Vec<String>> {
        self.swap(state, change, NewFile::Private)
    }

    pub(super) fn swap(&self, state: &StateFile, change: &Change, new: NewFile) -> Result<Vec<String>> {
        let store = self.store;
        let (disk, project) = (&store.disk, &store.project);
        let path = project.state_file();
        let head = state.render_head()?;
        let content = [head.as_bytes(), state.body.as_bytes()];
        let bytes = head.len() + state.body.len();
        let repair = self.repair.take();
        let mut said = Vec::new();
        let name = repair.as_ref().and_then(|repair| repair.name_in_archive(&state.debate.id));
        let as_it_was = name.map(|name| self.keep_in_archive(&name)).transpose()?;
        said.extend(repair.as_ref().map(|repair| self.say_repair(repair, as_it_was.as_deref())));
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
            return Err(not_written(&error));
        }
        let repaired = repair.is_some().then(|| Change::Repair { said: said[0].clone() });
        match folder.and_then(|()| self.keep(&state.debate, &content)) {
            Ok(()) => self.log(repaired.iter().chain([change]), &state.debate, bytes),
            Err(error) => said.push(format!("no checkpoint was kept: {error}")),
        }
        Ok(said)
    }

    /// Notes down that a debate's reports are to be written, where there is space for that.
    pub fn note_reports_due(&self, id: &str) {
        let (disk, project) = (&self.store.disk, self.project());
        let (folder, note) = (checkpoints::folder(project, id), checkpoints::reports_due(project, id));
        let _ = disk.create_folder_in(project.shared_root(), &folder).and_then(|()| {
            disk.replace_by_way_of(&project.temps_for(&note), &note, &[], NewFile::Private, Flush::Later)
        });
    }

    /// They are written.
    pub fn note_reports_written(&self, id: &str) {
        let _ = self.store.disk.remove(&checkpoints::reports_due(self.project(), id));
    }

    /// Notes down what was done, beside the checkpoints. Evidence only: a debate goes on without it.
    pub(super) fn log<'a>(&self, changes: impl Iterator<Item = &'a Change>, debate: &Debate, bytes: usize) {
        let lines: Vec<u8> = changes.flat_map(|change| log::line(change, debate, bytes, self.store.now)).collect();
        let folder = checkpoints::folder(self.project(), &debate.id);
        let made = self.store.disk.create_folder_in(self.project().shared_root(), &folder);
        if let (Ok(()), Some(path)) = (made, log::path(self.project(), &debate.id)) {
            let _ = self.store.disk.append_lines(&path, &lines, &self.project().temps_for(&path), Flush::Later);
        }
    }

    /// What was repaired, and where the file lies as it was.
    pub(super) fn say_repair(&self, repair: &Repair, as_it_was: Option<&Path>) -> String {
        let said = repair.said.join("; ");
        let Some(kept) = as_it_was else { return format!("the state file was edited: {said}") };
        format!("the state file was repaired: {said}. As it was it lies in {}", self.project().display(kept))
    }

    /// The state that a commit is about to replace is kept as it stands, if it was changed since it was written: by hand. What
    /// was written stays beside it.
    fn keep_previous(&self, path: &Path) {
        let Some(kept) = self.previous.take() else { return };
        if !checkpoints::is_fresh(&kept, path) && kept.parent().is_some_and(Path::is_dir) {
            let disk = &self.store.disk;
            if kept.exists() {
                let _ = disk.rename(&kept, &checkpoints::as_written(&kept));
            }
            let _ = disk.keep_as(path, &kept, &self.project().temps_for(&kept));
        }
    }

    /// Keeps a state as the newest checkpoint, and lets the oldest go.
    fn keep(&self, debate: &Debate, content: &[&[u8]]) -> io::Result<()> {
        let Store { project, disk, checkpoints_kept, .. } = self.store;
        let path = checkpoints::path(project, debate);
        disk.replace_by_way_of(&project.temps_for(&path), &path, content, NewFile::Private, Flush::Later)?;
        if (debate.progress.step as usize) <= *checkpoints_kept {
            return Ok(());
        }
        let kept = checkpoints::list(project, &debate.id);
        for old in &kept[..kept.len().saturating_sub(*checkpoints_kept)] {
            disk.remove(&old.path)?;
        }
        Ok(())
    }

    /// Writes a report.
    pub fn write_report(&self, path: &Path, text: &str) -> Result<()> {
        let project = self.project();
        let folder = path.parent().unwrap_or(project.root());
        // A path outside of the project was named by the user, and its folder was there.
        let made = match project.root_of(folder) {
            Some(root) => self.store.disk.create_folder_in(root, folder),
            None => Ok(()),
        };
        let temps = project.temps_for(path);
        made.and_then(|()| {
            self.store.disk.replace_by_way_of(&temps, path, &[text.as_bytes()], NewFile::Private, Flush::Now)
        })
        .map_err(|error| Error::io(&error, "the debate itself is safe in the state file"))
    }
}
