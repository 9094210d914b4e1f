//! The head of a state file: whatever stands between the fences is read or refused, and what is read survives a rewrite.

use anvil::debate::Debate;
use anvil::state::StateFile;
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::hostile::{Change, changed, changes, check_error, piece};
use super::try_inputs;

/// A head of Anvil's own with keys that the user added, and what happened to it.
fn heads() -> impl Strategy<Value = (Vec<(String, String)>, Vec<Change>)> {
    let key = prop_oneof![3 => "[a-z_]{1,12}", 1 => piece().prop_map(|piece| format!("{piece:?}"))];
    let value = prop_oneof![
        2 => "[a-z0-9 ]{0,12}",
        2 => piece().prop_map(|piece| serde_json::Value::from(piece).to_string()),
        1 => piece(),
        1 => prop::collection::vec("[a-z0-9]{1,5}", 0..5).prop_map(|list| format!("[{}]", list.join(", "))),
    ];
    (prop::collection::vec((key, value), 0..4), changes(4))
}

fn text((keys, changes): (Vec<(String, String)>, Vec<Change>)) -> String {
    let debate = Debate::new("2026-11-21-why-0000".into(), "Why?\nReally?".into(), 3, Timestamp::UNIX_EPOCH);
    let text = StateFile::new(debate).render().unwrap();
    let added: Vec<String> = keys.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    let text = text.replacen("schema: 2\n", &format!("schema: 2\n{}", added.concat()), 1);
    String::from_utf8_lossy(&changed(&text, &changes)).into_owned()
}

/// A state file is read, or refused in a line; what was read is read back.
pub(super) fn check(text: &str) -> Result<Option<StateFile>, TestCaseError> {
    let state = match StateFile::parse(text) {
        Ok(state) => state,
        Err(error) => return check_error(&error).map(|()| None),
    };
    // A file of a newer Anvil is shown and never written.
    if format!("{state:?}").contains("newer_schema: Some(") {
        return Ok(None);
    }
    let rendered = match state.render() {
        Ok(rendered) => rendered,
        Err(error) => return check_error(&error).map(|()| None),
    };
    let mut again = match StateFile::parse(&rendered) {
        Ok(again) => again,
        Err(error) => return Err(TestCaseError::fail(format!("{error}, rewritten as\n{rendered:.2000}"))),
    };
    // Times are written to the second and the millisecond.
    for (kept, read) in [
        (&mut again.debate.progress.started_at, state.debate.progress.started_at),
        (&mut again.debate.progress.updated_at, state.debate.progress.updated_at),
    ] {
        prop_assert!(kept.duration_since(read).unsigned_abs() < std::time::Duration::from_secs(1));
        *kept = read;
    }
    prop_assert_eq!(&again, &state);
    Ok(Some(state))
}

fn holds(input: (Vec<(String, String)>, Vec<Change>)) -> TestCaseResult {
    check(&text(input)).map(|_| ())
}

#[test]
fn a_head_is_read_or_refused_and_what_was_read_survives() {
    try_inputs(500, &heads(), holds);
}
