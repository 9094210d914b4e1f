//! A walk through a folder: what a person's tools would show of it.
//!
//! Invariants: what git ignores, hidden files, secrets and the debate's own files are left out; links are not followed; nothing
//! is opened; a bounded number of entries is looked at, those near the top first.

use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::ignored::Ignored;
use super::secrets;
use crate::say;

/// Most entries that are looked at.
const MAX_VISITED: usize = 20_000;

/// Deepest folder that is looked into.
pub(super) const MAX_DEPTH: usize = 40;

/// A file or folder that was found. Folders come before files, each by name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// It is a file.
    pub(super) is_file: bool,
    /// Its path in the folder that is walked through.
    pub(super) path: PathBuf,
}

/// A folder that was looked into.
#[derive(Debug)]
pub(super) struct Folder {
    /// Its entry; `None`: where the walk begins.
    entry: Option<usize>,
    /// Its own entries.
    entries: Range<usize>,
    /// Files in it and below.
    pub(super) files: usize,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The entries, folder after folder from the top down.
    pub(super) entries: Vec<Entry>,
    /// The folders in the same order.
    pub(super) folders: Vec<Folder>,
    /// Files that look like secrets.
    pub(super) secrets: Vec<PathBuf>,
    /// There was more than is looked at.
    pub(super) is_cut: bool,
}

impl Walk {
    /// Walks through a folder, `deepest` levels down.
    pub(super) fn through(root: &Path, ignored: &Ignored, deepest: usize) -> Self {
        Self::bounded(root, ignored, deepest, MAX_VISITED)
    }

    fn bounded(root: &Path, ignored: &Ignored, deepest: usize, most: usize) -> Self {
        let mut walk = Self::default();
        let mut visited = 0;
        let mut waiting = VecDeque::from([(None, ignored.clone(), 1)]);
        while let Some((at, ignored, depth)) = waiting.pop_front() {
            let folder = at.map_or_else(PathBuf::new, |at: usize| walk.entries[at].path.clone());
            let mut found = BinaryHeap::new();
            for entry in std::fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
                if visited == most {
                    walk.is_cut = true;
                    break;
                }
                visited += 1;
                // Of a link, this is the type of the link.
                let Ok(kind) = entry.file_type() else { continue };
                let path = folder.join(entry.file_name());
                let whole = root.join(&path);
                if !(kind.is_dir() || kind.is_file())
                    || is_hidden(&entry.file_name().to_string_lossy())
                    || is_own(&whole)
                    || ignored.ignores(&whole, kind.is_dir())
                {
                    continue;
                }
                if kind.is_file() && secrets::looks_secret(&path) || kind.is_dir() && secrets::is_secret_folder(&path) {
                    walk.secrets.push(path);
                } else {
                    found.push(Entry { path, is_file: kind.is_file() });
                }
            }
            let start = walk.entries.len();
            walk.entries.extend(found.into_sorted_vec());
            for at in start..walk.entries.len() {
                let entry = &walk.entries[at];
                if !entry.is_file && depth < deepest {
                    waiting.push_back((Some(at), ignored.within(&root.join(&entry.path)), depth + 1));
                }
            }
            walk.folders.push(Folder { entry: at, entries: start..walk.entries.len(), files: 0 });
        }
        walk.count();
        walk
    }

    /// Counts the files of every folder, from the deepest up.
    fn count(&mut self) {
        for at in (0..self.folders.len()).rev() {
            let range = self.folders[at].entries.clone();
            let own = self.entries[range.clone()].iter().filter(|entry| entry.is_file).count();
            let below = self.within(at).map(|inner| self.folders[inner].files).sum::<usize>();
            self.folders[at].files = own + below;
        }
    }

    /// The folders that were looked into within a folder.
    fn within(&self, at: usize) -> impl Iterator<Item = usize> {
        let range = &self.folders[at].entries;
        let start = self.folders.partition_point(|folder| folder.entry < Some(range.start));
        let end = self.folders.partition_point(|folder| folder.entry < Some(range.end));
        start..end
    }

    /// The number of the folder that an entry is.
    pub(super) fn folder_of(&self, entry: usize) -> Option<usize> {
        self.folders.binary_search_by_key(&Some(entry), |folder| folder.entry).ok()
    }

    /// The entries of a folder, with their numbers.
    pub(super) fn entries_of(&self, folder: usize) -> impl ExactSizeIterator<Item = (usize, &Entry)> {
        let range = self.folders.get(folder).map_or(0..0, |folder| folder.entries.clone());
        self.entries[range.clone()].iter().enumerate().map(move |(at, entry)| (range.start + at, entry))
    }

    /// What was left out, a phrase each.
    pub(super) fn left_out(&self, label: &str) -> Vec<String> {
        let mut out = Vec::new();
        if self.is_cut {
            out.push(format!("{label}: more than the first {} entries", say::group(MAX_VISITED)));
        }
        match &self.secrets[..] {
            [] => {}
            [one] => out.push(format!("{} in {label}: looks like a secret", say::clean(&one.to_string_lossy(), 200))),
            more => out.push(format!("{} files in {label}: look like secrets", more.len())),
        }
        out
    }
}

