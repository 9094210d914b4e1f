//! Debates of before: in the archive, or still in their place.

use std::path::{Path, PathBuf};

use super::id::is_safe_id;
use super::read::read_file;
use super::{Project, StateFile, Store};
use crate::error::{Error, Result};

/// Most names that an error lists.
const MOST_LISTED: usize = 5;

/// What follows an id in the names of the files beside a debate's own. A text that is no debate can be among them.
const BESIDE: [&str; 5] = ["block", "damaged", "replaced", "undone", "unfiled"];

/// Begins the name of a file that was moved away because nothing could be read of it.
pub(super) const UNREADABLE: &str = "unreadable-";

/// A file in which a debate lies.
#[derive(Debug)]
pub struct Past {
    /// Where.
    pub file: PathBuf,
    /// In its place, not in the archive.
    pub is_here: bool,
    /// What it holds, or why that can't be told.
    pub state: Result<StateFile>,
}

impl Store {
    /// The debate in its place, then those of the archive; each file is read once, when it is asked for. A file that can't be read is
    /// among them, what lies beside a debate is not.
    pub fn past(&self) -> impl Iterator<Item = Past> {
        let here = self.has_file().then(|| self.here());
        let id = here.as_ref().and_then(|here| here.state.as_ref().ok()).map(|state| state.debate.id.clone());
        let archived = archived(self.project()).into_iter().filter_map(move |file| {
            let stem = file.file_stem()?.to_str()?.to_owned();
            let state = read(&file);
            let is_told = match &state {
                // Where a state was brought back, the one in the archive is of before.
                Ok(state) => state.debate.id == stem && id.as_ref() != Some(&stem),
                Err(_) => !is_beside(&stem),
            };
            is_told.then_some(Past { file, is_here: false, state })
        });
        here.into_iter().chain(archived)
    }

    fn here(&self) -> Past {
        let lost =
            || Error::failed("nothing tells which debate it is", "`anvil checkpoints` lists what can be brought back");
        let state = self
            .load()
            .and_then(|loaded| loaded.filter(|loaded| !loaded.is_lost).map(|loaded| loaded.state).ok_or_else(lost));
        Past { file: self.project().state_file(), is_here: true, state }
    }
}

/// The Markdown files of the archive, by name.
pub(super) fn archived(project: &Project) -> Vec<PathBuf> {
    let is_markdown = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    entries(project, &project.archive()).into_iter().filter(is_markdown).collect()
}

/// What lies in a folder of the project, by name. Nothing, where the folder or one on the way to it is a link.
pub(super) fn entries(project: &Project, folder: &Path) -> Vec<PathBuf> {
    let is_real = |folder: &Path| std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir());
    if !folder.ancestors().take_while(|folder| *folder != project.root()).all(is_real) {
        return Vec::new();
    }
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = found.collect();
    found.sort();
    found
}

/// True for the name of a file that is not a debate's own: `ID-undone`, `ID-damaged-2`.
fn is_beside(stem: &str) -> bool {
    stem.starts_with(UNREADABLE) || BESIDE.iter().any(|word| without_number(stem).ends_with(&format!("-{word}")))
}

/// True when a file of this name belongs to the debate with this id: its own, another one of it, or one beside it.
pub(super) fn belongs_to(stem: &str, id: &str) -> bool {
    let is_its = |name: &str| {
        name.strip_prefix(id)
            .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(|word| BESIDE.contains(&word)))
    };
    is_its(stem) || is_its(without_number(stem))
}

/// A name without the number that tells it from one that was taken. The four digits behind a debate's id are none.
fn without_number(stem: &str) -> &str {
    match stem.rsplit_once('-') {
        Some((name, number)) if number.len() < 4 && number.parse::<u32>().is_ok_and(|number| number > 1) => name,
        _ => stem,
    }
}

impl StateFile {
    /// The debate of this project with this id, or with an id that alone begins so. `None`: there is none.
    pub fn past(project: &Project, wanted: &str) -> Result<Option<Self>> {
        if !is_safe_id(wanted) {
            return Ok(None);
        }
        // Of the debate in its place, what lies in the archive is older.
        let mut paths = vec![project.state_file()];
        let archived = entries(project, &project.archive()).into_iter();
        let begins_so =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(wanted));
        paths.extend(archived.filter(begins_so));
        // A state beside it, such as `<id>-undone.md`, has the id of another file.
        let is_its_own = |path: &Path, id: &str| {
            path == project.state_file() || path.file_stem().is_some_and(|stem| stem.to_string_lossy() == id)
        };
        let mut found: Vec<Self> = Vec::new();
        let mut beside = None;
        for path in paths {
            let Ok(state) = read(&path) else { continue };
            let id = &state.debate.id;
            match (id == wanted, is_its_own(&path, id)) {
                (_, true) if found.iter().any(|found| found.debate.id == *id) => {}
                (true, true) => return Ok(Some(state)),
                (true, false) => beside = Some(state),
                (false, true) if id.starts_with(wanted) => found.push(state),
                (false, _) => {}
            }
        }
        if beside.is_some() {
            return Ok(beside);
        }
        if found.len() > 1 {
            let mut ids: Vec<&str> = found.iter().map(|state| state.debate.id.as_str()).collect();
            ids.sort_unstable();
            ids.truncate(MOST_LISTED);
            return Err(Error::usage(
                format!("{} debates begin with {wanted}", found.len()),
                format!("name one of them: {}", ids.join(", ")),
            ));
        }
        Ok(found.pop())
    }
}

/// A file of before.
fn read(path: &Path) -> Result<StateFile> {
    let gone = || Error::failed("it is gone", "list them again");
    let bytes = read_file(path)?.ok_or_else(gone)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::failed("it is not UTF-8", "it is left untouched; a checkpoint may hold the debate"))?;
    StateFile::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_beside_a_debate_are_told_from_those_of_others() {
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
        ] {
            assert_eq!(belongs_to(stem, "2026-why-0012"), is_its, "{stem}");
        }
        assert!(is_beside("2026-a-0012-undone-2") && is_beside("unreadable-20261121") && is_beside("a-unfiled"));
        assert!(!is_beside("2026-undone-0012") && !is_beside("2026-why-0012"));
    }
}
