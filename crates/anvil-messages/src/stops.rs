//! The lines where a debate stops between two phases.

use std::collections::BTreeSet;

use super::end::first_ids;
use super::indent;
use anvil_core::debate::Debate;
use anvil_core::ledger::{Claim, ClaimStatus, Id, Ledger, MoveKind};
use anvil_core::place::{Place, Seat};
use anvil_core::transcript::{Entries, Entry};
use anvil_report::counts_line;
use anvil_text::clean;

/// Columns of a line: a terminal of 100, without the text that the client adds before it.
const COLUMNS: usize = 95;

/// Most claims of a reply that are shown; the protocol demands at most five.
const MOST_CLAIMS: usize = 8;

/// Longest sentence of a claim, in characters.
const MAX_SENTENCE: usize = 400;

/// The round, each side's new claims, the changes to earlier claims, and what the user can do now.
/// Every claim is a whole sentence.
pub fn awaits(debate: &Debate, saved: Place, transcript: &Entries) -> String {
    let ledger = Ledger::of_entries(transcript, &debate.alternatives());
    // The turn of a voice is its own round; an option has two turns.
    let round = (saved.round, saved.number());
    let cycle = debate.cycle();
    let replies: Vec<(usize, (Place, &Entry))> = transcript
        .replies()
        .enumerate()
        .filter(|(_, (place, reply))| {
            reply.cycle == cycle && (place.round, place.number()) == round
        })
        .collect();
    let sections: Vec<usize> = replies.iter().map(|(section, _)| *section).collect();
    let counted =
        counts_line(ledger.counts()).map_or_else(String::new, |counted| format!("; {counted}"));
    let argued = ended_part(debate, saved);
    let next = debate.place_label();
    let mut head = format!("Anvil: {argued}{counted}. Next: {next}.");
    // Leaves out the count if both do not fit.
    if anvil_text::columns(&head) > COLUMNS {
        head = format!("Anvil: {argued}. Next: {next}.");
    }
    let mut lines = vec![head];
    for (section, (place, reply)) in replies {
        let claims: Vec<&Claim> =
            ledger.claims.iter().filter(|claim| claim.section == section).collect();
        // The first line names the voice already.
        let who = match place.seat {
            Seat::Voice(_) => "New",
            Seat::Advocate => "The advocate",
            Seat::Critic => "The critic",
            Seat::Synthesizer | Seat::Judge(_) => "The synthesis",
        };
        if claims.is_empty() {
            lines.push(format!("  {who}: no new claim, {} words.", reply.words()));
            continue;
        }
        lines.push(format!("  {who}:"));
        lines.extend(claims.iter().take(MOST_CLAIMS).flat_map(|claim| sentence(claim)));
        if claims.len() > MOST_CLAIMS {
            let more = claims.len() - MOST_CLAIMS;
            lines.push(format!("    and {more} more: /anvil:claims shows them."));
        }
    }
    let is_settled = debate.place().seat != Seat::Synthesizer
        && ledger.is_settled_in(debate.cycle(), saved.number());
    lines.extend(what_became(&ledger, &sections, is_settled));
    lines.extend(asks(debate, &ledger));
    lines.extend(choice(debate, &ledger));
    lines.join("\n")
}

/// The answer to the choice of a fresh conversation.
pub const FRESH: &str = "Anvil: type /clear, then /anvil:resume.";

/// What the user can do now. Between two rounds a fresh conversation has everything that it needs
/// in the file, and less to send with each request.
fn choice(debate: &Debate, ledger: &Ledger) -> Vec<String> {
    let now = what_now(debate, ledger);
    if ledger.open_question(debate).is_some() {
        return vec![now.to_owned()];
    }
    let fresh = "  A) /clear, then /anvil:resume (recommended: the file has everything)";
    vec![fresh.to_owned(), format!("  B) {now}")]
}

/// `A1 The old code costs two days of five.` Continues on further lines if it is longer than one.
fn sentence(claim: &Claim) -> Vec<String> {
    let id = claim.id.to_string();
    let indent = 4 + id.len() + 1;
    let sentence = super::error::with_full_stop(&clean(&claim.sentence, MAX_SENTENCE));
    anvil_text::wrap(&sentence, COLUMNS - indent)
        .into_iter()
        .enumerate()
        .map(|(at, part)| match at {
            0 => format!("    {id} {part}"),
            _ => format!("{:indent$}{part}", ""),
        })
        .collect()
}

/// `Attacked: A1, A2. Granted: A3. Open: C1.`: the moves of the round, and all open claims.
fn what_became(ledger: &Ledger, sections: &[usize], is_settled: bool) -> Vec<String> {
    let open: BTreeSet<Id> = ledger
        .claims
        .iter()
        .filter(|claim| claim.status == ClaimStatus::Open)
        .map(|claim| claim.id)
        .collect();
    let mut sentences = Vec::new();
    for (what, ids) in [
        ("Attacked", targets(ledger, sections, &[MoveKind::Attack, MoveKind::Rebut])),
        ("Granted", targets(ledger, sections, &[MoveKind::Grant])),
        ("Withdrawn", targets(ledger, sections, &[MoveKind::Withdraw])),
        ("Open", open),
    ] {
        if !ids.is_empty() {
            let ids: Vec<Id> = ids.into_iter().collect();
            sentences.push(format!("{what}: {}.", first_ids(&ids)));
        }
    }
    if is_settled {
        sentences.push("The round brought nothing new and left nothing open.".to_owned());
    }
    indent(&sentences.join(" "), COLUMNS)
}

