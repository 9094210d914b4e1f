//! What a cue says of the claims: what is open against the seat that speaks, and what in the last reply does not hold.

use super::utf16_len;
use crate::debate::{Debate, Phase, Seat};
use crate::ledger::{Claim, Doubt, Id, Ledger, Status};

/// Most of the ids in one sentence, in UTF-16 units: a cue stays a line or two of a screen.
const MAX_IDS: usize = 60;

/// Sentences for the debate's place, each with a space before it, in at most `most` UTF-16 units. What does not fit is left out:
/// the last sentence first.
pub(super) fn standing(debate: &Debate, ledger: &Ledger, most: usize) -> String {
    let slot = debate.progress.slot;
    let seat = slot.seat();
    let opens = slot.round == 1 && debate.progress.cycle == 1 && slot.phase != Phase::Synthesizer;
    if ledger.claims.is_empty() || opens {
        return String::new();
    }
    let mut sentences = match seat {
        Seat::Advocate | Seat::Critic => {
            let attacked: Vec<Id> = ledger.attacked(seat).map(|claim| claim.id).collect();
            vec![
                sentence("Open against you: ", &newest_first(ledger.open_against(seat), most), "."),
                sentence("Attacked: ", &listed(&attacked, MAX_IDS.min(most)), "."),
            ]
        }
        Seat::Synthesizer => vec![tally(ledger, most)],
        Seat::Voice(_) => Vec::new(),
    };
    sentences.push(contradicted(ledger, seat));
    sentences.extend(doubts(ledger, seat));
    let mut said = String::new();
    for sentence in sentences {
        if utf16_len(&said) + utf16_len(&sentence) <= most {
            said.push_str(&sentence);
        }
    }
    said
}

fn sentence(before: &str, names: &str, after: &str) -> String {
    if names.is_empty() { String::new() } else { format!(" {before}{names}{after}") }
}

/// How many claims the synthesis has to account for, and which nobody has answered.
fn tally(ledger: &Ledger, most: usize) -> String {
    let open = || ledger.claims.iter().rev().filter(|claim| claim.status == Status::Open);
    let claims = match ledger.claims.len() {
        1 => "1 claim".to_owned(),
        count => format!("{count} claims"),
    };
    let named = newest_first(open(), most.saturating_sub(utf16_len(&claims) + 9));
    match open().count() {
        0 => format!(" {claims}, none open."),
        count if named.is_empty() => format!(" {claims}, {count} open."),
        _ => format!(" {claims}; open: {named}."),
    }
}

/// What a fact-check contradicts: of this seat's own claims, or for the synthesis of all.
fn contradicted(ledger: &Ledger, seat: Seat) -> String {
    let ids: Vec<Id> = ledger
        .contradicted()
        .map(|claim| claim.id)
        .filter(|id| seat == Seat::Synthesizer || id.seat() == seat)
        .collect();
    sentence("Contradicted by the fact-check: ", &listed(&ids, MAX_IDS), ".")
}

/// What in the last reply does not hold.
fn doubts(ledger: &Ledger, seat: Seat) -> Vec<String> {
    let doubts = ledger.doubts(seat);
    let (mut by_claims, mut bare, mut elsewhere, mut grants) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for doubt in doubts {
        let (list, id) = match doubt {
            Doubt::Quote { on, by: Some(by) } if on.seat() == seat => (&mut by_claims, by),
            Doubt::Quote { on, by: None } if on.seat() == seat => (&mut bare, on),
            Doubt::Quote { on, .. } => (&mut elsewhere, on),
            Doubt::Grant(id) => (&mut grants, id),
        };
        if !list.contains(&id) {
            list.push(id);
        }
    }
    let said = |ids: &[Id], one: (&str, &str), more: (&str, &str)| {
        let (before, after) = if ids.len() == 1 { one } else { more };
        sentence(before, &listed(ids, MAX_IDS), after)
    };
    vec![
        said(&by_claims, ("", "'s quote is not in your case."), ("The quotes of ", " are not in your case.")),
        said(&bare, ("The quote on ", " is not in your case."), ("The quotes on ", " are not in your case.")),
        said(&elsewhere, ("The quote on ", " is not there."), ("The quotes on ", " are not there.")),
        said(&grants, ("The grant of ", " gives no new ground."), ("The grants of ", " give no new ground.")),
    ]
}

/// The ids of claims that come the newest first: all of them in their order, or the newest and how many more.
fn newest_first<'a>(claims: impl Iterator<Item = &'a Claim>, most: usize) -> String {
    let newest: Vec<Id> = claims.map(|claim| claim.id).collect();
    let in_order: Vec<Id> = newest.iter().rev().copied().collect();
    let all = joined(&in_order);
    // What stands around them has its room too.
    let most = MAX_IDS.min(most.saturating_sub(20));
    if utf16_len(&all) <= most { all } else { listed(&newest, most) }
}

fn joined(ids: &[Id]) -> String {
    ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ")
}

