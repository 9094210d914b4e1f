//! Debates of before: in the archive, or still in their place.

use std::path::Path;

use super::id::is_safe_id;
use super::read::MAX_STATE_BYTES;
use super::{Project, StateFile};
use crate::error::{Error, Result};

/// Most names that an error lists.
const MOST_LISTED: usize = 5;

impl StateFile {
    /// The debate of this project with this id, or with an id that alone begins so. `None`: there is none.
    pub fn past(project: &Project, wanted: &str) -> Result<Option<Self>> {
        if !is_safe_id(wanted) {
            return Ok(None);
        }
        let archived = std::fs::read_dir(project.archive()).into_iter().flatten().flatten();
        let mut paths: Vec<_> = archived
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(wanted)))
            .collect();
        paths.sort();
        paths.push(project.state_file());
        // A state beside it, such as `<id>-undone.md`, has the id of another file.
        let is_its_own = |path: &Path, id: &str| {
            path == project.state_file() || path.file_stem().is_some_and(|stem| stem.to_string_lossy() == id)
        };
        let mut found: Vec<Self> = Vec::new();
        let mut beside = None;
        for path in paths {
            let Some(state) = read(&path) else { continue };
            let id = &state.debate.id;
            match (id == wanted, is_its_own(&path, id)) {
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
            let ids: Vec<&str> = found.iter().take(MOST_LISTED).map(|state| state.debate.id.as_str()).collect();
            return Err(Error::usage(
                format!("{} debates begin with {wanted}", found.len()),
                format!("name one of them: {}", ids.join(", ")),
            ));
        }
        Ok(found.pop())
    }
}

/// A file of before. What is no debate is passed over.
fn read(path: &Path) -> Option<StateFile> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_STATE_BYTES {
        return None;
    }
    StateFile::parse(&fs_err::read_to_string(path).ok()?).ok()
}