/// The claims on which these sections make a move of these kinds.
fn targets(ledger: &Ledger, sections: &[usize], kinds: &[MoveKind]) -> BTreeSet<Id> {
    ledger
        .moves
        .iter()
        .filter(|made| sections.contains(&made.section) && kinds.contains(&made.kind))
        .map(|made| made.target)
        .collect()
}

/// A shorter text for when the conversation goes on: `Anvil: the debate "QUESTION" waits for your
/// direction (next: critic, …). …`
pub fn awaits_still(debate: &Debate, transcript: &Entries) -> String {
    let ledger = Ledger::of_entries(transcript, &debate.alternatives());
    let head = format!(
        "Anvil: the debate \"{}\" waits for your direction (next: {}).",
        clean(&debate.question, 60),
        debate.place_label()
    );
    let lines = [head].into_iter().chain(asks(debate, &ledger)).chain(choice(debate, &ledger));
    lines.collect::<Vec<_>>().join("\n")
}

/// `  Asks you: How large is the team?`
pub(super) fn asks(debate: &Debate, ledger: &Ledger) -> Vec<String> {
    ledger.open_question(debate).map_or_else(Vec::new, |open| {
        indent(&format!("Asks you: {}", clean(&open.question, MAX_SENTENCE)), COLUMNS)
    })
}

/// The choices while a debate waits for a direction. With the text that the client adds
/// before it, it fills one line of 100 columns.
pub(super) fn what_now(debate: &Debate, ledger: &Ledger) -> &'static str {
    if ledger.open_question(debate).is_some() {
        return "Type your answer, [s]kip to go on without one, or s[t]op.";
    }
    match debate.place().seat {
        // The user has typed a direction in a shell meanwhile.
        _ if debate.steering().is_some() => {
            "Your direction is noted. Type [g]o on, [s]kip to the synthesis, s[t]op, or more text."
        }
        Seat::Synthesizer | Seat::Judge(_) => {
            "Type [g]o on for the synthesis, s[t]op, or what it should look at."
        }
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            "Type [g]o on, [s]kip to the synthesis, s[t]op, or what it should look at next."
        }
    }
}

/// The round or the voice that ended: `round 1 of 3 is argued`, `voice 2: legal has spoken`.
fn ended_part(debate: &Debate, saved: Place) -> String {
    match saved.seat {
        Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_) => {
            format!("{} has spoken", debate.label_of(saved))
        }
        Seat::Advocate | Seat::Critic => {
            let rounds = debate.options.max_rounds.max(saved.round);
            format!("round {} of {rounds} is complete", saved.round)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::options::Choice;
    use anvil_core::transcript;
    use jiff::Timestamp;

    #[test]
    fn the_choices_fit_one_line_and_each_one_works() {
        let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        assert!(what_now(&debate, &Ledger::default()).contains("[s]kip"));
        for letter in
            what_now(&debate, &Ledger::default()).split('[').skip(1).map(|rest| &rest[..1])
        {
            assert!(Choice::parse(letter).is_some(), "{letter} is offered");
        }
        let room = 100 - "     ".len();
        assert!(what_now(&debate, &Ledger::default()).chars().count() <= room);
        debate.set_place(Place { seat: Seat::Synthesizer, round: 3 });
        assert!(
            !what_now(&debate, &Ledger::default()).contains("[s]kip"),
            "it would do the same as going on"
        );
        debate.steer("the cost".into());
        assert!(
            what_now(&debate, &Ledger::default()).contains("noted")
                && what_now(&debate, &Ledger::default()).chars().count() <= room
        );
        let choice = choice(&debate, &Ledger::default());
        assert!(choice.iter().all(|line| line.chars().count() <= room), "{choice:?}");
    }

    /// The text after a round with these replies.
    fn text_after(replies: [&str; 2]) -> String {
        let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
        debate.set_place(Place { seat: Seat::Advocate, round: 2 });
        let mut body = transcript::open("Why?");
        for (seat, text) in [Seat::Advocate, Seat::Critic].into_iter().zip(replies) {
            let place = Place { seat, round: 1 };
            transcript::append(&mut body, place, None, Timestamp::UNIX_EPOCH, text);
        }
        awaits(&debate, Place { seat: Seat::Critic, round: 1 }, &transcript::parse(&body))
    }

    #[test]
    fn a_round_is_shown_in_whole_sentences_that_fit_the_screen() {
        let long = "語りたい words without an end ".repeat(9);
        let claims = |letter: &str, count: usize| {
            let claim = |n| format!("**{letter}{n}. {long}{n}.** x [reasoning]\n\n");
            (1..=count).map(claim).collect::<Vec<_>>().concat()
        };
        let attacks =
            (1..=40).map(|n| format!("**Attacks A{n}:** no.\n\n")).collect::<Vec<_>>().concat();
        for (advocate, critic) in [(1, 1), (3, 4), (5, 9), (40, 40)] {
            let text = text_after([&claims("A", advocate), &(claims("C", critic) + &attacks)]);
            assert!(
                text.lines().all(|line| anvil_text::columns(line) <= COLUMNS)
                    && text.len() < 12_000,
                "{text}"
            );
            assert!(text.contains("end 1.") && !text.contains('…'), "{text}");
            assert_eq!(text.contains("and 32 more: /anvil:claims"), advocate == 40, "{text}");
        }
        let text = text_after([
            "**A1. It costs two days of five.** x\n\n**A2. Short.** y",
            "**Attacks A1:** no number.",
        ]);
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "  The advocate:",
            "    A1 It costs two days of five.",
            "    A2 Short.",
            "  The critic: no new claim, 4 words.",
            "  Attacked: A1. Open: A2.",
        ];
        assert_eq!(lines[1..6], expected);
    }
}
