//! Sentences in a cue about the claims: those that are open against the seat, and the faults of the
//! last reply.

use anvil_core::debate::Debate;
use anvil_core::ledger::{ClaimStatus, Doubt, Id, Ledger};
use anvil_core::place::Seat;
use anvil_text::utf16_len;

/// Longest list of ids in one sentence, in UTF-16 units: a cue has one or two lines on a screen.
const MAX_IDS: usize = 60;

/// Sentences for the debate's place, each after a space, in at most `limit` UTF-16 units. If they
/// do not fit, the last sentences are left out.
pub(super) fn standing(debate: &Debate, ledger: &Ledger, limit: usize) -> String {
    let place = debate.place();
    let seat = place.seat;
    let opens = place.number() == 1 && debate.cycle() == 1 && place.seat != Seat::Synthesizer;
    if ledger.claims.is_empty() || opens && debate.options.blind {
        return String::new();
    }
    let mut sentences = match seat {
        // The case that was just made is all open.
        _ if opens => Vec::new(),
        Seat::Advocate | Seat::Critic => {
            let attacked: Vec<Id> = ledger.attacked_claims(seat).map(|claim| claim.id).collect();
            // An advocate's task names the claims to answer.
            let open = if seat == Seat::Critic {
                open_against(ledger, seat, limit.saturating_sub(20))
            } else {
                String::new()
            };
            vec![
                sentence("Attacked: ", &first_ids(&attacked, MAX_IDS.min(limit)), "."),
                sentence("Open against you: ", &open, "."),
            ]
        }
        Seat::Synthesizer | Seat::Judge(_) => {
            let open: Vec<Id> = ledger
                .claims
                .iter()
                .rev()
                .filter(|claim| claim.status == ClaimStatus::Open)
                .map(|claim| claim.id)
                .collect();
            vec![sentence("Open: ", &all_or_newest(&open, limit.saturating_sub(20)), ".")]
        }
        Seat::Voice(_) => Vec::new(),
    };
    sentences.push(contradiction(ledger, seat));
    sentences.extend(doubts(ledger, seat));
    let mut text = String::new();
    for sentence in sentences {
        if utf16_len(&text) + utf16_len(&sentence) <= limit {
            text.push_str(&sentence);
        }
    }
    text
}

fn sentence(before: &str, names: &str, after: &str) -> String {
    if names.is_empty() { String::new() } else { format!(" {before}{names}{after}") }
}

/// The claims that the seat has not answered yet. An objection to a document also stands after an
/// answer that changes nothing.
pub(super) fn open_against(ledger: &Ledger, seat: Seat, limit: usize) -> String {
    let newest: Vec<Id> = if seat == Seat::Advocate && !ledger.unanswered.is_empty() {
        ledger.unanswered.iter().rev().copied().collect()
    } else {
        ledger.open_against(seat).map(|claim| claim.id).collect()
    };
    all_or_newest(&newest, limit)
}

/// The claims that a fact-check contradicts: of this seat, or of all seats for the synthesis.
fn contradiction(ledger: &Ledger, seat: Seat) -> String {
    let ids: Vec<Id> = ledger
        .contradicted_claims()
        .map(|claim| claim.id)
        .filter(|id| seat == Seat::Synthesizer || id.seat() == seat)
        .collect();
    sentence("Contradicted by the fact-check: ", &first_ids(&ids, MAX_IDS), ".")
}

/// The text before and after the ids, for one id and for several: quotes of claims, bare quotes,
/// quotes of another seat's words, cited words, cited files, grants.
const DOUBTS: [[(&str, &str); 2]; 6] = [
    [("", "'s quote is not in your case."), ("The quotes of ", " are not in your case.")],
    [("The quote on ", " is not in your case."), ("The quotes on ", " are not in your case.")],
    [("The quote on ", " is not there."), ("The quotes on ", " are not there.")],
    [
        ("", " cites words that are not in the file."),
        ("", " cite words that are not in the files."),
    ],
    [("", " cites a file that does not exist."), ("", " cite files that do not exist.")],
    [("The grant of ", " gives no reason."), ("The grants of ", " give no reason.")],
];

/// Sentences about the faults of the last reply.
fn doubts(ledger: &Ledger, seat: Seat) -> Vec<String> {
    let mut lists: [Vec<Id>; DOUBTS.len()] = Default::default();
    for doubt in ledger.doubts(seat) {
        let (kind, id) = match doubt {
            Doubt::Quote { on, by: Some(by) } if on.seat() == seat => (0, by),
            Doubt::Quote { on, by: None } if on.seat() == seat => (1, on),
            Doubt::Quote { on, .. } => (2, on),
            Doubt::Evidence(id) => (3, id),
            Doubt::File(id) => (4, id),
            Doubt::Grant(id) => (5, id),
        };
        if !lists[kind].contains(&id) {
            lists[kind].push(id);
        }
    }
    lists
        .iter()
        .zip(DOUBTS)
        .map(|(ids, [one, more])| {
            let (before, after) = if ids.len() == 1 { one } else { more };
            sentence(before, &first_ids(ids, MAX_IDS), after)
        })
        .collect()
}

