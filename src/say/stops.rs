//! What a person reads where a debate stops between two phases.

use super::{clean, place};
use crate::debate::{Debate, Phase, Place};
use crate::reply::Arguments;
use crate::transcript::Section;

/// Two lines: what was argued in the round, and what the person can do now.
#[must_use]
pub fn awaits(debate: &Debate, filed: Place, round: &[Section]) -> String {
    let said = |section: &Section| {
        let words = format!("{} words", section.words());
        let numbers = match Arguments::of(&section.text).numbers.as_slice() {
            [] => words,
            [only] => format!("{only}, {words}"),
            [first, .., last] => format!("{first} to {last}, {words}"),
        };
        match section.place.phase {
            // Who spoke is said already.
            Phase::Stakeholder | Phase::Persona => numbers,
            seat @ (Phase::Advocate | Phase::Critic | Phase::Synthesizer) => format!("{} {numbers}", seat.word()),
        }
    };
    let said: Vec<String> = round.iter().map(said).collect();
    let conceded: Vec<String> = round.iter().flat_map(|section| Arguments::of(&section.text).conceded).collect();
    let conceded = if conceded.is_empty() { String::new() } else { format!("; conceded: {}", conceded.join(", ")) };
    format!(
        "Anvil: {}: {}{conceded}. Next: {}.\nType what it should look at, or /anvil:resume to go on as it is, /anvil:synthesize to end the argument.",
        argued(debate, filed),
        said.join("; "),
        place(debate)
    )
}

/// The same later, when the conversation goes on: `Anvil: the debate "QUESTION" waits for your direction (next: critic, …). …`
#[must_use]
pub fn awaits_still(debate: &Debate) -> String {
    format!(
        "Anvil: the debate \"{}\" waits for your direction (next: {}). What you type next is that; /anvil:resume goes on without.",
        clean(&debate.question, 60),
        place(debate)
    )
}

/// A short block: what is saved, and how to go on.
#[must_use]
pub fn boundary(debate: &Debate, filed: Place) -> String {
    format!(
        "Anvil: {}, and saved. Next: {}.\n  A) /clear, then /anvil:resume (recommended: a fresh conversation, and the debate's file carries everything)\n  B) /anvil:resume here",
        argued(debate, filed),
        place(debate)
    )
}

/// What ended with a reply: `round 1 of 3 is argued`, `legal (stakeholder 2 of 3) has spoken`.
fn argued(debate: &Debate, filed: Place) -> String {
    let label = filed.label(debate.max_rounds);
    match (filed.phase, debate.voice_at(filed)) {
        (Phase::Stakeholder | Phase::Persona, Some(voice)) => {
            format!("{} ({label}) has spoken", clean(&voice.name, 40))
        }
        (Phase::Stakeholder | Phase::Persona | Phase::Synthesizer, _) => format!("{label} has spoken"),
        (Phase::Advocate | Phase::Critic, _) => {
            format!("round {} of {} is argued", filed.round, debate.max_rounds.max(filed.round))
        }
    }
}