/// Ids with commas between them, in at most `most` UTF-16 units: as many as fit, and how many more.
pub(super) fn listed(ids: &[Id], most: usize) -> String {
    let all = joined(ids);
    if utf16_len(&all) <= most {
        return all;
    }
    let mut fits = String::new();
    for shown in 1..ids.len() {
        let some = format!("{} and {} more", joined(&ids[..shown]), ids.len() - shown);
        if utf16_len(&some) > most {
            break;
        }
        fits = some;
    }
    fits
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::debate::Slot;
    use crate::ledger::Spoken;
    use crate::transcript::{self, Kind};

    fn said(replies: &[(Phase, u8, &str)], next: Phase, round: u8, most: usize) -> String {
        let spoken = replies.iter().map(|&(phase, round, text)| Spoken { slot: Slot { phase, round }, cycle: 1, text });
        let mut debate = Debate::new("id".into(), "Why?".into(), 10, Timestamp::UNIX_EPOCH);
        debate.stand_at(Slot { phase: next, round });
        standing(&debate, &Ledger::of(spoken), most)
    }

    #[test]
    fn the_truth_table_of_what_a_cue_says_of_the_claims() {
        use Phase::{Advocate, Critic, Persona, Synthesizer};
        let case = "**A1. One is so.** x [reasoning]\n\n**A2. Two is so.** y";
        for (reply, next, expected) in [
            ("**C1. No.** z\n**Attacks A1:** \"One is so\" fails.", Advocate, " Open against you: C1."),
            ("**C1. No.** z\n\n**C2. Never.** z", Advocate, " Open against you: C1, C2."),
            (
                "**C1. No.** z\n**Attacks A1:** \"One is not\" fails.",
                Advocate,
                " Open against you: C1. C1's quote is not in your case.",
            ),
            ("**Attacks A1:** \"One is so\" fails.", Advocate, " Attacked: A1."),
            (
                "**Attacks A1:** \"never said\" fails.\n\n**Attacks A2:** \"nor this\" fails.",
                Advocate,
                " Attacked: A1, A2. The quotes on A1, A2 are not in your case.",
            ),
            ("**Grants A1:** because new.", Advocate, ""),
            ("**Grants A1:** as you say.", Advocate, " The grant of A1 gives no new ground."),
            ("**C1. No.** z", Critic, " Open against you: A1, A2."),
            ("**C1. No.** z", Synthesizer, " 3 claims; open: A1, A2, C1."),
            (
                "**Attacks A1:** \"never said\" fails.\n\n**Grants A2:** because new.",
                Synthesizer,
                " 2 claims, none open. The quote on A1 is not there.",
            ),
            ("**C1. No.** z", Persona, ""),
            ("Prose.", Advocate, ""),
        ] {
            let told = said(&[(Advocate, 1, case), (Critic, 1, reply)], next, 2, 400);
            assert_eq!(told, expected, "{reply:?} before {next:?}");
        }
        assert_eq!(said(&[(Advocate, 1, case)], Critic, 1, 400), "", "the case just made is all open");
        assert_eq!(said(&[(Critic, 1, "**C1. No.** z")], Advocate, 1, 400), "", "a blind opening answers nothing");
        assert_eq!(said(&[(Advocate, 1, "Yes."), (Critic, 1, "No.")], Synthesizer, 1, 400), "");
    }

    #[test]
    fn what_a_fact_check_contradicts_is_told_until_it_is_repaired() {
        use Phase::{Advocate, Critic, Synthesizer};
        let replies = [
            (Advocate, 1, "**A1. One is so.** x [evidence: a.rs]"),
            (Critic, 1, "**Grants A1:** because new."),
            (Advocate, 2, "**Repairs A1:** one is nearly so."),
        ];
        let told = |filed: usize, next: Phase, most: usize| {
            let mut body = transcript::open("Why?");
            for (at, (phase, round, text)) in replies[..filed].iter().enumerate() {
                let slot = Slot { phase: *phase, round: *round };
                transcript::append(&mut body, slot, None, Timestamp::UNIX_EPOCH, text);
                if at == 1 {
                    let found = "**A1:** contradicted, `a.rs:1` \"two\" (the words are there)";
                    transcript::append_note(&mut body, Kind::FactCheck, Timestamp::UNIX_EPOCH, found);
                }
            }
            let mut debate = Debate::new("id".into(), "Why?".into(), 10, Timestamp::UNIX_EPOCH);
            debate.stand_at(Slot { phase: next, round: 2 });
            standing(&debate, &Ledger::of_entries(&transcript::parse(&body)), most)
        };
        assert_eq!(told(2, Advocate, 400), " Contradicted by the fact-check: A1.");
        assert_eq!(told(2, Critic, 400), "");
        assert_eq!(told(2, Synthesizer, 400), " 1 claim, none open. Contradicted by the fact-check: A1.");
        assert_eq!(told(2, Synthesizer, 40), " 1 claim, none open.");
        assert_eq!(told(3, Synthesizer, 400), " 1 claim, none open.");
    }

    #[test]
    fn where_more_is_open_than_fits_the_newest_is_named_and_the_rest_counted() {
        let case: String =
            (1..=90).map(|number| format!("**C{number}. Claim {number}.** x\n\n")).collect::<Vec<_>>().concat();
        let replies = [(Phase::Advocate, 1, "**A1. One.** x"), (Phase::Critic, 1, case.as_str())];
        for most in 0..400 {
            let told = said(&replies, Phase::Advocate, 2, most);
            assert!(utf16_len(&told) <= most, "{most}: {told}");
            let begins = told.is_empty() || told.starts_with(" Open against you: C90") && told.contains("more.");
            assert!(begins, "{most}: {told}");
        }
        assert!(said(&replies, Phase::Advocate, 2, 400).starts_with(" Open against you: C90, C89, C88,"));
        let listed = |most| listed(&(1..=3).map(|n| format!("A{n}").parse().unwrap()).collect::<Vec<_>>(), most);
        assert_eq!((listed(10), listed(9), listed(5)), ("A1, A2, A3".into(), String::new(), String::new()));
    }
}
