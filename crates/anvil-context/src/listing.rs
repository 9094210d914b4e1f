//! The files in a folder.
//!
//! Invariants: hidden files, secrets and the debate's own files are left out; those near the top
//! come first.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{GATHERING, names, secrets};
use anvil_store::{LOCK_NAME, STATE_FILE_NAME};
use anvil_text::group;

/// Most files of a list.
pub(super) const MAX_FILES: usize = 20_000;

/// Deepest folder that is searched.
pub(super) const MAX_DEPTH: usize = 40;

/// The contents of a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Files by their paths in the folder, those near the top first.
    pub files: Vec<PathBuf>,
    /// Files that look like secrets.
    pub secrets: Vec<PathBuf>,
    /// The folder has more than the limit.
    pub is_cut: bool,
    /// The time was too short for the whole folder.
    pub is_late: bool,
    /// Folders that are repositories of their own.
    pub repositories: Vec<PathBuf>,
    /// Files with names that are not UTF-8.
    pub not_utf8: usize,
    /// git took too long even for the tracked files, so nothing is known.
    pub is_unlisted: bool,
    /// Why the list is not from git although the folder is in a checkout.
    pub note: Option<String>,
}

impl Listing {
    /// Adds a file, unless it is hidden, a secret, or the debate's own.
    pub(crate) fn add(&mut self, root: &Path, path: PathBuf) {
        if is_own(&root.join(&path))
            || path.parent().is_some_and(|above| above.iter().any(is_hidden))
        {
            return;
        }
        if secrets::looks_secret(&path) {
            self.secrets.push(path);
        } else if !path.file_name().is_some_and(is_hidden) {
            self.files.push(path);
        }
    }

    /// Sorts those near the top first, each by name, and each once.
    pub(crate) fn sort(&mut self) {
        for paths in [&mut self.files, &mut self.secrets] {
            paths.sort_unstable();
            paths.dedup();
            paths.sort_by_key(|path| path.components().count());
        }
    }

    /// The omitted files, a phrase for each group.
    pub(crate) fn left_out(&self, label: &str) -> Vec<String> {
        let mut out = Vec::new();
        if self.is_unlisted {
            out.push(format!("{label}: git took too long to list it"));
        }
        if self.is_cut {
            out.push(format!("{label}: more than the first {} entries", group(MAX_FILES)));
        }
        if self.is_late {
            let seconds = GATHERING.as_secs();
            out.push(format!("{label}: what was not scanned within {seconds} s"));
        }
        match &self.secrets[..] {
            [] => {}
            [one] => out.push(format!("{} in {label}: looks like a secret", names::line(one))),
            more => out.push(format!("{} files in {label}: look like secrets", group(more.len()))),
        }
        match &self.repositories[..] {
            [] => {}
            [one] => {
                out.push(format!("{} in {label}: is a repository of its own", names::line(one)));
            }
            more => out.push(format!(
                "{} folders in {label}: are repositories of their own",
                group(more.len())
            )),
        }
        match self.not_utf8 {
            0 => {}
            1 => out.push(format!("1 file in {label}: its name is not UTF-8")),
            more => {
                out.push(format!("{} files in {label}: their names are not UTF-8", group(more)));
            }
        }
        out
    }
}

/// True for hidden files, except GitHub's folder.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") && name != ".github"
}

/// True for the files of a debate: `.claude/anvil…`, and those in a folder of `--dir`.
pub(super) fn is_own(path: &Path) -> bool {
    let mut parts = names::parts(path);
    let mut is_in_claude = false;
    parts.any(|part| {
        let is_claude = part == ".claude";
        [STATE_FILE_NAME, LOCK_NAME].contains(&&*part)
            || std::mem::replace(&mut is_in_claude, is_claude) && part.starts_with("anvil")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debates_own_files_are_recognized() {
        for own in [
            "/p/.claude/anvil-state.local.md",
            ".claude/anvil",
            "a/.claude/anvil.local/debates/x.md",
            "anvil-state.local.md",
            "a/anvil-state.lock.local.md",
        ] {
            assert!(is_own(Path::new(own)), "{own}");
        }
        for other in [
            ".claude/settings.json",
            "anvil/.claude",
            ".claude/commands/anvil.md",
            "anvil/state.md",
        ] {
            assert!(!is_own(Path::new(other)), "{other}");
        }
    }
}
