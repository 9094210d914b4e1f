//! Hostile outputs of the critic's program. After each the test counts who was paid how often: the
//! critic, and the agent that its list names next.

use std::os::unix::fs::PermissionsExt as _;

use super::{REPLIES, Room};

/// What the critic did in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Its reply was filed.
    Filed,
    /// The next agent took the seat.
    Next,
    /// The seat failed.
    Failed,
}
use End::{Failed, Filed, Next};

/// `R`: a reply. A program, its standard output, its standard error, its exit code; how often it is
/// paid, and the end.
type Case = (&'static str, &'static str, &'static str, u8, usize, End);

const QUOTA: &str = r#"{"type":"turn.failed","error":{"message":"Quota exceeded. Check it."}}"#;

const CASES: [Case; 43] = [
    // Thinking.
    ("cmd", "<think>**A7. No?**</think>R", "", 0, 1, Filed),
    ("cmd", "\n<thinking>\n**A7. No?**\n</thinking>\nR", "", 0, 1, Filed),
    ("cmd", "Thinking...\n**A7. No?**\n...done thinking.\n\nR", "", 0, 1, Filed),
    ("cmd", "**A7. No?**\n</think>\nR", "", 0, 1, Filed),
    ("cmd", "R\n```\n</think>\n```", "", 0, 1, Filed),
    ("cmd", "<think>**C1. It is cut off", "", 0, 3, Failed),
    ("cmd", "<think>x</think>\n \n", "", 0, 3, Failed),
    ("gemini", r#"{"response":"<think>**A7. No?**</think>R"}"#, "", 0, 1, Filed),
    ("opencode", r#"{"type":"text","part":{"text":"<think>No?</think>R"}}FINISH"#, "", 0, 1, Filed),
    ("codex", "MESSAGE<think>No?</think>REND", "", 0, 1, Filed),
    // One value among notices.
    ("gemini", "Update available!\n{\"response\":\"R\"}", "", 0, 1, Filed),
    ("gemini", "{\"response\":\"R\"}\nUpdate available!", "", 0, 1, Filed),
    ("gemini", "{ notice }\n{\n\"response\":\n\"R\"\n}\n{\"a\":1}", "", 0, 1, Filed),
    ("gemini", "{\"response\":\"R\"}\n{\"response\":\"R\"}", "", 0, 3, Failed),
    ("gemini", "{\"reply\":\"R\"}", "", 0, 3, Failed),
    ("gemini", "{\"response\":\"R", "", 0, 3, Failed),
    ("gemini", "{\"response\":7}", "", 0, 3, Failed),
    ("claude", "A notice\nRESULT", "", 0, 1, Filed),
    ("claude", "RESULT\nRESULT", "", 0, 3, Failed),
    ("codex", "A notice\nMESSAGEREND", "", 0, 1, Filed),
    ("codex", "MESSAGERMIDDLE \\nEND", "", 0, 1, Filed),
    ("codex", "MESSAGE \\nEND", "", 0, 3, Failed),
    // A used-up quota or a missing login.
    (
        "gemini",
        "",
        "{\n\"error\": {\n\"code\": 429,\n\"message\": \"Quota exceeded\"\n}\n}",
        41,
        1,
        Next,
    ),
    ("gemini", "", r#"{"error":{"code":1,"status":"RESOURCE_EXHAUSTED"}}"#, 1, 1, Next),
    ("gemini", "", r#"{"error":{"code":41,"message":"Set an auth method"}}"#, 41, 1, Next),
    ("gemini", r#"{"response":"","error":{"code":403}}"#, "", 0, 1, Next),
    ("cmd", r#"{"error":{"type":"insufficient_quota"}}"#, "", 0, 1, Next),
    ("cmd", "", "Error 429: insufficient_quota", 1, 1, Next),
    ("cmd", "", "not logged in", 77, 1, Next),
    (
        "cmd",
        "Half a reply",
        r#"{"error":{"message":"{\"error\":{\"code\":\"invalid_api_key\"}}"}}"#,
        1,
        1,
        Next,
    ),
    ("codex", QUOTA, "", 1, 1, Next),
    ("opencode", r#"{"type":"error","error":{"data":{"statusCode":402}}}"#, "", 1, 1, Next),
    ("opencode", r#"{"type":"error","error":{"name":"ProviderAuthError"}}"#, "", 1, 1, Next),
    // Words that decide nothing.
    ("cmd", "", "The auth rate is over quota.", 1, 3, Failed),
    ("cmd", "R says insufficient_quota.", "", 1, 3, Failed),
    ("cmd", "R insufficient_quota RESOURCE_EXHAUSTED", "", 0, 1, Filed),
    ("cmd", "R", "Error: insufficient_quota, 401", 0, 1, Filed),
    // Errors.
    ("cmd", "", "first\nThe disk is full.", 0, 3, Failed),
    ("cmd", "", r#"{"error":"The disk is full."}"#, 9, 3, Failed),
    ("cmd", "", r#"{"error":{"status":503}}"#, 1, 4, Failed),
    ("cmd", "", r#"{"error":{"code":429,"message":"Slow down."}}"#, 1, 4, Failed),
    ("opencode", "{\"type\":\"error\",\"error\":null}", "", 1, 3, Failed),
    ("opencode", r#"{"type":"text","part":{"text":"R"}}"#, "", 0, 3, Failed),
];

/// An output with the events of its program in place of the words in capitals.
fn printed(text: &str) -> String {
    let reply = REPLIES[1].trim_end().replace('"', "\\\"").replace('\n', "\\n");
    let reply = if text.contains("\":") || text.contains("MESSAGE") || text.contains("RESULT") {
        reply
    } else {
        REPLIES[1].trim_end().to_owned()
    };
    let turn_end =
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"output_tokens\":9}}";
    let message = "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"";
    let result = "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\
                  \"num_turns\":1,\"result\":\"@\"}";
    text.replace("RESULT", result)
        .replace("FINISH", "\n{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\"}}")
        .replace("MIDDLE", &format!("\"}}}}\n{message}"))
        .replace("MESSAGE", message)
        .replace("END", &format!("\"}}}}\n{turn_end}"))
        .replace("RESOURCE_", "@@")
        .replace('R', "@")
        .replace("@@", "RESOURCE_")
        .replace('@', &reply)
}

#[test]
fn hostile_outputs_are_paid_as_often_as_they_are_worth() {
    std::thread::scope(|scope| {
        for at in 0..4 {
            scope.spawn(move || {
                for case in CASES.iter().skip(at).step_by(4) {
                    check(*case);
                }
            });
        }
    });
}

fn check((program, stdout, stderr, code, times, end): Case) {
    let room = Room::new();
    let what = format!("{program}: {stdout:?}, {stderr:?}, {code}");
    fs_err::write(room.file("printed"), printed(stdout)).unwrap();
    fs_err::write(room.file("said"), stderr).unwrap();
    room.does("critic", &format!("take_in; pay; cat printed; cat said >&2; exit {code}\n"));
    fs_err::copy(room.file("critic.md"), room.file("spare.md")).unwrap();
    room.does("spare", super::WELL);
    let path = stand_ins(&room, &["claude", "codex", "gemini", "opencode"]);
    let defaults = format!(
        "---\nagent.own: \"{}\"\nagent.spare: \"{}\"\n---\n",
        room.agent("critic"),
        room.agent("spare")
    );
    fs_err::create_dir_all(room.host.home().join(".claude")).unwrap();
    fs_err::write(room.host.home().join(".claude/anvil.local.md"), defaults).unwrap();
    let room = room.with("PATH", &path);
    let critic = if program == "cmd" { "own" } else { program };
    let ran = room.run(&["--critic", &format!("{critic}, spare")]);
    let paid = |seat: &str| room.paid().iter().filter(|(other, _)| other == seat).count();
    let spare = usize::from(end == Next);
    assert_eq!((paid("critic"), paid("spare")), (times, spare), "{what}: {ran:?}");
    assert_eq!(ran.code, if end == Failed { 5 } else { 0 }, "{what}: {ran:?}");
    if end != Failed {
        let filed = &room.host.reply_texts()[1];
        assert!(filed.contains("**C1. It costs a month.**"), "{what}: {filed}");
        assert!(!filed.contains("A7") && !filed.contains("No?"), "{what}: {filed}");
        if stdout.contains("hink") && !stdout.contains("```") {
            let kept = room.records().join("attempts/2/stdout");
            assert!(fs_err::read_to_string(kept).unwrap().contains("No?"), "{what}");
        }
    }
}

/// Puts the critic's script under these names; returns the PATH with them.
fn stand_ins(room: &Room, names: &[&str]) -> String {
    let bin = room.file("bin");
    fs_err::create_dir_all(&bin).unwrap();
    let script = format!("#!/bin/sh\nexec /bin/sh {} \"$@\"\n", room.file("critic.sh").display());
    for name in names {
        fs_err::write(bin.join(name), &script).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(bin.join(name), mode).unwrap();
    }
    format!("{}:/usr/bin:/bin", bin.display())
}

/// The lines in the documents reach their program, here a stand-in, with the prompt.
#[test]
fn the_documented_command_lines_write_a_reply() {
    let page = include_str!("../../../docs/running-with-agents.md");
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("cmd:\"")).collect();
    assert_eq!(lines.len(), 5);
    for line in lines {
        let typed = shlex::split(line).unwrap().concat();
        let room = Room::new();
        room.does(
            "critic",
            "for last; do :; done\n\
             case $last in *'# One seat of a debate'*) ;; *) last=$(cat);; esac\n\
             case $last in *'# One seat of a debate'*) pay; say;; *) exit 9;; esac\n",
        );
        let path = stand_ins(&room, &["llm", "ollama", "copilot", "cursor-agent", "agy"]);
        let room = room.with("PATH", &path);
        let ran = room.run(&["--critic", &typed]);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        room.is_complete(line);
    }
}
