//! The store: a project's state file, and the records of its debate, for reading. Only the holder
//! of the lock ([`Locked`](super::Locked)) changes them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::Project;
use super::file::read::{Beginning, is_same, read_file, read_up_to};
use super::file::{self, StateFile, frontmatter};
use super::lock::Lock;
use super::machine::debate::{DebateRecord, RunRecord};
use super::machine::{Machine, no_folder};
use super::records::{AttemptRecord, Attempts};
use super::recovery::{Recovered, Repair, lost_debate, recover};
use super::snapshots::{self, Snapshot};
use anvil_core::debate::{Debate, Status};
use anvil_core::document;
use anvil_core::ledger::{Counts, Ledger};
use anvil_core::options::is_seat_key;
use anvil_core::question::Alternatives;
use anvil_core::transcript;
use anvil_system::disk::Disk;
use anvil_system::process::ProcessError;
use anvil_system::world::World;
use anvil_text::error::Result;

/// Snapshots of an unfinished debate, if the user wants no other number: enough for ten rounds, and
/// half as much again.
const SNAPSHOTS: usize = 32;

/// Longest transcript in which a glance counts the claims, in bytes: some milliseconds.
const MAX_GLANCE: usize = 1024 * 1024;

/// Longest original of a document, in bytes.
const MAX_ORIGINAL: u64 = 4 * document::MAX_DOCUMENT_CHARS as u64 + 3;

/// A project's state, for reading.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) project: Project,
    pub(crate) machine: Machine,
    pub(crate) disk: Disk,
    pub(crate) now: Timestamp,
    /// `None`: [`SNAPSHOTS`].
    snapshots_kept: Option<usize>,
    /// The last head: its bytes, and the state without its body. A Stop reads the head before the
    /// lock and under it; without this it takes 1.5 times as long.
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
    /// The file is a copy of this debate's file, and the debate's place still exists. The copy has
    /// another id.
    pub copy_of: Option<CopyOf>,
}

/// The debate that a state file was copied from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOf {
    pub id: String,
    /// The folder that has its file.
    pub place: PathBuf,
}

