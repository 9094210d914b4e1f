//! A project's state under its lock, which every change needs. The lock is a type, and so is what
//! was read under it: only that commits.

use std::ffi::OsString;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::time::{Duration, Instant};

use super::file::StateFile;
use super::leaving::Leaving;
use super::lock::Lock;
use super::machine::debate::{DebateFolder, DebateRecord, NamedPath};
use super::machine::no_folder;
use super::machine::place::PlaceRecord;
use super::records::AttemptRecord;
use super::recovery::Repair;
use super::snapshots::{self, Snapshot};
use super::store::{CopyOf, Loaded, Store};
use super::{Project, not_kept, not_written};
use anvil_core::attempt::TurnLine;
use anvil_core::debate::{Debate, Status};
use anvil_core::document;
use anvil_system::disk::{Flush, NewFile};
use anvil_text::error::Result;

/// The effect of a commit on the debate in the state file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// The debate goes on. After its end only its last snapshot stays.
    Change,
    /// The debate goes back or forth. That can be undone, so its snapshots stay, also after its
    /// end.
    Undoable,
}

/// The lock of a project's state, and the records of its debate.
#[derive(Debug)]
pub struct Locked<'a> {
    pub(crate) store: &'a mut Store,
    /// The debate in the file, if it was read.
    here: Option<String>,
    /// The folder of the debate that is changed, under its lock. One at a time, and always after
    /// the lock of the place: so no two processes wait for each other.
    folder: Option<DebateFolder>,
    _lock: Lock,
}

/// The lock of a state that was read under it. Each commit consumes it, and what it returns stands
/// for the state that was written.
#[derive(Debug)]
pub struct Transaction<'a> {
    locked: Locked<'a>,
    /// The repair in memory; the next commit writes it.
    pub(crate) repair: Option<Repair>,
    /// The debate that the file was copied from; the next commit notes it.
    copy_of: Option<CopyOf>,
    /// The finished debate in the file when it was read. No other state takes its place before its
    /// snapshot is durable.
    pub(crate) finished: Option<StateFile>,
    /// The debate whose place the next commit gives to another one.
    pub(crate) leaving: Option<Leaving>,
}

impl<'a> Deref for Transaction<'a> {
    type Target = Locked<'a>;

    fn deref(&self) -> &Locked<'a> {
        &self.locked
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.locked
    }
}

impl<'a> Transaction<'a> {
    /// Frees the lock.
    pub fn release(self) -> &'a mut Store {
        self.locked.store
    }
}

impl<'a> Locked<'a> {
    /// The whole state, which no other process can change now. A file of a newer Anvil is refused.
    /// The transaction stands for what is at the place, also if nothing or no debate is.
    pub fn load(mut self) -> (Transaction<'a>, Result<Option<Loaded>>) {
        let loaded = self.store.load().and_then(|loaded| {
            loaded.as_ref().map_or(Ok(()), |loaded| loaded.state.check_writable())?;
            Ok(loaded)
        });
        let known = loaded.as_ref().ok().and_then(Option::as_ref);
        self.here = known
            .filter(|loaded| !loaded.is_lost && loaded.copy_of.is_none())
            .map(|loaded| loaded.state.debate.id.clone());
        let finished = known.map(|loaded| &loaded.state);
        let finished = finished.filter(|state| state.debate.status() == Status::Completed);
        let transaction = Transaction {
            repair: known.and_then(|loaded| loaded.repair.clone()),
            copy_of: known.and_then(|loaded| loaded.copy_of.clone()),
            finished: finished.cloned(),
            leaving: None,
            locked: self,
        };
        (transaction, loaded)
    }
}

