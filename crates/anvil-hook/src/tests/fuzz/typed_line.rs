//! The typed line: a command, a one-line error, or no line of Anvil's.

use anvil_command::Typed;
use anvil_core::limits::{
    MAX_OUTPUT_CHARS, MAX_POSITION_CHARS, MAX_QUESTION_CHARS, MAX_ROUNDS, MIN_ROUNDS,
};
use anvil_messages::slash_command;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;

use super::hostile::{changed, changes, check_error, text};
use super::try_inputs;

const LINES: &[&str] = &[
    "/anvil:debate Should we split it? --rounds 2 --position \"not yet\" --output docs/a.md --replace",
    "/anvil:debate --rounds=5 \"Should we pass --rounds 9 on?\" --position 'wait a year'",
    "/anvil:debate -- Should --rounds be 5?",
    "/anvil:debate “Why not?”\nA second line --rounds 1",
    "/anvil:resume --take-over",
    "/anvil:status",
    "/anvil:cancel --help",
];

pub(super) fn lines() -> impl Strategy<Value = String> {
    let broken = (select(LINES), changes(4))
        .prop_map(|(line, changes)| String::from_utf8_lossy(&changed(line, &changes)).into_owned());
    let made = (select(vec!["debate", "resume", "status", "cancel", "debates", ""]), text())
        .prop_map(|(name, rest)| format!("/anvil:{name} {rest}"));
    prop_oneof![4 => broken, 2 => made, 1 => text()]
}

/// The command's name and its arguments, as the client divides a typed line.
pub(super) fn divided(line: &str) -> (String, String) {
    let line = line.trim();
    let line = line.strip_prefix('/').unwrap_or(line);
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (name.to_owned(), arguments.to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "a case is given away by who made it")]
fn holds(line: String) -> TestCaseResult {
    let (name, arguments) = divided(&line);
    let name = name.trim_start_matches("anvil:");
    let (question, options) = match Typed::parse(name, &arguments) {
        None => {
            prop_assert!(name.parse().ok().and_then(slash_command).is_none(), "{}", line);
            return Ok(());
        }
        Some(Err(error)) => return check_error(&error),
        Some(Ok(Typed::Debate { question, options, .. })) => (question, options),
        Some(Ok(_)) => return Ok(()),
    };
    prop_assert!(line.contains(&question) && question.trim() == question);
    prop_assert!((1..=MAX_QUESTION_CHARS).contains(&question.chars().count()));
    prop_assert!(
        (MIN_ROUNDS..=MAX_ROUNDS)
            .contains(&options.wishes.rounds.as_ref().map_or(MIN_ROUNDS, |rounds| rounds.0))
    );
    for (value, most) in [
        (options.wishes.position.map(|position| position.value.0), MAX_POSITION_CHARS),
        (options.own.output.map(|path| path.value.0), MAX_OUTPUT_CHARS),
    ] {
        prop_assert!(
            value.as_ref().is_none_or(|value| !value.is_empty() && value.chars().count() <= most)
        );
    }
    // After `--` everything is the question, even if it looks like an option.
    match Typed::parse("debate", &format!("-- {question}")) {
        Some(Ok(Typed::Debate { question: again, options, .. })) => {
            prop_assert_eq!(again, question);
            prop_assert!(options.own.replace.is_none() && options.own.output.is_none());
        }
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    }
    Ok(())
}

#[test]
fn a_typed_line_is_a_command_or_an_error_of_one_line() {
    try_inputs(200, &lines(), holds);
}
