//! What becomes of cited words, in one repository each.

use std::time::Duration;

use anvil_core::ledger::RestedWords;

use crate::deadline::Deadline;
use crate::recheck::{WordsNow, recheck, recheck_with};
use crate::tests::Checkout;

/// Why a file of no project is not looked into.
const OUTSIDE: &str =
    "it leads outside or into another repository, is hidden or looks like a secret";

const WORDS: &str = "let most_retries = 5;";

/// A file with the words in line 12.
fn text(name: &str) -> String {
    let lines = |from: usize| (from..from + 11).map(|at| format!("// {name}, line {at}\n"));
    format!("{}{WORDS}\n{}", lines(1).collect::<String>(), lines(13).collect::<String>())
}

fn changed_text(name: &str) -> String {
    text(name).replace("= 5", "= 6")
}

fn cited(path: &str) -> RestedWords {
    RestedWords { path: path.into(), line: Some(12), words: WORDS.into(), commit: None }
}

fn look(checkout: &Checkout, wanted: &[RestedWords]) -> Vec<WordsNow> {
    let deadline = Deadline::after(Duration::from_mins(1));
    recheck_with(
        checkout.folder(),
        wanted,
        |text| text.starts_with("# Report"),
        checkout.tools.clone(),
        deadline,
    )
    .unwrap()
}

fn look_at(checkout: &Checkout, path: &str) -> WordsNow {
    look(checkout, &[cited(path)]).remove(0)
}

/// The beginning of the id of HEAD.
fn head(checkout: &Checkout) -> String {
    let crate::Git::Told(output) =
        checkout.tools.git(checkout.folder(), &["rev-parse", "HEAD"], "")
    else {
        panic!("git does not tell HEAD")
    };
    output.text[..10].to_owned()
}

fn unchanged(path: &str) -> WordsNow {
    WordsNow::Unchanged { path: path.into(), line: 12 }
}

fn moved(path: &str) -> WordsNow {
    WordsNow::Moved { path: path.into(), line: 12 }
}

fn changed(path: &str, commit: Option<&str>) -> WordsNow {
    WordsNow::Changed { path: path.into(), commit: commit.map(str::to_owned) }
}

/// Why the words are unknown.
fn unknown(seen: WordsNow) -> String {
    let WordsNow::Unknown { why, .. } = seen else { panic!("{seen:?}") };
    why
}

fn with_file(path: &str) -> Checkout {
    let checkout = Checkout::new();
    checkout.write(path, text("a"));
    checkout.write("other.rs", "fn other() {}\n".repeat(9));
    checkout.commit();
    checkout
}

#[test]
fn words_are_unchanged_or_moved_or_changed_with_the_last_commit_of_their_file() {
    let checkout = with_file("a.rs");
    assert_eq!(look_at(&checkout, "a.rs"), unchanged("a.rs"));
    // Other lines above, and another layout.
    checkout.write("a.rs", format!("\n{}", text("a").replace("= 5", "\n  = 5")));
    assert_eq!(look_at(&checkout, "a.rs"), WordsNow::Unchanged { path: "a.rs".into(), line: 13 });
    checkout.write("a.rs", changed_text("a"));
    checkout.commit();
    let edit = head(&checkout);
    checkout.write("other.rs", "fn other() {}\n");
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs"), changed("a.rs", Some(&edit)));
    // One other tracked file has them; then two do.
    checkout.write("b.rs", text("b"));
    assert_eq!(look_at(&checkout, "a.rs"), changed("a.rs", Some(&edit)));
    checkout.git(&["add", "b.rs"]);
    assert_eq!(look_at(&checkout, "a.rs"), moved("b.rs"));
    checkout.write("c.rs", text("c"));
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs"), changed("a.rs", Some(&edit)));
    // A report quotes them.
    checkout.git(&["rm", "-q", "c.rs"]);
    checkout.write("report.md", format!("# Report\n\n> {WORDS}\n"));
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs"), moved("b.rs"));
    // A removed file.
    checkout.git(&["rm", "-q", "a.rs"]);
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs"), moved("b.rs"));
    checkout.git(&["rm", "-q", "b.rs"]);
    checkout.commit();
    let removed = WordsNow::Changed { path: "b.rs".into(), commit: Some(head(&checkout)) };
    assert_eq!(look_at(&checkout, "b.rs"), removed);
}

