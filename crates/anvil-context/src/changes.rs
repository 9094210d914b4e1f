//! Changes in a checkout, from git.
//!
//! Invariants: for a diff, git runs no program of the repository, and takes no revision for an
//! option or a path; the changes of files that look like secrets are left out, by their old and
//! their new name.

use std::fmt::Write as _;
use std::path::Path;

use super::error::MaterialError;
use super::text::{Text, storable};
use super::{GATHERING, MaterialSource, SourcePart, listing, secrets};
use anvil_system::process::{Git, MAX_OUTPUT, ProcessError, Tools};
use anvil_text::error::{Error, Result};
use anvil_text::masking;
use anvil_text::{clean, group};

const INSTALL: &str = "install git, or give files by --context";

/// Most names in a list of files.
const MAX_NAMES: usize = 100;

/// The options of a diff. They override the user's settings for its form.
const PLAIN: [&str; 8] = [
    "diff",
    "--no-color",
    "--no-relative",
    "--patch",
    "--find-renames",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// The changes of one file.
#[derive(Debug, PartialEq, Eq)]
struct FileChange<'a> {
    /// Its names, the newest last.
    names: Vec<String>,
    text: &'a str,
}

impl FileChange<'_> {
    /// The number of changed lines with this sign.
    fn count_lines(&self, sign: char) -> usize {
        self.text
            .lines()
            .skip_while(|line| !line.starts_with("@@"))
            .filter(|line| line.starts_with(sign))
            .count()
    }
}

/// The changes since a revision; empty: since HEAD, with the names of untracked files.
pub(super) fn source(folder: &Path, revision: &str, tools: &Tools) -> Result<MaterialSource> {
    let label = if revision.is_empty() {
        "diff".to_owned()
    } else {
        format!("diff {}", masking::line(revision, 100))
    };
    Ok(changed(folder, revision, &label, tools)?.unwrap_or_else(|| {
        let late = format!("{label}: git was not done within {} s", GATHERING.as_secs());
        MaterialSource::skipped(&label, late)
    }))
}

/// `None`: git takes too long.
fn changed(
    folder: &Path,
    revision: &str,
    label: &str,
    tools: &Tools,
) -> Result<Option<MaterialSource>> {
    let shown = clean(revision, 100);
    if revision.starts_with('-') || revision.contains(':') || revision.contains('\0') {
        return Err(MaterialError::NoRevision(shown).into());
    }
    let is_inside = ["rev-parse", "--is-inside-work-tree"];
    let is_inside = match tools.git(folder, &is_inside, "") {
        Git::Told(output) => output.text.trim() == "true",
        Git::Refused(ProcessError::Refused(output)) if output.is_no_repository() => false,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(why.into_error("git", INSTALL)),
        Git::Nothing => false,
    };
    if !is_inside {
        let place = clean(&folder.to_string_lossy(), 200);
        return Err(MaterialError::NoCheckout(place).into());
    }
    let last_commit = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    let has_head = match tools.git(folder, &last_commit, "") {
        Git::Told(_) => true,
        Git::Nothing => false,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(why.into_error("git", INSTALL)),
    };
    let which: &[&str] = match revision {
        "" if has_head => &["HEAD", "--"],
        "" => &["--cached", "--"],
        revision => &["--end-of-options", revision, "--"],
    };
    let diff = [&PLAIN[..], which].concat();
    let output = match tools.git(folder, &diff, "") {
        Git::Told(output) => output,
        Git::Refused(ProcessError::TooSlow(_)) => return Ok(None),
        Git::Refused(why) => return Err(no_diff(why, shown)),
        Git::Nothing => return Ok(Some(MaterialSource::new(label))),
    };
    let listed = if revision.is_empty() { untracked(folder, tools) } else { Some(Vec::new()) };
    let is_listed = listed.is_some();
    let new = listed.unwrap_or_default();
    if output.text.trim().is_empty() && is_listed {
        let base = if revision.is_empty() { "HEAD".to_owned() } else { shown };
        return Err(match new.len() {
            0 => MaterialError::Unchanged(base),
            files => MaterialError::Untracked { base, files },
        }
        .into());
    }
    let mut source = from_patch(label, &output.text, output.is_cut);
    if !is_listed {
        source.cut.push(format!("untracked files, in the {label}: git did not list them"));
    }
    if !new.is_empty() {
        source.parts.push(list("untracked files", label, &new));
    }
    Ok(Some(source))
}

