//! Earlier debates: in their snapshots, or still at their place.

use std::cmp::Ordering;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::error::StoreError;
use crate::file::id::is_safe_id;
use crate::snapshots::{self, Snapshot};
use crate::{Machine, Project, STATE_FILE_NAME, StateFile, Store};
use anvil_core::debate::{Debate, PlainReason};
use anvil_text::error::Result;

/// Fewest debates for which a thread is worth its start.
const LEAST_SHARE: usize = 32;

/// Characters at the end of an id that distinguish debates of one day and question.
const ENDING_CHARS: usize = 4;

/// Digits of the largest list number. A longer number, such as a year, is the beginning of an id.
const MAX_NUMBER_DIGITS: usize = 3;

/// The place of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the state file of this folder.
    Here,
    /// In the state file of another folder.
    Elsewhere,
    /// Only in its snapshots: another debate took its place, or its file is gone, perhaps with its
    /// worktree.
    Records,
}

/// A debate's file.
#[derive(Debug)]
pub struct Past {
    pub file: PathBuf,
    pub location: Location,
    /// The folder that has it, or had it last.
    pub place: PathBuf,
    /// The debate, or why it can't be read.
    pub state: Result<StateFile>,
}

/// A debate that the records know.
#[derive(Clone, Debug)]
struct Known {
    id: String,
    /// The folder that has it, or had it last.
    place: PathBuf,
    /// Its file may lie there.
    may_have_file: bool,
    /// That folder is this project's.
    is_here: bool,
}

/// Which earlier debates a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Those of this folder.
    Place,
    /// Those of this repository: its worktrees too.
    Repository,
    /// Those of every project.
    All,
}

impl Scope {
    /// That of `history`.
    pub fn of_history(all: bool) -> Self {
        if all { Self::All } else { Self::Repository }
    }
}

impl Known {
    /// The state file of a debate in another folder.
    fn file(&self) -> Option<(PathBuf, StateFile)> {
        let files = [Project::at(&self.place).state_file(), self.place.join(STATE_FILE_NAME)];
        files.into_iter().find_map(|file| {
            let state = StateFile::read(&file).ok().filter(|state| state.debate.id == self.id)?;
            Some((file, state))
        })
    }
}

impl Machine {
    /// The finished states that were undone, and that this state of the debate has not: the newest
    /// first.
    pub fn undone_decisions(&self, state: &StateFile) -> Vec<(Snapshot, StateFile)> {
        let Some(folder) = self.debate_folder(&state.debate.id) else { return Vec::new() };
        let finished = snapshots::finished_states(&folder, state).into_iter().flatten().flatten();
        finished.filter(|(_, finished)| !state.body.starts_with(&finished.body)).collect()
    }

    /// `None`: nothing is left of it.
    fn read_past(&self, known: &Known) -> Option<Past> {
        let id = &known.id;
        let place = known.place.clone();
        if known.may_have_file
            && !known.is_here
            && let Some((file, state)) = known.file()
        {
            return Some(Past { file, location: Location::Elsewhere, place, state: Ok(state) });
        }
        let folder = self.debate_folder(id)?;
        let (file, state) = if let Some((file, state)) = without_file(&folder) {
            (file, Ok(state))
        } else {
            let Snapshot { path: file, .. } = snapshots::list(&folder).pop()?;
            let state = StateFile::read(&file).and_then(|_| Err(StoreError::NoSnapshot.into()));
            (file, state)
        };
        Some(Past { file, location: Location::Records, place, state })
    }
}

/// The newest snapshot of a debate without a file.
fn without_file(folder: &Path) -> Option<(PathBuf, StateFile)> {
    let (file, mut state) = snapshots::newest(folder)?;
    if state.debate.status().is_unfinished() {
        let at = state.debate.updated_at();
        state.debate.pause(PlainReason::FileGone, at);
    }
    Some((file, state))
}

impl Store {
    /// The debates of this folder, then those that the records know. Reads each file once, on
    /// demand. Includes files that can't be read.
    pub fn past(&self, scope: Scope) -> impl Iterator<Item = Past> {
        let (here, known) = self.past_files(scope);
        let elsewhere = known.into_iter().filter_map(|known| self.machine.read_past(&known));
        here.into_iter().chain(elsewhere)
    }