#[test]
fn a_file_whose_text_can_not_be_seen_is_unknown_with_the_reason() {
    let checkout = with_file("a.rs");
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    let utf16: Vec<u8> = text("a").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for path in [".env", ".hidden/a.rs", "id_rsa", "sparse.rs", "gone.rs"] {
        checkout.write(path, text(path));
    }
    checkout.write("lfs.rs", lfs);
    checkout.write("locked.rs", "c2VjcmV0 words\n");
    checkout.write("binary.rs", b"a\0b");
    checkout.write("utf16.rs", utf16);
    checkout.write("long.rs", "a long line of text\n".repeat(300_000));
    checkout.write(".gitattributes", "locked.rs filter=lock\n");
    let inner = Checkout::new();
    inner.write("a.rs", text("a"));
    inner.commit();
    let inner = inner.folder().display().to_string();
    checkout.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &inner,
        "sub",
    ]);
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("a.rs"), text("a")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("a.rs"), checkout.folder().join("link.rs"))
        .unwrap();
    checkout.commit();
    checkout.git(&["update-index", "--skip-worktree", "sparse.rs"]);
    for gone in ["sparse.rs", "gone.rs"] {
        fs_err::remove_file(checkout.folder().join(gone)).unwrap();
    }
    checkout.write("untracked.rs", changed_text("a"));
    let absolute = outside.path().join("a.rs").display().to_string();
    for (path, why) in [
        ("lfs.rs", "it is a pointer of Git LFS here"),
        ("locked.rs", "git changes its text: filter=lock"),
        ("binary.rs", "it is not text"),
        ("utf16.rs", "it is not text"),
        ("long.rs", "it is too long"),
        ("sub/a.rs", OUTSIDE),
        ("sub", "it is a submodule"),
        ("link.rs", "it can't be read here"),
        ("sparse.rs", "it can't be read here"),
        ("gone.rs", "it can't be read here"),
        ("untracked.rs", "git does not track it"),
        ("never.rs", "git knows no such file"),
        ("", OUTSIDE),
        (".env", OUTSIDE),
        (".hidden/a.rs", OUTSIDE),
        ("id_rsa", OUTSIDE),
        ("../a.rs", OUTSIDE),
        (&absolute, OUTSIDE),
    ] {
        assert_eq!(unknown(look_at(&checkout, path)), why, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_refusal_of_git_is_quoted() {
    let checkout = with_file("a.rs");
    for (script, line) in [
        (
            "echo \"fatal: detected dubious ownership in repository at '/x'\" >&2; exit 128",
            "git refuses: detected dubious ownership in repository at '/x'",
        ),
        ("sleep 60", "git took longer than 1 s and was stopped"),
    ] {
        let git = vec!["sh".into(), "-c".into(), script.into()];
        let tools = crate::Tools { git, limit: Duration::from_secs(1), ..checkout.tools.clone() };
        let deadline = Deadline::after(Duration::from_secs(5));
        let seen = recheck_with(
            checkout.folder(),
            &[cited("a.rs")],
            |text| text.starts_with("# Report"),
            tools,
            deadline,
        )
        .unwrap();
        assert_eq!(unknown(seen[0].clone()), line);
    }
    let temp = tempfile::tempdir().unwrap();
    let error = recheck(temp.path(), &[cited("a.rs")], |_| false).unwrap_err();
    assert!(error.to_string().contains("no git checkout"), "{error}");
}

#[test]
fn names_are_taken_literally() {
    let names = ["a b.rs", "a'\"b.rs", "größe.rs", "[ab].rs", "*.rs", "a?.rs", ":(glob)a.rs", "-z"];
    let checkout = Checkout::new();
    checkout.write("aa.rs", "fn one() {}\n");
    for name in names {
        checkout.write(name, text(name));
    }
    checkout.commit();
    for name in names {
        assert_eq!(look_at(&checkout, name), unchanged(name));
        checkout.write(name, changed_text(name));
    }
    checkout.commit();
    let edit = head(&checkout);
    checkout.write("aa.rs", "fn two() {}\n");
    checkout.commit();
    for name in names {
        assert_eq!(look_at(&checkout, name), changed(name, Some(&edit)));
    }
}

#[test]
fn a_shallow_clone_names_no_wrong_commit() {
    let checkout = with_file("a.rs");
    checkout.write("c.rs", text("c"));
    checkout.commit();
    checkout.write("a.rs", changed_text("a"));
    checkout.commit();
    checkout.write("c.rs", changed_text("c"));
    checkout.commit();
    let clone = Checkout::new();
    let url = format!("file://{}", checkout.folder().display());
    clone.git(&["fetch", "-q", "--depth=2", &url, "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    assert_eq!(look_at(&clone, "a.rs"), changed("a.rs", None));
    assert_eq!(look_at(&clone, "c.rs"), changed("c.rs", Some(&head(&checkout))));
}

#[test]
fn a_secret_is_found_in_no_other_file() {
    let token = format!("ghp_{}", "aB3d".repeat(9));
    let checkout = with_file("a.rs");
    checkout.write("b.rs", format!("let key = \"{token}\";\n"));
    checkout.commit();
    let words = format!("let key = \"{token}\";");
    let seen = look(&checkout, &[RestedWords { words, ..cited("a.rs") }]).remove(0);
    assert!(matches!(seen, WordsNow::Changed { .. }), "{seen:?}");
}

#[test]
fn a_project_may_be_a_folder_of_its_repository() {
    let checkout = with_file("sub/a.rs");
    checkout.write("outside.rs", text("a"));
    checkout.git(&["mv", "sub/a.rs", "sub/c.rs"]);
    checkout.commit();
    let deadline = Deadline::after(Duration::from_mins(1));
    let folder = checkout.folder().join("sub");
    let seen = recheck_with(
        &folder,
        &[cited("a.rs")],
        |text| text.starts_with("# Report"),
        checkout.tools.clone(),
        deadline,
    );
    assert_eq!(seen.unwrap(), [moved("c.rs")]);
}

#[cfg(unix)]
#[test]
fn settings_of_a_repository_run_nothing_and_change_nothing() {
    let checkout = with_file("a.rs");
    checkout.write("c.rs", text("c"));
    checkout.commit();
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.commit();
    checkout.git(&["rm", "-q", "c.rs"]);
    checkout.write("d.rs", changed_text("c"));
    checkout.commit();
    let ran = checkout.folder().join(".git/ran");
    let program = format!("sh -c 'touch {}; cat'", ran.display());
    for (key, value) in [
        ("core.fsmonitor", &*program),
        ("core.pager", &program),
        ("core.abbrev", "30"),
        ("core.quotePath", "true"),
        ("diff.x.textconv", &program),
        ("diff.external", &program),
        ("diff.relative", "true"),
        ("filter.x.clean", &program),
        ("filter.x.smudge", &program),
        ("filter.x.process", &program),
        ("log.showSignature", "true"),
        ("log.follow", "true"),
        ("gpg.program", &program),
    ] {
        checkout.git(&["config", key, value]);
    }
    checkout.write(".git/info/attributes", "b.rs diff=x filter=x\n");
    let seen = look(&checkout, &["a.rs", "c.rs"].map(cited));
    assert_eq!(seen, [moved("b.rs"), moved("b.rs")]);
    assert!(!ran.exists(), "a program of the repository ran");
}

#[cfg(unix)]
#[test]
fn a_project_may_be_reached_through_a_link() {
    let checkout = with_file("a.rs");
    let temp = tempfile::tempdir().unwrap();
    let link = temp.path().join("link");
    std::os::unix::fs::symlink(checkout.folder(), &link).unwrap();
    let deadline = Deadline::after(Duration::from_mins(1));
    let real = checkout.folder().canonicalize().unwrap();
    for root in [&link, &real] {
        let wanted = [cited(&root.join("a.rs").display().to_string())];
        let seen = recheck_with(
            &link,
            &wanted,
            |text| text.starts_with("# Report"),
            checkout.tools.clone(),
            deadline,
        );
        assert_eq!(seen.unwrap(), [unchanged("a.rs")]);
    }
}
