//! A debate's past: undo, redo, snapshots and restore.

use std::path::Path;

use testkit::host::{Answer, Host};

fn debated(typed: &str, replies: usize) -> Host {
    let host = Host::new().debating(typed);
    for number in 1..=replies {
        says(&host, &format!("Reply {number}."));
    }
    host
}

/// A reply that begins with this line; the synthesis has a block too.
fn says(host: &Host, line: &str) -> Answer {
    if host.head("phase") == "synthesizer" {
        return host.stop("one", &format!("recommendation: Wait.\n\n{line}"));
    }
    host.stop("one", line)
}

/// The first line of each reply.
fn texts(host: &Host) -> Vec<String> {
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    host.sections().iter().map(|section| first(&section.text)).collect()
}

fn snapshots(host: &Host) -> Vec<String> {
    let files = fs_err::read_dir(host.debate_folder_here()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with('0')).collect();
    names.sort();
    names
}

#[test]
fn snapshots_name_their_cycle_if_there_are_several() {
    let host = debated("Why? --rounds 1", 3);
    assert!(!host.run(&["undo", "--list"]).stdout.contains("cycle"));
    host.prompt("one", "/anvil:again And now?");
    host.stop("one", "A2.");
    let listed = host.run(&["undo", "--list"]).stdout;
    for line in ["4  complete, cycle 1 ", "5  advocate, round 1 of 1, cycle 2 "] {
        assert!(listed.contains(line), "{line}: {listed}");
    }
    let when = listed.lines().find_map(|line| line.find("when")).unwrap();
    for line in listed.lines().filter(|line| line.contains("cycle")) {
        assert!(line[..when].ends_with("  ") && !line[when..].starts_with(' '), "{listed}");
    }
}

#[cfg(unix)]
#[test]
fn the_record_of_turns_is_not_written_through_a_link() {
    for is_hard in [true, false] {
        let host = debated("Why? --rounds 3", 1);
        let record = host.debate_folder_here().join("attempts.jsonl");
        let other = host.outside("other");
        let before = fs_err::read_to_string(&record).unwrap();
        if is_hard {
            fs_err::hard_link(&record, &other).unwrap();
        } else {
            fs_err::rename(&record, &other).unwrap();
            std::os::unix::fs::symlink(&other, &record).unwrap();
        }
        host.stop("one", "Reply 2.");
        assert_eq!(fs_err::read_to_string(&other).unwrap(), before);
        // Through a hard link, the record had only this program's lines.
        let now = fs_err::read_to_string(&record).unwrap();
        assert!(!is_hard || now.starts_with(&before) && now.len() > before.len(), "{now}");
        assert_eq!(texts(&host).len(), 2);
    }
}

#[test]
fn only_the_newest_snapshots_are_kept() {
    let host = debated("Why? --rounds 10", 0).with("ANVIL_SNAPSHOTS", "3");
    for number in 1..=6 {
        host.stop("one", &format!("Reply {number}."));
    }
    assert_eq!(snapshots(&host), ["0005-advocate-3.md", "0006-critic-3.md", "0007-advocate-4.md"]);
    for wrong in ["0", "-1", "many", "1001"] {
        let host = Host::new().with("ANVIL_SNAPSHOTS", wrong);
        let printed = host.run(&["start", "Why?"]);
        assert!(printed.code == 2 && printed.stderr.contains("ANVIL_SNAPSHOTS"), "{printed:?}");
        assert!(host.prompt("one", "/anvil:debate Why?").reason().contains("ANVIL_SNAPSHOTS"));
        assert!(host.stop("one", "Reply.").is_silent());
    }
}

