//! What the user reads where a debate stops between two phases.

use std::collections::BTreeSet;

use super::turns::{counted, settled};
use crate::debate::{Debate, Phase, Slot};
use crate::ledger::{Claim, Id, Ledger, Move, MoveKind, Status};
use crate::text::{self, clean, fit};
use crate::transcript::{Entries, Entry};

/// Columns of a line: a terminal of 100, without what the client puts before it.
const COLUMNS: usize = 95;

/// Fewest columns of a claim with its sentence.
const LEAST: usize = 24;

/// Between two claims of a line.
const GAP: &str = " · ";

/// Five lines at most: which round was argued, what each side claims that is new, what became of the claims so far, and what the
/// user can do now.
#[must_use]
pub fn awaits(debate: &Debate, filed: Slot, transcript: &Entries) -> String {
    let ledger = Ledger::of_entries(transcript);
    let is_in_round = |slot: Slot, reply: &Entry| (reply.cycle, slot.round) == (debate.progress.cycle, filed.round);
    let replies = || transcript.replies().enumerate().filter(|(_, (slot, reply))| is_in_round(*slot, reply));
    let sections: Vec<usize> = replies().map(|(section, _)| section).collect();
    let counted = counted(ledger.counts()).map_or_else(String::new, |counted| format!("; {counted}"));
    let head = |counted: &str| format!("Anvil: {}{counted}. Next: {}.", argued(debate, filed), debate.slot_label());
    // The count gives way where both do not fit.
    let head = Some(head(&counted)).filter(|head| text::columns(head) <= COLUMNS).unwrap_or_else(|| head(""));
    let mut lines = vec![head];
    lines.extend(replies().map(|(section, (slot, reply))| {
        let who = match slot.phase {
            // Who spoke is said already.
            Phase::Stakeholder | Phase::Persona => "claims",
            seat @ (Phase::Advocate | Phase::Critic | Phase::Synthesizer) => seat.word(),
        };
        let claims: Vec<&Claim> = ledger.claims.iter().filter(|claim| claim.section == section).collect();
        let said = match claims.as_slice() {
            [] => format!("no new claim, {} words", reply.words()),
            claims => new_claims(claims, COLUMNS - "  advocate  ".len()),
        };
        format!("  {who:<8}  {said}")
    }));
    let is_settled =
        debate.progress.slot.phase != Phase::Synthesizer && ledger.is_settled_in(debate.progress.cycle, filed.round);
    lines.extend(what_became(&ledger, &sections, is_settled));
    lines.push(what_now(debate).to_owned());
    lines.join("\n")
}

/// `A1 The old code costs two days of five · A2 Nobody left knows the…`: each cut so that all fit, and by its id alone where there
/// are too many.
fn new_claims(claims: &[&Claim], columns: usize) -> String {
    let whole: Vec<String> =
        claims.iter().map(|claim| clean(&format!("{} {}", claim.id, claim.sentence), columns)).collect();
    let id = |at: usize| claims[at].id.to_string();
    let gap = text::columns(GAP);
    // The columns that are left for the first claims when the others are ids.
    let left = |told: usize| {
        let ids: usize = (told..claims.len()).map(|at| gap + id(at).len()).sum();
        columns.saturating_sub(ids + gap * told.saturating_sub(1))
    };
    let told = (1..=claims.len()).rev().find(|&told| left(told) >= LEAST * told).unwrap_or(1);
    // The shortest first: what they leave is for the others.
    let mut by_length: Vec<usize> = (0..told).collect();
    by_length.sort_by_key(|&at| text::columns(&whole[at]));
    let (mut shown, mut room) = (whole.clone(), left(told).max(LEAST));
    for (done, at) in by_length.into_iter().enumerate() {
        shown[at] = fit(&whole[at], room / (told - done));
        room -= text::columns(&shown[at]);
    }
    let ids = (told..claims.len()).map(id);
    fit(&shown.into_iter().take(told).chain(ids).collect::<Vec<_>>().join(GAP), columns)
}

