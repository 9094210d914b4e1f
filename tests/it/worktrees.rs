//! Worktrees: each has its own debate. Lists have those of the whole repository, and records
//! outlive a worktree.

use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::host::{Host, git};

const STATE: &str = ".claude/anvil-state.local.md";

/// A host whose project is a repository with these worktrees next to it.
fn repository(names: &[&str]) -> (Host, Vec<PathBuf>) {
    let host = Host::new();
    host.git(&["init", "-q"]);
    host.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    let worktrees = names.iter().map(|name| add(&host, name)).collect();
    (host, worktrees)
}

fn add(host: &Host, name: &str) -> PathBuf {
    let folder = host.outside(name);
    host.git(&["worktree", "add", "-q", folder.to_str().unwrap()]);
    folder
}

/// The output of a successful command line in a folder.
fn out(host: &Host, arguments: &[&str], at: &Path) -> String {
    let printed = host.run_at(arguments, at);
    assert_eq!(printed.code, 0, "{arguments:?} in {}: {printed:?}", at.display());
    printed.stdout
}

fn prompt(host: &Host, session: &str, line: &str, at: &Path) -> String {
    let fields = serde_json::json!({ "prompt": line });
    let answer = host.event_at(session, "UserPromptSubmit", &fields, at, Some(at));
    format!("{}{}{}", answer.context(), answer.reason(), answer.message())
}

fn stop(host: &Host, session: &str, reply: &str, at: &Path) -> String {
    let fields = serde_json::json!({ "last_assistant_message": reply });
    let answer = host.event_at(session, "Stop", &fields, at, Some(at));
    format!("{}{}", answer.message(), answer.context())
}

fn finish(host: &Host, session: &str, question: &str, at: &Path) -> String {
    assert!(
        prompt(host, session, &format!("/anvil:debate {question} --rounds 1"), at)
            .contains("protocol")
    );
    stop(host, session, "A1.", at);
    stop(host, session, "C1.", at);
    stop(host, session, &testkit::host::synthesis("recommendation: Yes.", &[], None), at)
}

fn id_in(folder: &Path) -> String {
    let text = fs_err::read_to_string(folder.join(STATE)).unwrap();
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    id.trim_matches('"').to_owned()
}

#[test]
fn a_finished_debate_outlives_its_worktree() {
    let (host, worktrees) = repository(&["a", "b"]);
    let [a, b] = &worktrees[..] else { unreachable!() };
    let end = finish(&host, "one", "Why?", a);
    let report = end.split("Page: ").nth(1).unwrap().split("   ").next().unwrap();
    let report = host.resolve(report);
    assert!(report.exists(), "{end}");
    let id = id_in(a);
    assert!(a.join(STATE).exists() && !host.path(STATE).exists());
    for at in [host.root(), a, b] {
        assert!(out(&host, &["history"], at).contains("Why?"), "{}", at.display());
    }
    fs_err::create_dir_all(b.join("src")).unwrap();
    assert!(out(&host, &["report", &id, "--full"], &b.join("src")).contains("A1."));
    host.git(&["worktree", "remove", "--force", a.to_str().unwrap()]);
    assert!(!a.exists());
    for at in [host.root(), b] {
        assert!(out(&host, &["history"], at).contains("Yes."));
        assert!(out(&host, &["report", &id, "--full"], at).contains("A1."));
        assert!(out(&host, &["history", "Why?"], at).contains("  1  Why?"));
    }
    assert!(report.exists());
    // It is not a debate of another folder.
    assert_eq!(host.run_at(&["prune", "--keep", "0", "--yes"], b).code, 3);
}

#[test]
fn a_debate_of_a_removed_worktree_is_restored_in_another() {
    let (host, worktrees) = repository(&["a", "b"]);
    let [a, b] = &worktrees[..] else { unreachable!() };
    prompt(&host, "one", "/anvil:debate Why?", a);
    stop(&host, "one", "A1.", a);
    let id = id_in(a);
    // While it runs there, it is not restored elsewhere.
    let refused = host.run_at(&["undo", "--to", "2", &id], b);
    assert!(refused.code == 1 && refused.stderr.contains("in another folder"), "{refused:?}");
    assert_eq!(host.run_at(&["undo", "--to", "2"], b).code, 3);
    // A part of an id could mean another debate.
    assert_eq!(host.run_at(&["undo", "--to", "2", &id[..10]], b).code, 3);
    host.git(&["worktree", "remove", "--force", a.to_str().unwrap()]);
    let printed = host.run_at(&["history"], b);
    assert!(printed.stdout.contains("Why?") && printed.stdout.contains("paused"), "{printed:?}");
    let told = printed.stderr.split('`').find_map(|part| part.strip_prefix("anvil ")).unwrap();
    let words: Vec<&str> = told.split(' ').collect();
    assert_eq!(
        (words[..2].join(" ").as_str(), words[3]),
        ("undo --to", id.as_str()),
        "{printed:?}"
    );
    assert!(out(&host, &["undo", "--list", &id], b).contains("critic"));
    out(&host, &words, b);
    assert_eq!(id_in(b), id);
    assert!(prompt(&host, "two", "/anvil:resume", b).contains("── Critic · round 1"));
    assert!(stop(&host, "two", "C1.", b).contains("── Advocate · round 2"));
    let refused = host.run_at(&words, host.root());
    assert!(refused.stderr.contains("in another folder"), "{refused:?}");
}

