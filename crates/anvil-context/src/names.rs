//! The names of gathered files, as they are saved.
//!
//! Invariant: a saved name does not show the machine. In the project it is relative to the project;
//! outside of the project it is the name of the file alone. It is one line, without secrets.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use anvil_text::masking;

/// Most characters of a name.
const MAX: usize = 300;

/// The folders to which names are relative.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Names {
    /// Names relative to a project.
    pub(crate) fn new(root: &Path, home: Option<&Path>) -> Self {
        Self { roots: vec![root.to_owned(), real(root)], home: home.map(real) }
    }

    /// The name of a file.
    pub(crate) fn file(&self, path: &Path) -> String {
        let inside = self.relative(path).filter(|path| !path.is_empty());
        inside.unwrap_or_else(|| match path.file_name() {
            Some(name) => line(Path::new(name)),
            None => "a file".to_owned(),
        })
    }

    /// The name of a folder, with a slash.
    pub(crate) fn folder(&self, path: &Path) -> String {
        if let Some(inside) = self.relative(path) {
            return if inside.is_empty() { "./".to_owned() } else { format!("{inside}/") };
        }
        let real = real(path);
        // The last name of a home folder is the user's.
        match real.file_name() {
            Some(_) if self.home.as_ref() == Some(&real) => "~/".to_owned(),
            Some(name) => format!("{}/", line(Path::new(name))),
            None => "/".to_owned(),
        }
    }

    /// The name for the files of a pattern; `pattern` is relative to `folder`.
    pub(crate) fn pattern(&self, folder: &Path, pattern: &str) -> String {
        match self.relative(folder) {
            Some(inside) if inside.is_empty() => masking::line(pattern, MAX),
            Some(inside) => masking::line(&format!("{inside}/{pattern}"), MAX),
            None => masking::line(pattern.rsplit('/').next().unwrap_or(pattern), MAX),
        }
    }

    /// The path in the project; `None`: it is outside.
    fn relative(&self, path: &Path) -> Option<String> {
        // The typed path, unless it goes up: after a link, `..` leads elsewhere than it looks.
        let is_plain = path.components().all(|part| part != Component::ParentDir);
        let inside = Some(path)
            .filter(|_| is_plain)
            .and_then(|path| self.below_root(path))
            .or_else(|| self.below_root(&path.canonicalize().ok()?))?;
        let parts: Vec<_> = parts(&inside).collect();
        Some(masking::line(&parts.join("/"), MAX))
    }

    fn below_root(&self, path: &Path) -> Option<PathBuf> {
        self.roots.iter().find_map(|root| path.strip_prefix(root).ok().map(Path::to_owned))
    }
}

/// The path without links, or the path itself if it leads nowhere.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The names in a path.
pub(super) fn parts(path: &Path) -> impl Iterator<Item = Cow<'_, str>> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    })
}

/// A path in a line.
pub(super) fn line(path: &Path) -> String {
    masking::line(&path.to_string_lossy(), MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_relative_to_the_project_or_just_the_file_name() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("ann");
        let root = home.join("project");
        fs_err::create_dir_all(root.join("src/deep")).unwrap();
        fs_err::create_dir_all(home.join("private")).unwrap();
        for file in [root.join("src/a.rs"), home.join("private/notes.txt")] {
            fs_err::write(file, "").unwrap();
        }
        let names = Names::new(&root, Some(&home));
        for (path, expected) in [
            (root.join("src/a.rs"), "src/a.rs"),
            (root.join("./src/./a.rs"), "src/a.rs"),
            (root.join("src/deep/../a.rs"), "src/a.rs"),
            (root.join("../private/notes.txt"), "notes.txt"),
            (home.join("private/notes.txt"), "notes.txt"),
            (PathBuf::from("/etc/hosts"), "hosts"),
            (root.join("none/../../private/notes.txt"), "notes.txt"),
        ] {
            assert_eq!(names.file(&path), expected, "{}", path.display());
        }
        for (path, expected) in [
            (root.clone(), "./"),
            (root.join("src/deep/.."), "src/"),
            (home.join("private"), "private/"),
            (root.join(".."), "~/"),
            (home.clone(), "~/"),
            (PathBuf::from("/"), "/"),
        ] {
            assert_eq!(names.folder(&path), expected, "{}", path.display());
        }
        assert_eq!(names.pattern(&root, "src/*.rs"), "src/*.rs");
        assert_eq!(names.pattern(&root.join("src"), "**/*.rs"), "src/**/*.rs");
        assert_eq!(names.pattern(Path::new("/"), "home/ann/**/*.rs"), "*.rs");
        let token = format!("ghp_{}", "aB3d".repeat(9));
        assert_eq!(names.file(&root.join(format!("{token}\n.txt"))), "[masked: GitHub token] .txt");
    }

    #[cfg(unix)]
    #[test]
    fn a_project_reached_through_a_link_is_the_same_project() {
        let temp = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(temp.path().join("real/src")).unwrap();
        fs_err::write(temp.path().join("outside.txt"), "").unwrap();
        std::os::unix::fs::symlink("real", temp.path().join("link")).unwrap();
        std::os::unix::fs::symlink("../outside.txt", temp.path().join("real/inside.txt")).unwrap();
        let names = Names::new(&temp.path().join("link"), None);
        assert_eq!(names.folder(&temp.path().join("real/src")), "src/");
        assert_eq!(names.folder(&temp.path().join("link/src")), "src/");
        assert_eq!(names.file(&temp.path().join("link/inside.txt")), "inside.txt");
    }
}
