//! Files, names, ids and settings that come from others, and git that can't answer.

use std::time::Duration;

use super::*;

#[test]
fn files_that_can_not_be_looked_into_are_unknown() {
    let (checkout, id) = with_file("a.rs");
    for path in [".env", ".hidden/a.rs", "id_rsa", "binary.rs", "long.rs", "link.rs", "sparse.rs"] {
        checkout.write(path, text(path));
    }
    checkout.commit();
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("a.rs"), text("a")).unwrap();
    checkout.write("binary.rs", b"a\0b");
    checkout.write("long.rs", "a long line of text\n".repeat(300_000));
    fs_err::remove_file(checkout.folder().join("link.rs")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a.rs"), checkout.folder().join("link.rs"))
        .unwrap();
    checkout.commit();
    checkout.git(&["update-index", "--skip-worktree", "sparse.rs"]);
    fs_err::remove_file(checkout.folder().join("sparse.rs")).unwrap();
    let absolute = outside.path().join("a.rs").display().to_string();
    for path in [
        ".env",
        ".hidden/a.rs",
        "id_rsa",
        "binary.rs",
        "long.rs",
        "link.rs",
        "sparse.rs",
        "../a.rs",
        "src/../../a.rs",
        &absolute,
    ] {
        assert_eq!(look_at(&checkout, path, Some(&id)), unknown(path));
    }
    // A secret that is removed is not looked for either.
    checkout.git(&["rm", "-q", ".env"]);
    checkout.git(&["mv", "a.rs", ".netrc"]);
    checkout.commit();
    assert_eq!(look_at(&checkout, ".env", Some(&id)), unknown(".env"));
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), unknown("a.rs"));
    // Only its name was that of a secret.
    checkout.git(&["mv", ".netrc", "c.rs"]);
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), there("c.rs"));
    assert_eq!(look_at(&checkout, "a\nb.rs", None), unknown("a b.rs"));
    assert_eq!(look_at(&checkout, "", None), unknown(""));
}

#[test]
fn names_are_taken_literally() {
    let names = ["a b.rs", "a'\"b.rs", "größe.rs", "[ab].rs", "*.rs", "a?.rs", ":(glob)a.rs", "-z"];
    let checkout = Checkout::new();
    checkout.write("aa.rs", text("aa"));
    checkout.write("keep.rs", text("keep"));
    for name in names {
        checkout.write(name, text(name));
    }
    checkout.commit();
    let (id, _) = head(&checkout);
    for name in names {
        assert_eq!(look_at(&checkout, name, Some(&id)), there(name));
        checkout.write(name, changed_text(name));
    }
    checkout.commit();
    let (_, edit) = head(&checkout);
    checkout.write("aa.rs", changed_text("aa"));
    checkout.commit();
    for name in names {
        assert_eq!(look_at(&checkout, name, Some(&id)), changed(name, Some(&edit)));
        fs_err::rename(checkout.folder().join(name), checkout.folder().join(format!("{name} new")))
            .unwrap();
    }
    checkout.commit();
    for name in names {
        let new = format!("{name} new");
        assert_eq!(look_at(&checkout, name, Some(&id)), changed(&new, Some(&edit)));
    }
    // A name that can't be shown.
    checkout.git(&["mv", "keep.rs", "keep\nit.rs"]);
    checkout.commit();
    assert_eq!(look_at(&checkout, "keep.rs", Some(&id)), unknown("keep.rs"));
    // A folder is no file.
    checkout.write("folder/a.rs", text("folder"));
    checkout.commit();
    assert_eq!(look_at(&checkout, "folder", Some(&id)), unknown("folder"));
}