impl Locked<'_> {
    pub fn project(&self) -> &Project {
        self.store.project()
    }

    /// The store for reading. What a check reads here can't change before the write.
    pub fn store(&self) -> &Store {
        self.store
    }

    /// The folder of a debate, under its lock until another one is locked.
    pub(crate) fn folder(&mut self, id: &str) -> Result<&DebateFolder> {
        if self.folder.as_ref().is_none_or(|held| held.id != id) {
            self.folder = None;
            // A debate is found only if its place lists it.
            if self.store.machine.debate_folder(id).is_some_and(|folder| !folder.exists()) {
                self.list(id, |place| place.add(id))?;
            }
            self.folder = Some(self.store.machine.lock_debate(id)?);
        }
        self.folder.as_ref().ok_or_else(no_folder)
    }

    /// Makes or replaces a file in a debate's folder.
    pub(crate) fn put(&mut self, id: &str, name: &str, content: &[u8]) -> Result<()> {
        let folder = self.folder(id)?;
        folder.put(&folder.path.join(name), &[content], Flush::Now).map_err(not_written)
    }

    /// Changes the record of a debate in this place.
    pub fn change_record(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut DebateRecord),
    ) -> Result<()> {
        let place = self.store.project.identity().ok_or_else(no_folder)?.clone();
        let folder = self.folder(id)?;
        let before = folder.record();
        let mut record = before.clone();
        record.move_to(place);
        change(&mut record);
        if record == before { Ok(()) } else { folder.put_record(&record) }
    }

    /// Keeps the bytes of the document that a debate revises, with its snapshots.
    pub fn keep_original(&mut self, id: &str, bytes: &[u8]) -> Result<()> {
        self.put(id, &format!("original-{}", document::sha256(bytes)), bytes)
    }

    /// The finished state of a debate from which the state here goes on, or which was undone: the
    /// newest one.
    pub fn finished_before(&self, state: &StateFile) -> Result<Option<StateFile>> {
        let folder = self.store.machine.debate_folder(&state.debate.id);
        let Some(folder) = folder else { return Ok(None) };
        let newest = snapshots::finished_states(&folder, state)?.next().transpose()?;
        Ok(newest.map(|(_, finished)| finished))
    }

    /// Lists a debate of this place. First removes the folder of another start that died.
    pub(crate) fn list(&self, id: &str, add: impl FnOnce(&mut PlaceRecord)) -> Result<()> {
        let Store { machine, project, .. } = &*self.store;
        let last = machine.place(project).and_then(|mut place| place.debates.pop());
        let abandoned = last.filter(|last| last != id && self.here.as_ref() != Some(last));
        if let Some(abandoned) = abandoned.and_then(|id| machine.folder_without_content(&id)) {
            let _ = machine.remove_debate(&abandoned);
        }
        machine.change_place(project, add)
    }

    /// Notes the cost of a turn of this debate's conversation.
    pub fn note_turn(&self, id: &str, turn: TurnLine) {
        AttemptRecord::new(self.store, id).note_turn(turn);
    }

    /// Notes that a debate's reports have to be written, if there is space for the note.
    pub fn note_reports_due(&mut self, id: &str) {
        let _ = self.change_record(id, |record| record.is_report_due = true);
    }

    /// Notes where the decision record is, if there is space for the note.
    pub fn note_decision_record(&mut self, id: &str, path: &Path) {
        let path = Some(NamedPath(path.to_owned()));
        let _ = self.change_record(id, |record| record.decision_record = path);
    }

    /// Notes that the reports are written.
    pub fn note_reports_written(&mut self, id: &str) {
        let _ = self.change_record(id, |record| record.is_report_due = false);
    }

    /// Writes the snapshot of a state that was just written.
    fn snapshot(&mut self, state: &StateFile, content: &[&[u8]], most: usize) -> Result<()> {
        // After the end no other commit flushes it.
        let is_over = !state.debate.status().is_unfinished();
        let flush = if is_over { Flush::Now } else { Flush::Later };
        self.put_snapshot(&state.debate, content, flush)?;
        self.thin_out(state, most)
    }

    /// Writes the snapshot of a debate's current state.
    pub(crate) fn put_snapshot(
        &mut self,
        debate: &Debate,
        content: &[&[u8]],
        flush: Flush,
    ) -> Result<()> {
        let folder = self.folder(&debate.id)?;
        let path = folder.path.join(snapshots::name(debate));
        folder.put(&path, content, flush).map_err(not_written)
    }

    /// Removes other snapshots of the debate's step, and all but the newest `most`. Those of
    /// finished states that this one has not stay.
    pub(crate) fn thin_out(&mut self, state: &StateFile, most: usize) -> Result<()> {
        let step = state.debate.step();
        let name = snapshots::name(&state.debate);
        let folder = self.folder(&state.debate.id)?.path.clone();
        let mut kept: Vec<(u32, OsString)> = snapshots::all(&folder).collect();
        kept.sort_unstable();
        let mut removed: Vec<_> =
            kept.extract_if(.., |(of_step, other)| *of_step == step && *other != *name).collect();
        removed.extend(kept.drain(..kept.len().saturating_sub(most)));
        for (step, name) in removed {
            let kept = Snapshot { step, path: folder.join(name) };
            if !snapshots::may_be_finished_before(&kept, state) {
                self.store.disk.remove(&kept.path).map_err(not_written)?;
            }
        }
        Ok(())
    }

    /// Writes a report; replaces an existing file if `may_replace` allows its content.
    pub fn write_report(
        &self,
        path: &Path,
        text: &str,
        may_replace: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        let folder = path.parent().unwrap_or(self.store.project.root());
        // The user named a path outside of the project, and its folder existed.
        if folder.starts_with(self.store.project.root()) {
            self.store.disk.create_folder_in(self.store.project.root(), folder)?;
        }
        self.store.disk.replace_only(
            &self.store.project.claude(),
            path,
            text.as_bytes(),
            may_replace,
        )
    }

    /// Writes a report into the debate's folder, over anything of that name.
    pub fn write_own_report(&mut self, id: &str, path: &Path, text: &str) -> Result<()> {
        self.folder(id)?.put(path, &[text.as_bytes()], Flush::Now).map_err(not_written)
    }
}

