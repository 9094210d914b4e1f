//! The files in a folder: in a checkout as git lists them, elsewhere as a walk finds them.
//!
//! Invariants: links are not followed, not even on the way to a file; the list is bounded. If git
//! refuses, a walk finds the files; if git is too slow with its ignore rules, only tracked files
//! are listed. The user learns of both.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::deadline::Deadline;
use super::listing::{Listing, MAX_DEPTH, MAX_FILES};
use super::walk;
use anvil_system::process::{Git, Output, ProcessError, Tools};

/// The files in a folder, `deepest` levels down. `label` is the folder's name for the user.
pub(super) fn list(
    root: &Path,
    label: &str,
    deepest: usize,
    tools: &Tools,
    deadline: Deadline,
) -> Listing {
    let walked = |note: Option<String>| {
        let found = walk::through(root, deepest, deadline);
        Listing { note: note.filter(|_| !found.files.is_empty()), ..found }
    };
    if !root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok()) {
        return walked(None);
    }
    // Half of the time is for git; if that is too short, half of the remaining time is for the list
    // without ignore rules.
    let ask = |arguments: &[&str]| {
        let until = deadline.at().checked_sub(deadline.left() / 2).unwrap_or_else(|| deadline.at());
        Tools { deadline: Some(until), ..tools.clone() }.git(root, arguments, "")
    };
    match ask(&["ls-files", "--cached", "--others", "--exclude-standard", "-z"]) {
        Git::Told(output) if !output.text.contains('\0') => {
            walked(Some(format!("git ignores all of {label}; it was scanned because you named it")))
        }
        Git::Told(output) => list_existing(root, deepest, &output, deadline),
        Git::Refused(ProcessError::TooSlow(_)) => match ask(&["ls-files", "--cached", "-z"]) {
            Git::Told(output) => {
                let note = format!(
                    "git took too long to list what it ignores in {label}, so only tracked files \
                     are in the context; check its .gitignore files"
                );
                Listing { note: Some(note), ..list_existing(root, deepest, &output, deadline) }
            }
            _ if deadline.is_over() => Listing { is_late: true, ..Listing::default() },
            Git::Nothing | Git::Refused(_) => Listing { is_unlisted: true, ..Listing::default() },
        },
        Git::Nothing => walked(Some(refusal(label, "it lists nothing"))),
        Git::Refused(why) => walked(Some(refusal(label, &format!("git {why}")))),
    }
}

/// The note for a folder that git does not list.
fn refusal(label: &str, why: &str) -> String {
    format!(
        "git could not list {label} ({why}), so what it ignores may be in the context; check the \
         folder's .git"
    )
}

/// The files of git's list that exist.
pub(super) fn list_existing(
    root: &Path,
    deepest: usize,
    output: &Output,
    deadline: Deadline,
) -> Listing {
    // The text after the last NUL is empty, or half of a name.
    let (text, _) = output.text.rsplit_once('\0').unwrap_or_default();
    let mut found = Listing { is_cut: output.is_cut, ..Listing::default() };
    for name in text.split('\0').filter(|name| !name.is_empty()) {
        if deadline.is_over() {
            found.is_late = true;
            break;
        }
        let path: PathBuf = Path::new(name).components().collect();
        let depth = path.components().count();
        if !path.components().all(|part| matches!(part, Component::Normal(_))) || depth > deepest {
            found.is_cut |= depth > MAX_DEPTH;
        } else {
            found.add(root, path);
        }
    }
    found.sort();
    if found.files.len() > MAX_FILES {
        found.files.truncate(MAX_FILES);
        found.is_cut = true;
    }
    let listed = std::mem::take(&mut found.files);
    let mut folders = BTreeMap::new();
    for path in listed {
        if deadline.is_over() {
            found.is_late = true;
            break;
        }
        match root.join(&path).symlink_metadata() {
            Ok(meta) if meta.is_file() && is_within(root, &path, &mut folders) => {
                found.files.push(path);
            }
            Ok(meta) if meta.is_dir() => found.repositories.push(path),
            Err(_) if path.to_string_lossy().contains('\u{FFFD}') => found.not_utf8 += 1,
            // A link, or an entry that only the index has.
            Ok(_) | Err(_) => {}
        }
    }
    found
}

