//! What becomes of cited words, in one repository each. [`hostile`]: what others may write or set.
//! [`world`]: an oracle over repositories of random changes.

mod hostile;
mod world;

use std::time::Duration;

use anvil_core::ledger::RestedWords;

use crate::deadline::Deadline;
use crate::recheck::{WordsNow, recheck, recheck_with};
use crate::tests::Checkout;

const WORDS: &str = "let most_retries = 5;";

/// A file with the words in line 12.
fn text(name: &str) -> String {
    let lines = |from: usize| (from..from + 11).map(|at| format!("// {name}, line {at}\n"));
    format!("{}{WORDS}\n{}", lines(1).collect::<String>(), lines(13).collect::<String>())
}

fn changed_text(name: &str) -> String {
    text(name).replace("= 5", "= 6")
}

fn cited(path: &str, commit: Option<&str>) -> RestedWords {
    let commit = commit.map(str::to_owned);
    RestedWords { path: path.into(), line: Some(12), words: WORDS.into(), commit }
}

fn look(checkout: &Checkout, wanted: &[RestedWords]) -> Vec<WordsNow> {
    let deadline = Deadline::after(Duration::from_mins(1));
    recheck_with(checkout.folder(), wanted, checkout.tools.clone(), deadline).unwrap()
}

fn look_at(checkout: &Checkout, path: &str, commit: Option<&str>) -> WordsNow {
    look(checkout, &[cited(path, commit)]).remove(0)
}

/// The id of HEAD, and as git shortens it.
fn head(checkout: &Checkout) -> (String, String) {
    let output = checkout.tools.git(checkout.folder(), &["rev-parse", "HEAD"]).unwrap();
    let id = output.text.trim().to_owned();
    let short = id[..10].to_owned();
    (id, short)
}

fn there(path: &str) -> WordsNow {
    WordsNow::There { path: path.into(), line: 12 }
}

fn changed(path: &str, commit: Option<&str>) -> WordsNow {
    WordsNow::Changed { path: path.into(), commit: commit.map(str::to_owned) }
}

fn gone(path: &str, commit: Option<&str>) -> WordsNow {
    WordsNow::Gone { path: path.into(), commit: commit.map(str::to_owned) }
}

fn unknown(path: &str) -> WordsNow {
    WordsNow::Unknown { path: path.into() }
}

/// A checkout with one committed file, and the id of that commit.
fn with_file(path: &str) -> (Checkout, String) {
    let checkout = Checkout::new();
    checkout.write(path, text("a"));
    checkout.write("other.rs", "fn other() {}\n".repeat(9));
    checkout.commit();
    let (id, _) = head(&checkout);
    (checkout, id)
}

#[test]
fn uncommitted_changes_have_no_commit() {
    let (checkout, id) = with_file("a.rs");
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), there("a.rs"));
    checkout.write("a.rs", changed_text("a"));
    for commit in [Some(&*id), None] {
        assert_eq!(look_at(&checkout, "a.rs", commit), changed("a.rs", None));
    }
    checkout.git(&["add", "-A"]);
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), changed("a.rs", None));
    checkout.commit();
    let (_, short) = head(&checkout);
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), changed("a.rs", Some(&short)));
    fs_err::remove_file(checkout.folder().join("a.rs")).unwrap();
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), unknown("a.rs"));
    checkout.git(&["rm", "-q", "--cached", "a.rs"]);
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), gone("a.rs", None));
    checkout.commit();
    let (_, short) = head(&checkout);
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), gone("a.rs", Some(&short)));
}

#[test]
fn a_staged_rename_is_followed() {
    let (checkout, id) = with_file("a.rs");
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.write("a.rs", "fn new() {}\n");
    for commit in [Some(&*id), None] {
        assert_eq!(look_at(&checkout, "a.rs", commit), there("b.rs"));
    }
    checkout.write("b.rs", changed_text("a"));
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), changed("b.rs", None));
    // The index still has it.
    fs_err::remove_file(checkout.folder().join("b.rs")).unwrap();
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), unknown("a.rs"));
}

