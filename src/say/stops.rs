//! What a person reads where a debate stops between two phases.

use super::place;
use crate::debate::{Debate, Phase, Place};
use crate::reply::Arguments;
use crate::transcript::Section;

/// Two lines: what was argued in the round, and what the person can do now.
#[must_use]
pub fn awaits(debate: &Debate, filed: Place, round: &[Section]) -> String {
    let said = |section: &Section| {
        let (who, words) = (section.place.phase.word(), section.words());
        match Arguments::of(&section.text).numbers.as_slice() {
            [] => format!("{who} ({words} words)"),
            [only] => format!("{who} {only} ({words} words)"),
            [first, .., last] => format!("{who} {first} to {last} ({words} words)"),
        }
    };
    let said: Vec<String> = round.iter().map(said).collect();
    let conceded: Vec<String> = round.iter().flat_map(|section| Arguments::of(&section.text).conceded).collect();
    let conceded = if conceded.is_empty() { String::new() } else { format!("; conceded: {}", conceded.join(", ")) };
    format!(
        "Anvil: {} is argued: {}{conceded}. Next: {}.\nType what it should look at, or /anvil:resume to go on as it is, /anvil:synthesize to end the argument.",
        argued(debate, filed),
        said.join(", "),
        place(debate)
    )
}

/// A short block: what is saved, and how to go on.
#[must_use]
pub fn boundary(debate: &Debate, filed: Place) -> String {
    format!(
        "Anvil: {} is argued and saved. Next: {}.\n  A) /clear, then /anvil:resume (recommended: a fresh conversation, and the debate's file carries everything)\n  B) /anvil:resume here",
        argued(debate, filed),
        place(debate)
    )
}

/// What ends with a reply: `round 1 of 3`, `stakeholder 2 of 3`.
fn argued(debate: &Debate, filed: Place) -> String {
    match filed.phase {
        Phase::Advocate | Phase::Critic => format!("round {} of {}", filed.round, debate.max_rounds.max(filed.round)),
        Phase::Stakeholder | Phase::Persona | Phase::Synthesizer => filed.label(debate.max_rounds),
    }
}
