//! Checkpoints: the states of a debate, the newest one for each step.
//!
//! `NNNN-PHASE-ROUND.md` in the debate's folder is the state that waited for that phase, as it was
//! last written; NNNN is its step. A debate runs without checkpoints. They repair a damaged file,
//! and the user can go back to them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::file::StateFile;
use crate::domain::debate::{Debate, MAX_STEP, Phase};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The step of the debate; `anvil undo --to` takes it.
    pub number: u32,
    pub path: PathBuf,
}

impl Checkpoint {
    /// `None`: the checkpoint itself is damaged.
    pub fn read(&self) -> Option<StateFile> {
        let is_whole =
            |state: &StateFile| state.newer_schema.is_none() && state.body.ends_with('\n');
        StateFile::read(&self.path).ok().filter(is_whole)
    }
}

/// The path to which a checkpoint moves when the user's edited state takes its path.
pub(super) fn as_written(checkpoint: &Path) -> PathBuf {
    let stem = checkpoint.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    checkpoint.with_file_name(format!("{stem}-as-written.md"))
}

/// The name of the checkpoint of a debate's current state.
pub(super) fn name(debate: &Debate) -> String {
    let slot = debate.progress.slot;
    match slot.phase {
        Phase::Advocate
        | Phase::Critic
        | Phase::Stakeholder
        | Phase::Persona
        | Phase::Option
        | Phase::Attack => {
            format!("{:04}-{}-{}.md", debate.progress.step, slot.phase.word(), slot.round)
        }
        Phase::Synthesizer => format!("{:04}-synthesis.md", debate.progress.step),
    }
}

/// The number of the newest checkpoint.
pub(super) fn highest(folder: &Path) -> Option<u32> {
    all(folder).map(|kept| kept.number).max()
}

fn all(folder: &Path) -> impl Iterator<Item = Checkpoint> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let path = entry.path();
        let name = path.file_name()?.to_str()?.strip_suffix(".md")?;
        let number = name.split_once('-')?.0.parse().ok().filter(|number| *number <= MAX_STEP)?;
        Some(Checkpoint { number, path })
    })
}

/// The checkpoints in a debate's folder, the oldest first.
pub(super) fn list(folder: &Path) -> Vec<Checkpoint> {
    let mut found: Vec<Checkpoint> = all(folder).collect();
    found.sort_by_cached_key(|kept| (kept.number, modified(&kept.path), kept.path.clone()));
    found
}

/// The newest checkpoint that can be read.
pub(super) fn newest(folder: &Path) -> Option<(PathBuf, StateFile)> {
    list(folder).into_iter().rev().find_map(|kept| Some((kept.path.clone(), kept.read()?)))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(path).and_then(|meta| meta.modified()).ok()
}