#[test]
fn a_new_file_under_an_old_name_does_not_mislead() {
    let (checkout, id) = with_file("a.rs");
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.commit();
    checkout.write("a.rs", "fn new_file() {}\n".repeat(20));
    checkout.commit();
    checkout.git(&["mv", "a.rs", "c.rs"]);
    checkout.commit();
    for commit in [Some(&*id), None] {
        assert_eq!(look_at(&checkout, "a.rs", commit), there("b.rs"));
    }
    checkout.git(&["rm", "-q", "b.rs"]);
    checkout.commit();
    let (_, short) = head(&checkout);
    for commit in [Some(&*id), None] {
        assert_eq!(look_at(&checkout, "a.rs", commit), gone("b.rs", Some(&short)));
    }
    // A revert of the removal, and a rename of that file.
    checkout.write("b.rs", text("a"));
    checkout.commit();
    checkout.git(&["mv", "b.rs", "d.rs"]);
    checkout.commit();
    assert_eq!(look_at(&checkout, "b.rs", None), there("d.rs"));
}

#[test]
fn words_that_a_later_file_gets_after_its_rename_do_not_mislead() {
    let (checkout, id) = with_file("a.rs");
    checkout.git(&["rm", "-q", "a.rs"]);
    checkout.commit();
    let (_, short) = head(&checkout);
    let later = "fn new_file() {}\n".repeat(20);
    checkout.write("a.rs", &later);
    checkout.commit();
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.commit();
    checkout.write("b.rs", format!("{later}{WORDS}\n"));
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), gone("a.rs", Some(&short)));
}

#[test]
fn a_rename_on_a_branch_arrives_with_its_merge() {
    let (checkout, id) = with_file("a.rs");
    checkout.git(&["checkout", "-q", "-b", "branch"]);
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.commit();
    let (on_branch, _) = head(&checkout);
    checkout.write("b.rs", changed_text("a"));
    checkout.commit();
    checkout.git(&["checkout", "-q", "main"]);
    checkout.write("other.rs", "fn other() {}\n");
    checkout.commit();
    checkout.git(&["merge", "-q", "--no-ff", "-m", "x", "branch"]);
    let (_, merge) = head(&checkout);
    for commit in [&id, &on_branch] {
        assert_eq!(look_at(&checkout, "a.rs", Some(commit)), changed("b.rs", Some(&merge)));
    }
}

#[test]
fn renames_in_a_circle_end() {
    let (checkout, id) = with_file("a.rs");
    for (from, to) in [("a.rs", "b.rs"), ("b.rs", "a.rs"), ("a.rs", "b.rs"), ("b.rs", "c.rs")] {
        checkout.git(&["mv", from, to]);
        checkout.commit();
    }
    for (path, commit) in [("a.rs", Some(&*id)), ("a.rs", None), ("b.rs", None)] {
        assert_eq!(look_at(&checkout, path, commit), there("c.rs"));
    }
}

#[cfg(unix)]
#[cfg(unix)]
#[test]
fn words_that_were_never_committed_have_no_commit() {
    let (checkout, id) = with_file("a.rs");
    let never =
        |path: &str| RestedWords { words: "fn never_there()".into(), ..cited(path, Some(&id)) };
    assert_eq!(look(&checkout, &[never("a.rs")]), [changed("a.rs", None)]);
    assert_eq!(look(&checkout, &[never("none.rs")]), [unknown("none.rs")]);
    checkout.write("a.rs", changed_text("a"));
    checkout.commit();
    assert_eq!(look(&checkout, &[never("a.rs")]), [changed("a.rs", None)]);
}