impl Transaction<'_> {
    /// Replaces the state file with this state, and writes its snapshot. A damaged file is put
    /// aside first. Returns what stands for the new state, and notes for the user. After an error
    /// the old state file is in its place, unchanged.
    pub fn commit(mut self, state: &StateFile, commit: Commit) -> Result<(Self, Vec<String>)> {
        let leaving = self.leaving.take();
        let written = self.swap(state, commit, leaving.is_some());
        let mut notes = written.inspect_err(|_| {
            if let Some(leaving) = &leaving {
                self.stay(leaving);
            }
        })?;
        if let Some(leaving) = leaving {
            let most = self.store.snapshots_kept(true);
            let _ = self.thin_out(&leaving.state, most);
            notes.splice(..0, leaving.repaired);
        }
        let locked = self.locked;
        let renewed = Self { locked, repair: None, copy_of: None, finished: None, leaving: None };
        Ok((renewed, notes))
    }

    /// Puts the new state in place of the old one. `is_another`: that of another debate.
    fn swap(&mut self, state: &StateFile, commit: Commit, is_another: bool) -> Result<Vec<String>> {
        let is_over = !state.debate.status().is_unfinished();
        let keeps_all = is_another || commit == Commit::Undoable || !is_over;
        let new = if is_another { NewFile::Another } else { NewFile::Private };
        let most = self.store.snapshots_kept(!keeps_all);
        let id = &state.debate.id;
        let head = state.render_head()?;
        let content = [head.as_bytes(), state.body.as_bytes()];
        self.keep_finished(state)?;
        let repaired =
            self.repair.clone().map(|repair| self.note_repair(&repair, id)).transpose()?;
        let entered = self.enter(id);
        let Store { disk, project, .. } = &*self.store;
        let path = project.state_file();
        let swapped = disk.replace_by_way_of(&project.claude(), &path, &content, new, Flush::Now);
        swapped.map_err(not_written)?;
        let mut notes = Vec::from_iter(repaired);
        notes.extend(self.copy_of.as_ref().map(|CopyOf { id: original, place }| {
            let place = project.display(place);
            format!(
                "this is a copy of the debate {original}, which is in {place}: it continues as {id}"
            )
        }));
        let was_here = self.here.replace(id.clone()).is_some();
        if let Err(error) = entered.and_then(|()| self.snapshot(state, &content, most))
            && (!was_here || self.store.machine.can_write())
        {
            notes.push(format!("no snapshot was kept: {error}"));
        }
        Ok(notes)
    }

    /// Makes the snapshot of the finished debate in the file durable, if this state has not all of
    /// it or goes on from it.
    fn keep_finished(&mut self, state: &StateFile) -> Result<()> {
        let Some(finished) = &self.finished else { return Ok(()) };
        let is_finished = state.debate.status() == Status::Completed;
        if is_finished && state.body.starts_with(&finished.body) {
            return Ok(());
        }
        let text = finished.render()?;
        let kept = self.locked.put_snapshot(&finished.debate, &[text.as_bytes()], Flush::Now);
        kept.map_err(|error| not_kept("the finished debate", &error))
    }

    /// Records that this debate's file lies here, before it is written.
    fn enter(&mut self, id: &str) -> Result<()> {
        let was_here = self.here.as_deref() == Some(id) && self.store.record(id).is_some();
        if !was_here {
            self.locked.folder = None;
            self.list(id, |place| place.enter(id))?;
        }
        let recovered = self.repair.as_ref().filter(|repair| repair.damaged);
        let now = self.locked.store.now;
        self.locked.change_record(id, |record| {
            if let Some(repair) = recovered {
                record.note_recovered(now, &repair.repairs);
            }
        })
    }
}

impl Store {
    /// Takes the lock, waiting at most `wait`. Removes the temporary files of killed processes.
    ///
    /// A function that takes `&Store` can't be called until the lock is free. So a function that
    /// renders a whole text takes `&Store`: others would wait for the lock as long as that takes.
    pub fn lock(&mut self, wait: Duration) -> Result<Locked<'_>> {
        let started = Instant::now();
        let claude = self.project.claude();
        self.disk.create_folder_in(self.project.place(), &claude).map_err(not_written)?;
        let lock = Lock::take(&self.disk, &self.project.lock_file(), started, wait)?;
        self.disk.sweep(&claude);
        Ok(Locked { store: self, here: None, folder: None, _lock: lock })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::store::tests::{AT, new_state, store};
    use anvil_core::debate::PlainReason;
    use anvil_system::disk::{Disk, Fate, Operation, Probe};