/// The error if git made no diff.
fn no_diff(why: ProcessError, revision: String) -> Error {
    let ProcessError::Refused(output) = &why else { return why.into_error("git", INSTALL) };
    if output.stderr.contains("bad revision") || output.stderr.contains("unknown revision") {
        return MaterialError::UnknownRevision(revision).into();
    }
    if output.stderr.contains("lazy fetching disabled") || output.stderr.contains("not allowed") {
        return MaterialError::LacksObjects(revision).into();
    }
    MaterialError::Diff(why).into()
}

/// A source from a diff in git's form: a list of the files, and their changes.
pub(super) fn from_patch(label: &str, patch: &str, is_cut: bool) -> MaterialSource {
    let mut source = MaterialSource::new(label);
    let mut names = Vec::new();
    let patch = if is_cut { masking::without_torn_end(patch) } else { patch };
    for change in changes(patch) {
        let name = masking::line(change.names.last().map_or("", String::as_str), 300);
        if change.names.iter().any(|name| secrets::looks_secret(Path::new(name))) {
            source.cut.push(format!("{name} in the {label}: looks like a secret"));
        } else if !change.names.iter().any(|name| listing::is_own(Path::new(name))) {
            let added = group(change.count_lines('+'));
            let removed = group(change.count_lines('-'));
            names.push(format!("{name} (+{added} -{removed})"));
            let heading = format!("{label}: `{name}`");
            let name = format!("{name} in the {label}");
            let part = SourcePart::new(name, heading, Text::whole(storable(change.text)));
            source.parts.push(SourcePart { info: "diff".to_owned(), ..part });
        }
    }
    if names.len() > 1 {
        source.parts.insert(0, list("changed files", label, &names));
    }
    if is_cut {
        source
            .cut
            .push(format!("{label}: only its first {} MB were read", MAX_OUTPUT / 1024 / 1024));
    }
    source
}

/// The files of the checkout that git does not track and does not ignore. `None`: git does not list
/// them.
fn untracked(folder: &Path, tools: &Tools) -> Option<Vec<String>> {
    let arguments = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];
    let Git::Told(output) = tools.git(folder, &arguments, "") else { return None };
    let names = output.text.split('\0').filter(|name| {
        let path = Path::new(name);
        !name.is_empty() && !secrets::looks_secret(path) && !listing::is_own(path)
    });
    Some(names.map(|name| masking::line(name, 300)).collect())
}

fn list(what: &str, label: &str, names: &[String]) -> SourcePart {
    let mut text = names[..names.len().min(MAX_NAMES)].join("\n");
    if names.len() > MAX_NAMES {
        let _ = write!(text, "\n… ({} more)", group(names.len() - MAX_NAMES));
    }
    let heading = format!("{label}: {what} ({})", group(names.len()));
    SourcePart::new(format!("{what} in the {label}"), heading, Text::whole(storable(&text)))
}

