//! What git ignores, told from its rules, also where there is no git.
//!
//! Invariant: as in git, of the rules that match the last one of the deepest file decides. What is in an ignored folder is
//! ignored because nobody walks into it. Rules that can't be read ignore nothing.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::text;

/// Most characters of a file of rules that are taken.
const MAX_RULES: usize = 200_000;

/// One line of a `.gitignore`.
#[derive(Debug)]
struct Rule {
    pattern: String,
    takes_back: bool,
    only_folders: bool,
}

/// One file of rules.
#[derive(Debug)]
struct Rules {
    /// The folder its patterns are relative to.
    base: PathBuf,
    rules: Vec<Rule>,
}

/// The rules that hold in a folder, those of the folders above first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignored {
    files: Vec<Rc<Rules>>,
}

impl Ignored {
    /// The rules that hold at the top of `root`, from the top of its checkout down; outside of one, from `folder` down. Rules
    /// for every checkout of the person come from `everywhere`.
    pub(super) fn at(root: &Path, folder: &Path, everywhere: Option<&Path>) -> Self {
        let checkout = root.ancestors().find(|path| path.join(".git").exists());
        let top = checkout.unwrap_or(if root.starts_with(folder) { folder } else { root });
        let mut ignored = Self::default();
        if let Some(checkout) = checkout {
            for file in everywhere.map(Path::to_owned).into_iter().chain([checkout.join(".git/info/exclude")]) {
                ignored.add(checkout, &file);
            }
        }
        let above: Vec<&Path> = root.ancestors().skip(1).take_while(|path| path.starts_with(top)).collect();
        for path in above.into_iter().rev() {
            ignored.add(path, &path.join(".gitignore"));
        }
        ignored.within(root)
    }

    /// The same, with the rules in a folder below.
    pub(super) fn within(&self, folder: &Path) -> Self {
        let mut inner = self.clone();
        inner.add(folder, &folder.join(".gitignore"));
        inner
    }

    fn add(&mut self, base: &Path, file: &Path) {
        let Ok(text) = text::read(file, MAX_RULES) else { return };
        let rules: Vec<Rule> = text.text.lines().filter_map(Rule::parse).collect();
        if !rules.is_empty() {
            self.files.push(Rc::new(Rules { base: base.to_owned(), rules }));
        }
    }

    /// True when git ignores a file or folder.
    pub(super) fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        self.files.iter().rev().find_map(|file| file.judge(path, is_folder)).unwrap_or(false)
    }
}

impl Rules {
    fn judge(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let relative = path.strip_prefix(&self.base).ok()?.to_string_lossy();
        let decides = |rule: &&Rule| {
            (is_folder || !rule.only_folders) && fast_glob::glob_match(rule.pattern.as_bytes(), relative.as_bytes())
        };
        self.rules.iter().rev().find(decides).map(|rule| !rule.takes_back)
    }
}

impl Rule {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{FEFF}');
        if line.starts_with('#') {
            return None;
        }
        let line = without_trailing_spaces(line);
        let (takes_back, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let (only_folders, line) = line.strip_suffix('/').map_or((false, line), |rest| (true, rest));
        if line.is_empty() {
            return None;
        }
        let pattern: Vec<String> = line.trim_start_matches('/').split('/').map(plain).collect();
        let pattern = pattern.join("/");
        // A pattern without a slash holds at every depth below.
        let pattern = if line.contains('/') { plain_start(&pattern) } else { format!("**/{pattern}") };
        Some(Self { pattern, takes_back, only_folders })
    }
}

/// A part of a pattern as the matcher understands it: braces mean nothing to git, nor do two stars within a name.
fn plain(part: &str) -> String {
    if part == "**" {
        return part.to_owned();
    }
    let mut out = String::with_capacity(part.len());
    let mut is_escaped = false;
    for char in part.chars() {
        if !is_escaped && (matches!(char, '{' | '}') || (char == '*' && out.ends_with('*') && !out.ends_with("\\*"))) {
            if char == '*' {
                continue;
            }
            out.push('\\');
        }
        is_escaped = char == '\\' && !is_escaped;
        out.push(char);
    }
    out
}

