//! A copy of a project's files, in which a fact-checker may read: the files that could be material.
//!
//! Invariants: the copy has no file that git ignores, that is hidden, that is a secret by its name,
//! or that only a link leads to; secrets in a content are masked; files, bytes and time are
//! bounded, those near the top come first.

use std::path::{Path, PathBuf};

use super::deadline::{Deadline, within};
use super::error::MaterialError;
use super::listing::MAX_DEPTH;
use super::{GATHERING, HANGING, folder, names, text};
use anvil_system::process::Tools;
use anvil_text::error::Result;

const MAX_FILES: usize = 2_000;

/// Most bytes of all files together.
const MAX_BYTES: usize = 20_000_000;

/// Largest file, in bytes.
const MAX_FILE: u64 = 1_000_000;

/// The files of a project: the path of each in it, and its text without secrets.
pub fn snapshot(project: &Path) -> Result<Vec<(PathBuf, String)>> {
    let project = project.to_owned();
    let done = within(GATHERING + HANGING, move || {
        let root = names::real(&project);
        let deadline = Deadline::after(GATHERING);
        let tools = Tools { deadline: Some(deadline.at()), ..Tools::real() };
        take_snapshot(&root, &tools, deadline, MAX_FILES, MAX_BYTES)
    });
    done.ok_or_else(|| MaterialError::LateFiles.into())
}

fn take_snapshot(
    root: &Path,
    tools: &Tools,
    deadline: Deadline,
    most: usize,
    bytes: usize,
) -> Vec<(PathBuf, String)> {
    let found = folder::list(root, "./", MAX_DEPTH, tools, deadline);
    let mut files = Vec::new();
    let mut left = bytes;
    for path in found.files {
        if files.len() == most || deadline.is_over() {
            break;
        }
        let whole = root.join(&path);
        // A name with a secret in it would leak the secret.
        let is_named = names::line(&path) == path.to_string_lossy();
        let is_small = text::sniff(&whole, deadline).is_ok_and(|size| size <= MAX_FILE);
        if !is_named || !is_small {
            continue;
        }
        if let Ok(read) = text::read(&whole, usize::MAX, deadline)
            && read.text.len() <= left
        {
            left -= read.text.len();
            files.push((path, read.text));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tests::Checkout;

    fn copied(checkout: &Checkout, most: usize, bytes: usize) -> Vec<(String, String)> {
        let root = checkout.folder().canonicalize().unwrap();
        let files = take_snapshot(
            &root,
            &checkout.tools,
            Deadline::after(Duration::from_mins(1)),
            most,
            bytes,
        );
        files.into_iter().map(|(path, text)| (path.display().to_string(), text)).collect()
    }

    #[test]
    fn a_copy_has_no_secret_and_no_ignored_file() {
        let checkout = Checkout::new();
        let token = format!("ghp_{}", "aB3d".repeat(9));
        checkout.write(".gitignore", "private.md\n");
        for (file, content) in [
            ("a.rs", "let x = 1;\n"),
            ("src/b.rs", &format!("first\nlet token = \"{token}\";\nlast\n")),
            ("private.md", "x\n"),
            (".env", "KEY=x\n"),
            ("keys/id_rsa", "x\n"),
            (".claude/anvil-state.local.md", "x\n"),
            ("picture.png", "\0\0\0"),
            (&format!("{token}.txt"), "x\n"),
        ] {
            checkout.write(file, content);
        }
        let masked = "first\nlet token = \"[masked: GitHub token]\";\nlast\n".to_owned();
        assert_eq!(
            copied(&checkout, 99, 9_999),
            [("a.rs".into(), "let x = 1;\n".into()), ("src/b.rs".into(), masked)]
        );
        assert_eq!(copied(&checkout, 1, 9_999).len(), 1);
        assert_eq!(copied(&checkout, 99, 12).len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_copies_no_outside_file() {
        let checkout = Checkout::new();
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("notes.txt"), "private\n").unwrap();
        for (link, to) in
            [("file.txt", outside.path().join("notes.txt")), ("folder", outside.path().to_owned())]
        {
            std::os::unix::fs::symlink(to, checkout.folder().join(link)).unwrap();
        }
        checkout.write("a.rs", "x\n");
        checkout.commit();
        assert_eq!(copied(&checkout, 99, 9_999).len(), 1);
    }
}
