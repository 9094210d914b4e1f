//! Damage: whatever happens to the state file during a debate, no word is lost and the debate can
//! continue.

use anvil_core::place::Place;
use anvil_store::StateFile;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;
use serde_json::json;

use super::event::Stage;
use super::hostile::{Change, changed, changes, text};
use super::try_inputs;
use super::typed_line::divided;

/// The replies of a debate so far, the damage to its file, whether its snapshots are gone, and
/// the next action.
type Case = (Vec<String>, Vec<Change>, bool, Vec<&'static str>);

fn cases() -> impl Strategy<Value = Case> {
    let done = vec![
        "Stop",
        "Stop",
        "/anvil:resume",
        "/anvil:resume",
        "/anvil:status",
        "my own words",
        "/anvil:undo",
        "/anvil:undo --redo",
        "/anvil:cancel",
        "/anvil:debate Another? --replace",
        "SessionStart",
        "SessionEnd",
    ];
    (
        prop::collection::vec(text(), 0..4),
        changes(4),
        any::<bool>(),
        prop::collection::vec(select(done), 1..4),
    )
}

fn event(done: &str, number: usize) -> Vec<u8> {
    let (name, prompt) = match done {
        "Stop" | "SessionStart" | "SessionEnd" => (done, ""),
        prompt if prompt.starts_with('/') => ("UserPromptExpansion", prompt),
        prompt => ("UserPromptSubmit", prompt),
    };
    let (command, arguments) = divided(prompt);
    let reply = format!("Reply {number} to damage.");
    let event = json!({ "hook_event_name": name, "session_id": "one", "prompt": prompt, "command_name": command, "command_args": arguments, "last_assistant_message": reply, "source": "startup" });
    event.to_string().into_bytes()
}

/// The lines of replies, as they are quoted in a file.
fn words(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace(['\r'], "\n").replace('\0', "\u{FFFD}");
    text.lines()
        .filter(|line| line.starts_with("> ") && line.trim().len() > 2)
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn holds((replies, changes, without_snapshots, done): Case) -> TestCaseResult {
    let mut stage = Stage::new(Place::FIRST);
    stage.send(&event("/anvil:debate Why? --replace --rounds 2", 0))?;
    for (number, reply) in replies.iter().enumerate() {
        let reply = format!("{number}. {reply}");
        let event = json!({ "hook_event_name": "Stop", "session_id": "one", "last_assistant_message": reply });
        stage.send(event.to_string().as_bytes())?;
    }
    let whole = fs_err::read_to_string(stage.state_path()).unwrap();
    let damaged = changed(&whole, &changes);
    fs_err::write(stage.state_path(), &damaged).unwrap();
    if without_snapshots {
        let _ = fs_err::remove_dir_all(stage.records().join("debates"));
    }
    let there = words(&String::from_utf8_lossy(&damaged));
    for (number, done) in done.iter().enumerate() {
        stage.send(&event(done, number))?;
    }
    let files = stage.files();
    let texts: Vec<String> = files
        .iter()
        .map(|(_, bytes)| {
            String::from_utf8_lossy(bytes).replace(['\r'], "\n").replace('\0', "\u{FFFD}")
        })
        .collect();
    for line in &there {
        prop_assert!(texts.iter().any(|text| text.contains(line)), "{:?} is in no file", line);
    }
    // On the user's request the debate continues, or a message says that there is nothing to
    // continue.
    let answer = stage.send(&event("/anvil:resume", 8))?;
    let told = answer["hookSpecificOutput"]["additionalContext"].as_str();
    let ended = answer["reason"].as_str();
    prop_assert!(told.is_some() || ended.is_some(), "{:?}", answer);
    if told.is_some() {
        let text = fs_err::read_to_string(stage.state_path()).unwrap();
        prop_assert!(StateFile::parse(&text).is_ok(), "{}", text);
        let mut answer = stage.send(&event("Stop", 9))?;
        if answer.to_string().contains("once more") {
            answer = stage.send(&event("Stop", 9))?;
        }
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        prop_assert!(!said.contains("repaired") && !said.contains("edited"), "{:?}", said);
        let text = fs_err::read_to_string(stage.state_path()).unwrap();
        prop_assert!(text.contains("> Reply 9 to damage."), "{:?}\n{}", answer, text);
    }
    Ok(())
}

#[test]
fn a_damaged_state_file_loses_no_word_and_can_be_resumed() {
    try_inputs(20, &cases(), holds);
}
