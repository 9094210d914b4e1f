//! Earlier debates: in the archive, or still at their place.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use crate::domain::debate::Debate;
use crate::error::{Error, Result};
use crate::storage::file::id::is_safe_id;
use crate::storage::project::STATE_FILE;
use crate::storage::{Project, StateFile, Store, checkpoints};

/// Most names that an error lists.
const MAX_LISTED: usize = 5;

/// Characters at the end of an id that distinguish debates of one day and question.
const ENDING_CHARS: usize = 4;

/// Digits of the largest list number. A longer number, such as a year, is the beginning of an id.
const MAX_NUMBER_DIGITS: usize = 3;

/// The suffixes of files next to a debate's own. Some of these files are not debates.
const SUFFIXES: [&str; 5] = ["block", "damaged", "replaced", "undone", "unfiled"];

/// Prefix of a file that was moved away because it could not be read.
pub(crate) const UNREADABLE: &str = "unreadable-";

/// The place of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the state file of this folder.
    Here,
    /// In the state file of another worktree of the repository.
    Elsewhere,
    InArchive,
    /// Only in checkpoints: its file is gone, perhaps with its worktree.
    InCheckpoints,
}

/// A debate's file.
#[derive(Debug)]
pub struct Past {
    pub file: PathBuf,
    pub location: Location,
    /// The debate, or why it can't be read.
    pub state: Result<StateFile>,
}

impl Past {
    fn id(&self) -> Option<&str> {
        self.state.as_ref().ok().map(|state| state.debate.id.as_str())
    }
}

impl Store {
    /// The debates of this folder, of the other worktrees and of the archive, and the debates that
    /// have only checkpoints. Reads each file once, on demand. Includes files that can't be read;
    /// excludes the files next to a debate's own.
    pub fn past(&self) -> impl Iterator<Item = Past> {
        let mut live: Vec<Past> = self.has_file().then(|| self.here()).into_iter().collect();
        live.extend(self.elsewhere());
        let live_ids: Vec<String> =
            live.iter().filter_map(|past| past.id().map(str::to_owned)).collect();
        let files = archived(self.project());
        let orphans = self.orphan_ids(&files, &live_ids);
        let archived = files.into_iter().filter_map(move |file| {
            let stem = file.file_stem()?.to_str()?.to_owned();
            let state = StateFile::read(&file);
            let is_told = match &state {
                // If a state was brought back, the one in the archive is older.
                Ok(state) => state.debate.id == stem && !live_ids.contains(&stem),
                Err(_) => !is_side_file(&stem),
            };
            is_told.then_some(Past { file, location: Location::InArchive, state })
        });
        let orphans = orphans.into_iter().filter_map(|id| self.orphan(&id));
        live.into_iter().chain(archived).chain(orphans)
    }

    /// The debates in the state files of the repository's other worktrees.
    fn elsewhere(&self) -> impl Iterator<Item = Past> + use<> {
        let files = self.project().others().into_iter().map(|root| root.join(STATE_FILE));
        let files = files.filter(|file| std::fs::symlink_metadata(file).is_ok());
        files.map(|file| Past {
            state: StateFile::read(&file),
            file,
            location: Location::Elsewhere,
        })
    }

    /// The file of the debate with this id in another worktree.
    pub fn place_elsewhere(&self, id: &str) -> Option<PathBuf> {
        self.elsewhere().find(|past| past.id() == Some(id)).map(|past| past.file)
    }

    pub(crate) fn ids_elsewhere(&self) -> Vec<String> {
        self.elsewhere().filter_map(|past| past.id().map(str::to_owned)).collect()
    }

