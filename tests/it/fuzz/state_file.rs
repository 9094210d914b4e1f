//! The whole state file: what could be read survives a rewrite, with every section and every key.

use anvil::debate::{Debate, Phase, Slot};
use anvil::state::StateFile;
use anvil::transcript::{self, Entry};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::hostile::{Change, changed, changes, cut, text};
use super::{frontmatter, try_inputs};

/// A debate with its replies, what happened to its file, and one more reply.
#[derive(Clone, Debug)]
struct Case {
    question: String,
    replies: Vec<String>,
    changes: Vec<Change>,
    reply: String,
}

fn cases() -> impl Strategy<Value = Case> {
    (text(), prop::collection::vec(text(), 0..5), changes(4), text())
        .prop_map(|(question, replies, changes, reply)| Case { question, replies, changes, reply })
}

fn file(case: &Case) -> String {
    let question = match cut(case.question.trim(), 300) {
        empty if empty.is_empty() => "Why?".to_owned(),
        question => question,
    };
    let debate = Debate::new("2026-11-21-why-0000".into(), question, 3, Timestamp::UNIX_EPOCH);
    let mut state = StateFile::new(debate);
    for (index, reply) in case.replies.iter().enumerate() {
        let phase = if index % 2 == 0 { Phase::Advocate } else { Phase::Critic };
        let slot = Slot { phase, round: 1 + index as u8 / 2 };
        transcript::append(&mut state.body, slot, None, Timestamp::UNIX_EPOCH, reply);
    }
    state.render().unwrap()
}

fn replies(body: &str) -> Vec<Entry> {
    transcript::parse(body).0.into_iter().filter(|entry| entry.slot().is_some()).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "a case is given away by who made it")]
fn holds(case: Case) -> TestCaseResult {
    let before = file(&case);
    let text = String::from_utf8_lossy(&changed(&before, &case.changes)).into_owned();
    let Some(mut state) = frontmatter::check(&text)? else { return Ok(()) };
    prop_assert!(text.ends_with(&state.body));
    let sections = replies(&state.body);
    prop_assert!(!case.changes.is_empty() || sections.len() == case.replies.len());

    // One more reply: what stood in the file stays word for word, and every section before the last one is found again.
    let (body, slot) = (state.body.clone(), Slot { phase: Phase::Critic, round: 3 });
    transcript::append(&mut state.body, slot, None, Timestamp::UNIX_EPOCH, &case.reply);
    prop_assert!(state.body.starts_with(&body));
    let reply = transcript::normalise(&case.reply).into_owned();
    prop_assert_eq!(transcript::last_text(&state.body), Some(reply.clone()));
    let after = replies(&state.body);
    let sure = sections.len().saturating_sub(1);
    prop_assert_eq!(after.get(..sure), Some(&sections[..sure]));
    prop_assert!(after.len() >= sections.len());
    if case.changes.is_empty() {
        prop_assert_eq!(after.last().map(|section| section.text.clone()), Some(reply));
        prop_assert_eq!(after.len(), sections.len() + 1);
    }
    frontmatter::check(&state.render().unwrap()).map(|_| ())
}

#[test]
fn a_state_file_that_is_read_survives_a_rewrite() {
    try_inputs(400, &cases(), holds);
}