/// Ids that are given newest first: all of them in their order, or the newest and the number of the
/// others.
fn all_or_newest(newest: &[Id], limit: usize) -> String {
    let in_order: Vec<Id> = newest.iter().rev().copied().collect();
    let all = comma_list(&in_order);
    let limit = MAX_IDS.min(limit);
    if utf16_len(&all) <= limit { all } else { first_ids(newest, limit) }
}

fn comma_list(ids: &[Id]) -> String {
    ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", ")
}

/// Ids with commas between them, in at most `limit` UTF-16 units: as many as fit, and the number of
/// the others.
pub(super) fn first_ids(ids: &[Id], limit: usize) -> String {
    let all = comma_list(ids);
    if utf16_len(&all) <= limit {
        return all;
    }
    let mut fits = String::new();
    for shown in 1..ids.len() {
        let some = format!("{} and {} more", comma_list(&ids[..shown]), ids.len() - shown);
        if utf16_len(&some) > limit {
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
    use anvil_core::ledger::LedgerReply;
    use anvil_core::place::Place;
    use anvil_core::question::Alternatives;
    use anvil_core::transcript::{self, NoteKind};

    fn cue_text(replies: &[(Seat, u8, &str)], next: Seat, round: u8, limit: usize) -> String {
        let spoken = replies
            .iter()
            .map(|&(seat, round, text)| LedgerReply::new(Place { seat, round }, 1, text));
        let mut debate = Debate::new("id".into(), "Why?".into(), 10, Timestamp::UNIX_EPOCH);
        debate.set_place(Place { seat: next, round });
        standing(&debate, &Ledger::from_replies(spoken, &Alternatives::default()), limit)
    }

    #[test]
    fn a_cue_names_the_claims_by_a_truth_table() {
        use Seat::{Advocate, Critic, Synthesizer, Voice};
        let case = "**A1. One is so.** x [reasoning]\n\n**A2. Two is so.** y";
        for (reply, next, expected) in [
            ("**C1. No.** z\n**Attacks A1:** \"One is so\" fails.", Advocate, ""),
            ("**C1. No.** z\n\n**C2. Never.** z", Advocate, ""),
            (
                "**C1. No.** z\n**Attacks A1:** \"One is not\" fails.",
                Advocate,
                " C1's quote is not in your case.",
            ),
            ("**Attacks A1:** \"One is so\" fails.", Advocate, " Attacked: A1."),
            (
                "**Attacks A1:** \"never said\" fails.\n\n**Attacks A2:** \"nor this\" fails.",
                Advocate,
                " Attacked: A1, A2. The quotes on A1, A2 are not in your case.",
            ),
            ("**Grants A1:** because new.", Advocate, ""),
            ("**Grants A1:** as you say.", Advocate, ""),
            ("**Grants A1:**", Advocate, " The grant of A1 gives no reason."),
            ("**C1. No.** z", Critic, " Open against you: A1, A2."),
            ("**C1. No.** z", Synthesizer, " Open: A1, A2, C1."),
            (
                "**Attacks A1:** \"never said\" fails.\n\n**Grants A2:** because new.",
                Synthesizer,
                " The quote on A1 is not there.",
            ),
            ("**C1. No.** z", Voice(1), ""),
            ("Prose.", Advocate, ""),
        ] {
            let text = cue_text(&[(Advocate, 1, case), (Critic, 1, reply)], next, 2, 400);
            assert_eq!(text, expected, "{reply:?} before {next:?}");
        }
        assert_eq!(
            cue_text(&[(Advocate, 1, case)], Critic, 1, 400),
            "",
            "the case just made is all open"
        );
        assert_eq!(
            cue_text(&[(Critic, 1, "**C1. No.** z")], Advocate, 1, 400),
            "",
            "a blind opening answers nothing"
        );
        assert_eq!(cue_text(&[(Advocate, 1, "Yes."), (Critic, 1, "No.")], Synthesizer, 1, 400), "");
    }

    #[test]
    fn a_contradicted_claim_is_named_until_it_is_repaired() {
        use Seat::{Advocate, Critic, Synthesizer};
        let replies = [
            (Advocate, 1, "**A1. One is so.** x [evidence: a.rs]"),
            (Critic, 1, "**Grants A1:** because new."),
            (Advocate, 2, "**Repairs A1:** one is nearly so."),
        ];
        let text = |count: usize, next: Seat, limit: usize| {
            let mut body = transcript::open("Why?");
            for (at, (seat, round, text)) in replies[..count].iter().enumerate() {
                let place = Place { seat: *seat, round: *round };
                transcript::append(&mut body, place, None, Timestamp::UNIX_EPOCH, text);
                if at == 1 {
                    let found = "**A1:** contradicted, `a.rs:1` \"two\" (the words are there)";
                    transcript::append_note(
                        &mut body,
                        NoteKind::FactCheck,
                        Timestamp::UNIX_EPOCH,
                        found,
                    );
                }
            }
            let mut debate = Debate::new("id".into(), "Why?".into(), 10, Timestamp::UNIX_EPOCH);
            debate.set_place(Place { seat: next, round: 2 });
            standing(
                &debate,
                &Ledger::of_entries(&transcript::parse(&body), &Alternatives::default()),
                limit,
            )
        };
        assert_eq!(text(2, Advocate, 400), " Contradicted by the fact-check: A1.");
        assert_eq!(text(2, Critic, 400), "");
        assert_eq!(text(2, Synthesizer, 400), " Contradicted by the fact-check: A1.");
        assert_eq!(text(2, Synthesizer, 30), "");
        assert_eq!(text(3, Synthesizer, 400), " Open: A1.");
    }

    #[test]
    fn words_that_are_not_in_their_file_are_named_to_the_next_seat() {
        use Seat::{Advocate, Critic, Synthesizer};
        const CITED: &str = "[evidence: a.rs:1 \"the exact words\"]";
        let case = format!("**A1. One is so.** {CITED}\n\n**A2. Two is so.** {CITED}");
        let opening = "**C1. No.** z [reasoning]";
        let text = |note: &str, next: Seat, limit: usize| {
            let mut body = transcript::open("Why?");
            for (seat, text) in [(Critic, opening), (Advocate, &case)] {
                let place = Place { seat, round: 1 };
                transcript::append(&mut body, place, None, Timestamp::UNIX_EPOCH, text);
            }
            let check = NoteKind::EvidenceCheck;
            transcript::append_note(&mut body, check, Timestamp::UNIX_EPOCH, note);
            let mut debate = Debate::new("id".into(), "Why?".into(), 10, Timestamp::UNIX_EPOCH);
            debate.set_place(Place { seat: next, round: 2 });
            let ledger = Ledger::of_entries(&transcript::parse(&body), &Alternatives::default());
            standing(&debate, &ledger, limit)
        };
        let one = "**A1:** not there, `a.rs`\n**A2:** elsewhere, `a.rs:90`";
        let both = "**A1:** not there, `a.rs`\n**A2:** not there, `a.rs`";
        let open = " Open against you: A1, A2.";
        for (note, next, limit, expected) in [
            ("**A1:** there, `a.rs:1`", Critic, 400, String::new()),
            (one, Critic, 400, " A1 cites words that are not in the file.".to_owned()),
            (both, Critic, 400, " A1, A2 cite words that are not in the files.".to_owned()),
            (both, Critic, 60, String::new()),
        ] {
            assert_eq!(text(note, next, limit), open.to_owned() + &expected, "{note}");
        }
        let judged = " Open: C1, A1, A2. A1 cites words that are not in the file.";
        assert_eq!(text(one, Synthesizer, 400), judged);
        assert_eq!(text(both, Advocate, 400), "", "its own");
    }

    #[test]
    fn the_newest_open_claims_are_named_and_the_others_counted() {
        let case: String = (1..=90)
            .map(|number| format!("**C{number}. Claim {number}.** x\n\n"))
            .collect::<Vec<_>>()
            .concat();
        let case = case.replace("**C", "**A");
        let replies = [(Seat::Advocate, 1, case.as_str()), (Seat::Critic, 1, "**C1. One.** x")];
        for limit in 0..400 {
            let text = cue_text(&replies, Seat::Critic, 2, limit);
            assert!(utf16_len(&text) <= limit, "{limit}: {text}");
            let begins = text.is_empty()
                || text.starts_with(" Open against you: A90") && text.contains("more.");
            assert!(begins, "{limit}: {text}");
        }
        assert!(
            cue_text(&replies, Seat::Critic, 2, 400)
                .starts_with(" Open against you: A90, A89, A88,")
        );
        let listed = |limit| {
            first_ids(&(1..=3).map(|n| format!("A{n}").parse().unwrap()).collect::<Vec<_>>(), limit)
        };
        assert_eq!(
            (listed(10), listed(9), listed(5)),
            ("A1, A2, A3".into(), String::new(), String::new())
        );
    }
}
