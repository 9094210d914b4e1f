//! What the user has changed in a debate that goes on.

use crate::debate::{Debate, Status};

/// What the user hears whose wish comes after the reply that is being written, or with the next one.
#[must_use]
pub fn noted(debate: &Debate) -> String {
    let what = if debate.progress.synthesis_requested { "the synthesis comes" } else { "the direction is given" };
    match debate.progress.status {
        Status::InProgress => format!("Anvil: noted; {what} when this reply is written."),
        _ => format!("Anvil: noted; {what} when the debate goes on: /anvil:resume."),
    }
}

/// What the user hears who changed the number of rounds.
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
