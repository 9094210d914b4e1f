//! Lost answers: the hook cannot print, or is killed after the swap. The debate has advanced, and
//! continues.

use std::fs::File;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use testkit::host::{self, Host};

/// Ways to lose an answer.
const WAYS: [&str; 3] = ["a full disk", "a reader that went away", "a closed descriptor"];

/// Sends an event whose answer is lost; the program must accept that.
fn unheard(host: &Host, way: &str, name: &str, fields: &Value) {
    let program = host.command(&["hook"], host.root());
    let mut command = match way {
        "a closed descriptor" => {
            let mut shell = Command::new("/bin/sh");
            shell
                .args(["-c", "exec \"$0\" hook >&-"])
                .arg(program.get_program())
                .current_dir(host.root())
                .env_clear();
            shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
            shell
        }
        _ => program,
    };
    command
        .env("CLAUDE_PROJECT_DIR", host.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if way == "a full disk" {
        command.stdout(File::options().write(true).open("/dev/full").unwrap());
    }
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(&host::event("one", name, fields, host.root())).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{way}: {output:?}");
}

fn unheard_stop(host: &Host, way: &str, reply: &str) {
    unheard(host, way, "Stop", &json!({ "last_assistant_message": reply }));
}

#[test]
fn a_debate_with_lost_answers_resumes_with_the_right_prompt() {
    for way in WAYS {
        let host = Host::new();
        unheard(
            &host,
            way,
            "UserPromptSubmit",
            &json!({ "prompt": "/anvil:debate Why? --rounds 2" }),
        );
        let replies = ["A1.", "C1.", "A2.", "C2."];
        let cues = [
            "── Critic · round 1 of 2",
            "── Advocate · round 2 of 2",
            "── Critic · round 2 of 2",
            "── Synthesis",
        ];
        assert!(
            host.prompt("one", "/anvil:resume").context().contains("── Advocate · round 1 of 2"),
            "{way}"
        );
        for (number, (reply, cue)) in replies.into_iter().zip(cues).enumerate() {
            unheard_stop(&host, way, reply);
            assert_eq!(host.reply_texts(), replies[..=number], "{way}");
            if number == 1 {
                unheard(&host, way, "UserPromptSubmit", &json!({ "prompt": "/anvil:resume" }));
            }
            let resumed = host.prompt("one", "/anvil:resume");
            assert!(resumed.context().contains(cue), "{way}: {resumed:?}");
        }
        unheard_stop(&host, way, &host.synthesis("recommendation: Do it."));
        assert_eq!(host.head("status"), "completed", "{way}");
        let status = host.prompt("one", "/anvil:status");
        assert!(status.reason().contains("/report."), "{way}: {status:?}");
        assert!(
            host.prompt("one", "/anvil:resume").reason().contains("the debate here is completed"),
            "{way}"
        );
    }
}

#[test]
fn a_repeated_stop_with_a_lost_answer_advances_once() {
    let host = Host::new().debating("Why? --rounds 1");
    let synthesis = testkit::host::synthesis("recommendation: Do it.", &[], None);
    let replies = ["A1.", "C1.", synthesis.as_str()];
    for (number, reply) in replies.into_iter().enumerate() {
        let now = host.clock.get();
        unheard_stop(&host, WAYS[number], reply);
        let state = host.state_text();
        for _ in 0..2 {
            // The same event at the same time, again.
            host.clock.set(now);
            assert!(host.stop("one", reply).is_silent(), "{reply}");
            assert_eq!(host.state_text(), state, "{reply}");
        }
        // Long after, it is a reply that adds nothing: the waiting phase is requested.
        let late = host.stop("one", reply);
        assert_eq!(host.sections().len(), number + 1, "{late:?}");
        match number {
            0 => assert!(late.context().starts_with("── Critic · round 1 of 1"), "{late:?}"),
            1 => assert!(late.context().starts_with("── Synthesis"), "{late:?}"),
            _ => assert!(late.is_silent(), "{late:?}"),
        }
    }
    assert_eq!(host.reply_texts(), replies);
}

#[test]
fn a_command_whose_reader_is_gone_still_does_its_work() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    for words in [&["undo"][..], &["undo", "--redo"], &["status"], &["tasks"], &["cancel"]] {
        let mut child = host.command(words, host.root()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{words:?}");
    }
    assert_eq!(host.head("status"), "cancelled");
    let host = Host::new().debating("Why?");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = host.command(&["cancel"], host.root()).stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(1) && said.contains("standard output can't be written to"),
        "{said}"
    );
    assert_eq!(host.head("status"), "cancelled");
}