/// The files of a diff. Within the changes of a file every line begins with a sign, so that no
/// content looks like another file.
fn changes(patch: &str) -> Vec<FileChange<'_>> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive('\n') {
        if ["diff --git ", "diff --cc ", "diff --combined "]
            .iter()
            .any(|word| line.starts_with(word))
        {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([patch.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &patch[*start..end])
        .map(|text| FileChange { names: names(text), text })
        .collect()
}

/// The names in the head of a file's changes.
fn names(text: &str) -> Vec<String> {
    let mut lines = text.lines().take_while(|line| !line.starts_with("@@"));
    let first = lines.next().unwrap_or("");
    let mut out = Vec::new();
    for line in lines {
        for (word, has_prefix) in [
            ("--- ", true),
            ("rename from ", false),
            ("copy from ", false),
            ("+++ ", true),
            ("rename to ", false),
            ("copy to ", false),
        ] {
            let Some(name) = line.strip_prefix(word) else { continue };
            let name = unquoted(name.trim_end_matches(['\t', '\r']));
            if name != "/dev/null" {
                out.push(if has_prefix { without_prefix(&name) } else { name });
            }
        }
    }
    if out.is_empty() {
        out.extend(names_of_first(first));
    }
    out
}

/// The names in the first line, if the other lines have no names: a binary or empty file, a change
/// of its mode.
fn names_of_first(line: &str) -> Vec<String> {
    if let Some(name) =
        line.strip_prefix("diff --cc ").or_else(|| line.strip_prefix("diff --combined "))
    {
        return vec![unquoted(name)];
    }
    let both = line.strip_prefix("diff --git ").unwrap_or(line);
    // The line has the name twice; the name may contain a space.
    let middle = both.len() / 2;
    let halves = if both.is_char_boundary(middle) && both[middle..].starts_with(' ') {
        vec![&both[..middle], &both[middle + 1..]]
    } else {
        both.split(' ').collect()
    };
    halves.into_iter().map(|name| without_prefix(&unquoted(name))).collect()
}

fn without_prefix(name: &str) -> String {
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name).to_owned()
}