/// True if no folder on the way to a file is a link.
fn is_within(root: &Path, path: &Path, folders: &mut BTreeMap<PathBuf, bool>) -> bool {
    let Some(folder) = path.parent() else { return true };
    if let Some(known) = folders.get(folder) {
        return *known;
    }
    let whole = root.join(folder);
    let is_real = whole.canonicalize().is_ok_and(|real| real == whole);
    folders.insert(folder.to_owned(), is_real);
    is_real
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Checkout;
    use std::time::Duration;

    fn listing(checkout: &Checkout, folder: &str) -> Listing {
        let root = checkout.folder().join(folder).canonicalize().unwrap();
        list(&root, "x/", MAX_DEPTH, &checkout.tools, Deadline::after(Duration::from_mins(1)))
    }

    fn names(found: &Listing) -> Vec<String> {
        found.files.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn in_a_checkout_git_decides_which_files_are_ignored() {
        let checkout = Checkout::new();
        checkout.write(".gitignore", "*.log\n!keep.log\nout/\n");
        for file in [
            "a.log",
            "keep.log",
            "out/x.rs",
            "sub/b.rs",
            "sub/out/y.rs",
            "tracked/out/z.rs",
            "excluded.rs",
        ] {
            checkout.write(file, "x\n");
        }
        checkout.write("sub/.gitignore", "gone.rs\n");
        checkout.write("sub/gone.rs", "x\n");
        checkout.write(".git/info/exclude", "excluded.rs\n");
        checkout.write("node_modules/ours.js", "x\n");
        checkout.git(&["add", "-f", "tracked/out/z.rs", "sub/b.rs"]);
        // A tracked file is listed even if a rule matches it; a folder of any name that git does
        // not ignore is searched.
        let expected = ["keep.log", "node_modules/ours.js", "sub/b.rs", "tracked/out/z.rs"];
        assert_eq!(names(&listing(&checkout, "")), expected);
        assert_eq!(names(&listing(&checkout, "sub")), ["b.rs"]);
        assert_eq!(listing(&checkout, "").note, None);
    }

    #[test]
    fn only_existing_files_are_listed_and_each_once() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "one\n");
        checkout.write("gone.rs", "one\n");
        checkout.write("sparse.rs", "one\n");
        checkout.write("line\nbreak.rs", "one\n");
        checkout.commit();
        checkout.git(&["checkout", "-q", "-b", "other"]);
        checkout.write("a.rs", "other\n");
        checkout.commit();
        checkout.git(&["checkout", "-q", "main"]);
        checkout.write("a.rs", "main\n");
        checkout.commit();
        let merge = std::process::Command::new("git")
            .args(["merge", "other"])
            .envs(checkout.tools.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(checkout.folder())
            .output()
            .unwrap();
        assert!(!merge.status.success(), "there is a conflict");
        checkout.git(&["update-index", "--skip-worktree", "sparse.rs"]);
        fs_err::remove_file(checkout.folder().join("sparse.rs")).unwrap();
        fs_err::remove_file(checkout.folder().join("gone.rs")).unwrap();
        let found = listing(&checkout, "");
        assert_eq!(names(&found), ["a.rs", "line\nbreak.rs"]);
        assert!(found.left_out("x/").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_even_to_files_that_git_knows() {
        use std::os::unix::fs::symlink;
        let checkout = Checkout::new();
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("notes.txt"), "private\n").unwrap();
        checkout.write("docs/notes.txt", "ours\n");
        symlink(outside.path().join("notes.txt"), checkout.folder().join("link.txt")).unwrap();
        checkout.commit();
        fs_err::remove_dir_all(checkout.folder().join("docs")).unwrap();
        symlink(outside.path(), checkout.folder().join("docs")).unwrap();
        assert!(names(&listing(&checkout, "")).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn inner_repositories_and_names_outside_utf8_are_reported() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let checkout = Checkout::new();
        checkout.write("a.rs", "x\n");
        checkout.write("inner/b.rs", "x\n");
        let inner = checkout.folder().join("inner").display().to_string();
        checkout.git(&["init", "-q", &inner]);
        fs_err::write(checkout.folder().join(OsStr::from_bytes(b"caf\xE9.rs")), "x\n").unwrap();
        let found = listing(&checkout, "");
        assert_eq!(names(&found), ["a.rs"]);
        let expected =
            ["inner in x/: is a repository of its own", "1 file in x/: its name is not UTF-8"];
        assert_eq!(found.left_out("x/"), expected);
        assert_eq!(names(&listing(&checkout, "inner")), ["b.rs"]);
    }

    #[test]
    fn an_ignored_folder_is_searched_if_it_is_named() {
        let checkout = Checkout::new();
        checkout.write(".gitignore", "out/\n");
        checkout.write("out/a.rs", "x\n");
        let found = listing(&checkout, "out");
        assert_eq!(names(&found), ["a.rs"]);
        assert!(found.note.unwrap().starts_with("git ignores all of x/"));
    }

    #[cfg(unix)]
    #[test]
    fn a_walk_replaces_a_failing_git_and_is_reported() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "x\n");
        let script = "echo fatal: detected dubious ownership >&2; exit 128";
        let tools =
            Tools { git: vec!["sh".into(), "-c".into(), script.into()], ..checkout.tools.clone() };
        let root = checkout.folder().canonicalize().unwrap();
        let found = list(&root, "x/", MAX_DEPTH, &tools, Deadline::after(Duration::from_secs(20)));
        assert_eq!((names(&found), found.is_late), (vec!["a.rs".to_owned()], false));
        assert!(found.note.unwrap().contains("dubious"));
        fs_err::remove_dir_all(checkout.folder().join(".git")).unwrap();
        assert_eq!(listing(&checkout, "").note, None);
        nix::unistd::mkfifo(&checkout.folder().join(".git"), nix::sys::stat::Mode::S_IRWXU)
            .unwrap();
        assert!(listing(&checkout, "").note.unwrap().contains("git could not list x/"));
    }

    #[cfg(unix)]
    #[test]
    fn a_slow_git_lets_no_ignored_file_in() {
        let checkout = Checkout::new();
        checkout.write(".gitignore", "private.md\n");
        checkout.write("a.rs", "x\n");
        checkout.commit();
        checkout.write("private.md", "x\n");
        checkout.write("new.rs", "x\n");
        let root = checkout.folder().canonicalize().unwrap();
        let slow = |what: &str, seconds: u64| {
            let script =
                format!("case \" $* \" in *{what}*) exec sleep 60;; esac; exec git \"$@\"");
            let git = vec!["sh".into(), "-c".into(), script.into(), "git".into()];
            let tools = Tools { git, ..checkout.tools.clone() };
            let began = std::time::Instant::now();
            let found =
                list(&root, "x/", MAX_DEPTH, &tools, Deadline::after(Duration::from_secs(seconds)));
            assert!(began.elapsed() < Duration::from_secs(20));
            found
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let found = slow("--others", 4);
                assert_eq!((names(&found), found.is_late), (vec!["a.rs".to_owned()], false));
                assert!(found.note.unwrap().contains("took too long"));
            });
            let found = slow("ls-files", 1);
            assert!(names(&found).is_empty());
            assert_eq!(found.left_out("x/"), ["x/: git took too long to list it"]);
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_list_that_is_too_long_is_cut_at_a_name() {
        let checkout = Checkout::new();
        checkout.write("a.rs", "x\n");
        // The part of the last name that fits.
        checkout.write(&"a".repeat(69), "x\n");
        let script = format!("printf 'a.rs\\0'; yes {} | tr '\\n' '\\0'", "a".repeat(200));
        let tools =
            Tools { git: vec!["sh".into(), "-c".into(), script.into()], ..checkout.tools.clone() };
        let root = checkout.folder().canonicalize().unwrap();
        let found = list(&root, "x/", MAX_DEPTH, &tools, Deadline::after(Duration::from_mins(1)));
        assert_eq!((names(&found), found.is_cut), (vec!["a.rs".to_owned()], true));
        assert_eq!(found.left_out("x/"), ["x/: more than the first 20,000 entries"]);
    }
}
