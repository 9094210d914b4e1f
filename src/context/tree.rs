//! A folder: its tree, the beginning of its README, and the key declarations of its source files.
//!
//! Invariant: what a folder gives is bounded in depth, width and lines, whatever is in it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::ignored::Ignored;
use super::outline;
use super::text::{self, Text, Unreadable};
use super::walk::{Entry, MAX_DEPTH, Walk};
use super::{Body, Part, Source};
use crate::say;

/// Most levels that a tree shows.
const MAX_LEVELS: usize = 6;

/// Most lines of a tree, as far as its levels can be told apart.
const MAX_LINES: usize = 300;

/// Most entries that it shows of one folder.
const MAX_WIDTH: usize = 40;

/// Most source files that are outlined.
const MAX_OUTLINED: usize = 400;

/// So much of a source file is read.
const OUTLINED: usize = 60_000;

/// Most characters of a README.
const README: usize = 4_000;

/// A tree as it is drawn.
struct Tree<'a> {
    root: &'a Path,
    walk: &'a Walk,
    text: String,
    lines: usize,
    binaries: Binaries,
}

/// Binary files, counted in their folders.
#[derive(Debug, Default)]
pub(super) struct Binaries {
    folders: Vec<(PathBuf, usize)>,
}

/// What a folder gives: `label` is its name with a slash, `most` the budget.
pub(super) fn source(root: &Path, label: &str, ignored: &Ignored, most: usize) -> Source {
    let walk = Walk::through(root, ignored, MAX_DEPTH);
    let mut source = Source::new(label);
    let mut tree = Tree::of(root, &walk);
    tree.draw_within(MAX_LINES);
    source.parts.push(Part {
        name: format!("the tree of {label}"),
        heading: format!("`{label}` ({})", text::files(walk.folders.first().map_or(0, |top| top.files))),
        info: "text".to_owned(),
        body: Body::Text(Text::whole(tree.text)),
    });
    source.cut.extend(walk.left_out(label));
    source.cut.extend(tree.binaries.told(label));
    let readme = walk.entries.iter().find(|entry| is_readme(entry));
    if let Some((entry, text)) =
        readme.and_then(|entry| Some((entry, text::read(&root.join(&entry.path), README).ok()?)))
    {
        let name = shown(label, &entry.path);
        let beginning = text::fit(&text, README);
        source.parts.push(Part {
            heading: if beginning.kept < text.total { format!("`{name}`, its beginning") } else { format!("`{name}`") },
            name,
            info: "markdown".to_owned(),
            body: Body::Text(Text::whole(beginning.text)),
        });
    }
    let is_other = |entry: &&Entry| entry.is_file && Some(*entry) != readme && outline::is_source(&entry.path);
    let files: Vec<&Entry> = walk.entries.iter().filter(is_other).collect();
    let (text, outlined) = declarations(root, &files, most);
    if !text.is_empty() {
        source.parts.push(Part {
            name: format!("the declarations in {label}"),
            heading: format!("Key declarations in `{label}`"),
            info: "text".to_owned(),
            body: Body::Text(Text::whole(text)),
        });
    }
    if outlined < files.len() {
        let (some, all) = (say::group(outlined), say::group(files.len()));
        source.cut.push(format!("{label}: key declarations of {some} of {all} source files"));
    }
    source
}

impl Binaries {
    /// Counts a file.
    pub(super) fn add(&mut self, file: &Path) {
        let folder = file.parent().unwrap_or(Path::new(""));
        match self.folders.iter_mut().find(|(known, _)| known == folder) {
            Some((_, count)) => *count += 1,
            None => self.folders.push((folder.to_owned(), 1)),
        }
    }

    /// `3 binary files in assets/`
    pub(super) fn told(&self, label: &str) -> Vec<String> {
        let phrase = |count: usize, place: &str| {
            let files = if count == 1 { "file" } else { "files" };
            format!("{} binary {files} in {place}", say::group(count))
        };
        if self.folders.len() > 5 {
            return vec![phrase(self.folders.iter().map(|(_, count)| count).sum(), label)];
        }
        let mut out = Vec::new();
        for (folder, count) in &self.folders {
            let is_top = folder.as_os_str().is_empty();
            let place = if is_top { label.to_owned() } else { format!("{}/", shown(label, folder)) };
            out.push(phrase(*count, &place));
        }
        out
    }
}

/// The path of what is in a folder as a person writes it.
pub(super) fn shown(label: &str, path: &Path) -> String {
    let label = if label == "./" { "" } else { label };
    format!("{label}{}", say::clean(&path.to_string_lossy(), 300))
}

fn is_readme(entry: &Entry) -> bool {
    let name = entry.path.to_string_lossy().to_lowercase();
    entry.is_file
        && ["readme.md", "readme", "readme.markdown", "readme.txt", "readme.rst", "readme.adoc"].contains(&&*name)
}

