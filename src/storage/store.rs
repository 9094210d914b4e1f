//! The store: a project's state file. Anyone reads it; only the holder of the lock changes it.
//!
//! The lock is a type: methods that change something exist on [`Locked`] alone.

use std::cell::{RefCell, RefMut};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::checkpoints::{self, Checkpoint};
use super::file::read::{Beginning, read_file, read_up_to};
use super::file::{self, StateFile, frontmatter};
use super::lock::{HeldCount, Lock};
use super::machine::debate::{DebateFolder, DebateRecord, Published, RunRecord};
use super::machine::{Machine, no_folder};
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
    /// The file is a copy of this debate's, whose own place still exists. The copy has another id.
    pub copy_of: Option<CopyOf>,
}

/// The debate that a state file was copied from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOf {
    pub id: String,
    /// The folder that has its file.
    pub place: PathBuf,
}

/// Whether the records of a debate belong to the file that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// There are none: the file came from elsewhere.
    Unknown,
    /// The file lies in the place that they name.
    Here,
    /// That place is gone, and the file only goes on from the newest checkpoint.
    Moved,
    /// The file is a copy.
    Copy(PathBuf),
}

impl Store {
    /// Touches no file.
    pub fn new(project: Project, world: &World) -> Self {
        Self {
            project: project.seen_from(&world.cwd, world.home.as_deref()),
            machine: Machine::new(world),
            disk: world.disk.clone(),
            now: world.now,
            checkpoints_kept: world.checkpoints_kept,
            last_head: RefCell::default(),
        }
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
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let mut debate = self.parse_head(&beginning)?.debate;
        self.identify(&mut debate, || String::from_utf8(beginning.take_body().ok()?).ok());
        Ok(Some(debate))
    }

    /// Gives a copy of a debate an id of its own. A debate that did not begin in this place has no
    /// owner here.
    fn identify(
        &self,
        debate: &mut Debate,
        body: impl FnOnce() -> Option<String>,
    ) -> Option<CopyOf> {
        let standing = self.standing(&debate.id, body);
        if matches!(standing, Standing::Moved | Standing::Copy(_)) {
            debate.assign_to(None);
        }
        let Standing::Copy(place) = standing else { return None };
        let id = self.id_of_copy(debate);
        Some(CopyOf { id: std::mem::replace(&mut debate.id, id), place })
    }

    /// Whether the records of the debate with this id belong to the file here.
    fn standing(&self, id: &str, body: impl FnOnce() -> Option<String>) -> Standing {
        let known = self.machine.debate(id).and_then(|record| record.place);
        let (Some(known), Some(here)) = (known, self.project.identity()) else {
            return Standing::Unknown;
        };
        if known.is_same(here) {
            return Standing::Here;
        }
        let goes_on = || {
            let (_, newest) = checkpoints::newest(&self.machine.debate_folder(id)?)?;
            body()?.starts_with(&newest.body).then_some(())
        };
        if known.is_gone(here) && goes_on().is_some() {
            Standing::Moved
        } else {
            Standing::Copy(known.path)
        }
    }

    /// The same at every look, until the first commit writes it.
    fn id_of_copy(&self, debate: &Debate) -> String {
        let place = self.project.identity().map(super::FolderId::key).unwrap_or_default();
        let id = |salt: u32| {
            let salt = format!("{} {place} {salt}", debate.id);
            file::new_id(&debate.question, debate.progress.started_at, &salt)
        };
        let is_free = |id: &String| {
            self.machine.debate(id).is_none_or(|known| known.is_in(self.project.identity()))
        };
        (0..).map(id).find(is_free).unwrap_or_default()
    }