#[test]
fn worktrees_do_not_change_each_others_debates() {
    let (host, worktrees) = repository(&["a", "b"]);
    let [a, b] = &worktrees[..] else { unreachable!() };
    // An older, cancelled state of the running debate was kept: the debate was restored.
    prompt(&host, "one", "/anvil:debate Why?", b);
    stop(&host, "one", "A1.", b);
    let id = id_in(b);
    out(&host, &["cancel"], b);
    out(&host, &["undo", "--to", "2", &id], b);
    prompt(&host, "one", "/anvil:resume", b);
    let state = fs_err::read_to_string(b.join(STATE)).unwrap();
    for (session, at) in [("two", a.as_path()), ("three", host.root())] {
        finish(&host, session, "Another?", at);
        assert_eq!(host.run_at(&["undo"], at).code, 0);
        assert_eq!(host.run_at(&["undo", "--redo"], at).code, 0);
        let pruned = host.run_at(&["prune", "--keep", "0", "--yes"], at);
        assert!(!pruned.stdout.contains(&id), "{pruned:?}");
        // A damaged file is not repaired from the other worktree's snapshots.
        fs_err::write(at.join(STATE), "---\nbroken").unwrap();
        assert!(!host.run_at(&["status"], at).stdout.contains("Why?"));
        fs_err::remove_file(at.join(STATE)).unwrap();
        assert!(!host.run_at(&["undo", "--list"], at).stdout.contains("Why?"));
    }
    assert_eq!(fs_err::read_to_string(b.join(STATE)).unwrap(), state);
    assert!(out(&host, &["prune", "--keep", "0", "--yes"], host.root()).contains("Another?"));
    assert!(stop(&host, "one", "C1.", b).contains("── Advocate · round 2"));
    assert_eq!(host.run_at(&["undo"], b).code, 0);
    // Also if its worktree moves.
    fs_err::rename(b, host.outside("moved")).unwrap();
    let pruned = host.run_at(&["prune", "--keep", "0", "--yes"], host.root());
    assert!(!pruned.stdout.contains(&id), "{pruned:?}");
    assert!(
        stop(&host, "one", "A2.", &host.outside("moved")).is_empty(),
        "its session is elsewhere"
    );
    assert!(prompt(&host, "one", "/anvil:resume", &host.outside("moved")).contains("── Critic"));
}

/// A `.git` file can come in an archive. It decides only which of the user's own debates a list
/// shows, and nothing is written elsewhere.
#[test]
fn a_forged_git_file_shows_only_the_users_own_list() {
    let (host, _) = repository(&["a"]);
    finish(&host, "one", "Theirs?", host.root());
    let before = host.files();
    let forged = host.outside("forged");
    fs_err::create_dir_all(&forged).unwrap();
    fs_err::write(
        forged.join(".git"),
        format!("gitdir: {}\n", host.path(".git/worktrees/a").display()),
    )
    .unwrap();
    finish(&host, "two", "Mine?", &forged);
    let listed = out(&host, &["history"], &forged);
    assert!(listed.contains("Mine?") && listed.contains("Theirs?"), "{listed}");
    // What removes acts on the debates of this folder.
    assert_eq!(host.run_at(&["start", "Next?"], &forged).code, 0);
    let pruned = out(&host, &["prune", "--keep", "0", "--yes"], &forged);
    assert!(pruned.contains("Mine?") && !pruned.contains("Theirs?"), "{pruned}");
    assert_eq!(host.files(), before);
    // A link, a folder or a FIFO in its place is no repository.
    for make in ["ln -s HEAD", "mkdir", "mkfifo"] {
        fs_err::remove_file(forged.join(".git")).unwrap_or_default();
        let line = format!("{make} .git");
        assert!(
            Command::new("sh").args(["-c", &line]).current_dir(&forged).status().unwrap().success()
        );
        assert!(out(&host, &["history"], &forged).contains("Next?"), "{make}");
        let _ = fs_err::remove_dir(forged.join(".git"));
    }
}