    /// Like [`Self::past`]: calls `digest` with each debate, on all cores at once, until that
    /// returns nothing.
    pub fn digest_past<D: Send>(
        &self,
        scope: Scope,
        digest: impl Fn(Past) -> Option<D> + Sync,
    ) -> Vec<D> {
        let (here, known) = self.past_files(scope);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let machine = &self.machine;
        let digest = &digest;
        let mut digests: Vec<D> = here.into_iter().map_while(digest).collect();
        thread::scope(|scope| {
            let threads: Vec<_> = known
                .chunks(known.len().div_ceil(cores).max(LEAST_SHARE))
                .map(|share| {
                    scope.spawn(move || -> Vec<D> {
                        let pasts = share.iter().filter_map(|known| machine.read_past(known));
                        pasts.map_while(digest).collect()
                    })
                })
                .collect();
            for thread in threads {
                digests.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
        });
        digests
    }

    /// The debate of this folder, and the others that the records know.
    fn past_files(&self, scope: Scope) -> (Option<Past>, Vec<Known>) {
        let here = self.has_file().then(|| self.here());
        let id = here.as_ref().and_then(|here| Some(here.state.as_ref().ok()?.debate.id.clone()));
        let mut known = self.known_debates(scope);
        known.retain(|known| Some(&known.id) != id.as_ref());
        (here, known)
    }

    /// The debates that the records know, each once.
    fn known_debates(&self, scope: Scope) -> Vec<Known> {
        let this_place = self.project().identity();
        let places = match scope {
            Scope::Place => self.machine.place(self.project()).into_iter().collect(),
            Scope::Repository => self.machine.places_around(self.project()),
            Scope::All => self.machine.places(),
        };
        let mut known: Vec<Known> = Vec::new();
        for place in places {
            let is_here = this_place.is_some_and(|this| this.is_same(&place.place));
            for id in place.debates {
                let may_have_file = place.here.as_ref() == Some(&id);
                let place = place.place.path.clone();
                known.push(Known { id, place, may_have_file, is_here });
            }
        }
        // A debate that was brought to another folder is known in both: that with its file counts.
        known.sort_by_cached_key(|known| {
            let has_file = known.may_have_file && known.file().is_some();
            (known.id.clone(), !has_file, !known.is_here)
        });
        known.dedup_by(|one, other| one.id == other.id);
        known
    }

    /// The file of the debate with this id, if it lies in another folder.
    pub fn place_elsewhere(&self, id: &str) -> Option<PathBuf> {
        let mut known = self.known_debates(Scope::All);
        known.retain(|known| known.id == id && known.may_have_file && !known.is_here);
        known.iter().find_map(Known::file).map(|(file, _)| file)
    }

    /// True for a debate that was argued in this folder.
    pub fn is_of_place(&self, id: &str) -> bool {
        let known = self.machine.place(self.project()).map(|place| place.debates);
        known.unwrap_or_default().iter().any(|known| known == id)
            || self.read_head().ok().flatten().is_some_and(|here| here.id == id)
    }

    /// True for a debate of this repository.
    pub fn is_of_repository(&self, id: &str) -> bool {
        self.is_of_place(id)
            || self.known_debates(Scope::Repository).iter().any(|known| known.id == id)
    }

    /// The unfinished debate of this folder, if it has lost its file and no debate is here; it is
    /// paused.
    pub fn missing(&self) -> Option<StateFile> {
        if self.has_file() {
            return None;
        }
        let folder = self.machine.debate_folder(&self.debate_here()?)?;
        let (_, state) = without_file(&folder)?;
        state.debate.status().is_unfinished().then_some(state)
    }

    /// The id for a word of the user: a whole id, in any place; a number of the list; or the
    /// beginning or the last four characters of an id in `scope`. `None`: no such debate.
    pub fn id_of(&self, word: &str, scope: Scope) -> Result<Option<String>> {
        if !is_safe_id(word) {
            return Ok(None);
        }
        let here = self.read_head().ok().flatten().map(|debate| debate.id);
        if here.as_deref() == Some(word) || self.machine.debate(word).is_some() {
            return Ok(Some(word.to_owned()));
        }
        let is_number =
            word.len() <= MAX_NUMBER_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return self.id_of_number(word).map(Some);
        }
        let mut ids: Vec<String> =
            self.known_debates(scope).into_iter().map(|known| known.id).collect();
        ids.extend(here);
        ids.sort_unstable();
        ids.dedup();
        let starts: Vec<&String> = ids.iter().filter(|id| id.starts_with(word)).collect();
        let ends: Vec<&String> = ids
            .iter()
            .filter(|id| word.len() == ENDING_CHARS && id.ends_with(&format!("-{word}")))
            .collect();
        match (ends.as_slice(), starts.as_slice()) {
            ([id], _) | ([], [id]) => Ok(Some((*id).clone())),
            ([], []) => Ok(None),
            ([], _) => Err(ambiguous("begin", word, &starts).into()),
            _ => Err(ambiguous("end", word, &ends).into()),
        }
    }

