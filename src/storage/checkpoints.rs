//! Checkpoints: the states of a debate, the newest one for each step.
//!
//! `NNNN-PHASE-ROUND.md` in the debate's folder is the state that waited for that phase, as it was
//! last written; NNNN is its step. The original of a document that the debate revises lies in the
//! same folder. A debate runs without checkpoints. They repair a damaged file, and the user can go
//! back to them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Project;
use super::file::StateFile;
use crate::domain::debate::{Debate, MAX_STEP, Phase};

/// Most folders of debates that are searched for the newest one.
const MAX_DEBATES: usize = 10_000;

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

pub(super) fn folder(project: &Project, id: &str) -> PathBuf {
    project.checkpoints().join(id)
}

/// The empty file that exists while reports of a completed debate have to be written.
pub(super) fn reports_due(project: &Project, id: &str) -> PathBuf {
    folder(project, id).join("reports-due")
}

/// The folders of a debate's checkpoints: the one for new checkpoints, then that of earlier
/// versions.
pub(super) fn folders(project: &Project, id: &str) -> impl Iterator<Item = PathBuf> {
    project.locals().map(move |local| local.join("checkpoints").join(id))
}

/// The document that a debate revises, as it was at the start.
pub(super) fn original(project: &Project, id: &str, sha256: &str) -> PathBuf {
    folder(project, id).join(format!("original-{sha256}"))
}

/// The paths of the debate's current state: today's, and that of an earlier version.
pub(super) fn paths(project: &Project, debate: &Debate) -> impl Iterator<Item = PathBuf> {
    let path = path(project, debate);
    let name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    folders(project, &debate.id).map(move |folder| folder.join(&name))
}

/// The path of the debate's current state.
pub(super) fn path(project: &Project, debate: &Debate) -> PathBuf {
    let slot = debate.progress.slot;
    let name = match slot.phase {
        Phase::Advocate
        | Phase::Critic
        | Phase::Stakeholder
        | Phase::Persona
        | Phase::Option
        | Phase::Attack => {
            format!("{:04}-{}-{}.md", debate.progress.step, slot.phase.word(), slot.round)
        }
        Phase::Synthesizer => format!("{:04}-synthesis.md", debate.progress.step),
    };
    folder(project, &debate.id).join(name)
}

/// A debate's checkpoints, the oldest first.
pub(super) fn list(project: &Project, id: &str) -> Vec<Checkpoint> {
    let mut found: Vec<Checkpoint> = folders(project, id)
        .flat_map(|folder| files(&folder))
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".md")?;
            let number =
                name.split_once('-')?.0.parse().ok().filter(|number| *number <= MAX_STEP)?;
            Some(Checkpoint { number, path })
        })
        .collect();
    found.sort_by(|one, other| {
        let key = |checkpoint: &Checkpoint| (modified(&checkpoint.path), checkpoint.path.clone());
        one.number.cmp(&other.number).then_with(|| key(one).cmp(&key(other)))
    });
    found
}

/// The debate that changed last here, by its checkpoints. The debates in `others` do not count. A
/// failed start leaves a folder without checkpoints.
pub(super) fn newest_debate(project: &Project, others: &[String]) -> Option<String> {
    let of_all = project.locals().flat_map(|local| files(&local.join("checkpoints")));
    let mut folders: Vec<_> = of_all.take(MAX_DEBATES).collect();
    folders.sort_by_cached_key(|folder| std::cmp::Reverse(modified(folder)));
    let mut ids = folders.iter().filter_map(|folder| folder.file_name()?.to_str());
    let is_found =
        |id: &&str| !others.iter().any(|other| other == id) && !list(project, id).is_empty();
    ids.find(is_found).map(str::to_owned)
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(path).and_then(|meta| meta.modified()).ok()
}

/// True if the state file was not changed since this checkpoint was made from it.
pub(super) fn is_fresh(checkpoint: &Path, state_file: &Path) -> bool {
    let facts = |path: &Path| {
        std::fs::symlink_metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?))).ok()
    };
    let both = facts(checkpoint).zip(facts(state_file));
    both.is_some_and(|((kept_len, kept), (len, changed))| kept_len == len && kept >= changed)
}
