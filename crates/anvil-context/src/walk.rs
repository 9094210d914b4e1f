//! A walk through a folder without git.
//!
//! Invariants: hidden folders, links, and folders of dependencies are not searched; nothing is
//! opened; the number of entries is bounded; those near the top come first; nothing is added after
//! the deadline.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::deadline::Deadline;
use super::listing::{Listing, MAX_FILES, is_hidden};

/// Folders of dependencies, by their name alone.
const DEPENDENCIES: &str = "
    node_modules bower_components jspm_packages __pycache__ site-packages venv Pods Carthage elm-stuff
    __pypackages__
";

/// Folders of dependencies only next to a file of their tool.
const NEXT_TO_TOOL_FILE: [(&str, &str); 8] = [
    ("target", "Cargo.toml"),
    ("target", "pom.xml"),
    ("target", "build.sbt"),
    ("vendor", "go.mod"),
    ("vendor", "composer.json"),
    ("vendor", "Gemfile"),
    ("deps", "mix.exs"),
    ("_build", "mix.exs"),
];

/// Searches a folder, `deepest` levels down.
pub(super) fn through(root: &Path, deepest: usize, deadline: Deadline) -> Listing {
    walk_up_to(root, deepest, MAX_FILES, deadline)
}

fn walk_up_to(root: &Path, deepest: usize, most: usize, deadline: Deadline) -> Listing {
    let mut found = Listing::default();
    let mut visited = 0;
    let mut waiting = VecDeque::from([(PathBuf::new(), 1)]);
    'all: while let Some((folder, depth)) = waiting.pop_front() {
        let mut folders = Vec::new();
        let mut names = Vec::new();
        for entry in std::fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            found.is_cut = visited == most;
            found.is_late = deadline.is_over();
            if found.is_cut || found.is_late {
                break 'all;
            }
            visited += 1;
            // For a link, this is the type of the link itself.
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            if kind.is_file() {
                found.add(root, folder.join(&name));
                names.push(name);
            } else if kind.is_dir() && !is_hidden(&name) {
                folders.push(name);
            }
        }
        folders.retain(|name| !is_dependency(name, &names));
        folders.sort_unstable();
        if depth < deepest {
            waiting.extend(folders.into_iter().map(|name| (folder.join(name), depth + 1)));
        }
    }
    found.sort();
    found
}

fn is_dependency(folder: &OsStr, files: &[impl AsRef<OsStr>]) -> bool {
    DEPENDENCIES.split_ascii_whitespace().any(|name| folder == name)
        || NEXT_TO_TOOL_FILE.iter().any(|(name, tool_file)| {
            folder == *name && files.iter().any(|file| file.as_ref() == *tool_file)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::MAX_DEPTH;
    use std::time::Duration;

    fn later() -> Deadline {
        Deadline::after(Duration::from_mins(1))
    }

    fn names(found: &Listing) -> Vec<String> {
        found.files.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn hidden_files_and_dependencies_are_left_out() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("project");
        for file in [
            ".gitignore",
            "a.rs",
            "Cargo.toml",
            "target/x.rs",
            "sub/b.rs",
            "sub/target/on.rs",
            "sub/node_modules/x.js",
            ".hidden/c.rs",
            ".env",
            "keys/server.pem",
            ".github/workflows/ci.yml",
            ".env.example",
            ".claude/anvil-state.local.md",
        ] {
            fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs_err::write(root.join(file), "a.rs\n").unwrap();
        }
        #[cfg(unix)]
        {
            fs_err::write(temp.path().join("outside.rs"), "").unwrap();
            std::os::unix::fs::symlink("../outside.rs", root.join("link.rs")).unwrap();
            std::os::unix::fs::symlink("..", root.join("up")).unwrap();
            nix::unistd::mkfifo(&root.join("pipe.rs"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        let found = through(&root, MAX_DEPTH, later());
        // git's ignore rules are not read here: that would be a second reader of them.
        let expected =
            ["Cargo.toml", "a.rs", "sub/b.rs", ".github/workflows/ci.yml", "sub/target/on.rs"];
        assert_eq!(names(&found), expected);
        assert_eq!(found.left_out("./"), ["2 files in ./: look like secrets"]);
        assert_eq!(names(&through(&root, 1, later())), ["Cargo.toml", "a.rs"]);
    }

    #[test]
    fn a_walk_ends() {
        let temp = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs_err::write(temp.path().join(format!("{number}.rs")), "").unwrap();
        }
        let found = walk_up_to(temp.path(), MAX_DEPTH, 7, later());
        assert_eq!((found.files.len(), found.is_cut), (7, true));
        assert_eq!(found.left_out("src/"), ["src/: more than the first 20,000 entries"]);
        assert!(!walk_up_to(temp.path(), MAX_DEPTH, 20, later()).is_cut);
        let late = through(temp.path(), MAX_DEPTH, Deadline::after(Duration::ZERO));
        assert_eq!((late.files.len(), late.is_late), (0, true));
        assert_eq!(late.left_out("src/"), ["src/: what was not scanned within 5 s"]);
        let mut deep = temp.path().to_owned();
        for _ in 0..200 {
            deep.push("d");
        }
        fs_err::create_dir_all(&deep).unwrap();
        fs_err::write(deep.join("x.rs"), "").unwrap();
        assert_eq!(through(temp.path(), MAX_DEPTH, later()).files.len(), 20);
    }
}
