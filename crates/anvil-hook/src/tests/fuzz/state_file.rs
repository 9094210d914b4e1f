//! The state file: any content is read or refused, and content that is read survives a rewrite,
//! with every section and key.

use anvil_core::debate::Debate;
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{self, Entry};
use anvil_store::StateFile;
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::hostile::{Change, changed, changes, check_error, cut, piece, text};
use super::try_inputs;

/// A debate with the user's own keys and its replies, the damage to its file, and one more reply.
#[derive(Clone, Debug)]
struct Case {
    question: String,
    keys: Vec<(String, String)>,
    replies: Vec<String>,
    changes: Vec<Change>,
    reply: String,
}

fn cases() -> impl Strategy<Value = Case> {
    let key = prop_oneof![3 => "[a-z_]{1,12}", 1 => piece().prop_map(|piece| format!("{piece:?}"))];
    let value = prop_oneof![
        2 => "[a-z0-9 ]{0,12}",
        2 => piece().prop_map(|piece| serde_json::Value::from(piece).to_string()),
        1 => piece(),
        1 => prop::collection::vec("[a-z0-9]{1,5}", 0..5).prop_map(|list| format!("[{}]", list.join(", "))),
    ];
    // Half of the changes leave the head intact: the text after it is read only if the head is
    // readable.
    let keys = prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec((key, value), 1..4)];
    (text(), keys, prop::collection::vec(text(), 0..5), changes(4), text()).prop_map(
        |(question, keys, replies, changes, reply)| Case {
            question,
            keys,
            replies,
            changes,
            reply,
        },
    )
}

fn file(case: &Case) -> String {
    let question = match cut(case.question.trim(), 300) {
        empty if empty.is_empty() => "Why?".to_owned(),
        question => question,
    };
    let debate = Debate::new("2026-11-21-why-0000".into(), question, 3, Timestamp::UNIX_EPOCH);
    let mut state = StateFile::new(debate);
    for (index, reply) in case.replies.iter().enumerate() {
        let seat = if index % 2 == 0 { Seat::Advocate } else { Seat::Critic };
        let slot = Place { seat, round: 1 + index as u8 / 2 };
        transcript::append(&mut state.body, slot, None, Timestamp::UNIX_EPOCH, reply);
    }
    let added: Vec<String> =
        case.keys.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    state.render().unwrap().replacen("schema: 3\n", &format!("schema: 3\n{}", added.concat()), 1)
}

/// A state file is read, or refused in one line; what was read round-trips.
fn check(text: &str) -> Result<Option<StateFile>, TestCaseError> {
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
        Err(error) => {
            return Err(TestCaseError::fail(format!("{error}, rewritten as\n{rendered:.2000}")));
        }
    };
    let (options, mut progress, ownership) = again.debate.clone().into_parts();
    // Times are stored to the second and the millisecond.
    for (kept, read) in [
        (&mut progress.started_at, state.debate.started_at()),
        (&mut progress.updated_at, state.debate.updated_at()),
    ] {
        prop_assert!(kept.duration_since(read).unsigned_abs() < std::time::Duration::from_secs(1));
        *kept = read;
    }
    let Debate { id, question, .. } = &again.debate;
    again.debate = Debate::of_parts(id.clone(), question.clone(), options, progress, ownership);
    prop_assert_eq!(&again, &state);
    Ok(Some(state))
}

fn replies(body: &str) -> Vec<Entry> {
    transcript::parse(body).0.into_iter().filter(|entry| entry.place().is_some()).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "a case is given away by who made it")]
fn holds(case: Case) -> TestCaseResult {
    let before = file(&case);
    let text = String::from_utf8_lossy(&changed(&before, &case.changes)).into_owned();
    let Some(mut state) = check(&text)? else { return Ok(()) };
    prop_assert!(text.ends_with(&state.body));
    let sections = replies(&state.body);
    prop_assert!(
        !case.changes.is_empty() || !case.keys.is_empty() || sections.len() == case.replies.len()
    );

    // One more reply: the old content of the file stays word for word, and every section before the
    // last one is found again.
    let body = state.body.clone();
    let slot = Place { seat: Seat::Critic, round: 3 };
    transcript::append(&mut state.body, slot, None, Timestamp::UNIX_EPOCH, &case.reply);
    prop_assert!(state.body.starts_with(&body));
    let reply = transcript::normalise(&case.reply).into_owned();
    prop_assert_eq!(transcript::last_text(&state.body), Some(reply.clone()));
    let after = replies(&state.body);
    let sure = sections.len().saturating_sub(1);
    prop_assert_eq!(after.get(..sure), Some(&sections[..sure]));
    prop_assert!(after.len() >= sections.len());
    if case.changes.is_empty() && case.keys.is_empty() {
        prop_assert_eq!(after.last().map(|section| section.text.clone()), Some(reply));
        prop_assert_eq!(after.len(), sections.len() + 1);
    }
    check(&state.render().unwrap()).map(|_| ())
}

#[test]
fn a_state_file_is_refused_or_read_and_kept() {
    try_inputs(300, &cases(), holds);
}
