//! A turn of a conversation as a line of the record of attempts: its cost, and its outcome. Pure.

use jiff::Timestamp;

use super::reply::{Interpretation, reason};
use anvil_core::attempt::FailureKind;
use anvil_core::attempt::TurnLine;
use anvil_core::debate::Debate;
use anvil_core::reply::{CutTurn, Reply};
use anvil_core::transcript::{Author, count_words};
use anvil_prompt::kind_of_api_error;
use anvil_prompt::prompt::Why;
use anvil_text::clean;

/// Longest reason in a record, in characters.
const MAX_MESSAGE: usize = 300;

/// The turn that wrote this reply to the current phase. Its words are counted at its end.
pub(crate) fn turn_of_reply(debate: &Debate, reply: &Reply, now: Timestamp) -> TurnLine {
    TurnLine {
        model: reply.author.as_ref().and_then(Author::model).map(str::to_owned),
        usage: reply.usage,
        ..TurnLine::new(debate, reply.phase_began, now)
    }
}

/// The turn with what its reply did to the debate.
pub(super) fn with_effect(
    turn: TurnLine,
    reply: &Reply,
    interpretation: &Interpretation,
) -> TurnLine {
    match interpretation {
        Interpretation::Next { words, .. } | Interpretation::Block { words, .. } => {
            TurnLine { words: *words, ..turn }
        }
        Interpretation::Synthesis { text, .. } => TurnLine { words: count_words(text), ..turn },
        Interpretation::Again(why, _) | Interpretation::NoMore(why) => not_usable(turn, reply, why),
    }
}

/// A turn with a reply that has no place in the debate.
pub(crate) fn not_usable(turn: TurnLine, reply: &Reply, why: &Why) -> TurnLine {
    let turn = TurnLine { words: count_words(&reply.whole().0), ..turn };
    let kind = if *why == Why::Empty { FailureKind::Empty } else { FailureKind::Misshapen };
    turn.with_failure(kind, &clean(&reason(why), MAX_MESSAGE))
}

/// A turn that was cut off before its reply was whole.
pub(crate) fn cut_off(debate: &Debate, cut: CutTurn, now: Timestamp) -> TurnLine {
    let CutTurn { phase_began, error, is_stopped, ended, model, usage, .. } = cut;
    let turn = TurnLine::new(debate, phase_began, ended.unwrap_or(now));
    // Hours may lie between the end and this look at it.
    let duration_ms = turn.duration_ms.filter(|_| ended.is_some());
    let turn = TurnLine { duration_ms, model, usage, ..turn };
    match error {
        Some(error) => turn.with_failure(kind_of_api_error(&error), &clean(&error, MAX_MESSAGE)),
        None => turn
            .with_failure(FailureKind::Interrupted, if is_stopped { "you stopped it" } else { "" }),
    }
}
