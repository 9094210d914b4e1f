//! A folder: its tree, and the beginning of its README.
//!
//! Invariant: a folder's text is bounded in depth, width and lines, whatever is in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::deadline::Deadline;
use super::listing::Listing;
use super::text::{self, Text, Unreadable};
use super::{MaterialSource, SourcePart, names};
use anvil_text::masking;
use anvil_text::{files, group};

/// Most levels of a tree.
const MAX_LEVELS: usize = 6;

/// Most lines of a tree, if fewer levels make it shorter.
const MAX_LINES: usize = 300;

/// Most entries of one folder in a tree.
const MAX_WIDTH: usize = 40;

/// Most characters of a README.
const README: usize = 4_000;

/// The entries of a folder.
#[derive(Debug, Default)]
struct TreeFolder {
    folders: BTreeMap<OsString, TreeFolder>,
    files: Vec<OsString>,
    /// Files in it and below.
    count: usize,
}

/// A tree as it is drawn.
struct Tree<'a> {
    root: &'a Path,
    deadline: Deadline,
    text: String,
    binaries: Binaries,
}

/// Binary files, counted in their folders.
#[derive(Debug, Default)]
pub(crate) struct Binaries {
    folders: Vec<(PathBuf, usize)>,
}

/// The source for a folder: `label` is its name with a slash.
pub(super) fn source(
    root: &Path,
    label: &str,
    found: Listing,
    deadline: Deadline,
) -> MaterialSource {
    let mut source = MaterialSource::new(label);
    let top = TreeFolder::from_files(&found.files);
    let mut tree = Tree::new(root, deadline);
    tree.draw_within(&top, MAX_LINES);
    let heading = format!("`{label}` ({})", files(top.count));
    let text = Text::whole(tree.text);
    source.parts.push(SourcePart::new(format!("the tree of {label}"), heading, text));
    source.cut.extend(found.left_out(label));
    source.cut.extend(tree.binaries.summary(label));
    source.notes.extend(found.note);
    let readme = found.files.iter().find(|path| is_readme(path));
    let read =
        readme.map(|path| (user_path(label, path), text::read(&root.join(path), README, deadline)));
    if let Some((name, Err(Unreadable::Late))) = &read {
        source.cut.push(format!("{name}: {}", Unreadable::Late.reason()));
    } else if let Some((name, Ok(text))) = read {
        let beginning = text::fit(&text, README);
        let what = if beginning.kept < text.total { ", its beginning" } else { "" };
        let heading = format!("`{name}`{what}");
        let part =
            SourcePart::new(name, heading, Text::from_masked(beginning.text, beginning.masks));
        source.parts.push(SourcePart { info: "markdown".to_owned(), ..part });
    }
    source
}

impl Binaries {
    pub(crate) fn add(&mut self, file: &Path) {
        let folder = file.parent().unwrap_or(Path::new(""));
        match self.folders.iter_mut().find(|(known, _)| known == folder) {
            Some((_, count)) => *count += 1,
            None => self.folders.push((folder.to_owned(), 1)),
        }
    }

    /// `3 binary files in assets/`
    pub(crate) fn summary(&self, label: &str) -> Vec<String> {
        if self.folders.len() > 5 {
            return vec![binary_files(self.folders.iter().map(|(_, count)| count).sum(), label)];
        }
        let mut out = Vec::new();
        for (folder, count) in &self.folders {
            let is_top = folder.as_os_str().is_empty();
            let place =
                if is_top { label.to_owned() } else { format!("{}/", user_path(label, folder)) };
            out.push(binary_files(*count, &place));
        }
        out
    }
}

fn binary_files(count: usize, place: &str) -> String {
    let files = if count == 1 { "file" } else { "files" };
    format!("{} binary {files} in {place}", group(count))
}

/// The path of a file in a folder, as the user writes it.
fn user_path(label: &str, path: &Path) -> String {
    let label = if label == "./" { "" } else { label };
    format!("{label}{}", names::line(path))
}

fn is_readme(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    ["readme.md", "readme", "readme.markdown", "readme.txt", "readme.rst", "readme.adoc"]
        .contains(&&*name)
}

impl TreeFolder {
    fn from_files(files: &[PathBuf]) -> Self {
        let mut top = Self::default();
        for path in files {
            top.count += 1;
            let mut folder = &mut top;
            for name in path.parent().unwrap_or(Path::new("")) {
                folder = folder.folders.entry(name.to_owned()).or_default();
                folder.count += 1;
            }
            folder.files.extend(path.file_name().map(OsStr::to_owned));
        }
        top
    }

    fn len(&self) -> usize {
        self.folders.len() + self.files.len()
    }
}

impl<'a> Tree<'a> {
    fn new(root: &'a Path, deadline: Deadline) -> Self {
        Self { root, deadline, text: String::new(), binaries: Binaries::default() }
    }

    /// Draws as many levels as fit in `most` lines, at least one.
    fn draw_within(&mut self, top: &TreeFolder, most: usize) {
        let mut levels = 1;
        while levels < MAX_LEVELS && lines_of(top, levels + 1) <= most {
            levels += 1;
        }
        self.draw(top, Path::new(""), levels, 0);
    }