/// To the matcher, a pattern that begins with `!` is the opposite.
pub(super) fn plain_start(pattern: &str) -> String {
    if pattern.starts_with('!') { format!("\\{pattern}") } else { pattern.to_owned() }
}

fn without_trailing_spaces(line: &str) -> &str {
    let cut = line.trim_end_matches(' ');
    if cut.len() < line.len() && cut.ends_with('\\') { &line[..=cut.len()] } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Asks git itself.
    fn git_ignores(root: &Path, path: &str) -> bool {
        let asked = Command::new("git")
            .args(["check-ignore", "--quiet", "--no-index", "--", path])
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(root)
            .status();
        asked.unwrap().code() == Some(0)
    }

    #[test]
    fn the_rules_mean_what_they_mean_to_git() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        let rules = "# note\n\n*.log\n!keep.log\n/build\nout/\ndocs/*.txt\n**/deep/x\na/**/z\nlit{a,b}\n\\!odd\n\\#odd\n\
                     cache/**\ns**r\n[ab]x\nsp\\ \ntrail   \n\\*star\nq?\n";
        fs_err::write(root.join(".gitignore"), rules).unwrap();
        fs_err::create_dir_all(root.join("sub")).unwrap();
        fs_err::write(root.join("sub/.gitignore"), "!*.log\n/only\n").unwrap();
        assert!(Command::new("git").args(["init", "-q"]).current_dir(root).status().unwrap().success());
        fs_err::write(root.join(".git/info/exclude"), "excluded\n").unwrap();
        let top = Ignored::at(root, root, None);
        let sub = top.within(&root.join("sub"));
        let mut ignored = 0;
        for path in [
            "a.log",
            "keep.log",
            "x/a.log",
            "x/keep.log",
            "build",
            "x/build",
            "docs/a.txt",
            "docs/x/a.txt",
            "deep/x",
            "a/deep/x",
            "a/z",
            "a/b/c/z",
            "b/z",
            "lita",
            "lit{a,b}",
            "!odd",
            "odd",
            "#odd",
            "cache/x",
            "cache/x/y",
            "sr",
            "s/r",
            "sxr",
            "ax",
            "cx",
            "sp ",
            "sp",
            "trail",
            "trail ",
            "*star",
            "xstar",
            "qq",
            "q",
            "excluded",
            "sub/a.log",
            "sub/only",
            "sub/x/only",
            "only",
            "out",
        ] {
            let rules = if path.starts_with("sub/") { &sub } else { &top };
            let expected = git_ignores(root, path);
            assert_eq!(rules.ignores(&root.join(path), false), expected, "{path}");
            ignored += usize::from(expected);
        }
        assert!(ignored > 15, "{ignored}");
        assert!(top.ignores(&root.join("out"), true) && top.ignores(&root.join("x/out"), true));
    }

    #[test]
    fn rules_hold_without_git_from_the_folder_down() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("project/src");
        fs_err::create_dir_all(&root).unwrap();
        fs_err::write(temp.path().join(".gitignore"), "above\n").unwrap();
        fs_err::write(temp.path().join("project/.gitignore"), "here\n").unwrap();
        let ignored = Ignored::at(&root, &temp.path().join("project"), None);
        assert!(ignored.ignores(&root.join("here"), false));
        assert!(!ignored.ignores(&root.join("above"), false));
    }

    #[test]
    fn a_persons_rules_for_everywhere_hold_in_a_checkout() {
        let temp = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(temp.path().join("project/.git")).unwrap();
        fs_err::write(temp.path().join("everywhere"), "*.swp\n").unwrap();
        let root = temp.path().join("project");
        let ignored = Ignored::at(&root, &root, Some(&temp.path().join("everywhere")));
        assert!(ignored.ignores(&root.join("a/b.swp"), false));
        assert!(!ignored.ignores(&root.join("a/b.rs"), false));
    }
}
