//! Snapshots: the states of a debate, one for each step.
//!
//! `NNNN-PHASE-ROUND.md` in the debate's folder is the state that waited for that phase, as it was
//! last written; NNNN is its step. The newest ones stay while the debate is unfinished, the last
//! one after its end. They repair a damaged file, and the user can go back to them. One of a
//! finished debate stays until a later finished state has all of its words: a verdict is never
//! dropped.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::file::StateFile;
use super::file::read::Beginning;
use crate::error::StoreError;
use anvil_core::debate::{Debate, Status};
use anvil_core::limits::MAX_STEP;
use anvil_core::place::Seat;
use anvil_text::error::Result;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    /// The step of the debate; `anvil undo --to` takes it.
    pub step: u32,
    pub path: PathBuf,
}

impl Snapshot {
    /// `None`: the snapshot itself is damaged.
    pub fn read(&self) -> Option<StateFile> {
        StateFile::read(&self.path)
            .ok()
            .filter(|state| state.newer_schema.is_none() && state.body.ends_with('\n'))
    }

    /// The state, if its debate was finished then. Reads no transcript of another one. An error: it
    /// may have been, but can't be read now.
    fn read_finished(&self) -> Result<Option<StateFile>> {
        let Some(mut beginning) = Beginning::read(&self.path)? else { return Ok(None) };
        let head = std::str::from_utf8(&beginning.head).ok();
        let head = head.and_then(|head| StateFile::parse_head(head).ok()).filter(|head| {
            head.debate.status() == Status::Completed && head.newer_schema.is_none()
        });
        let Some(head) = head else { return Ok(None) };
        let body = String::from_utf8(beginning.take_body()?).ok();
        let body = body.filter(|body| body.ends_with('\n'));
        Ok(body.map(|body| StateFile { body, ..head }))
    }
}

/// The name of the snapshot of a debate's current state.
pub(super) fn name(debate: &Debate) -> String {
    let place = debate.place();
    match place.seat {
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            format!("{:04}-{}-{}.md", debate.step(), debate.phase(), place.number())
        }
        Seat::Synthesizer | Seat::Judge(_) => format!("{:04}-synthesis.md", debate.step()),
    }
}

/// The step of the newest snapshot.
pub(super) fn highest(folder: &Path) -> Option<u32> {
    all(folder).map(|(step, _)| step).max()
}

/// The step and the name of each, in no order.
pub(super) fn all(folder: &Path) -> impl Iterator<Item = (u32, OsString)> {
    read_names(folder).unwrap_or_default().into_iter()
}

/// An error: the folder can't be listed now.
fn read_names(folder: &Path) -> io::Result<Vec<(u32, OsString)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let step = name.to_str().and_then(|name| name.strip_suffix(".md")?.split_once('-'));
        let step = step.and_then(|(step, _)| step.parse().ok()).filter(|step| *step <= MAX_STEP);
        names.extend(step.map(|step| (step, name)));
    }
    Ok(names)
}

/// The finished states that this state of the debate has not: it goes on from them, or they were
/// undone. The newest first. An error for one that can't be read now.
pub(super) fn finished_states(
    folder: &Path,
    now: &StateFile,
) -> Result<impl Iterator<Item = Result<(Snapshot, StateFile)>>> {
    let names =
        read_names(folder).map_err(|error| StoreError::Unlisted(folder.to_owned(), error))?;
    Ok(sorted(folder, names).into_iter().rev().filter_map(|kept| {
        let finished = read_finished_before(&kept, now).transpose()?;
        Some(finished.map(|finished| (kept, finished)))
    }))
}

/// True for the snapshot of a finished state that this one has not, and for one that can't be read
/// now.
pub(super) fn may_be_finished_before(kept: &Snapshot, now: &StateFile) -> bool {
    !matches!(read_finished_before(kept, now), Ok(None))
}

fn read_finished_before(kept: &Snapshot, now: &StateFile) -> Result<Option<StateFile>> {
    if kept.path.file_name().is_some_and(|file| *file == *name(&now.debate)) {
        return Ok(None);
    }
    let is_finished = now.debate.status() == Status::Completed;
    let has_all = |kept: &StateFile| is_finished && now.body.starts_with(&kept.body);
    Ok(kept.read_finished()?.filter(|kept| !has_all(kept)))
}

/// The snapshots in a debate's folder, the oldest first.
pub(super) fn list(folder: &Path) -> Vec<Snapshot> {
    sorted(folder, all(folder))
}

fn sorted(folder: &Path, names: impl IntoIterator<Item = (u32, OsString)>) -> Vec<Snapshot> {
    let all = names.into_iter().map(|(step, name)| Snapshot { step, path: folder.join(name) });
    let mut found: Vec<Snapshot> = all.collect();
    found.sort_unstable();
    found
}

/// The newest snapshot that can be read.
pub(super) fn newest(folder: &Path) -> Option<(PathBuf, StateFile)> {
    list(folder).into_iter().rev().find_map(|kept| Some((kept.path.clone(), kept.read()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_can_not_be_listed_may_have_a_finished_state() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs_err::write(&file, "").unwrap();
        let now = crate::store::tests::new_state("one", "Why?");
        assert_eq!(finished_states(&temp.path().join("none"), &now).unwrap().count(), 0);
        assert!(finished_states(&file, &now).is_err());
    }
}