    /// The debate while it runs or pauses, the words of its replies as their marks count them, and
    /// the counts of its claims if its transcript is orderly. Repairs nothing.
    pub fn glance(&self) -> Result<Option<(Debate, usize, Counts)>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let mut debate = self.parse_head(&beginning)?.debate;
        if !matches!(debate.progress.status, Status::InProgress | Status::Paused) {
            return Ok(None);
        }
        let body = beginning.take_body()?;
        let body = std::str::from_utf8(&body).unwrap_or_default();
        self.identify(&mut debate, || Some(body.to_owned()));
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
        let mut bytes = std::mem::take(&mut beginning.head);
        if let Ok(head) = head {
            match String::from_utf8(body).map(|body| StateFile { body, ..head }) {
                Ok(mut state) => {
                    let is_as_written = state.newer_schema.is_some()
                        || state.is_orderly() && self.is_as_written(&bytes, &state);
                    if is_as_written {
                        let copy_of = self.identify_state(&mut state);
                        let (repair, is_lost) = (None, false);
                        return Ok(Some(Loaded { state, repair, is_lost, is_as_written, copy_of }));
                    }
                    body = state.body.into_bytes();
                }
                Err(error) => body = error.into_bytes(),
            }
        }
        let text = String::from_utf8_lossy(&body).into_owned();
        bytes.extend(body);
        // The checkpoints of another file repair nothing.
        let own = |id: &String| {
            let standing = self.standing(id, || Some(text.clone()));
            matches!(standing, Standing::Here | Standing::Moved)
        };
        let kept = |id: Option<&str>| {
            let id = id.map(str::to_owned).or_else(|| self.last_debate()).filter(own);
            let list = id.map(|id| self.checkpoints(&id)).unwrap_or_default();
            list.into_iter().rev().filter_map(|checkpoint| checkpoint.read())
        };
        let ((mut state, repair), is_lost) = match recover(&bytes, &kept, self.now) {
            Recovered::State(state, repair) => ((*state, repair), false),
            Recovered::Newer(schema) => return Err(file::newer(schema)),
            Recovered::Lost => (lost(self.now), true),
        };
        let copy_of = self.identify_state(&mut state);
        let repair = (!repair.repairs.is_empty()).then_some(repair);
        Ok(Some(Loaded { state, repair, is_lost, is_as_written: false, copy_of }))
    }

    fn identify_state(&self, state: &mut StateFile) -> Option<CopyOf> {
        let StateFile { debate, body, .. } = state;
        self.identify(debate, || Some(body.clone()))
    }

    /// True if the state file, with these bytes before its transcript, is the same as its
    /// checkpoint.
    fn is_as_written(&self, head: &[u8], state: &StateFile) -> bool {
        let kept = self.checkpoint_of(&state.debate).and_then(|kept| read_file(&kept).ok()?);
        kept.is_some_and(|kept| {
            kept.strip_prefix(head).is_some_and(|body| body == state.body.as_bytes())
        })
    }

    /// The path of the checkpoint of the debate's current state.
    fn checkpoint_of(&self, debate: &Debate) -> Option<PathBuf> {
        Some(self.machine.debate_folder(&debate.id)?.join(checkpoints::name(debate)))
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
        self.machine.debate_folder(id).map(|folder| checkpoints::list(&folder)).unwrap_or_default()
    }

    /// The debate whose file lies here, or lay here last.
    pub fn last_debate(&self) -> Option<String> {
        self.machine.place(&self.project)?.here
    }

    /// The record of a debate whose file lies here.
    pub fn record(&self, id: &str) -> Option<DebateRecord> {
        self.machine.debate(id).filter(|record| record.is_in(self.project.identity()))
    }

    /// The agents that argue this debate. The file does not choose them.
    pub fn run_record(&self, id: &str) -> Option<RunRecord> {
        self.record(id)?.run
    }

    /// Changes the record of a debate whose file lies here.
    pub fn change_record(&self, id: &str, change: impl FnOnce(&mut DebateRecord)) -> Result<()> {
        let place = self.project.identity().ok_or_else(no_folder)?.clone();
        let folder = self.machine.lock_debate(id)?;
        let mut record = folder.record();
        record.move_to(place);
        change(&mut record);
        folder.put_record(&record)
    }

    /// Saves who argues this debate.
    pub fn remember_run(&self, id: &str, run: &RunRecord) -> Result<()> {
        self.change_record(id, |record| record.run = Some(run.clone()))
    }

    /// True if this debate was completed and not all its reports were written.
    pub fn are_reports_due(&self, id: &str) -> bool {
        self.record(id).is_some_and(|record| record.is_report_due)
    }

    /// The default path of a debate's report.
    pub fn report(&self, id: &str) -> Result<PathBuf> {
        let folder = self.machine.debate_folder(id).ok_or_else(no_folder)?;
        Ok(folder.join(super::machine::REPORTS[0]))
    }

    /// A path as a report names it: in the project or in the records, never one of this machine.
    pub fn name_of(&self, path: &Path) -> String {
        let records = self.machine.folder().and_then(Path::parent);
        match records.and_then(|above| path.strip_prefix(above).ok()) {
            Some(inside) => inside.display().to_string(),
            None => self.project.relative(path),
        }
    }

    /// What was last seen of this debate in this issue. `None`: nothing, or it was in another one.
    pub fn published(&self, id: &str, issue: &str) -> Option<Published> {
        self.record(id)?.published.filter(|found| found.issue == issue)
    }

    /// False if nothing can be written into the folder of the records.
    pub fn has_records(&self) -> bool {
        self.machine.can_write()
    }

    /// The bytes of the document that a debate revises, as it was at the start. `None`: this machine
    /// does not have them.
    pub fn original(&self, id: &str, sha256: &str) -> Option<Vec<u8>> {
        let path = self.machine.debate_folder(id)?.join(format!("original-{sha256}"));
        let bytes = read_up_to(&path, MAX_ORIGINAL, "document").ok().flatten();
        bytes.filter(|bytes| document::sha256(bytes) == sha256)
    }

    /// Tries the lock out. An error: nothing can be written here.
    pub fn try_lock(&self, wait: Duration) -> Result<()> {
        Lock::try_out(&self.disk, &self.project.lock_file(), wait)
    }

    /// Takes the lock, waiting at most `wait`. Removes what killed processes have left.
    pub fn lock(&self, wait: Duration) -> Result<Locked<'_>> {
        let started = Instant::now();
        let claude = self.project.claude();
        self.disk.create_folder_in(self.project.place(), &claude).map_err(not_written)?;
        let lock = Lock::take(&self.disk, &self.project.lock_file(), started, wait)?;
        self.disk.sweep(&claude);
        let held = HeldCount::count();
        Ok(Locked {
            store: self,
            repair: RefCell::default(),
            previous: RefCell::default(),
            copy_of: RefCell::default(),
            here: RefCell::default(),
            folder: RefCell::default(),
            _held: held,
            _lock: lock,
        })
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
    /// The debate that the file was copied from; the next commit says it.
    copy_of: RefCell<Option<CopyOf>>,
    /// The debate whose file lay here when it was read.
    here: RefCell<Option<String>>,
    /// The folder of the debate that is changed, under its lock. One at a time, and always after
    /// the lock of the place: so no two processes wait for each other.
    folder: RefCell<Option<DebateFolder>>,
    _held: HeldCount,
    _lock: Lock,
}