/// Hidden files, but for the folder of GitHub's. What holds a secret is to be named, not passed over.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && name != ".github" && !secrets::looks_secret(Path::new(name))
}

/// True for what the debate itself keeps: `.claude/anvil…`.
pub(super) fn is_own(path: &Path) -> bool {
    let mut parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let mut before = parts.next();
    parts.any(|part| before.replace(part.clone()).is_some_and(|above| above == ".claude") && part.starts_with("anvil"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(walk: &Walk) -> Vec<String> {
        walk.entries.iter().map(|entry| entry.path.display().to_string()).collect()
    }

    #[test]
    fn what_nobody_wants_is_left_out() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("project");
        for file in [
            ".gitignore",
            "a.rs",
            "target/x.rs",
            "sub/b.rs",
            "sub/gone.rs",
            "sub/.gitignore",
            ".hidden/c.rs",
            ".env",
            "keys/server.pem",
            ".github/workflows/ci.yml",
            ".env.example",
        ] {
            fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs_err::write(root.join(file), "target/\n").unwrap();
        }
        fs_err::write(root.join("sub/.gitignore"), "gone.rs\n").unwrap();
        #[cfg(unix)]
        {
            fs_err::write(temp.path().join("outside.rs"), "").unwrap();
            std::os::unix::fs::symlink("../outside.rs", root.join("link.rs")).unwrap();
            std::os::unix::fs::symlink("..", root.join("up")).unwrap();
            nix::unistd::mkfifo(&root.join("pipe.rs"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        let walk = Walk::through(&root, &Ignored::at(&root, &root, None), MAX_DEPTH);
        let expected = [".github", "keys", "sub", "a.rs", ".github/workflows", "sub/b.rs", ".github/workflows/ci.yml"];
        assert_eq!(names(&walk), expected);
        assert_eq!(walk.left_out("./"), ["2 files in ./: look like secrets"]);
        let flat = Walk::through(&root, &Ignored::at(&root, &root, None), 1);
        assert_eq!(names(&flat), [".github", "keys", "sub", "a.rs"]);
    }

    #[test]
    fn a_walk_ends() {
        let temp = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs_err::write(temp.path().join(format!("{number}.rs")), "").unwrap();
        }
        let walk = Walk::bounded(temp.path(), &Ignored::default(), MAX_DEPTH, 7);
        assert_eq!((walk.entries.len(), walk.is_cut), (7, true));
        assert_eq!(walk.left_out("src/"), ["src/: more than the first 20,000 entries"]);
        assert!(!Walk::bounded(temp.path(), &Ignored::default(), MAX_DEPTH, 20).is_cut);
        let mut deep = temp.path().to_owned();
        for _ in 0..200 {
            deep.push("d");
        }
        fs_err::create_dir_all(&deep).unwrap();
        let walk = Walk::through(temp.path(), &Ignored::default(), MAX_DEPTH);
        assert_eq!(walk.entries.iter().filter(|entry| !entry.is_file).count(), MAX_DEPTH);
    }

    #[test]
    fn the_debates_own_files_are_told() {
        for own in ["/p/.claude/anvil-state.local.md", ".claude/anvil", "a/.claude/anvil-archive/x"] {
            assert!(is_own(Path::new(own)), "{own}");
        }
        for other in [".claude/settings.json", "anvil/.claude", ".claude/commands/anvil.md", "anvil-state.local.md"] {
            assert!(!is_own(Path::new(other)), "{other}");
        }
    }
}