/// `attacked: A1, A2; granted: A3; open: C1`: what the round did to claims, and which of all nobody has answered.
fn what_became(ledger: &Ledger, sections: &[usize], is_settled: bool) -> Option<String> {
    let hit = |kinds: &[MoveKind]| {
        let is_hit = |made: &&Move| sections.contains(&made.section) && kinds.contains(&made.kind);
        ledger.moves.iter().filter(is_hit).map(|made| made.target).collect::<BTreeSet<Id>>()
    };
    let open = ledger.claims.iter().filter(|claim| claim.status == Status::Open).map(|claim| claim.id).collect();
    let parts = [
        ("attacked", hit(&[MoveKind::Attack, MoveKind::Rebut])),
        ("granted", hit(&[MoveKind::Grant])),
        ("withdrawn", hit(&[MoveKind::Withdraw])),
        ("open", open),
    ];
    let list = |ids: &BTreeSet<Id>| ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ");
    let mut parts: Vec<String> =
        parts.iter().filter(|(_, ids)| !ids.is_empty()).map(|(what, ids)| format!("{what}: {}", list(ids))).collect();
    if is_settled {
        parts.push("nothing new and nothing open".to_owned());
    }
    (!parts.is_empty()).then(|| fit(&format!("  {}", parts.join("; ")), COLUMNS))
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
        // Typed in a shell meanwhile.
        _ if debate.progress.steering.is_some() => {
            "Your direction is noted. Type [g]o on, [s]kip to the synthesis, s[t]op, or more of it."
        }
        Phase::Synthesizer => "Type [g]o on for the synthesis, s[t]op, or what it should look at.",
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            "Type [g]o on, [s]kip to the synthesis, s[t]op, or what it should look at next."
        }
    }
}

/// A short block: what is saved, and how to go on.
#[must_use]
pub fn boundary(debate: &Debate, filed: Slot, is_settled: bool) -> String {
    let settled = if is_settled { format!(" {}", settled(debate, filed)) } else { String::new() };
    format!(
        "Anvil: {}, and saved.{settled} Next: {}.\n  A) /clear, then /anvil:resume (recommended: the debate's file carries everything)\n  B) /anvil:resume here",
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
    use crate::command::Choice;
    use crate::transcript;
    use jiff::Timestamp;

    #[test]
    fn what_a_person_can_do_is_said_in_one_line_of_what_helps() {
        let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        assert!(what_now(&debate).contains("[s]kip"));
        for letter in what_now(&debate).split('[').skip(1).map(|rest| &rest[..1]) {
            assert!(Choice::typed(letter).is_some(), "{letter} is offered");
        }
        let room = 100 - "     ".len();
        assert!(what_now(&debate).chars().count() <= room);
        debate.progress.slot = Slot { phase: Phase::Synthesizer, round: 3 };
        assert!(!what_now(&debate).contains("[s]kip"), "it would do the same as going on");
        debate.progress.steering = Some("the cost".into());
        assert!(what_now(&debate).contains("noted") && what_now(&debate).chars().count() <= room);
        let filed = Slot { phase: Phase::Critic, round: 3 };
        assert!(boundary(&debate, filed, false).lines().all(|line| line.chars().count() <= room));
    }

    /// What the user reads after a round with these replies.
    fn told(replies: [&str; 2]) -> String {
        let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        debate.progress.slot = Slot { phase: Phase::Advocate, round: 2 };
        let mut body = transcript::open("Why?");
        for (phase, text) in [Phase::Advocate, Phase::Critic].into_iter().zip(replies) {
            let slot = Slot { phase, round: 1 };
            transcript::append(&mut body, slot, None, Timestamp::UNIX_EPOCH, text);
        }
        awaits(&debate, Slot { phase: Phase::Critic, round: 1 }, &transcript::parse(&body))
    }

    #[test]
    fn a_round_is_told_in_five_lines_that_fit() {
        let long = "語りたい words without an end ".repeat(9);
        let claims = |letter: &str, count: usize| {
            let claim = |n| format!("**{letter}{n}. {long}{n}.** x [reasoning]\n\n");
            (1..=count).map(claim).collect::<Vec<_>>().concat()
        };
        let attacks = (1..=40).map(|n| format!("**Attacks A{n}:** no.\n\n")).collect::<Vec<_>>().concat();
        for (advocate, critic) in [(1, 1), (3, 4), (5, 9), (40, 40)] {
            let told = told([&claims("A", advocate), &(claims("C", critic) + &attacks)]);
            let lines: Vec<&str> = told.lines().collect();
            assert!(lines.len() == 5 && lines.iter().all(|line| text::columns(line) <= COLUMNS), "{told}");
            assert!(lines[1].starts_with("  advocate  A1 語りたい words"), "{told}");
        }
    }

    #[test]
    fn a_short_claim_leaves_its_room_to_a_long_one() {
        let long = "The old code costs the whole team two days of every five";
        let told = told([&format!("**A1. {long}.** x\n\n**A2. Short.** y"), "Nothing with a number."]);
        let lines: Vec<&str> = told.lines().collect();
        let claims = format!("  advocate  A1 {long} · A2 Short");
        assert_eq!(lines[1..4], [&claims, "  critic    no new claim, 4 words", "  open: A1, A2"]);
    }
}