/// A name in git's quotes: `"a\tb"`, `"caf\303\251"`.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|after| after.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut after = inner.bytes().peekable();
    while let Some(byte) = after.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match after.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut code = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = after.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                }
                bytes.push(code as u8);
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(byte) => bytes.push(byte),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Checkout, rendered};

    #[test]
    fn names_are_read_from_a_diff() {
        let of =
            |text: &str| changes(text).into_iter().map(|change| change.names).collect::<Vec<_>>();
        let patch = "diff --git a/a b.rs b/a b.rs\nindex 1..2\n\
                     --- a/a b.rs\t\n+++ b/a b.rs\t\n@@ -1 +1 @@\n--- a/x\n\
                     +++ b/.env\n\
                     diff --git a/.env b/x.txt\nsimilarity index 90%\nrename from .env\nrename to \
                     x.txt\n\
                     diff --git a/a b.png b/a b.png\nBinary files differ\n\
                     diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\nnew file mode 100644\n--- \
                     /dev/null\n+++ \"b/caf\\303\\251\"\n\
                     diff --cc .env\nindex 1,2..3\n";
        let expected = [
            vec!["a b.rs", "a b.rs"],
            vec![".env", "x.txt"],
            vec!["a b.png", "a b.png"],
            vec!["café"],
            vec![".env"],
        ];
        assert_eq!(of(patch), expected);
        assert!(of("no diff at all\n").is_empty());
    }

    #[test]
    fn staged_and_unstaged_changes_are_shown_without_secrets() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.write(".env", "TOKEN=old\nmore\nlines\nto be alike\n");
        checkout.commit();
        checkout.write("a.rs", "two\n");
        checkout.write("staged.rs", "diff --git a/x b/x\n");
        checkout.write("sub/.env.local", "TOKEN=local\n");
        checkout.write(".claude/anvil-archive/old.md", "a debate\n");
        checkout.git(&["add", "."]);
        checkout.git(&["mv", ".env", "harmless.txt"]);
        checkout.write("new file.rs", "unknown\n");
        checkout.write("new.pem", "unknown\n");
        checkout.write(".claude/anvil-state.local.md", "own\n");
        let source = source(&checkout.folder().join("sub"), "", &checkout.tools).unwrap();
        let text = rendered(&source);
        assert!(text.contains("-one\n+two") && text.contains("+diff --git a/x b/x"), "{text}");
        assert!(
            text.contains("a.rs (+1 -1)\nstaged.rs (+1 -0)") && text.contains("new file.rs"),
            "{text}"
        );
        assert!(
            !text.contains("TOKEN") && !text.contains("pem") && !text.contains(".claude"),
            "{text}"
        );
        let expected = [
            "harmless.txt in the diff: looks like a secret",
            "sub/.env.local in the diff: looks like a secret",
        ];
        assert_eq!(source.cut, expected);
    }

    #[test]
    fn changes_are_compared_with_a_revision() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.commit();
        checkout.write("a.rs", "two\n");
        checkout.commit();
        checkout.write("unknown.rs", "");
        let source = source(checkout.folder(), "HEAD~1", &checkout.tools).unwrap();
        assert_eq!(source.label, "diff HEAD~1");
        assert!(
            rendered(&source).contains("-one\n+two") && !rendered(&source).contains("unknown.rs")
        );
        let range = super::source(checkout.folder(), "HEAD~1..HEAD", &checkout.tools).unwrap();
        assert!(rendered(&range).contains("+two"));
    }

    #[test]
    fn staged_changes_are_shown_before_the_first_commit() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.git(&["add", "."]);
        assert!(
            rendered(&source(checkout.folder(), "", &checkout.tools).unwrap()).contains("+one")
        );
    }

    #[test]
    fn a_failed_diff_is_an_error() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.commit();
        let error =
            |revision: &str| source(checkout.folder(), revision, &checkout.tools).unwrap_err();
        assert_eq!(error("").to_string(), "--diff: nothing has changed since HEAD");
        assert_eq!((error("").exit().code(), error("HEAD").exit().code()), (3, 3));
        checkout.write("b.rs", "one\n");
        assert!(error("").to_string().ends_with("since HEAD but 1 untracked file"));
        assert_eq!(error("no-such-branch").to_string(), "--diff: unknown revision no-such-branch");
        // git takes no file for a revision, and no revision for an option.
        for wrong in ["a.rs", "--output=x", "-p", "HEAD:a.rs", "HEAD\n--output=x", "--"] {
            assert_eq!(error(wrong).exit().code(), 2, "{wrong}");
            assert!(!error(wrong).to_string().contains('\n'));
        }
        assert!(!checkout.folder().join("x").exists());
        let temp = tempfile::tempdir().unwrap();
        assert_eq!(source(temp.path(), "", &checkout.tools).unwrap_err().exit().code(), 2);
        let without = Tools { git: vec!["/no/such/git".into()], ..checkout.tools.clone() };
        assert_eq!(
            source(checkout.folder(), "", &without).unwrap_err().to_string(),
            "git is not on this machine"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_runs_no_program_of_its_own() {
        let checkout = Checkout::new();
        let mark = checkout.folder().join("ran");
        let script = format!("sh -c 'echo ran >> {}; cat' --", mark.display());
        checkout.write(".gitattributes", "*.rs diff=own\n");
        checkout.write("a.rs", "one\n");
        checkout.commit();
        for key in [
            "diff.own.command",
            "diff.own.textconv",
            "diff.external",
            "core.pager",
            "core.fsmonitor",
        ] {
            checkout.git(&["config", key, &script]);
        }
        for (key, value) in
            [("color.ui", "always"), ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true")]
        {
            checkout.git(&["config", key, value]);
        }
        fs_err::write(checkout.folder().join("a.rs"), "two\n").unwrap();
        let _ = std::fs::remove_file(&mark);
        let text = rendered(&source(checkout.folder(), "", &checkout.tools).unwrap());
        assert!(text.contains("--- a/a.rs\n+++ b/a.rs\n") && text.contains("-one\n+two"), "{text}");
        assert!(!mark.exists());
    }
}