impl Deref for Locked<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
    }
}

impl Locked<'_> {
    /// The folder of a debate, under its lock until another one is locked.
    pub(super) fn folder(&self, id: &str) -> Result<RefMut<'_, DebateFolder>> {
        let mut held = self.folder.borrow_mut();
        if held.as_ref().is_none_or(|held| held.id != id) {
            held.take();
            held.replace(self.machine.lock_debate(id)?);
        }
        RefMut::filter_map(held, Option::as_mut).map_err(|_| no_folder())
    }

    /// Makes or replaces a file in a debate's folder.
    pub(super) fn put(&self, id: &str, name: &str, content: &[u8]) -> Result<()> {
        let folder = self.folder(id)?;
        folder.put(&folder.path.join(name), &[content], Flush::Now).map_err(not_written)
    }

    /// Changes the record of a debate whose file lies here.
    pub fn change_record(&self, id: &str, change: impl FnOnce(&mut DebateRecord)) -> Result<()> {
        let place = self.project.identity().ok_or_else(no_folder)?.clone();
        let folder = self.folder(id)?;
        let before = folder.record();
        let mut record = before.clone();
        record.move_to(place);
        change(&mut record);
        if record == before { Ok(()) } else { folder.put_record(&record) }
    }

    /// Keeps the bytes of the document that a debate revises, with its checkpoints.
    pub fn keep_original(&self, id: &str, bytes: &[u8]) -> Result<()> {
        self.put(id, &format!("original-{}", document::sha256(bytes)), bytes)
    }

    /// The whole state, which no other process can change now. A file of a newer Anvil is refused.
    pub fn load(&self) -> Result<Option<Loaded>> {
        let loaded = self.store.load()?;
        self.here.take();
        if let Some(loaded) = &loaded {
            loaded.state.check_writable()?;
            self.repair.replace(loaded.repair.clone());
            self.copy_of.replace(loaded.copy_of.clone());
            let is_known = !loaded.is_lost && loaded.copy_of.is_none();
            self.here.replace(is_known.then(|| loaded.state.debate.id.clone()));
            let kept = self.checkpoint_of(&loaded.state.debate).filter(|_| !loaded.is_as_written);
            self.previous.replace(kept);
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
        let (path, id) = (project.state_file(), &state.debate.id);
        let head = state.render_head()?;
        let content = [head.as_bytes(), state.body.as_bytes()];
        let repaired = self.repair.take().map(|repair| self.keep_damaged(&repair, id));
        let (as_it_was, repairs) = repaired.transpose()?.unzip();
        let as_it_was = as_it_was.flatten();
        let entered = self.enter(id);
        if entered.is_ok() && as_it_was.is_none() {
            self.keep_previous(&path);
        }
        let swapped = disk.replace_by_way_of(&project.claude(), &path, &content, new, Flush::Now);
        if let Err(error) = swapped {
            if let Some(as_it_was) = as_it_was {
                self.discard(&as_it_was);
            }
            return Err(not_written(error));
        }
        let was_here = self.here.replace(Some(id.clone())).is_some();
        let mut notes = Vec::from_iter(repairs);
        notes.extend(self.copy_of.take().map(|CopyOf { id: original, place }| {
            let place = project.display(&place);
            format!(
                "this is a copy of the debate {original}, which is in {place}: it goes on as {id}"
            )
        }));
        if let Err(error) = entered.and_then(|()| self.keep(&state.debate, &content))
            && (!was_here || self.machine.can_write())
        {
            notes.push(format!("no checkpoint was kept: {error}"));
        }
        Ok(notes)
    }

    /// Records that this debate's file lies here, before it does.
    fn enter(&self, id: &str) -> Result<()> {
        let was_here = self.here.borrow().as_deref() == Some(id) && self.record(id).is_some();
        self.change_record(id, |_| {})?;
        if was_here {
            return Ok(());
        }
        self.machine.change_place(&self.project, |place| place.enter(id))
    }

    /// Records that no debate's file lies here.
    pub(super) fn leave_place(&self) -> Result<()> {
        self.machine.change_place(&self.project, |place| place.here = None)
    }

    /// Notes that a debate's reports have to be written, if there is space for the note.
    pub fn note_reports_due(&self, id: &str) {
        let _ = self.change_record(id, |record| record.is_report_due = true);
    }

    /// Notes that the reports are written.
    pub fn note_reports_written(&self, id: &str) {
        let _ = self.change_record(id, |record| record.is_report_due = false);
    }

    /// If the user has edited the state that a commit is about to replace, keeps it as it is. The
    /// state as it was written stays next to it.
    fn keep_previous(&self, path: &Path) {
        let Some(kept) = self.previous.take() else { return };
        let Some(text) = read_file(path).ok().flatten() else { return };
        let before = read_file(&kept).ok().flatten();
        let Some(id) = kept.parent().and_then(Path::file_name).and_then(|id| id.to_str()) else {
            return;
        };
        if before.as_ref() != Some(&text)
            && kept.parent().is_some_and(Path::is_dir)
            && let Ok(folder) = self.folder(id)
        {
            if before.is_some() {
                let _ = self.disk.rename(&kept, &checkpoints::as_written(&kept));
            }
            let _ = folder.put(&kept, &[&text], Flush::Later);
        }
    }

    /// Keeps a state as the newest checkpoint, and removes the oldest.
    fn keep(&self, debate: &Debate, content: &[&[u8]]) -> Result<()> {
        let folder = self.folder(&debate.id)?;
        let path = folder.path.join(checkpoints::name(debate));
        folder.put(&path, content, Flush::Later).map_err(not_written)?;
        if (debate.progress.step as usize) <= self.checkpoints_kept {
            return Ok(());
        }
        let kept = checkpoints::list(&folder.path);
        for old in &kept[..kept.len().saturating_sub(self.checkpoints_kept)] {
            self.disk.remove(&old.path).map_err(not_written)?;
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
        let folder = path.parent().unwrap_or(self.project.root());
        // The user named a path outside of the project, and its folder existed.
        if folder.starts_with(self.project.root()) {
            self.disk.create_folder_in(self.project.root(), folder)?;
        }
        self.disk.replace_only(&self.project.claude(), path, text.as_bytes(), may_replace)
    }

    /// Writes a report into the debate's folder, over anything of that name.
    pub fn write_own_report(&self, id: &str, path: &Path, text: &str) -> Result<()> {
        self.folder(id)?.put(path, &[text.as_bytes()], Flush::Now).map_err(not_written)
    }
}
