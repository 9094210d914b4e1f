//! What the user reads where a debate stops between two phases.

use crate::debate::{Debate, Phase, Slot};
use crate::reply::Arguments;
use crate::text::clean;
use crate::transcript::{Entries, Entry};

/// Two lines: what was argued in the round, and what the user can do now.
#[must_use]
pub fn awaits(debate: &Debate, filed: Slot, round: &Entries) -> String {
    let said = |(slot, reply): (Slot, &Entry)| {
        let words = format!("{} words", reply.words());
        let numbers = match Arguments::of(&reply.text).numbers.as_slice() {
            [] => words,
            [only] => format!("{only}, {words}"),
            [first, .., last] => format!("{first} to {last}, {words}"),
        };
        match slot.phase {
            // Who spoke is said already.
            Phase::Stakeholder | Phase::Persona => numbers,
            seat @ (Phase::Advocate | Phase::Critic | Phase::Synthesizer) => format!("{} {numbers}", seat.word()),
        }
    };
    let said: Vec<String> = round.replies().map(said).collect();
    let conceded: Vec<String> = round.replies().flat_map(|(_, reply)| Arguments::of(&reply.text).conceded).collect();
    let conceded = if conceded.is_empty() { String::new() } else { format!("; conceded: {}", conceded.join(", ")) };
    format!(
        "Anvil: {}: {}{conceded}. Next: {}.\n{}",
        argued(debate, filed),
        said.join("; "),
        debate.slot_label(),
        what_now(debate)
    )
}

/// The same later, when the conversation goes on: `Anvil: the debate "QUESTION" waits for your direction (next: critic, …). …`
#[must_use]
pub fn awaits_still(debate: &Debate) -> String {
    format!(
        "Anvil: the debate \"{}\" waits for your direction (next: {}).\n{}",
        clean(&debate.question, 60),
        debate.slot_label(),
        what_now(debate)
    )
}

/// What the user can do while a debate waits for their direction. After what the client puts before it this fills one line of 100
/// columns.
pub(super) fn what_now(debate: &Debate) -> &'static str {
    match debate.progress.slot.phase {
        // Typed while Claude was writing the last reply of the round.
        _ if debate.progress.steering.is_some() => "Your direction is noted; /anvil:resume goes on with it.",
        Phase::Synthesizer => "Type what it should look at, or /anvil:resume for the synthesis as it is.",
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            "Type what it should look at; /anvil:resume goes on as it is, /anvil:synthesize ends it here."
        }
    }
}

/// A short block: what is saved, and how to go on.
#[must_use]
pub fn boundary(debate: &Debate, filed: Slot) -> String {
    format!(
        "Anvil: {}, and saved. Next: {}.\n  A) /clear, then /anvil:resume (recommended: the debate's file carries everything)\n  B) /anvil:resume here",
        argued(debate, filed),
        debate.slot_label()
    )
}

/// What ended with a reply: `round 1 of 3 is argued`, `legal (stakeholder 2 of 3) has spoken`.
fn argued(debate: &Debate, filed: Slot) -> String {
    let label = filed.label(debate.options.max_rounds);
    match (filed.phase, debate.voice_at(filed)) {
        (Phase::Stakeholder | Phase::Persona, Some(voice)) => {
            format!("{} ({label}) has spoken", clean(&voice.name, 40))
        }
        (Phase::Stakeholder | Phase::Persona | Phase::Synthesizer, _) => format!("{label} has spoken"),
        (Phase::Advocate | Phase::Critic, _) => {
            format!("round {} of {} is argued", filed.round, debate.options.max_rounds.max(filed.round))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn what_a_person_can_do_is_said_in_one_line_of_what_helps() {
        let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        assert!(what_now(&debate).contains("/anvil:synthesize"));
        let room = 100 - "     ".len();
        assert!(what_now(&debate).chars().count() <= room);
        debate.progress.slot = Slot { phase: Phase::Synthesizer, round: 3 };
        assert!(!what_now(&debate).contains("/anvil:synthesize"), "it would do the same as /anvil:resume");
        debate.progress.steering = Some("the cost".into());
        assert!(!what_now(&debate).contains("Type"), "it is typed already");
        let filed = Slot { phase: Phase::Critic, round: 3 };
        assert!(boundary(&debate, filed).lines().all(|line| line.chars().count() <= room));
    }
}
