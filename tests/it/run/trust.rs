//! Files of a repository choose no program, save nothing and end nothing; the records of a run stay
//! on this machine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{REPLIES, Room};
use crate::forge::Issue;
use testkit::host;

#[test]
fn a_projects_defaults_choose_no_agent() {
    let room = Room::new();
    fs_err::create_dir_all(room.host.path(".claude")).unwrap();
    let file = room.host.path(".claude/anvil.local.md");
    let marker = room.file("was-run");
    let more = [
        "synthesizer: \"script:replies.md\"",
        "agent: claude",
        "isolated: no",
        "agent.claude.arguments: [\"--dangerously\"]",
        "agent.x.environment: [\"PATH=/tmp\"]",
    ];
    for line in choosing(&marker).into_iter().chain(more.map(str::to_owned)) {
        fs_err::write(&file, format!("---\n{line}\n---\n")).unwrap();
        // Even if the user names every seat: nobody shall learn it later.
        for words in [room.begins(&[]), vec!["run".into(), "Why?".into(), "--dry-run".into()]] {
            let ran = room.host.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
            let says = "anvil.local.md, line 2: a project can't choose the agents: ";
            assert!(ran.code == 2 && ran.stderr.contains(says), "{line}: {ran:?}");
        }
        let said = room.host.prompt("one", "/anvil:debate Why?");
        assert!(said.reason().contains("line 2: a project can't choose"), "{line}: {said:?}");
        assert_eq!(room.host.run(&["start", "Why?"]).code, 2, "{line}");
    }
    assert!(!marker.exists() && room.paid().is_empty() && !room.host.state_path().exists());
}

/// Lines that choose the agents: programs that would leave this file, and known names.
fn choosing(marker: &Path) -> Vec<String> {
    let own = format!("cmd:/usr/bin/touch {}", marker.display());
    vec![
        format!("critic: \"{own}\""),
        "critic: codex".to_owned(),
        "fact_checker: claude".to_owned(),
        format!("judge: [\"claude\", \"{own}\"]"),
        "voice: [\"sales=codex\"]".to_owned(),
        "isolated: yes".to_owned(),
        format!("agent.x: \"{own}\""),
    ]
}

#[test]
fn a_debates_file_chooses_no_agent() {
    let room = Room::new();
    let marker = room.file("was-run");
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    let text = room.host.state_text();
    for line in choosing(&marker) {
        fs_err::write(room.host.state_path(), text.replacen("---\n", &format!("---\n{line}\n"), 1))
            .unwrap();
        let key = line.split(':').next().unwrap();
        let says = format!("line 2: a debate's file can't choose the agents: {key}");
        for words in [&["run", "--resume"][..], &["claim"], &["claim", "critic"]] {
            let ran = room.host.run(words);
            assert!(ran.code == 2 && ran.stderr.contains(&says), "{line} {words:?}: {ran:?}");
        }
        let said = room.host.prompt("one", "/anvil:resume --isolated");
        assert!(said.reason().contains(&says), "{line}: {said:?}");
    }
    // A conversation argues it, and the key stays.
    let told = room.host.prompt("one", "/anvil:resume");
    assert!(told.context().contains("── Critic · round 1 of 1"), "{told:?}");
    room.host.stop("one", REPLIES[1]);
    assert!(room.host.state_text().contains("\n\"agent.x\": "), "{}", room.host.state_text());
    assert!(!marker.exists() && room.host.reply_texts().len() == 2);
}

#[test]
fn a_debate_in_an_issue_chooses_no_agent() {
    let issue = Issue::new("What to do?\n\nSoon.");
    let room = Room::of(issue.machine());
    let marker = room.file("was-run");
    room.does("critic", "take_in; exit 77\n");
    assert_eq!(room.run(&[]).code, 5);
    // A key of this machine's own file does not travel.
    let text = room.host.state_text().replacen("---\n", "---\ncritic: codex\n", 1);
    fs_err::write(room.host.state_path(), text).unwrap();
    assert_eq!(room.host.run(&["publish", "--issue", "7"]).code, 0);
    let body = issue.body();
    let line = body.lines().position(|line| line.contains("\"options\":{")).unwrap() + 1;
    assert!(!body.contains("codex"), "{body}");
    let other = Room::of(issue.machine());
    for key in choosing(&marker) {
        let (name, value) = key.split_once(": ").unwrap();
        let value =
            if value.starts_with(['"', '[']) { value.to_owned() } else { format!("\"{value}\"") };
        let pair = format!("\"{name}\":{value}");
        for planted in [
            body.replacen("\"options\":{", &format!("\"options\":{{{pair},"), 1),
            body.replacen("\"options\":", &format!("{pair},\"options\":"), 1),
            body.replacen("\"options\":", &format!("\"added\":{{{pair}}},\"options\":"), 1),
        ] {
            assert_ne!(planted, body);
            issue.set(&planted);
            let pulled = other.host.run(&["pull", "--issue", "7", "--force"]);
            let says = format!("line {line}: a debate in an issue can't choose the agents: {name}");
            assert!(pulled.code != 0 && pulled.stderr.contains(&says), "{pair}: {pulled:?}");
            assert!(!other.host.state_path().exists(), "{pair}");
        }
    }
    issue.set(&body);
    assert_eq!(other.host.run(&["pull", "--issue", "7"]).code, 0);
    assert!(!marker.exists());
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
    let folder = room.host.debate_folder(record["id"].as_str().unwrap());
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
        shown.push(report.stdout);
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