    /// The ids of the debates that have checkpoints here, by name. Empty if the archive exists and
    /// is not searched: then the debates that lie in it are not known.
    fn with_checkpoints(&self) -> Vec<String> {
        let project = self.project();
        let is_link = |local: &PathBuf| {
            std::fs::symlink_metadata(local.join("archive")).is_ok_and(|meta| !meta.is_dir())
        };
        if project.locals().any(|local| is_link(&local)) {
            return Vec::new();
        }
        let of_all =
            project.locals().flat_map(|local| entries(project, &local.join("checkpoints")));
        let of_all = of_all.filter(|folder| !entries(project, folder).is_empty());
        let mut ids: Vec<String> =
            of_all.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The ids of the debates that have only checkpoints.
    fn orphan_ids(&self, archived: &[PathBuf], live_ids: &[String]) -> Vec<String> {
        let stems: Vec<&str> =
            archived.iter().filter_map(|file| file.file_stem()?.to_str()).collect();
        let mut ids = self.with_checkpoints();
        ids.retain(|id| !stems.contains(&id.as_str()) && !live_ids.contains(id));
        ids
    }

    /// The unfinished debate that changed last, if it has lost its file and no debate is here; it
    /// is paused. Its record shows that this machine wrote it: a checkpoint from elsewhere has none.
    pub fn missing(&self) -> Option<StateFile> {
        if self.has_file() {
            return None;
        }
        let ids = self.orphan_ids(&archived(self.project()), &self.ids_elsewhere());
        let states = ids.iter().filter_map(|id| self.orphan(id)?.state.ok());
        let is_own = |state: &StateFile| {
            let record = self.attempts(&state.debate.id).unwrap_or_default();
            !record.all.is_empty() || !record.turns.is_empty()
        };
        states
            .filter(|state| state.debate.progress.status.is_unfinished() && is_own(state))
            .max_by_key(|state| state.debate.progress.updated_at)
    }

    /// A debate without a file, from its newest checkpoint. An unfinished debate is paused.
    fn orphan(&self, id: &str) -> Option<Past> {
        let newest_first = checkpoints::list(self.project(), id).into_iter().rev();
        let (file, mut state) =
            newest_first.into_iter().find_map(|kept| Some((kept.path.clone(), kept.read()?)))?;
        if state.debate.id != id {
            return None;
        }
        if state.debate.progress.status.is_unfinished() {
            let at = state.debate.progress.updated_at;
            state.debate.pause("its file is gone".to_owned(), at);
        }
        Some(Past { file, location: Location::InCheckpoints, state: Ok(state) })
    }

    /// The id for a word of the user: a number of the list, or the last four characters of an id.
    /// Any other word is returned as it is: an id or the beginning of one.
    fn id_named(&self, wanted: &str) -> Result<String> {
        let is_number =
            wanted.len() <= MAX_NUMBER_DIGITS && wanted.bytes().all(|byte| byte.is_ascii_digit());
        if wanted.is_empty() || !(is_number || wanted.len() == ENDING_CHARS) {
            return Ok(wanted.to_owned());
        }
        let mut listed: Vec<Debate> =
            self.past().filter_map(|past| Some(past.state.ok()?.debate)).collect();
        listed.sort_by(newest_first);
        let mut ids: Vec<String> = listed.into_iter().map(|debate| debate.id).collect();
        if ids.iter().any(|id| id == wanted) {
            return Ok(wanted.to_owned());
        }
        if is_number {
            let at = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let named = at.and_then(|at| ids.get(at)).cloned();
            return named.ok_or_else(|| no_number(wanted, ids.len()));
        }
        ids.retain(|id| id.strip_suffix(wanted).is_some_and(|part| part.ends_with('-')));
        match ids.as_slice() {
            [] => Ok(wanted.to_owned()),
            [_] => Ok(ids.swap_remove(0)),
            _ => Err(ambiguous("end", wanted, ids)),
        }
    }

    /// The id of the debate that this word names among those with checkpoints. `None`: no such
    /// debate.
    pub fn id_of_checkpoints(&self, wanted: &str) -> Result<Option<String>> {
        let wanted = &*self.id_named(wanted)?;
        let mut ids = self.with_checkpoints();
        ids.retain(|id| {
            id.starts_with(wanted) && !checkpoints::list(self.project(), id).is_empty()
        });
        if ids.iter().any(|id| id == wanted) {
            return Ok(Some(wanted.to_owned()));
        }
        match ids.as_slice() {
            [_, _, ..] => Err(ambiguous("begin", wanted, ids)),
            _ => Ok(ids.pop()),
        }
    }

    /// True if a debate of the archive was brought back later, and may continue elsewhere.
    pub fn went_on(&self, debate: &Debate) -> bool {
        let newest = checkpoints::list(self.project(), &debate.id)
            .into_iter()
            .rev()
            .find_map(|kept| kept.read());
        newest.is_some_and(|kept| {
            kept.debate.progress.status.is_unfinished()
                && kept.debate.progress.updated_at > debate.progress.updated_at
        })
    }

    fn here(&self) -> Past {
        let lost = || {
            Error::failed(
                "nothing tells which debate it is",
                "`anvil undo --list` lists what can be brought back",
            )
        };
        let state = self.load().and_then(|loaded| {
            loaded.filter(|loaded| !loaded.is_lost).map(|loaded| loaded.state).ok_or_else(lost)
        });
        Past { file: self.project().state_file(), location: Location::Here, state }
    }
}

/// The Markdown files of the archive, by name.
pub(crate) fn archived(project: &Project) -> Vec<PathBuf> {
    let is_markdown = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let archives = project.locals().map(|local| local.join("archive"));
    archives.flat_map(|archive| entries(project, &archive)).filter(is_markdown).collect()
}

/// The contents of a folder of the project, by name. Empty if the folder or one on the way to it is
/// a link.
pub(crate) fn entries(project: &Project, folder: &Path) -> Vec<PathBuf> {
    let is_real = |folder: &Path| std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir());
    let root = project.root_of(folder);
    if !folder.ancestors().take_while(|folder| Some(*folder) != root).all(is_real) {
        return Vec::new();
    }
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.collect();
    found.sort_unstable();
    found
}