#[test]
fn a_hostile_commit_is_an_unknown_one() {
    let (checkout, id) = with_file("a.rs");
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.commit();
    checkout.write("b.rs", changed_text("a"));
    checkout.commit();
    let (_, short) = head(&checkout);
    let unknown = "ab".repeat(20);
    for commit in ["--output=x", "HEAD", &unknown, "", "^HEAD", "main..", "\n", &id[..7], "a"] {
        assert_eq!(look_at(&checkout, "a.rs", Some(commit)), changed("b.rs", Some(&short)));
    }
    assert!(!checkout.folder().join("x").exists());
}

#[test]
fn a_shallow_clone_names_no_wrong_commit() {
    let (checkout, id) = with_file("a.rs");
    checkout.write("b.rs", text("b"));
    checkout.write("c.rs", text("c"));
    checkout.commit();
    checkout.write("a.rs", changed_text("a"));
    checkout.git(&["mv", "b.rs", "d.rs"]);
    checkout.commit();
    checkout.write("c.rs", changed_text("c"));
    checkout.commit();
    let (_, short) = head(&checkout);
    let clone = Checkout::new();
    let url = format!("file://{}", checkout.folder().display());
    clone.git(&["fetch", "-q", "--depth=2", &url, "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    assert_eq!(look_at(&clone, "a.rs", Some(&id)), changed("a.rs", None));
    assert_eq!(look_at(&clone, "b.rs", Some(&id)), unknown("b.rs"));
    assert_eq!(look_at(&clone, "c.rs", Some(&id)), changed("c.rs", Some(&short)));
    // A later file of that name, which is removed.
    clone.write("b.rs", "fn new_file() {}\n".repeat(20));
    clone.commit();
    clone.git(&["rm", "-q", "b.rs"]);
    clone.commit();
    assert_eq!(look_at(&clone, "b.rs", Some(&id)), unknown("b.rs"));
}

#[test]
fn a_partial_clone_fetches_nothing_and_says_nothing_wrong() {
    let (checkout, id) = with_file("a.rs");
    checkout.write("b.rs", text("b"));
    checkout.write("c.rs", text("c"));
    checkout.commit();
    checkout.write("a.rs", changed_text("a"));
    checkout.git(&["mv", "c.rs", "d.rs"]);
    checkout.commit();
    checkout.git(&["mv", "b.rs", "e.rs"]);
    checkout.write("e.rs", text("b").replace("line 3", "row 3"));
    checkout.commit();
    checkout.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = Checkout::new();
    let url = format!("file://{}", checkout.folder().display());
    clone.git(&["remote", "add", "origin", &url]);
    clone.git(&["fetch", "-q", "--filter=blob:none", "origin", "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    clone.git(&["config", "remote.origin.url", "file:///nowhere"]);
    for path in ["a.rs", "b.rs", "c.rs"] {
        assert_eq!(look_at(&clone, path, Some(&id)), unknown(path));
    }
    assert_eq!(look_at(&clone, "d.rs", None), there("d.rs"));
}

#[test]
fn masked_words_are_found_in_old_texts() {
    let token = format!("ghp_{}", "aB3d".repeat(9));
    let (checkout, _) = with_file("a.rs");
    checkout.write("a.rs", format!("{}let key = \"{token}\"; // the key\n", text("a")));
    checkout.commit();
    let (id, _) = head(&checkout);
    checkout.write("a.rs", text("a"));
    checkout.commit();
    let (_, short) = head(&checkout);
    let words = "let key = \"[masked: GitHub token]\"; // the key".to_owned();
    let masked = RestedWords { words, ..cited("a.rs", Some(&id)) };
    let words = format!("let key = \"{token}\"; // the key");
    let secret = RestedWords { words, ..masked.clone() };
    let expected = [changed("a.rs", Some(&short)), changed("a.rs", None)];
    assert_eq!(look(&checkout, &[masked, secret]), expected);
}

#[test]
fn old_texts_that_are_no_text_are_skipped() {
    let (checkout, id) = with_file("a.rs");
    for content in [b"a\xFFb\n".to_vec(), b"a\0b\n".to_vec(), vec![b'x'; 9 * 1024 * 1024]] {
        checkout.write("a.rs", text("a"));
        checkout.git(&["commit", "-qa", "--allow-empty", "-m", "x"]);
        checkout.write("a.rs", &content);
        checkout.commit();
        checkout.write("a.rs", changed_text("a"));
        checkout.commit();
        // The words may have gone with that one, or with the next.
        assert_eq!(look_at(&checkout, "a.rs", Some(&id)), changed("a.rs", None));
    }
}

#[test]
fn settings_of_a_repository_run_nothing_and_change_nothing() {
    let (checkout, id) = with_file("a.rs");
    checkout.write("c.rs", text("c"));
    checkout.write("e.rs", text("e"));
    checkout.write("g.rs", text("g"));
    checkout.commit();
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.git(&["mv", "e.rs", "f.rs"]);
    checkout.write("b.rs", text("a").replace("line 3", "row 3"));
    checkout.write("f.rs", text("e").replace("line 3", "row 3"));
    checkout.write("c.rs", changed_text("c"));
    checkout.commit();
    let (_, short) = head(&checkout);
    checkout.git(&["mv", "g.rs", "h.rs"]);
    checkout.write("h.rs", text("g").replace("line 3", "row 3"));
    checkout.git(&["add", "-A"]);
    let ran = checkout.folder().join(".git/ran");
    let program = format!("sh -c 'touch {}; cat'", ran.display());
    for (key, value) in [
        ("core.fsmonitor", &*program),
        ("core.pager", &program),
        ("core.attributesFile", ".git/attributes"),
        ("core.abbrev", "30"),
        ("core.quotePath", "true"),
        ("diff.x.textconv", &program),
        ("diff.x.command", &program),
        ("diff.external", &program),
        ("diff.renames", "false"),
        ("diff.renameLimit", "1"),
        ("diff.relative", "true"),
        ("diff.noprefix", "true"),
        ("filter.x.clean", &program),
        ("filter.x.smudge", &program),
        ("filter.x.process", &program),
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("gpg.program", &program),
    ] {
        checkout.git(&["config", key, value]);
    }
    checkout.write(".git/info/attributes", "* diff=x filter=x\n");
    checkout.write(".git/attributes", "* diff=x filter=x\n");
    let wanted = ["a.rs", "c.rs", "e.rs", "g.rs"].map(|path| cited(path, Some(&id)));
    let expected = [there("b.rs"), changed("c.rs", Some(&short)), there("f.rs"), there("h.rs")];
    assert_eq!(look(&checkout, &wanted), expected);
    assert!(!ran.exists(), "a program of the repository ran");
}

#[test]
fn a_history_that_can_not_be_read_is_reported() {
    let (checkout, id) = with_file("a.rs");
    checkout.write("c.rs", text("c"));
    checkout.commit();
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.write("c.rs", changed_text("c"));
    checkout.commit();
    let wanted = [cited("b.rs", None), cited("a.rs", Some(&id)), cited("c.rs", Some(&id))];
    for script in ["sleep 60", "exit 128", "printf x"] {
        for what in ["rev-list", "diff-tree", "diff-index", "cat-file"] {
            let script =
                format!("case \" $* \" in *' {what} '*) {script}; exit;; esac; exec git \"$@\"");
            let git = vec!["sh".into(), "-c".into(), script.into(), "git".into()];
            let tools = crate::Tools { git, ..checkout.tools.clone() };
            let deadline = Deadline::after(Duration::from_millis(1_500));
            let seen = recheck_with(checkout.folder(), &wanted, tools, deadline).unwrap();
            assert_eq!(seen[0], there("b.rs"));
            for seen in &seen[1..] {
                let is_honest = match seen {
                    WordsNow::Unknown { .. } | WordsNow::There { .. } => true,
                    WordsNow::Changed { path, .. } => path == "c.rs",
                    WordsNow::Gone { .. } => false,
                };
                assert!(is_honest, "{what}: {seen:?}");
            }
        }
    }
}