#[test]
fn a_rename_among_hundreds_of_files_is_found() {
    let (checkout, id) = with_file("a.rs");
    for number in 0..600 {
        checkout.write(&format!("old/{number}.rs"), format!("fn old_{number}() {{}}\n"));
    }
    checkout.commit();
    for number in 0..600 {
        checkout.write(&format!("new/x{number}.txt"), format!("more {number} {number}\n"));
    }
    checkout.git(&["rm", "-rq", "old"]);
    checkout.git(&["mv", "a.rs", "b.rs"]);
    checkout.write("b.rs", text("a").replace("line 3", "row 3"));
    checkout.commit();
    assert_eq!(look_at(&checkout, "a.rs", Some(&id)), there("b.rs"));
}

#[test]
fn without_commits_or_a_checkout_nothing_is_called_gone() {
    let checkout = Checkout::new();
    checkout.write("a.rs", text("a"));
    checkout.git(&["add", "-A"]);
    assert_eq!(look_at(&checkout, "a.rs", None), there("a.rs"));
    assert_eq!(look_at(&checkout, "b.rs", None), unknown("b.rs"));
    checkout.write("a.rs", changed_text("a"));
    assert_eq!(look_at(&checkout, "a.rs", None), unknown("a.rs"));
    let temp = tempfile::tempdir().unwrap();
    let error = recheck(temp.path(), &[cited("a.rs", None)]).unwrap_err();
    assert!(error.to_string().contains("no git checkout"), "{error}");
}

#[test]
fn a_project_may_be_a_folder_of_its_repository() {
    let (checkout, id) = with_file("sub/a.rs");
    checkout.write("a.rs", "fn of_the_repository() {}\n".repeat(20));
    checkout.write("sub/b.rs", text("b"));
    checkout.commit();
    checkout.git(&["mv", "sub/a.rs", "sub/c.rs"]);
    checkout.write("sub/b.rs", changed_text("b"));
    checkout.commit();
    let (_, short) = head(&checkout);
    let deadline = Deadline::after(Duration::from_mins(1));
    let wanted = [cited("a.rs", Some(&id)), cited("b.rs", None)];
    let folder = checkout.folder().join("sub");
    let seen = recheck_with(&folder, &wanted, checkout.tools.clone(), deadline);
    assert_eq!(seen.unwrap(), [there("c.rs"), changed("b.rs", Some(&short))]);
    checkout.git(&["mv", "sub/c.rs", "sub/d.rs"]);
    let seen = recheck_with(&folder, &wanted[..1], checkout.tools.clone(), deadline);
    assert_eq!(seen.unwrap(), [there("d.rs")]);
}

#[cfg(unix)]
#[cfg(unix)]
#[cfg(unix)]
#[test]
fn words_that_are_there_need_no_history() {
    let (checkout, id) = with_file("a.rs");
    let script = "case \" $* \" in *' rev-parse '*|*' ls-files '*) exec git \"$@\";; esac; exit 1";
    let git = vec!["sh".into(), "-c".into(), script.into(), "git".into()];
    let tools = crate::Tools { git, ..checkout.tools.clone() };
    let deadline = Deadline::after(Duration::from_mins(1));
    let wanted = [cited("a.rs", Some(&id)), cited(".env", None)];
    let seen = recheck_with(checkout.folder(), &wanted, tools, deadline).unwrap();
    assert_eq!(seen, [there("a.rs"), unknown(".env")]);
}

#[cfg(unix)]
#[test]
fn a_project_may_be_reached_through_a_link() {
    let (checkout, _) = with_file("a.rs");
    let temp = tempfile::tempdir().unwrap();
    let link = temp.path().join("link");
    std::os::unix::fs::symlink(checkout.folder(), &link).unwrap();
    let deadline = Deadline::after(Duration::from_mins(1));
    let real = checkout.folder().canonicalize().unwrap();
    for root in [&link, &real] {
        let wanted = [cited(&root.join("a.rs").display().to_string(), None)];
        let seen = recheck_with(&link, &wanted, checkout.tools.clone(), deadline);
        assert_eq!(seen.unwrap(), [there("a.rs")]);
    }
}