    /// Notes what is done to the disk, and renames nothing to `full`.
    #[derive(Debug, Default)]
    struct Notes {
        done: Mutex<Vec<(Operation, PathBuf)>>,
        full: Mutex<Option<PathBuf>>,
    }

    impl Probe for Notes {
        fn fate(&self, operation: Operation, path: &Path) -> Fate {
            if operation == Operation::Rename && self.full.lock().unwrap().as_deref() == Some(path)
            {
                return Fate::Fails(io::ErrorKind::StorageFull.into());
            }
            self.done.lock().unwrap().push((operation, path.to_owned()));
            Fate::Made
        }
    }

    /// A store with records in its folder.
    fn noting(temp: &Path) -> (Store, Arc<Notes>) {
        let notes = Arc::new(Notes::default());
        let disk = Disk::with_probe(Arc::clone(&notes) as Arc<dyn Probe>);
        (store(temp, Some(temp.join("records")), disk).0, notes)
    }

    #[track_caller]
    fn open(store: &mut Store) -> Transaction<'_> {
        let (transaction, loaded) = store.lock(Duration::from_secs(5)).unwrap().load();
        loaded.unwrap();
        transaction
    }

    /// Puts this debate at the place, instead of the one that is there.
    fn begin(store: &mut Store, id: &str) -> Result<()> {
        let here = store.load()?.map(|loaded| loaded.state);
        let mut transaction = open(store);
        if let Some(mut here) = here {
            here.debate.pause(PlainReason::Replaced, AT);
            transaction = transaction.leave(here)?;
        }
        transaction.commit(&new_state(id, "Why?"), Commit::Change).map(|_| ())
    }

    #[test]
    fn a_debate_is_the_one_of_its_place_also_when_it_is_taken_back() {
        let temp = tempfile::tempdir().unwrap();
        let (mut store, _) = noting(temp.path());
        for id in ["one", "two", "one"] {
            begin(&mut store, id).unwrap();
            assert_eq!(store.debate_here().as_deref(), Some(id));
        }
    }

    #[test]
    fn a_debate_that_stays_has_its_earlier_snapshot() {
        let temp = tempfile::tempdir().unwrap();
        let (mut store, notes) = noting(temp.path());
        begin(&mut store, "one").unwrap();
        let kept = |store: &Store| fs_err::read(&store.snapshots("one")[0].path).unwrap();
        let before = kept(&store);
        *notes.full.lock().unwrap() = Some(store.project().state_file());
        begin(&mut store, "two").unwrap_err();
        assert_eq!(kept(&store), before);
        *notes.full.lock().unwrap() = None;
        begin(&mut store, "two").unwrap();
        assert_ne!(kept(&store), before);
    }

    #[test]
    fn the_next_start_removes_the_folder_of_one_that_died() {
        let temp = tempfile::tempdir().unwrap();
        let (mut store, _) = noting(temp.path());
        for (dead, id) in [("dead-1", "one"), ("dead-2", "two")] {
            open(&mut store).change_record(dead, |_| {}).unwrap();
            assert!(store.machine.debate(dead).is_some());
            begin(&mut store, id).unwrap();
            assert!(!store.machine.debate_folder(dead).unwrap().exists(), "{dead}");
        }
        assert_eq!(store.machine.debates().len(), 2);
    }

    #[test]
    fn only_the_last_snapshot_of_a_debate_is_flushed() {
        let temp = tempfile::tempdir().unwrap();
        let (mut store, notes) = noting(temp.path());
        let mut state = new_state("one", "Why?");
        for is_over in [false, true] {
            if is_over {
                state.debate.complete(AT);
            }
            open(&mut store).commit(&state, Commit::Change).unwrap();
            let snapshot = &store.snapshots("one")[0].path;
            let done = std::mem::take(&mut *notes.done.lock().unwrap());
            let renamed = (Operation::Rename, snapshot.clone());
            let at = done.iter().rposition(|done| *done == renamed).unwrap();
            let folder = (Operation::SyncFolder, snapshot.parent().unwrap().to_owned());
            let is_flushed = (done[at - 1].0 == Operation::Sync, done.get(at + 1) == Some(&folder));
            assert_eq!(is_flushed, (is_over, is_over));
        }
    }

    #[test]
    fn without_records_the_first_write_alone_says_that_no_snapshot_was_kept() {
        let temp = tempfile::tempdir().unwrap();
        let (mut store, _) = store(temp.path(), None, Disk::default());
        for count in [1, 0] {
            let (_, notes) =
                open(&mut store).commit(&new_state("one", "Why?"), Commit::Change).unwrap();
            assert_eq!(notes.len(), count, "{notes:?}");
        }
    }
}
