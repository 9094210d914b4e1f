//! Snapshots: the states of a debate, one for each step.
//!
//! `NNNN-PHASE-ROUND.md` in the debate's folder is the state that waited for that phase, as it was
//! last written; NNNN is its step. The newest ones stay while the debate is unfinished, the last
//! one after its end. They repair a damaged file, and the user can go back to them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::file::StateFile;
use anvil_core::debate::{Debate, MAX_STEP, Seat};

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
}

/// The name of the snapshot of a debate's current state.
pub(super) fn name(debate: &Debate) -> String {
    let place = debate.progress.place;
    match place.seat {
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            format!("{:04}-{}-{}.md", debate.progress.step, debate.phase(), place.number())
        }
        Seat::Synthesizer | Seat::Judge(_) => format!("{:04}-synthesis.md", debate.progress.step),
    }
}

/// The step of the newest snapshot.
pub(super) fn highest(folder: &Path) -> Option<u32> {
    all(folder).map(|(step, _)| step).max()
}

/// The step and the name of each, in no order.
pub(super) fn all(folder: &Path) -> impl Iterator<Item = (u32, OsString)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name();
        let (step, _) = name.to_str()?.strip_suffix(".md")?.split_once('-')?;
        let step = step.parse().ok().filter(|step| *step <= MAX_STEP)?;
        Some((step, name))
    })
}

/// The snapshots in a debate's folder, the oldest first.
pub(super) fn list(folder: &Path) -> Vec<Snapshot> {
    let mut found: Vec<Snapshot> =
        all(folder).map(|(step, name)| Snapshot { step, path: folder.join(name) }).collect();
    found.sort_unstable();
    found
}

/// The newest snapshot that can be read.
pub(super) fn newest(folder: &Path) -> Option<(PathBuf, StateFile)> {
    list(folder).into_iter().rev().find_map(|kept| Some((kept.path.clone(), kept.read()?)))
}
