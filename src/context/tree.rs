//! A folder: its tree, the beginning of its README, and the key declarations of its source files.
//!
//! Invariant: what a folder gives is bounded in depth, width and lines, whatever is in it.

use std::collections::BTreeMap;
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
    folders: BTreeMap<&'a Path, Vec<&'a Entry>>,
    /// Files in each folder and below.
    counts: BTreeMap<&'a Path, usize>,
    text: String,
    lines: usize,
    /// Binary files by their folder.
    binaries: BTreeMap<PathBuf, usize>,
}

/// What a folder gives: `label` is its name with a slash, `most` the budget.
pub(super) fn source(root: &Path, label: &str, ignored: &Ignored, most: usize) -> Source {
    let walk = Walk::through(root, ignored, MAX_DEPTH);
    let mut source = Source::new(label);
    let mut tree = Tree::of(root, &walk.entries);
    tree.draw_within(MAX_LINES);
    source.parts.push(Part {
        name: format!("the tree of {label}"),
        heading: format!("`{label}` ({})", text::files(tree.counts.get(Path::new("")).copied().unwrap_or(0))),
        info: "text".to_owned(),
        body: Body::Text(Text::whole(tree.text)),
    });
    source.cut.extend(walk.left_out(label));
    source.cut.extend(binaries(label, &tree.binaries));
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
    let is_other = |entry: &&Entry| !entry.is_folder && Some(*entry) != readme && outline::is_source(&entry.path);
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
        let (some, all) = (text::thousands(outlined), text::thousands(files.len()));
        source.cut.push(format!("{label}: key declarations of {some} of {all} source files"));
    }
    source
}

/// `3 binary files in assets/`
pub(super) fn binaries(label: &str, counts: &BTreeMap<PathBuf, usize>) -> Vec<String> {
    let phrase = |(folder, count): (&PathBuf, &usize)| {
        let folder =
            if folder.as_os_str().is_empty() { label.to_owned() } else { format!("{}/", shown(label, folder)) };
        let files = if *count == 1 { "file" } else { "files" };
        format!("{count} binary {files} in {folder}")
    };
    if counts.len() > 5 {
        return vec![format!("{} binary files in {label}", text::thousands(counts.values().sum()))];
    }
    counts.iter().map(phrase).collect()
}

/// The path of what is in a folder as a person writes it.
pub(super) fn shown(label: &str, path: &Path) -> String {
    let label = if label == "./" { "" } else { label };
    format!("{label}{}", say::clean(&path.to_string_lossy(), 300))
}

fn is_readme(entry: &Entry) -> bool {
    let name = entry.path.to_string_lossy().to_lowercase();
    !entry.is_folder
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
    fn of(root: &'a Path, entries: &'a [Entry]) -> Self {
        let mut folders: BTreeMap<&Path, Vec<&Entry>> = BTreeMap::new();
        let mut counts: BTreeMap<&Path, usize> = BTreeMap::new();
        for entry in entries {
            folders.entry(entry.path.parent().unwrap_or(Path::new(""))).or_default().push(entry);
            if !entry.is_folder {
                for folder in entry.path.ancestors().skip(1) {
                    *counts.entry(folder).or_default() += 1;
                }
            }
        }
        for entries in folders.values_mut() {
            // They are sorted by name already.
            entries.sort_by_key(|entry| !entry.is_folder);
        }
        Self { root, folders, counts, text: String::new(), lines: 0, binaries: BTreeMap::new() }
    }

    /// Draws as many levels as fit in so many lines, at least one.
    fn draw_within(&mut self, most: usize) {
        let levels = (2..=MAX_LEVELS).take_while(|levels| self.lines_of(Path::new(""), *levels) <= most).last();
        self.draw(Path::new(""), levels.unwrap_or(1), 0);
    }

    fn lines_of(&self, folder: &Path, levels: usize) -> usize {
        let entries = self.folders.get(folder).map_or(&[][..], Vec::as_slice);
        let below = |entry: &&&Entry| entry.is_folder && levels > 1;
        let inner = entries.iter().take(MAX_WIDTH).filter(below).map(|entry| self.lines_of(&entry.path, levels - 1));
        entries.len().min(MAX_WIDTH + 1) + inner.sum::<usize>()
    }

    fn draw(&mut self, folder: &Path, levels: usize, indent: usize) {
        let entries = self.folders.get(folder).cloned().unwrap_or_default();
        for entry in entries.iter().take(MAX_WIDTH) {
            let name = entry.path.file_name().map(|name| say::clean(&name.to_string_lossy(), 100)).unwrap_or_default();
            if !entry.is_folder {
                if matches!(text::sniff(&self.root.join(&entry.path)), Err(Unreadable::Binary)) {
                    *self.binaries.entry(folder.to_owned()).or_default() += 1;
                } else {
                    self.line(indent, &name);
                }
            } else if levels > 1 {
                self.line(indent, &format!("{name}/"));
                self.draw(&entry.path, levels - 1, indent + 1);
            } else {
                let count = self.counts.get(&*entry.path).copied().unwrap_or(0);
                self.line(indent, &format!("{name}/ ({})", text::files(count)));
            }
        }
        if entries.len() > MAX_WIDTH {
            self.line(indent, &format!("… ({} more)", text::thousands(entries.len() - MAX_WIDTH)));
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
        let mut tree = Tree::of(root, &walk.entries);
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