    /// The id of the debate with this number in the list.
    fn id_of_number(&self, number: &str) -> Result<String> {
        let mut listed: Vec<Debate> =
            self.past(Scope::Repository).filter_map(|past| Some(past.state.ok()?.debate)).collect();
        listed.sort_by(newest_first);
        number
            .parse::<usize>()
            .ok()
            .and_then(|number| listed.get(number.checked_sub(1)?))
            .map(|debate| debate.id.clone())
            .ok_or_else(|| {
                StoreError::NoNumber { number: number.to_owned(), count: listed.len() }.into()
            })
    }

    fn here(&self) -> Past {
        let state = self.load().and_then(|loaded| match loaded {
            Some(loaded) if !loaded.is_lost => Ok(loaded.state),
            _ => Err(StoreError::Unknown.into()),
        });
        let file = self.project().state_file();
        let place = self.project().place().to_owned();
        Past { file, location: Location::Here, place, state }
    }

    /// The debate that a word of the user names: by its number in the list, its id, or the
    /// beginning or end of the id. `None`: no such debate.
    pub fn find_past(&self, word: &str) -> Result<Option<(StateFile, PathBuf)>> {
        let Some(id) = self.id_of(word, Scope::Repository)? else { return Ok(None) };
        let head = self.read_head().ok().flatten();
        if head.is_none_or(|here| here.id == id)
            && let Past { file, state: Ok(state), .. } = self.here()
            && state.debate.id == id
        {
            return Ok(Some((state, file)));
        }
        let known = self.known_debates(Scope::All).into_iter().find(|known| known.id == id);
        let past = known.and_then(|known| self.machine.read_past(&known));
        past.map(|past| Ok((past.state?, past.file))).transpose()
    }
}

/// The order of a list of debates, which numbers them: by the start, then by the last change.
pub fn newest_first(one: &Debate, other: &Debate) -> Ordering {
    let [one, other] =
        [one, other].map(|debate| (debate.started_at(), debate.updated_at(), &debate.id));
    other.cmp(&one)
}

fn ambiguous(verb: &'static str, word: &str, ids: &[&String]) -> StoreError {
    let ids = ids.iter().map(|id| (*id).clone()).collect();
    StoreError::Ambiguous { verb, word: word.to_owned(), ids }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{new_state, store};
    use anvil_system::disk::Disk;

    #[test]
    fn a_debate_without_its_file_is_of_this_folder_and_no_other_file_stands_for_it() {
        let temp = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| {
            store(&temp.path().join(name), Some(temp.path().join("config")), Disk::default()).0
        });
        for (store, id) in [(&a, "one"), (&b, "one"), (&c, "two")] {
            store.machine.change_place(store.project(), |place| place.enter(id)).unwrap();
        }
        for store in [&a, &b] {
            let known = store.known_debates(Scope::All);
            let one = known.iter().find(|known| known.id == "one").unwrap();
            assert_eq!((known.len(), one.is_here), (2, true));
            assert_eq!(one.place, store.project().place());
        }
        let file = c.project().state_file();
        fs_err::write(&file, new_state("two", "Why?").render().unwrap()).unwrap();
        assert_eq!(b.place_elsewhere("two"), Some(file));
        assert_eq!((b.place_elsewhere("one"), c.place_elsewhere("two")), (None, None));
    }
}