/// True for the name of a file next to a debate's own: `ID-undone`, `ID-damaged-2`.
fn is_side_file(stem: &str) -> bool {
    let is_id = |name: &str| {
        let ending = name.rsplit('-').next().unwrap_or_default();
        ending.len() == ENDING_CHARS && ending.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_named = |name: &str, is_large: bool| {
        let id = SUFFIXES.iter().find_map(|word| name.strip_suffix(word)?.strip_suffix('-'));
        // The end of a debate's id may look like a large number: then it is no suffix of another
        // id.
        id.is_some_and(|id| !is_large || is_id(id))
    };
    stem.starts_with(UNREADABLE)
        || is_named(stem, false)
        || numbered(stem).is_some_and(|(name, digits)| is_named(name, digits >= ENDING_CHARS))
}

/// True if a file of this name belongs to the debate with this id: its own, another version of it,
/// or one next to it.
pub(crate) fn belongs_to(stem: &str, id: &str) -> bool {
    let has_suffix = |name: &str| {
        name.strip_prefix(id)
            .and_then(|part| part.strip_prefix('-'))
            .is_some_and(|word| SUFFIXES.contains(&word))
    };
    let is_its = |(name, digits)| has_suffix(name) || (name == id && digits < ENDING_CHARS);
    stem == id || has_suffix(stem) || numbered(stem).is_some_and(is_its)
}

/// Splits a name that ends with a number, which was added because the name was taken, into the name
/// and the digits. The four digits after a debate's id are not such a number if they begin with 0.
fn numbered(stem: &str) -> Option<(&str, usize)> {
    let (name, number) = stem.rsplit_once('-')?;
    let is_number =
        !number.starts_with(['0', '+']) && number.parse::<u32>().is_ok_and(|number| number > 1);
    is_number.then_some((name, number.len()))
}

impl StateFile {
    /// The debate of this project that a word names: by its number in the list, its id, or the
    /// beginning or end of the id. `None`: no such debate.
    pub fn past(store: &Store, wanted: &str) -> Result<Option<(Self, PathBuf)>> {
        let project = store.project();
        if !is_safe_id(wanted) {
            return Ok(None);
        }
        let wanted = &*store.id_named(wanted)?;
        // The state file's debate is newer than its version in the archive.
        let mut paths = vec![project.state_file()];
        let in_places = project.others().into_iter().map(|root| root.join(STATE_FILE));
        paths.extend(in_places.filter(|path| path.exists()));
        let places = paths.clone();
        let archived = archived(project).into_iter();
        let begins_so = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(wanted))
        };
        paths.extend(archived.filter(begins_so));
        // A state next to it, such as `<id>-undone.md`, has the id of another file.
        let is_its_own = |path: &Path, id: &str| {
            places.iter().any(|place| place == path)
                || path.file_stem().is_some_and(|stem| stem.to_string_lossy() == id)
        };
        let mut found: Vec<(Self, PathBuf)> = Vec::new();
        let mut other = None;
        for path in paths {
            let Ok(state) = StateFile::read(&path) else { continue };
            let id = &state.debate.id;
            match (id == wanted, is_its_own(&path, id)) {
                (_, true) if found.iter().any(|(found, _)| found.debate.id == *id) => {}
                (true, true) => return Ok(Some((state, path))),
                (true, false) => other = Some((state, path)),
                (false, true) if id.starts_with(wanted) => found.push((state, path)),
                (false, _) => {}
            }
        }
        if other.is_some() {
            return Ok(other);
        }
        // These debates have only checkpoints.
        let known: Vec<String> = found.iter().map(|(state, _)| state.debate.id.clone()).collect();
        let mut orphans = store.with_checkpoints();
        orphans.retain(|id| id.starts_with(wanted) && !known.contains(id));
        for past in orphans.iter().filter_map(|id| store.orphan(id)) {
            found.extend(past.state.ok().map(|state| (state, past.file)));
        }
        if let Some(at) = found.iter().position(|(state, _)| state.debate.id == wanted) {
            return Ok(Some(found.swap_remove(at)));
        }
        if found.len() > 1 {
            let ids = found.into_iter().map(|(state, _)| state.debate.id).collect();
            return Err(ambiguous("begin", wanted, ids));
        }
        Ok(found.pop())
    }
}

