//! What the user has changed in a debate that goes on.

use crate::command::Choice;
use crate::debate::{Debate, Status};
use crate::engine::Steered;
use crate::text::clean;

/// Most of a direction that its confirmation quotes, in characters.
const MAX_DIRECTION: usize = 60;

/// What the user reads whose wish comes after the reply that is being written, or with the next one: a direction, or else the
/// synthesis.
#[must_use]
pub fn noted(debate: &Debate, direction: Option<&str>) -> String {
    let what = direction.map_or_else(
        || "the synthesis comes".to_owned(),
        |words| format!("{} is given as the direction", quoted(words)),
    );
    match debate.progress.status {
        Status::InProgress => format!("Anvil: noted; {what} when this reply is written."),
        _ => format!("Anvil: noted; {what} when the debate goes on: /anvil:resume."),
    }
}

/// `Anvil: advocate, round 2 of 3, with your direction: "the cost of leaving"`
#[must_use]
pub fn steered(debate: &Debate, direction: &str) -> String {
    format!("Anvil: {}, with your direction: {}", debate.slot_label(), quoted(direction))
}

/// How a debate goes on after what the user typed between two rounds.
#[must_use]
pub fn steered_by_prompt(steered: &Steered, words: &str) -> String {
    let debate = &steered.debate;
    match steered.choice {
        None => self::steered(debate, words),
        Some(Choice::Skip) => "Anvil: skips to the synthesis".to_owned(),
        Some(Choice::GoOn | Choice::Stop) => format!("Anvil: goes on with {}", debate.slot_label()),
    }
}

/// A direction in the user's own words, in one line.
fn quoted(direction: &str) -> String {
    format!("\"{}\"", clean(direction, MAX_DIRECTION))
}

/// What the user reads who changed the number of rounds.
#[must_use]
pub fn rounds_changed(debate: &Debate) -> String {
    let next = format!("Anvil: {} now. Next: {}", rounds(debate.options.max_rounds), debate.slot_label());
    match debate.progress.status {
        // Esc ends a turn, and nobody is told.
        Status::InProgress => format!("{next}. If Claude is not writing, /anvil:resume asks for it."),
        _ => format!("{next}; /anvil:resume goes on."),
    }
}

pub(super) fn rounds(count: u8) -> String {
    if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") }
}
