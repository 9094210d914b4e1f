//! Claude's Read of the debate's file: it is allowed from every start folder, no other file is, and
//! a reply without it is not saved if the cue requested it.

use std::path::Path;

use serde_json::{Value, json};

use testkit::host::{Answer, Host};

const NAME: &str = "anvil-state.local.md";

/// The client asks whether it may read this file.
fn may_read(host: &Host, session: &str, path: &Path) -> bool {
    let call = json!({ "tool_name": "Read", "tool_input": { "file_path": path, "offset": 3 } });
    let answer = host.event(session, "PreToolUse", &call);
    if answer.is_silent() {
        return false;
    }
    assert_eq!(answer.0["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    assert_eq!(answer.0["hookSpecificOutput"]["permissionDecision"], "allow");
    true
}

#[test]
fn only_the_file_of_this_sessions_debate_may_be_read() {
    let host = Host::new().debating("Why?");
    let own = host.state_path();
    let beside = host.outside(NAME);
    fs_err::write(&beside, "another").unwrap();
    fs_err::create_dir(host.path("src")).unwrap();
    let before = host.files();
    assert!(may_read(&host, "one", &own));
    assert!(may_read(&host, "one", &host.path("src/../.claude").join(NAME)));
    for other in [
        beside,
        host.path(NAME),
        host.path(".claude/settings.json"),
        host.path("src"),
        "".into(),
        NAME.into(),
    ] {
        assert!(!may_read(&host, "one", &other), "{other:?}");
    }
    assert!(!may_read(&host, "two", &own));
    assert_eq!(host.files(), before);
    host.prompt("one", "hello");
    assert!(!may_read(&host, "one", &own), "it is paused");
}

#[test]
fn no_tool_but_read_may_touch_the_debates_file() {
    let host = Host::new().debating("Why?");
    let call = |tool: Value| json!({ "tool_name": tool, "tool_input": { "file_path": host.state_path() } });
    assert!(!host.event("one", "PreToolUse", &call("Read".into())).is_silent());
    for tool in [
        json!("Edit"),
        json!("Write"),
        json!("Bash"),
        json!("read"),
        json!(""),
        json!(7),
        json!(["Read"]),
    ] {
        assert!(host.event("one", "PreToolUse", &call(tool.clone())).is_silent(), "{tool}");
    }
}

#[test]
fn a_debate_resumed_from_another_folder_may_be_read_there() {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    let deep = host.path("src/deep");
    fs_err::create_dir_all(&deep).unwrap();
    let send = |name: &str, fields: Value| host.event_at("two", name, &fields, &deep, Some(&deep));
    assert!(
        send("UserPromptSubmit", json!({ "prompt": "/anvil:resume" }))
            .context()
            .contains("── Critic · round 1")
    );
    let call = json!({ "tool_name": "Read", "tool_input": { "file_path": host.state_path() } });
    assert_eq!(send("PreToolUse", call).0["hookSpecificOutput"]["permissionDecision"], "allow");
}

#[cfg(unix)]
#[test]
fn a_link_at_the_files_path_exposes_no_other_file() {
    use std::os::unix::fs::symlink;
    let host = Host::new().debating("Why?");
    let secret = host.home().join("secret");
    fs_err::write(&secret, "mine").unwrap();
    symlink(&secret, host.path(NAME)).unwrap();
    assert!(!may_read(&host, "one", &host.path(NAME)));
    // A second name of the debate's own file is that file.
    symlink(host.state_path(), host.outside(NAME)).unwrap();
    assert!(may_read(&host, "one", &host.outside(NAME)));
    // The file itself became a link to an identical copy.
    fs_err::rename(host.state_path(), host.home().join("copy")).unwrap();
    symlink(host.home().join("copy"), host.state_path()).unwrap();
    assert!(!may_read(&host, "one", &host.state_path()));
}

#[test]
fn unknown_calls_pass_silently() {
    let host = Host::new().debating("Why?");
    for call in [
        json!({}),
        json!({ "tool_input": 7 }),
        json!({ "tool_input": { "file_path": [] } }),
        json!({ "tool_input": {} }),
    ] {
        assert!(host.event("one", "PreToolUse", &call).is_silent(), "{call}");
    }
}

/// The model's actions before its reply, from the client's transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Did {
    Nothing,
    Read(&'static str),
    Refused,
    PartAfterRefusal,
    Shell,
    AnotherFile,
    Agent,
}

fn transcript(host: &Host, did: Did, reply: &str) -> String {
    let file = host.state_path().display().to_string();
    let call = |id: &str, name: &str, input: Value| {
        json!({ "type": "assistant", "message": { "model": "m", "content":
            [{ "type": "tool_use", "id": id, "name": name, "input": input }] } })
    };
    let result = |id: &str, is_error: Value| {
        json!({ "type": "user", "message": { "content":
            [{ "type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": "x" }] } })
    };
    let read = |input: Value| call("t1", "Read", input);
    let made = match did {
        Did::Nothing => vec![],
        Did::Read(is_error) => vec![
            read(json!({ "file_path": file, "offset": 20, "limit": 3 })),
            result("t1", serde_json::from_str(is_error).unwrap()),
        ],
        Did::Refused => vec![read(json!({ "file_path": file })), result("t1", true.into())],
        Did::PartAfterRefusal => vec![
            read(json!({ "file_path": file })),
            result("t1", true.into()),
            call("t2", "Read", json!({ "file_path": file, "limit": 9 })),
            result("t2", Value::Null),
        ],
        Did::Shell => {
            vec![
                call("t1", "Bash", json!({ "command": format!("cat '{file}'") })),
                result("t1", false.into()),
            ]
        }
        Did::AnotherFile => vec![
            read(json!({ "file_path": format!("/elsewhere/{NAME}") })),
            result("t1", false.into()),
            call("t2", "Read", json!({ "file_path": "/etc/hosts" })),
            result("t2", false.into()),
        ],
        Did::Agent => vec![
            call("t1", "Task", json!({ "prompt": format!("Read {file}") })),
            result("t1", false.into()),
        ],
    };
    let prompt = json!({ "type": "user", "message": { "content": "<command-name>/anvil:resume</command-name>" } });
    let said = json!({ "type": "assistant", "message": { "model": "m", "content": [{ "type": "text", "text": reply }] } });
    let lines: Vec<String> =
        [vec![prompt], made, vec![said]].concat().iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

/// The model stops after these actions.
fn stop(host: &Host, session: &str, did: Did, reply: &str) -> Answer {
    let path = host.outside("transcript.jsonl");
    fs_err::write(&path, transcript(host, did, reply)).unwrap();
    host.event(
        session,
        "Stop",
        &json!({ "last_assistant_message": reply, "transcript_path": path }),
    )
}

/// A debate with one reply, resumed by a new conversation: the cue requests the Read.
fn resumed() -> Host {
    let host = Host::new().debating("Why?");
    host.stop("one", "A1.");
    let opening = host.prompt("two", "/anvil:resume");
    assert_eq!(host.head("must_read"), "true", "{opening:?}");
    host
}

#[test]
fn a_reply_without_the_requested_read_is_retried() {
    for did in [Did::Nothing, Did::AnotherFile] {
        let host = resumed();
        let again = stop(&host, "two", did, "C1, blind.");
        assert!(
            again.context().starts_with(
                "── Critic · round 1 of 2, once more ── the debate's file was not read"
            ),
            "{again:?}"
        );
        assert_eq!(host.head("must_read"), "true", "{again:?}");
        assert_eq!(host.sections().len(), 1);
        let aside: Vec<_> = host.aside_files().into_iter().map(|(_, text)| text).collect();
        assert_eq!(aside, [b"C1, blind."]);
        let next = stop(&host, "two", Did::Read("false"), "C1, with its eyes open.");
        assert!(
            next.context().starts_with("── Advocate · round 2") && !next.context().contains("Read"),
            "{next:?}"
        );
        assert_eq!(host.sections()[1].text, "C1, with its eyes open.");
        assert_eq!(host.head("must_read"), "false");
        // The next phase requests none.
        assert!(
            stop(&host, "two", Did::Nothing, "A2.").context().starts_with("── Critic · round 2")
        );
    }
}

#[test]
fn a_model_that_never_reads_fails_the_phase_and_can_be_resumed() {
    let host = resumed();
    for number in 0..3 {
        let again = stop(&host, "two", Did::Nothing, &format!("C1, blind {number}."));
        assert!(again.context().contains("once more"), "{number}: {again:?}");
        host.wait(60);
    }
    let failed = stop(&host, "two", Did::Nothing, "C1, blind to the end.");
    assert!(
        failed.context().is_empty() && failed.message().contains("/anvil:resume"),
        "{failed:?}"
    );
    assert_eq!((host.head("status").as_str(), host.sections().len()), ("failed", 1));
    // The same session must read the whole again, not only if it lacks the debate.
    let resumed = host.prompt("two", "/anvil:resume");
    assert_eq!(host.head("must_read"), "true", "{resumed:?}");
    assert!(
        stop(&host, "two", Did::Read("false"), "C1.")
            .context()
            .starts_with("── Advocate · round 2")
    );
}

#[test]
fn a_read_refused_by_the_client_pauses_the_debate_with_a_message() {
    let host = resumed();
    let paused = stop(&host, "two", Did::Refused, "C1, blind.");
    assert!(paused.context().is_empty(), "{paused:?}");
    assert!(paused.message().contains("refused the Read of the debate's file"), "{paused:?}");
    assert_eq!((host.head("status").as_str(), host.sections().len()), ("paused", 1));
}

#[test]
fn every_way_to_read_the_file_counts() {
    for did in [
        Did::Read("false"),
        Did::Read("null"),
        Did::Read("[]"),
        Did::PartAfterRefusal,
        Did::Shell,
        Did::Agent,
    ] {
        let host = resumed();
        assert!(stop(&host, "two", did, "C1.").context().starts_with("── Advocate · round 2"));
        assert_eq!(host.sections().len(), 2);
    }
}

#[test]
fn a_reply_is_saved_if_the_transcript_cannot_show_the_read() {
    for path in [json!(null), json!("/none"), json!("late")] {
        let host = resumed();
        let late = host.outside("late.jsonl");
        fs_err::write(&late, transcript(&host, Did::Nothing, "Something else.")).unwrap();
        let path = if path == "late" { json!(late) } else { path };
        let event = json!({ "last_assistant_message": "C1.", "transcript_path": path });
        assert!(
            host.event("two", "Stop", &event).context().starts_with("── Advocate · round 2"),
            "{path}"
        );
    }
}

#[test]
fn material_must_be_read_before_the_first_reply() {
    let host = Host::new();
    fs_err::write(host.path("plan.md"), "The plan is to leave.\n").unwrap();
    let start = host.prompt("one", "/anvil:debate Why? --context plan.md");
    assert!(start.context().contains("Read the material"), "{start:?}");
    assert!(stop(&host, "one", Did::Nothing, "A1, blind.").context().contains("once more"));
    assert!(
        stop(&host, "one", Did::Read("false"), "A1.").context().starts_with("── Critic · round 1")
    );
}

#[test]
fn a_read_requested_only_for_the_cap_is_optional() {
    let host = Host::new().debating("Why? --rounds 5");
    let mut asked = 0;
    for number in 0..8 {
        let answer = stop(&host, "one", Did::Nothing, &format!("reply {number}\n\nA1.\nC1."));
        asked += usize::from(answer.context().contains("First, without comment, Read"));
        assert!(!answer.context().contains("once more"), "{number}: {answer:?}");
    }
    assert_eq!((asked, host.sections().len()), (2, 8));
    assert!(stop(&host, "one", Did::Nothing, "reply 8").message().contains("8 times in a row"));
    assert_eq!(host.sections().len(), 9);
}

#[test]
fn an_empty_reply_does_not_cancel_the_required_read() {
    let host = resumed();
    let again = stop(&host, "two", Did::Nothing, "");
    assert!(
        again.context().contains("nothing usable was written")
            && again.context().contains("comment, Read"),
        "{again:?}"
    );
    assert!(stop(&host, "two", Did::Nothing, "C1, blind.").context().contains("was not read"));
}