/// The order of a list of debates, which numbers them: by the start, then by the last change.
pub fn newest_first(one: &Debate, other: &Debate) -> Ordering {
    let key = |debate: &Debate| {
        (debate.progress.started_at, debate.progress.updated_at, debate.id.clone())
    };
    key(other).cmp(&key(one))
}

fn no_number(wanted: &str, count: usize) -> Error {
    let numbers = match count {
        0 => "this project has none yet".to_owned(),
        1 => "this project has 1".to_owned(),
        _ => format!("this project has {count}"),
    };
    Error::nothing(
        format!("there is no debate number {wanted}: {numbers}"),
        "`anvil history` numbers them",
    )
}

fn ambiguous(verb: &str, wanted: &str, mut ids: Vec<String>) -> Error {
    let count = ids.len();
    ids.sort_unstable();
    ids.truncate(MAX_LISTED);
    Error::usage(
        format!("{count} debates have an id that {verb}s with {wanted}"),
        format!("name one of them: {}", ids.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_files_of_a_debate_differ_from_other_debates() {
        for (stem, is_its) in [
            ("2026-why-0012", true),
            ("2026-why-0012-2", true),
            ("2026-why-0012-undone", true),
            ("2026-why-0012-undone-12", true),
            ("2026-why-0012-unfiled", true),
            ("2026-why-0012-damaged-3", true),
            ("2026-why-0012-0013", false),
            ("2026-why-0012-other", false),
            ("2026-why-00123", false),
            ("2026-why-001", false),
            ("2026-why-0012-1", false),
            ("2026-why-0012-999", true),
            ("2026-why-0012-1000", false),
            ("2026-why-0012-unfiled-1000", true),
            ("2026-why-0012-unfiled-34567", true),
            ("2026-why-0012-unfiled-0013", false),
        ] {
            assert_eq!(belongs_to(stem, "2026-why-0012"), is_its, "{stem}");
        }
        assert!(
            is_side_file("2026-a-0012-undone-2")
                && is_side_file("unreadable-20261121")
                && is_side_file("a-unfiled")
        );
        assert!(!is_side_file("2026-undone-0012") && !is_side_file("2026-why-0012"));
        assert!(
            is_side_file("2026-a-0f12-unfiled-1000") && is_side_file("2026-a-0f12-unfiled-23456")
        );
        assert!(!is_side_file("2026-11-21-undone-1000"), "a debate about what was undone");
    }
}
