//! Checkpoints: the states a debate was in, one for each step, newest for each.
//!
//! `NNNN-PHASE-ROUND.md` in the debate's folder is the state that waited for that phase, as it was last written; NNNN is its
//! step. Beside them lies the log. Nothing here is needed to run a debate: it is what a damaged file is repaired from, and what
//! the user goes back to.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Project;
use super::file::StateFile;
use crate::debate::{Debate, MAX_STEP, Phase};

/// Most folders of debates that are looked through for the newest one.
const MOST_DEBATES: usize = 10_000;

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The step of the debate; what `anvil restore` takes.
    pub number: u32,
    /// Where it lies.
    pub path: PathBuf,
}

impl Checkpoint {
    /// The state it holds. `None`: it is damaged itself.
    #[must_use]
    pub fn read(&self) -> Option<StateFile> {
        let bytes = super::read::read_file(&self.path).ok().flatten()?;
        let text = String::from_utf8(bytes).ok()?;
        StateFile::parse(&text).ok().filter(|state| state.newer_schema.is_none() && state.body.ends_with('\n'))
    }
}

/// Where a checkpoint goes whose place is taken by what the user made of it.
pub(super) fn as_written(checkpoint: &Path) -> PathBuf {
    let stem = checkpoint.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    checkpoint.with_file_name(format!("{stem}-as-written.md"))
}

/// The folder of a debate's checkpoints.
pub(super) fn folder(project: &Project, id: &str) -> PathBuf {
    project.checkpoints().join(id)
}

/// The empty file that is there while reports of a completed debate are to be written.
pub(super) fn reports_due(project: &Project, id: &str) -> PathBuf {
    folder(project, id).join("reports-due")
}

/// The folders of a debate's checkpoints: that in which new ones are made, then that of earlier versions.
pub(super) fn folders(project: &Project, id: &str) -> impl Iterator<Item = PathBuf> {
    project.locals().map(move |local| local.join("checkpoints").join(id))
}

/// Where the state that a debate is in now is kept, or was by an earlier version.
pub(super) fn paths(project: &Project, debate: &Debate) -> impl Iterator<Item = PathBuf> {
    let path = path(project, debate);
    let name = path.file_name().map(std::ffi::OsStr::to_owned).unwrap_or_default();
    folders(project, &debate.id).map(move |folder| folder.join(&name))
}

/// Where the state that a debate is in now is kept.
pub(super) fn path(project: &Project, debate: &Debate) -> PathBuf {
    let slot = debate.progress.slot;
    let name = match slot.phase {
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
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
            let number = name.split_once('-')?.0.parse().ok().filter(|number| *number <= MAX_STEP)?;
            Some(Checkpoint { number, path })
        })
        .collect();
    found.sort_by(|one, other| {
        let key = |checkpoint: &Checkpoint| (modified(&checkpoint.path), checkpoint.path.clone());
        one.number.cmp(&other.number).then_with(|| key(one).cmp(&key(other)))
    });
    found
}

/// The debate that was changed last here, as far as its checkpoints tell, and that is not among `others`. A folder without any is
/// that of a start that failed.
pub(super) fn newest_debate(project: &Project, others: &[String]) -> Option<String> {
    debates(project).into_iter().find(|id| !others.contains(id) && !list(project, id).is_empty())
}

/// The ids of the debates that have a folder here, the one that was changed last first.
pub(super) fn debates(project: &Project) -> Vec<String> {
    let of_all = project.locals().flat_map(|local| files(&local.join("checkpoints")));
    let mut folders: Vec<_> = of_all.take(MOST_DEBATES).collect();
    folders.sort_by_cached_key(|folder| std::cmp::Reverse(modified(folder)));
    folders.iter().filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())).collect()
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path()))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::symlink_metadata(path).and_then(|meta| meta.modified()).ok()
}

/// True when a checkpoint is the state file as it stands: nobody has changed that since.
pub(super) fn is_fresh(checkpoint: &Path, state_file: &Path) -> bool {
    let facts = |path: &Path| std::fs::symlink_metadata(path).and_then(|meta| Ok((meta.len(), meta.modified()?)));
    match (facts(checkpoint), facts(state_file)) {
        (Ok((kept_len, kept)), Ok((len, changed))) => kept_len == len && kept >= changed,
        _ => false,
    }
}