#[test]
fn an_impossible_undo_gives_a_one_line_error() {
    let host = Host::new();
    for verb in [&["undo"][..], &["undo", "--redo"], &["undo", "--list"], &["undo", "--to", "1"]] {
        let printed = host.run(verb);
        assert!(printed.code == 3 && printed.stderr.lines().count() == 2, "{verb:?}: {printed:?}");
    }
    assert!(!host.prompt("one", "/anvil:undo").reason().is_empty());
    assert!(
        host.prompt("one", "/anvil:undo 0").reason().contains("takes a whole number, 1 or more")
    );
    assert!(host.prompt("one", "/anvil:undo --redo now").reason().contains("Anvil: "));
    assert_eq!(host.run(&["undo", "many"]).code, 2);
}

#[test]
fn a_file_that_git_does_not_ignore_is_mentioned_once() {
    let host = debated("Why? --rounds 3", 0);
    let start = || host.session_start("one", "startup").message().to_owned();
    assert!(!start().contains("git"), "no repository");
    host.git(&["init", "-q"]);
    let command = "Anvil: git does not ignore the debate's file; to ignore it: printf \
                   '\\nanvil-state.*\\n' >> \
        \"$(git rev-parse --git-path info/exclude)\"\n";
    assert!(start().contains(command));
    // A debate that starts in a fresh repository says so too, in a shell as well.
    for by in ["hook", "shell", "run"] {
        let fresh = Host::new();
        fresh.git(&["init", "-q"]);
        let elsewhere = fresh.run(&["start", "Why?", "--dir", "ci"]);
        assert!(elsewhere.code == 0 && !elsewhere.stderr.contains("git"), "{elsewhere:?}");
        let begins = |question: &str| match by {
            "hook" => {
                fresh.prompt("one", &format!("/anvil:debate {question}")).message().to_owned()
            }
            "shell" => fresh.run(&["start", question]).stderr,
            _ => fresh.run(&["run", question, "--agent", "cmd:/bin/false"]).stderr,
        };
        assert!(begins("Why?").contains(command), "{by}");
        fresh.run(&["cancel", "--take-over"]);
        assert!(!begins("Why not?").contains("git does not ignore"), "{by}");
    }
    assert!(!start().contains("git does not ignore"));
    // The lock counts too: `git add -A` would take it.
    for (ignored, is_mentioned) in [("*.local.md", false), (".claude/anvil-state.local.md", true)] {
        let host = Host::new().debating("Why?");
        fs_err::write(host.path(".gitignore"), format!("{ignored}\n")).unwrap();
        host.git(&["init", "-q"]);
        let start = host.session_start("one", "startup");
        assert_eq!(start.message().contains("git does not ignore"), is_mentioned, "{ignored}");
    }
}

#[test]
fn the_proposed_line_makes_git_ignore_the_debate_everywhere() {
    let sh = |folder: &Path, line: &str| {
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", line]).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
    };
    for (make, folder) in [
        ("git init -q", "."),
        ("git init -q; printf 'mine' >.git/info/exclude", "sub/inner"),
        ("git init -q; rm -rf .git/info", "sub"),
        ("mkdir t; git init -q --template=t", "."),
        ("git init -q --separate-git-dir=\"$PWD/../store space\"", "sub"),
    ] {
        let host = Host::new();
        fs_err::create_dir_all(host.path("sub/inner")).unwrap();
        sh(host.root(), make);
        let said = host.run(&["start", "Why?"]).stderr;
        let line = said.lines().find_map(|line| line.split_once("to ignore it: ")).unwrap().1;
        sh(&host.path(folder), line);
        sh(host.root(), "git check-ignore -q .claude/anvil-state.local.md");
        if make.contains("mine") {
            sh(host.root(), "grep -qx mine .git/info/exclude");
        }
    }
    // In another worktree, and in a folder of it.
    let host = Host::new();
    let commit = "git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a";
    sh(host.root(), commit);
    sh(host.root(), "git worktree add -q ../tree; mkdir ../tree/sub");
    let tree = host.root().parent().unwrap().join("tree");
    let said = host.run_at(&["start", "Why?"], &tree).stderr;
    let line = said.lines().find_map(|line| line.split_once("to ignore it: ")).unwrap().1;
    sh(&tree.join("sub"), line);
    sh(&tree, "git check-ignore -q .claude/anvil-state.local.md");
}
