//! Folders, files and FIFOs at each other's paths: nothing hangs, nothing is lost.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::{everything_is_refused, is_refused, is_refused_print, play, snapshot};
use testkit::host::Host;

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_folder_at_the_state_files_path_is_refused_and_kept() {
    let host = Host::new().debating("Why?");
    fs_err::remove_file(host.state_path()).unwrap();
    fs_err::create_dir(host.state_path()).unwrap();
    fs_err::write(host.state_path().join("precious"), "precious").unwrap();
    let before = snapshot(&host.state_path());
    everything_is_refused(&host);
    assert_eq!(snapshot(&host.state_path()), before);
    assert!(!host.prompt("one", "/anvil:debate Another? --replace").context().is_empty());
    let kept = host
        .all_files()
        .into_iter()
        .filter(|(path, content)| path.ends_with("precious") && content == b"precious");
    assert_eq!(kept.count(), 1);
}

#[test]
fn a_fifo_at_the_state_files_path_is_refused_immediately() {
    let host = Host::new().debating("Why?");
    fs_err::remove_file(host.state_path()).unwrap();
    fifo(&host.state_path());
    everything_is_refused(&host);
    assert!(!host.prompt("one", "/anvil:debate Another? --replace").context().is_empty());
    assert_eq!(host.head("question"), "\"Another?\"");
}

#[test]
fn a_fifo_or_folder_at_the_locks_path_is_refused_immediately() {
    for make in [fifo, |path: &Path| fs_err::create_dir(path).unwrap()] {
        let host = Host::new().debating("Why?");
        let before = host.state_text();
        let lock = host.lock_path();
        fs_err::remove_file(&lock).unwrap();
        make(&lock);
        is_refused(&host.stop("one", "A1."));
        is_refused(&host.prompt("one", "/anvil:cancel"));
        is_refused_print(&host.run(&["cancel"]));
        assert_eq!(host.state_text(), before);
    }
}

#[test]
fn a_fifo_elsewhere_does_not_block() {
    let host = Host::new().debating("Why? --rounds 1");
    fifo(&host.debate_folder_here().join("attempts.jsonl"));
    fifo(&host.path(".claude/.anvil-tmp-fifo"));
    let session = host.outside("session.jsonl");
    fifo(&session);
    for (reply, last) in [("A1.", false), ("C1.", false), ("recommendation: Yes.", true)] {
        let reply = if last { host.synthesis(reply) } else { reply.to_owned() };
        let answer = host.event(
            "one",
            "Stop",
            &json!({ "last_assistant_message": reply, "transcript_path": session }),
        );
        assert_eq!(answer.message().contains("Page: "), last, "{answer:?}");
    }
    assert_eq!(host.sections().len(), 3);
}

#[test]
fn a_report_does_not_replace_a_fifo_or_a_device() {
    let host = Host::new();
    fifo(&host.path("fifo"));
    for output in ["fifo", "/dev/null"] {
        let answer = host.prompt("two", &format!("/anvil:debate Why? --output {output}"));
        assert!(answer.reason().contains("--output"), "{answer:?}");
    }
    // It appears after the start.
    let host = Host::new().debating("Why? --rounds 1 --output a.md");
    fifo(&host.path("a.md"));
    let end = play(&host);
    assert!(end.contains("Report: ~/.claude/anvil.local/debates/"), "{end}");
}

#[test]
fn a_file_at_the_path_of_claudes_folder_is_refused_and_kept() {
    let host = Host::new();
    fs_err::write(host.path(".claude"), "precious").unwrap();
    let before = snapshot(host.root());
    for line in ["debate Why?", "debate Why? --replace", "status", "resume", "cancel"] {
        is_refused(&host.prompt("one", &format!("/anvil:{line}")));
    }
    for arguments in [&["start", "Why?"][..], &["status"], &["cancel"]] {
        is_refused_print(&host.run(arguments));
    }
    assert!(host.stop("one", "Chat.").is_silent());
    assert_eq!(snapshot(host.root()), before);
}

#[test]
fn a_debate_whose_folder_is_gone_gives_a_one_line_error() {
    let host = Host::new().debating("Why?");
    fs_err::remove_dir_all(host.path(".claude")).unwrap();
    assert!(host.stop("one", "A1.").message().contains("ended, taken over or removed elsewhere"));
    assert!(host.stop("one", "More.").is_silent());
    assert!(!host.path(".claude").exists());
    // The user's folder still has it.
    let resumed = host.prompt("one", "/anvil:resume");
    assert!(resumed.message().contains("restored from snapshot 1"), "{resumed:?}");
}

#[test]
fn a_file_at_the_path_of_what_is_put_aside_is_kept_and_nothing_is_undone() {
    let host = Host::new().debating("Why? --rounds 1");
    let path = host.aside_here();
    fs_err::write(&path, "precious").unwrap();
    assert!(play(&host).contains("Page: "));
    is_refused(&host.prompt("one", "/anvil:undo"));
    assert_eq!(host.sections().len(), 3);
    assert_eq!(fs_err::read(&path).unwrap(), b"precious");
}