    fn draw(&mut self, folder: &TreeFolder, path: &Path, levels: usize, indent: usize) {
        for (name, inner) in folder.folders.iter().take(MAX_WIDTH) {
            let shown = masking::line(&name.to_string_lossy(), 100);
            if levels > 1 {
                self.line(indent, &format!("{shown}/"));
                self.draw(inner, &path.join(name), levels - 1, indent + 1);
            } else {
                self.line(indent, &format!("{shown}/ ({})", files(inner.count)));
            }
        }
        for name in folder.files.iter().take(MAX_WIDTH.saturating_sub(folder.folders.len())) {
            let file = path.join(name);
            if matches!(text::sniff(&self.root.join(&file), self.deadline), Err(Unreadable::Binary))
            {
                self.binaries.add(&file);
            } else {
                self.line(indent, &masking::line(&name.to_string_lossy(), 100));
            }
        }
        if folder.len() > MAX_WIDTH {
            self.line(indent, &format!("… ({} more)", group(folder.len() - MAX_WIDTH)));
        }
    }

    fn line(&mut self, indent: usize, what: &str) {
        let _ = writeln!(self.text, "{}{what}", "  ".repeat(indent));
    }
}

/// The lines that this number of levels of a folder takes.
fn lines_of(folder: &TreeFolder, levels: usize) -> usize {
    let inner = folder.folders.values().take(MAX_WIDTH).filter(|_| levels > 1);
    folder.len().min(MAX_WIDTH + 1) + inner.map(|inner| lines_of(inner, levels - 1)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use crate::listing::MAX_DEPTH;
    use crate::walk;
    use std::time::Duration;

    fn later() -> Deadline {
        Deadline::after(Duration::from_mins(1))
    }

    fn found(root: &Path) -> Listing {
        walk::through(root, MAX_DEPTH, later())
    }

    fn drawn(root: &Path, most: usize) -> String {
        let mut tree = Tree::new(root, later());
        tree.draw_within(&TreeFolder::from_files(&found(root).files), most);
        tree.text
    }

    fn write(root: &Path, file: &str, content: &[u8]) {
        fs_err::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs_err::write(root.join(file), content).unwrap();
    }

    #[test]
    fn a_tree_shows_folders_first_and_as_many_levels_as_fit() {
        let temp = tempfile::tempdir().unwrap();
        for file in ["z/deep/b.rs", "z/a.rs", "a.rs", "m/x.rs"] {
            write(temp.path(), file, b"");
        }
        assert_eq!(drawn(temp.path(), 100), "m/\n  x.rs\nz/\n  deep/\n    b.rs\n  a.rs\na.rs\n");
        assert_eq!(drawn(temp.path(), 6), "m/\n  x.rs\nz/\n  deep/ (1 file)\n  a.rs\na.rs\n");
        assert_eq!(drawn(temp.path(), 2), "m/ (1 file)\nz/ (2 files)\na.rs\n");
    }

    #[test]
    fn a_wide_folder_is_counted() {
        let temp = tempfile::tempdir().unwrap();
        for number in 100..150 {
            write(temp.path(), &format!("{number}"), b"");
        }
        let tree = drawn(temp.path(), 100);
        assert!(tree.starts_with("100\n101\n") && tree.ends_with("139\n… (10 more)\n"), "{tree}");
    }

    #[test]
    fn a_folder_gives_its_tree_and_readme() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "README.md", "line\n".repeat(2_000).as_bytes());
        write(temp.path(), "a.rs", b"pub fn a() {\n}\n");
        write(temp.path(), "assets/one.png", b"\x89PNG\0");
        write(temp.path(), "assets/two.png", b"\x89PNG\0");
        let source = source(temp.path(), "src/", found(temp.path()), later());
        let headings: Vec<&str> = source.parts.iter().map(|part| &*part.heading).collect();
        assert_eq!(headings, ["`src/` (4 files)", "`src/README.md`, its beginning"]);
        let text = |at: usize| match &source.parts[at].body {
            Body::Text(text) => text.text.clone(),
            Body::File(..) => panic!("a file"),
        };
        assert_eq!(text(0), "assets/\nREADME.md\na.rs\n");
        assert!(text(1).chars().count() <= README && text(1).ends_with("more characters)"));
        assert_eq!(source.cut, ["2 binary files in src/assets/"]);
    }

    #[test]
    fn a_secret_is_masked_in_names() {
        let temp = tempfile::tempdir().unwrap();
        let token = format!("ghp_{}", "aB3d".repeat(9));
        write(temp.path(), &format!("{token}.rs"), b"");
        let source = source(temp.path(), "src/", found(temp.path()), later());
        let (text, cut, masks) = source.render(10_000, later());
        assert!(!text.contains("aB3daB3d") && text.contains("[masked: GitHub token].rs"), "{text}");
        assert_eq!((cut.len(), masks), (0, 0));
    }

    #[test]
    fn after_the_deadline_a_tree_is_drawn_without_reading_files() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "README.md", b"text\n");
        write(temp.path(), "a.rs", b"pub fn a() {\n}\n");
        let source =
            source(temp.path(), "src/", found(temp.path()), Deadline::after(Duration::ZERO));
        assert_eq!(source.parts.len(), 1);
        assert_eq!(source.cut, ["src/README.md: was not read in time"]);
    }
}