/// The origin of a state file, by the records of the debate that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileOrigin {
    /// There are no records: the file came from elsewhere.
    Unknown,
    /// The file lies in the place of the records.
    Here,
    /// That place is gone, and the file only goes on from the newest snapshot.
    Moved,
    /// The file is a copy of the one in this place.
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
            snapshots_kept: world.snapshots_kept,
            last_head: RefCell::default(),
        }
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// How many snapshots a debate keeps.
    pub(crate) fn snapshots_kept(&self, is_over: bool) -> usize {
        self.snapshots_kept.unwrap_or(if is_over { 1 } else { SNAPSHOTS })
    }

    /// True if something lies at the path of the state file.
    pub fn has_file(&self) -> bool {
        fs_err::symlink_metadata(self.project.state_file()).is_ok()
    }

    /// True if git would add the state file. `None`: no repository is here. An error: git refuses,
    /// or can't be run.
    pub fn is_seen_by_git(&self) -> std::result::Result<Option<bool>, ProcessError> {
        self.project.is_seen_by_git()
    }

    /// The first key of the head that would choose the writers, and its line. Such a key does not
    /// count.
    pub fn seat_key(&self) -> Option<(String, usize)> {
        let bytes = read_file(&self.project.state_file()).ok()??;
        let text = String::from_utf8_lossy(&bytes);
        let (head, _) = frontmatter::split(&text)?;
        let keys = frontmatter::read(head).unwrap_or_default();
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
        let origin = self.file_origin(&debate.id, body);
        if matches!(origin, FileOrigin::Moved | FileOrigin::Copy(_)) {
            debate.assign_to(None);
        }
        let FileOrigin::Copy(place) = origin else { return None };
        let id = self.id_of_copy(debate);
        Some(CopyOf { id: std::mem::replace(&mut debate.id, id), place })
    }

    /// The origin of the file here, if it names the debate with this id.
    fn file_origin(&self, id: &str, body: impl FnOnce() -> Option<String>) -> FileOrigin {
        let known = self.machine.debate(id).and_then(|record| record.place);
        let (Some(known), Some(here)) = (known, self.project.identity()) else {
            return FileOrigin::Unknown;
        };
        if known.is_same(here) {
            FileOrigin::Here
        } else if known.is_gone(here) && self.goes_on_from_snapshot(id, body) {
            FileOrigin::Moved
        } else {
            FileOrigin::Copy(known.path)
        }
    }

    fn goes_on_from_snapshot(&self, id: &str, body: impl FnOnce() -> Option<String>) -> bool {
        self.machine
            .debate_folder(id)
            .and_then(|folder| snapshots::newest(&folder))
            .is_some_and(|(_, newest)| body().is_some_and(|body| body.starts_with(&newest.body)))
    }

    /// Every call returns the same id, until the first commit writes it.
    fn id_of_copy(&self, debate: &Debate) -> String {
        let place = self.project.identity().map(super::FolderId::key).unwrap_or_default();
        (0..u32::MAX)
            .map(|number| {
                let salt = format!("{} {place} {number}", debate.id);
                file::new_id(&debate.question, debate.started_at(), &salt)
            })
            .find(|id| {
                self.machine.debate(id).is_none_or(|known| known.is_in(self.project.identity()))
            })
            .unwrap_or_default()
    }

    /// The debate while it runs or pauses, the words of its replies as their marks count them, and
    /// the counts of its claims if its transcript is orderly. Repairs nothing.
    pub fn glance(&self) -> Result<Option<(Debate, usize, Counts)>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let mut debate = self.parse_head(&beginning)?.debate;
        if !matches!(debate.status(), Status::InProgress | Status::Paused) {
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
    /// snapshot that agrees with it, else from its own sections. `None`: no state file.
    pub fn load(&self) -> Result<Option<Loaded>> {
        let Some(mut beginning) = Beginning::read(&self.project.state_file())? else {
            return Ok(None);
        };
        let head = self.parse_head(&beginning);
        let mut body = beginning.take_body()?;
        let mut bytes = std::mem::take(&mut beginning.head);
        if let Ok(head) = head {
            match String::from_utf8(body).map(|body| StateFile { body, ..head }) {
                Ok(mut state) => {
                    // A pulled debate may disagree with itself, and its snapshot too.
                    let is_as_written = state.newer_schema.is_some()
                        || state.is_orderly() && self.is_as_written(&bytes, &state);
                    if is_as_written {
                        let copy_of = self.identify_state(&mut state);
                        let repair = None;
                        let is_lost = false;
                        return Ok(Some(Loaded { state, repair, is_lost, copy_of }));
                    }
                    body = state.body.into_bytes();
                }
                Err(error) => body = error.into_bytes(),
            }
        }
        file::check_headings(&body)?;
        let text = String::from_utf8_lossy(&body).into_owned();
        bytes.extend(body);
        let newest = |id: Option<&str>| {
            let id = match id {
                Some(id) => id.to_owned(),
                // A start that died may be listed as the one here.
                None => self.debate_here().and_then(|_| self.last_debate())?,
            };
            // The snapshots of another file repair nothing.
            let origin = self.file_origin(&id, || Some(text.clone()));
            if !matches!(origin, FileOrigin::Here | FileOrigin::Moved) {
                return None;
            }
            snapshots::newest(&self.machine.debate_folder(&id)?).map(|(_, state)| state)
        };
        let ((mut state, repair), is_lost) = match recover(&bytes, &newest, self.now) {
            Recovered::State(state, repair) => ((*state, repair), false),
            Recovered::Other(schema) => return Err(file::FileError::Schema(schema).into()),
            Recovered::Lost => (lost_debate(self.now), true),
        };
        let copy_of = self.identify_state(&mut state);
        let repair = (!repair.repairs.is_empty()).then_some(repair);
        Ok(Some(Loaded { state, repair, is_lost, copy_of }))
    }

    fn identify_state(&self, state: &mut StateFile) -> Option<CopyOf> {
        let StateFile { debate, body, .. } = state;
        self.identify(debate, || Some(body.clone()))
    }

    /// True if the state file, with these bytes before its transcript, is the same as the newest
    /// snapshot.
    fn is_as_written(&self, head: &[u8], state: &StateFile) -> bool {
        let Some(folder) = self.machine.debate_folder(&state.debate.id) else { return false };
        snapshots::highest(&folder) == Some(state.debate.step())
            && is_same(&folder.join(snapshots::name(&state.debate)), [head, state.body.as_bytes()])
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
        let head = StateFile::parse_head(text.ok_or(file::FileError::NoHead)?)?;
        last.replace((beginning.head.clone(), head.clone()));
        Ok(head)
    }

    /// The snapshots of a debate, the oldest first.
    pub fn snapshots(&self, id: &str) -> Vec<Snapshot> {
        self.machine.debate_folder(id).map(|folder| snapshots::list(&folder)).unwrap_or_default()
    }

    /// The debate that has its file here, or has lost it here.
    pub(crate) fn debate_here(&self) -> Option<String> {
        self.machine.place(&self.project)?.here
    }

    /// The debate that was here last, not one that was about to begin.
    pub fn last_debate(&self) -> Option<String> {
        let place = self.machine.place(&self.project)?;
        place
            .here
            .into_iter()
            .chain(place.debates.into_iter().rev())
            .find(|id| !self.snapshots(id).is_empty())
    }

    /// The record of a debate in this place.
    pub fn record(&self, id: &str) -> Option<DebateRecord> {
        self.machine.debate(id).filter(|record| record.is_in(self.project.identity()))
    }

    /// The agents that argue this debate. The file does not choose them.
    pub fn run_record(&self, id: &str) -> Option<RunRecord> {
        self.record(id)?.run
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

    /// The bytes of the document that a debate revises, as it was at the start. `None`: this
    /// machine does not have them.
    pub fn original(&self, id: &str, sha256: &str) -> Option<Vec<u8>> {
        let path = self.machine.debate_folder(id)?.join(format!("original-{sha256}"));
        read_up_to(&path, MAX_ORIGINAL, "document")
            .ok()
            .flatten()
            .filter(|bytes| document::sha256(bytes) == sha256)
    }

    /// Tries the lock out. An error: nothing can be written here.
    pub fn try_lock(&self, wait: Duration) -> Result<()> {
        Lock::try_out(&self.disk, &self.project.lock_file(), wait)
    }

    pub fn attempts(&self, id: &str) -> Result<Attempts> {
        AttemptRecord::new(self, id).read()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use anvil_core::place::{Place, Seat};

    pub(crate) const AT: Timestamp = Timestamp::UNIX_EPOCH;

    /// A debate in progress.
    pub(crate) fn new_state(id: &str, question: &str) -> StateFile {
        let mut debate = Debate::new(id.into(), question.into(), 3, AT);
        debate.claim("one", None, AT);
        StateFile::new(debate)
    }

    /// The store of a folder, and the path of its state file.
    pub(crate) fn store(root: &Path, records: Option<PathBuf>, disk: Disk) -> (Store, PathBuf) {
        let world = World::gather(|_| None).unwrap();
        let world = World { config_folder: records, disk, ..world };
        let store = Store::new(Project::at(root), &world);
        let path = store.project.state_file();
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        (store, path)
    }

    #[test]
    fn a_head_is_read_anew_when_the_file_has_changed() {
        let temp = tempfile::tempdir().unwrap();
        let (store, path) = store(temp.path(), None, Disk::default());
        for question in ["Why?", "Who?", "Why?"] {
            fs_err::write(&path, new_state("one", question).render().unwrap()).unwrap();
            assert_eq!(store.read_head().unwrap().unwrap().question, question);
        }
    }

    #[test]
    fn a_glance_counts_the_claims_of_an_orderly_transcript_that_is_not_long() {
        let temp = tempfile::tempdir().unwrap();
        let (store, path) = store(temp.path(), None, Disk::default());
        let claim = "**A1. Now.** It is so.".to_owned();
        let [fits, long] = [0, MAX_GLANCE].map(|more| format!("{claim}{}", " x".repeat(more / 2)));
        for (round, reply, is_counted) in
            [(1, fits.clone(), true), (2, fits, false), (1, long, false)]
        {
            let mut state = new_state("one", "Why?");
            let place = Place { seat: Seat::Advocate, round };
            transcript::append(&mut state.body, place, None, AT, &reply);
            state.debate.move_to(Place { seat: Seat::Critic, round });
            fs_err::write(&path, state.render().unwrap()).unwrap();
            let (_, _, counts) = store.glance().unwrap().unwrap();
            assert_eq!(counts != Counts::default(), is_counted, "round {round}: {counts:?}");
        }
    }
}
