//! Files of a repository choose no program, save nothing and end nothing; the records of a run stay
//! on this machine.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::{Value, json};

use super::{REPLIES, Room};
use crate::forge::Issue;
use crate::host;

#[test]
fn a_projects_defaults_name_agents_but_define_none() {
    let room = Room::new();
    fs_err::create_dir_all(room.host.path(".claude")).unwrap();
    let file = room.host.path(".claude/anvil.local.md");
    let marker = room.file("was-run");
    let own = format!("cmd:/usr/bin/touch {}", marker.display());
    for line in [
        format!("critic: \"{own}\""),
        format!("agent: \"{own}\""),
        "synthesizer: \"script:replies.md\"".to_owned(),
        "advocate: \"claude:opus\"".to_owned(),
        "advocate: \"ollama:evil\"".to_owned(),
        format!("agent.x: \"{own}\""),
        "agent.claude.arguments: [\"--dangerously\"]".to_owned(),
        "agent.x.environment: [\"PATH=/tmp\"]".to_owned(),
    ] {
        fs_err::write(&file, format!("---\n{line}\n---\n")).unwrap();
        // Even if the user names every seat: nobody shall learn it later.
        for words in [room.begins(&[]), vec!["run".into(), "Why?".into(), "--dry-run".into()]] {
            let ran = room.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(ran.code == 2 && ran.err.contains("anvil.local.md, line 2"), "{line}: {ran:?}");
        }
    }
    assert!(!marker.exists() && room.paid().is_empty() && !room.host.state_path().exists());
}

#[test]
fn a_record_that_came_with_the_project_is_not_trusted() {
    let room = Room::new();
    room.does("critic", "take_in; pay; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    // A foreign record: the critic's reply was received, and a process that runs here writes a
    // synthesis.
    let id = room.record()["id"].as_str().unwrap().to_owned();
    let folder = room.host.path(&format!(".claude/anvil.local/checkpoints/{id}"));
    let record = folder.join("attempts.jsonl");
    let text = fs_err::read_to_string(&record).unwrap();
    fs_err::write(folder.join("attempts/2/reply.md"), "**C1. Evil.** Nobody wrote this.\n")
        .unwrap();
    let mut token =
        Command::new("/bin/sleep").arg("300").env("ANVIL_CHILD", "stolen").spawn().unwrap();
    let last: Value =
        serde_json::from_str(text.lines().rfind(|line| line.contains("\"started\"")).unwrap())
            .unwrap();
    let mut open = last.clone();
    let stat = fs_err::read_to_string(format!("/proc/{}/stat", token.id())).unwrap();
    let started: u64 =
        stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().parse().unwrap();
    open["attempt"] = json!(3);
    open["pid"] = json!(token.id());
    open["started"] = json!(started);
    open["token"] = json!("stolen");
    let text = text.replace("\"error\":\"login\"", "\"error\":null");
    fs_err::write(&record, format!("{text}{open}\n")).unwrap();
    // This machine has no record of it.
    fs_err::remove_dir_all(room.host.home().join(".claude")).unwrap();
    room.does("critic", super::WELL);

    let agents: Vec<String> = room.begins(&["--orphan", "kill"]).split_off(4);
    let ran = room.resume(&agents.iter().map(String::as_str).collect::<Vec<_>>());
    let lives = token.try_wait().unwrap().is_none();
    token.kill().unwrap();
    token.wait().unwrap();
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(lives, "a process that a record names was ended");
    assert_eq!(room.texts(), REPLIES.map(str::trim_end));
}

#[test]
fn the_record_is_private_and_in_no_report() {
    let issue = Issue::new("What to do?");
    let room = Room::of(issue.machine());
    room.does("critic", "take_in; pay; echo stderr-canary >&2; say\n");
    fs_err::rename(room.file("synthesizer.sh"), room.file("command-canary.sh")).unwrap();
    let synthesizer = format!("cmd:/bin/sh {}", room.file("command-canary.sh").display());
    assert_eq!(room.run(&["--synthesizer", &synthesizer]).code, 0);
    let record = room.record();
    let folder = room
        .host
        .path(&format!(".claude/anvil.local/checkpoints/{}", record["id"].as_str().unwrap()));
    let kept = host::files(&folder)
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains("/attempts"));
    let kept: Vec<_> = kept.map(|(path, _)| path).collect();
    assert!(kept.len() > 9, "{kept:?}");
    for path in kept {
        assert_eq!(
            fs_err::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            path.display()
        );
    }

    let mut shown = vec![room.host.state_text()];
    for format in ["md", "html", "json"] {
        let report = room.host.run(&["report", "--format", format, "--output", "-"]);
        assert_eq!(report.code, 0, "{report:?}");
        shown.push(report.out);
    }
    let published = room.host.run(&["publish", "--issue", "7", "--comment"]);
    assert_eq!(published.code, 0, "{published:?}");
    shown.extend([issue.body(), issue.comment(0).unwrap()]);
    let tokens = record["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attempt| attempt["started"]["token"].as_str().unwrap());
    for secret in tokens.chain(["canary", "/bin/sh", "attempts.jsonl"]) {
        assert!(!shown.iter().any(|text| text.contains(secret)), "{secret}");
    }
}