/// The declarations of source files, and of how many of them.
fn declarations(root: &Path, files: &[&Entry], most: usize) -> (String, usize) {
    let mut out = String::new();
    for (count, entry) in files.iter().enumerate() {
        if count == MAX_OUTLINED || out.len() > most {
            return (out, count);
        }
        let Ok(text) = text::read(&root.join(&entry.path), OUTLINED) else { continue };
        let beginning = text.text.char_indices().nth(OUTLINED).map_or(&*text.text, |(at, _)| &text.text[..at]);
        let lines = outline::outline(&entry.path, beginning);
        if !lines.is_empty() {
            let _ = writeln!(out, "{}", say::clean(&entry.path.to_string_lossy(), 200));
            for line in lines {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    (out, files.len())
}

impl<'a> Tree<'a> {
    fn of(root: &'a Path, walk: &'a Walk) -> Self {
        Self { root, walk, text: String::new(), lines: 0, binaries: Binaries::default() }
    }

    /// Draws as many levels as fit in so many lines, at least one.
    fn draw_within(&mut self, most: usize) {
        let mut levels = 1;
        while levels < MAX_LEVELS && self.lines_of(0, levels + 1) <= most {
            levels += 1;
        }
        self.draw(0, levels, 0);
    }

    fn lines_of(&self, folder: usize, levels: usize) -> usize {
        let walk = self.walk;
        let entries = walk.entries_of(folder);
        let mut lines = entries.len().min(MAX_WIDTH + 1);
        if levels > 1 {
            for inner in entries.take(MAX_WIDTH).filter_map(|(at, _)| walk.folder_of(at)) {
                lines += self.lines_of(inner, levels - 1);
            }
        }
        lines
    }

    fn draw(&mut self, folder: usize, levels: usize, indent: usize) {
        let walk = self.walk;
        let entries = walk.entries_of(folder);
        let more = entries.len().saturating_sub(MAX_WIDTH);
        for (at, entry) in entries.take(MAX_WIDTH) {
            let name = say::clean(&entry.path.file_name().unwrap_or_default().to_string_lossy(), 100);
            if entry.is_file {
                if matches!(text::sniff(&self.root.join(&entry.path)), Err(Unreadable::Binary)) {
                    self.binaries.add(&entry.path);
                } else {
                    self.line(indent, &name);
                }
                continue;
            }
            match walk.folder_of(at) {
                Some(inner) if levels > 1 => {
                    self.line(indent, &format!("{name}/"));
                    self.draw(inner, levels - 1, indent + 1);
                }
                inner => {
                    let count = inner.map_or(0, |inner| walk.folders[inner].files);
                    self.line(indent, &format!("{name}/ ({})", text::files(count)));
                }
            }
        }
        if more > 0 {
            self.line(indent, &format!("… ({} more)", say::group(more)));
        }
    }

    fn line(&mut self, indent: usize, what: &str) {
        let _ = writeln!(self.text, "{}{what}", "  ".repeat(indent));
        self.lines += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(root: &Path, most: usize) -> String {
        let walk = Walk::through(root, &Ignored::default(), MAX_DEPTH);
        let mut tree = Tree::of(root, &walk);
        tree.draw_within(most);
        assert_eq!(tree.lines, tree.text.lines().count());
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
    fn a_folder_gives_its_tree_readme_and_declarations() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "README.md", "line\n".repeat(2_000).as_bytes());
        write(temp.path(), "a.rs", b"pub fn a() {\n}\n");
        write(temp.path(), "assets/one.png", b"\x89PNG\0");
        write(temp.path(), "assets/two.png", b"\x89PNG\0");
        let source = source(temp.path(), "src/", &Ignored::default(), 10_000);
        let headings: Vec<&str> = source.parts.iter().map(|part| &*part.heading).collect();
        assert_eq!(headings, ["`src/` (4 files)", "`src/README.md`, its beginning", "Key declarations in `src/`"]);
        let text = |at: usize| match &source.parts[at].body {
            Body::Text(text) => text.text.clone(),
            Body::File(..) => panic!("a file"),
        };
        assert_eq!(text(0), "assets/\nREADME.md\na.rs\n");
        assert!(text(1).chars().count() <= README && text(1).ends_with("more characters)"));
        assert_eq!(text(2), "a.rs\n  pub fn a()\n");
        assert_eq!(source.cut, ["2 binary files in src/assets/"]);
    }

    #[test]
    fn declarations_that_are_not_looked_for_are_counted() {
        let temp = tempfile::tempdir().unwrap();
        for number in 0..10 {
            write(temp.path(), &format!("{number}.rs"), b"pub fn a_function_of_a_file() {\n}\n");
        }
        let source = source(temp.path(), "src/", &Ignored::default(), 100);
        assert_eq!(source.cut, ["src/: key declarations of 3 of 10 source files"]);
    }
}
