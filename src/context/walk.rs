//! A walk through a folder: what a person's tools would show of it.
//!
//! Invariants: what git ignores, hidden files, secrets and the debate's own files are left out; links are not followed; nothing
//! is opened; a bounded number of entries is looked at, those near the top first.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use super::ignored::Ignored;
use super::secrets;
use crate::say;

/// Most entries that are looked at.
const MAX_VISITED: usize = 20_000;

/// Deepest folder that is looked into.
pub(super) const MAX_DEPTH: usize = 40;

/// A file or folder that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path in the folder that is walked through.
    pub(super) path: PathBuf,
    /// It is a folder.
    pub(super) is_folder: bool,
}

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The entries, folder after folder from the top down, in each by name.
    pub(super) entries: Vec<Entry>,
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
        let mut waiting = VecDeque::from([(PathBuf::new(), ignored.clone(), 1)]);
        while let Some((folder, ignored, depth)) = waiting.pop_front() {
            let Ok(listed) = std::fs::read_dir(root.join(&folder)) else { continue };
            let mut found = Vec::new();
            for entry in listed.flatten() {
                if visited == most {
                    walk.is_cut = true;
                    break;
                }
                visited += 1;
                // Of a link, this is the type of the link.
                let Ok(kind) = entry.file_type() else { continue };
                let path = folder.join(entry.file_name());
                if !(kind.is_dir() || kind.is_file())
                    || is_hidden(&entry.file_name().to_string_lossy())
                    || is_own(&root.join(&path))
                    || ignored.ignores(&root.join(&path), kind.is_dir())
                {
                    continue;
                }
                if kind.is_file() && secrets::looks_secret(&path) || kind.is_dir() && secrets::is_secret_folder(&path) {
                    walk.secrets.push(path);
                    continue;
                }
                found.push(Entry { path, is_folder: kind.is_dir() });
            }
            found.sort_by(|one, other| one.path.cmp(&other.path));
            for entry in found {
                if entry.is_folder && depth < deepest {
                    waiting.push_back((entry.path.clone(), ignored.within(&root.join(&entry.path)), depth + 1));
                }
                walk.entries.push(entry);
            }
        }
        walk
    }

    /// What was left out, a phrase each.
    pub(super) fn left_out(&self, label: &str) -> Vec<String> {
        let mut out = Vec::new();
        if self.is_cut {
            out.push(format!("{label}: more than the first {} entries", super::text::thousands(MAX_VISITED)));
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
        let expected = [".github", "a.rs", "keys", "sub", ".github/workflows", "sub/b.rs", ".github/workflows/ci.yml"];
        assert_eq!(names(&walk), expected);
        assert_eq!(walk.left_out("./"), ["2 files in ./: look like secrets"]);
        let flat = Walk::through(&root, &Ignored::at(&root, &root, None), 1);
        assert_eq!(names(&flat), [".github", "a.rs", "keys", "sub"]);
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
        assert_eq!(walk.entries.iter().filter(|entry| entry.is_folder).count(), MAX_DEPTH);
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