#[test]
fn bare_and_separate_git_folders_are_repositories_too() {
    let (host, _) = repository(&[]);
    let bare = host.outside("bare");
    host.git(&["clone", "-q", "--bare", ".", bare.join(".git").to_str().unwrap()]);
    let trees = ["one", "two"].map(|name| {
        let tree = host.outside(name);
        git(&bare, &["worktree", "add", "-q", tree.to_str().unwrap()]);
        tree
    });
    finish(&host, "one", "Here?", &trees[0]);
    assert!(out(&host, &["history"], &trees[1]).contains("Here?"));
    let separate = host.outside("separate");
    let option = format!("--separate-git-dir={}", host.outside("git").display());
    host.git(&["clone", "-q", &option, ".", separate.to_str().unwrap()]);
    finish(&host, "two", "There?", &separate);
    let listed = out(&host, &["history"], &separate);
    assert!(listed.contains("There?") && !listed.contains("Here?"), "{listed}");
}

#[test]
fn worktrees_and_the_main_checkout_debate_in_parallel() {
    let (host, worktrees) = repository(&["a", "b"]);
    let folders = [host.root().to_owned(), worktrees[0].clone(), worktrees[1].clone()];
    let commands = |round: usize| {
        folders
            .iter()
            .enumerate()
            .map(move |(number, folder)| (format!("s{number}"), folder.clone(), round))
    };
    for (session, folder, _) in commands(0) {
        prompt(&host, &session, "/anvil:debate Why?", &folder);
    }
    for round in 0..3 {
        let running: Vec<_> = commands(round)
            .map(|(session, folder, round)| {
                let mut command = host.command(&["hook"], &folder);
                command.env("CLAUDE_PROJECT_DIR", &folder);
                let reply = serde_json::json!({ "last_assistant_message": format!("reply {round} of {session}") });
                let input = testkit::host::event(&session, "Stop", &reply, &folder);
                std::thread::spawn(move || testkit::host::hook(command, &input))
            })
            .collect();
        for answer in running {
            assert!(!answer.join().unwrap().context().is_empty());
        }
    }
    // A repeated question is listed once.
    let listed = out(&host, &["history"], host.root());
    assert_eq!(
        (listed.matches("Why?").count(), listed.matches("the same question").count()),
        (1, 2)
    );
    assert!(folders.iter().all(|folder| id_in(folder).len() > 10));
    assert_eq!(fs_err::read_dir(host.records().join("debates")).unwrap().count(), 3);
}

#[test]
fn a_debate_in_a_folder_of_the_user_shares_nothing_with_other_worktrees() {
    let (host, worktrees) = repository(&["tree"]);
    let dir = host.outside("elsewhere");
    let dir = dir.to_str().unwrap();
    out(&host, &["start", "Theirs?"], &worktrees[0]);
    out(&host, &["start", "Mine?", "--dir", dir], &worktrees[0]);
    out(&host, &["cancel", "--dir", dir], &worktrees[0]);
    let (own, shared) = (&["history", "--dir", dir][..], &["history"][..]);
    for at in [&worktrees[0], host.root()] {
        let (own, shared) = (out(&host, own, at), out(&host, shared, at));
        assert!(own.contains("Mine?") && !own.contains("Theirs?"), "{own}");
        assert!(shared.contains("Theirs?") && !shared.contains("Mine?"), "{shared}");
    }
    out(&host, &["start", "Here?", "--dir", "ci"], host.root());
    let found = host.run(&["doctor", "--dir", "ci"]).stdout;
    assert!(found.contains("fix: printf '\\nanvil-state.*\\n' >> "), "{found}");
}

#[test]
fn a_cycle_in_a_worktree_is_cancelled_and_its_verdict_outlives_the_worktree() {
    let (host, trees) = repository(&["tree"]);
    let tree = &trees[0];
    prompt(&host, "one", "/anvil:debate Why? --rounds 1", tree);
    for reply in ["A1.", "C1.", testkit::host::WHOLE] {
        stop(&host, "one", reply, tree);
    }
    let row = || {
        let listed = out(&host, &["history", "--json"], host.root());
        serde_json::from_str::<serde_json::Value>(&listed).unwrap()[0].clone()
    };
    let before = row();
    assert_eq!((&before["status"], &before["verdict"]), (&"completed".into(), &"do".into()));
    for end in ["cancelled", "removed"] {
        prompt(&host, "one", "/anvil:again And now?", tree);
        stop(&host, "one", "A2.", tree);
        if end == "cancelled" {
            out(&host, &["cancel", "--take-over"], tree);
            assert_eq!(row(), before);
        } else {
            host.git(&["worktree", "remove", "--force", tree.to_str().unwrap()]);
            assert_eq!(row()["verdict"], "do", "{end}");
        }
    }
}
