//! Findings and moves in plain sentences. All reports, screens and slash commands use them.

use anvil_core::ledger::{
    Check, Citation, Claim, Counts, Finding, Ground, Id, Ledger, Move, MoveKind, Revision, id_list,
    sentences,
};
use anvil_core::place::Seat;
use anvil_core::transcript::Entries;
use anvil_text::number_of;

/// Longest place in a fact-check, in characters.
const MAX_PLACE: usize = 120;

/// A finding as a sentence. `place` names a reply.
pub fn finding(finding: &Finding, place: impl Fn(usize) -> String) -> String {
    finding.fault.row(&place(finding.section)).sentence
}

/// The result of a debate that revised a document, in a sentence.
pub fn document(entries: &Entries, ledger: &Ledger) -> Option<String> {
    Some(Revision::of_entries(entries, ledger)?.summary())
}

/// One sentence for each finding. Findings that differ only in the claim share a sentence.
pub fn findings<'a>(
    all: impl IntoIterator<Item = &'a Finding>,
    place: impl Fn(usize) -> String,
) -> Vec<String> {
    sentences(shown_findings(all), place)
}

/// `Checked: the synthesis left out nothing; every quoted passage was found.` Names only the checks
/// that were possible.
pub fn nothing_wrong(ledger: &Ledger) -> String {
    let left_nothing_out = matches!(ledger.counts(), Counts::Judged { left_out: 0, .. });
    let quotes = ledger.moves.iter().filter(|made| made.quote.is_some());
    let quotes = quotes.map(|made| made.quote_found == Some(true));
    let citations = ledger.claims.iter().filter_map(|claim| claim.citation.as_ref());
    let words = citations.filter(|cited| cited.words.is_some());
    let mut quotes = quotes.chain(words.map(|cited| cited.rested_words().is_some())).peekable();
    let found_quotes = quotes.peek().is_some() && quotes.all(|is_found| is_found);
    match (left_nothing_out, found_quotes) {
        (true, true) => "Checked: the synthesis left out nothing; every quoted passage was found.",
        (true, false) => "Checked: the synthesis left out nothing.",
        (false, true) => "Checked: every quoted passage was found.",
        (false, false) => "Checked: nothing wrong was found.",
    }
    .to_owned()
}

/// `9 claims, 3 open` during the argument, `9 claims: 6 survived, 3 fell` after the synthesis.
/// `None`: no claims.
pub fn counts_line(counts: Counts) -> Option<String> {
    let count = counts.claims();
    let claims = number_of(count, "claim", "claims");
    (count > 0).then(|| match counts {
        Counts::Argued { open: 0, .. } => format!("{claims}, none open"),
        Counts::Argued { open, .. } => format!("{claims}, {open} open"),
        Counts::Judged { survived, weakened, fell, unanswered, left_out, .. } => {
            let each = [
                (survived, "survived"),
                (weakened, "weakened"),
                (fell, "fell"),
                (unanswered, "unanswered"),
                (left_out, "left out"),
            ];
            let each: Vec<String> = each
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{count} {word}"))
                .collect();
            format!("{claims}: {}", each.join(", "))
        }
    })
}

/// Like [`counts_line`]; objections to a document are resolved, or stand.
pub fn counted_claims(ledger: &Ledger) -> Option<String> {
    let all = ledger.claims.iter().filter_map(|claim| claim.resolved);
    let (resolved, stand): (Vec<bool>, Vec<bool>) = all.partition(|is_resolved| *is_resolved);
    let objections = resolved.len() + stand.len();
    if objections == 0 {
        return counts_line(ledger.counts());
    }
    let each = [(resolved.len(), "resolved"), (stand.len(), "stand")];
    let each = each.into_iter().filter(|(count, _)| *count > 0);
    let each: Vec<String> = each.map(|(count, word)| format!("{count} {word}")).collect();
    Some(format!("{}: {}", number_of(objections, "objection", "objections"), each.join(", ")))
}

/// The counts of a ledger. If more was argued after the synthesis, they name the cycle of the
/// verdict.
pub fn standing(ledger: &Ledger) -> Option<String> {
    let counted = counted_claims(ledger)?;
    Some(match &ledger.earlier {
        Some(earlier) => format!("{counted}. The verdict is of cycle {}", earlier.cycle),
        None => counted,
    })
}

/// The findings for a person. Those that only compare the synthesis with the labelling are for
/// programs.
pub(crate) fn shown_findings<'a>(
    all: impl IntoIterator<Item = &'a Finding>,
) -> impl Iterator<Item = &'a Finding> {
    all.into_iter().filter(|finding| finding.is_shown())
}

/// The place where a fact-check found it, after a sentence: ` (app/jobs/ingest.rb)`.
pub(crate) fn in_brackets(check: Option<&Check>) -> String {
    match check.map(|check| anvil_text::clean(&check.place, MAX_PLACE)).unwrap_or_default() {
        place if place.is_empty() => place,
        place => format!(" ({place})"),
    }
}

/// `Fact-check: A2 is contradicted (app/jobs/ingest.rb).` Shown with each verdict. `None`: no claim
/// is contradicted.
pub fn contradiction(ledger: &Ledger) -> Option<String> {
    let all: Vec<&Claim> = ledger.contradicted_claims().collect();
    match all.as_slice() {
        [] => None,
        [claim] => {
            let place = in_brackets(claim.check.as_ref());
            Some(format!("Fact-check: {} is contradicted{place}.", claim.id))
        }
        claims => {
            let ids: Vec<Id> = claims.iter().map(|claim| claim.id).collect();
            Some(format!("Fact-check: {} are contradicted.", id_list(&ids)))
        }
    }
}

/// The moves on a claim: `attacked by C2 · repaired in round 2`.
pub fn moves_line(ledger: &Ledger, claim: &Claim) -> String {
    let mut moves: Vec<(String, usize)> = Vec::new();
    for made in ledger.moves.iter().filter(|made| made.target == claim.id) {
        let words = move_phrase(made);
        match moves.last_mut() {
            Some((last, count)) if *last == words => *count += 1,
            _ => moves.push((words, 1)),
        }
    }
    let mut phrases: Vec<String> = moves
        .into_iter()
        .map(|(words, count)| match count {
            1 => words,
            2 => format!("{words} twice"),
            _ => format!("{words} {count} times"),
        })
        .collect();
    if ledger.is_uncontested(claim) {
        phrases.push("uncontested".to_owned());
    }
    phrases.join(" · ")
}

/// One move: `attacked by C2`, `granted by the critic`, `repaired in round 2`.
pub fn move_phrase(made: &Move) -> String {
    let verb = past(made.kind);
    match (made.by, made.seat) {
        (Some(by), _) => format!("{verb} by {by}"),
        // A voice speaks once.
        (None, seat @ Seat::Voice(_)) if seat == made.target.seat() => verb.to_owned(),
        (None, seat) if seat == made.target.seat() => format!("{verb} in round {}", made.round),
        (None, Seat::Voice(_)) => format!("{verb} by {}", made.seat),
        (None, _) => format!("{verb} by the {}", made.seat),
    }
}

/// The words that a move quotes, and its reason.
pub fn words_of(made: &Move) -> String {
    let quote = made.quote.as_deref().map(|quote| format!("“{quote}” ")).unwrap_or_default();
    format!("{quote}{}", made.reason)
}

pub(crate) fn past(kind: MoveKind) -> &'static str {
    match kind {
        MoveKind::Attack => "attacked",
        MoveKind::Rebut => "rebutted",
        MoveKind::Repair => "repaired",
        MoveKind::Support => "supported",
        MoveKind::Grant => "granted",
        MoveKind::Withdraw => "withdrawn",
    }
}

/// The ground of a claim, as its own seat marks it.
pub fn ground(ground: &Ground) -> String {
    match ground {
        Ground::Evidence(named) if named.is_empty() => "evidence".to_owned(),
        Ground::Evidence(named) => format!("evidence: {named}"),
        Ground::Reasoning => "reasoning".to_owned(),
        Ground::Assumption => "assumption".to_owned(),
        Ground::NotGiven => "no ground given".to_owned(),
    }
}

/// What the program saw of cited words, after the ground: `; the words are not in the file`.
pub(crate) fn citation_note(citation: Option<&Citation>) -> String {
    let seen = citation.and_then(|citation| citation.seen.as_ref());
    seen.map(|seen| format!("; {}", seen.words())).unwrap_or_default()
}

/// The ground of a claim, what the program saw of its words, and the result of its fact-check.
pub fn ground_and_check(
    claim: &Ground,
    citation: Option<&Citation>,
    check: Option<&Check>,
) -> String {
    let check = check.map(|check| format!("; fact-check: {}", check.words()));
    format!("{}{}{}", ground(claim), citation_note(citation), check.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_core::ledger::LedgerReply;
    use anvil_core::place::{Place, Seat};
    use anvil_core::question::Alternatives;

    fn ledger(replies: &[(Seat, &str)]) -> Ledger {
        Ledger::from_replies(
            replies.iter().map(|&(seat, text)| LedgerReply::new(Place { seat, round: 1 }, 1, text)),
            &Alternatives::default(),
        )
    }

    #[test]
    fn an_opponents_move_names_its_claim_or_seat() {
        let ledger = ledger(&[
            (Seat::Advocate, "**A1. One.** x [evidence: the audit]\n\n**A2. Two.** y"),
            (
                Seat::Critic,
                "**C1. Three.**\n**Attacks A1:** no.\n\n**Attacks A1:** no.\n\n**Attacks A1:** \
                 and no.\n\n**Grants A2:** because so.",
            ),
            (Seat::Advocate, "**Repairs A1:** yes."),
        ]);
        assert_eq!(
            moves_line(&ledger, &ledger.claims[0]),
            "attacked by C1 · attacked by the critic twice · repaired in round 1"
        );
        assert_eq!(moves_line(&ledger, &ledger.claims[1]), "granted by the critic");
        assert_eq!(moves_line(&ledger, &ledger.claims[2]), "");
        assert_eq!(ground(&ledger.claims[0].ground), "evidence: the audit");
        assert_eq!(standing(&ledger).as_deref(), Some("3 claims, 2 open"));
    }

    #[test]
    fn all_contradicted_claims_share_one_line() {
        use anvil_core::transcript::{self, NoteKind};
        let sentence = |note: &str| {
            let mut body = transcript::open("Why?");
            let slot = Place { seat: Seat::Advocate, round: 1 };
            let case = "**A1. One.** x [evidence: a]\n\n**A2. Two.** y [evidence: b]";
            transcript::append(&mut body, slot, None, jiff::Timestamp::UNIX_EPOCH, case);
            transcript::append_note(
                &mut body,
                NoteKind::FactCheck,
                jiff::Timestamp::UNIX_EPOCH,
                note,
            );
            contradiction(&Ledger::of_entries(&transcript::parse(&body), &Alternatives::default()))
        };
        let line = |id: &str| {
            format!("**{id}:** contradicted, `src/{id}.rs:2` \"x\" (the words are there)")
        };
        assert_eq!(
            sentence(&line("A2")).as_deref(),
            Some("Fact-check: A2 is contradicted (src/A2.rs:2).")
        );
        let both = format!("{}\n{}", line("A1"), line("A2"));
        assert_eq!(sentence(&both).as_deref(), Some("Fact-check: A1 and A2 are contradicted."));
        assert_eq!(sentence("**A1:** not found"), None);
    }

    #[test]
    fn checks_that_differ_only_in_the_claim_share_a_sentence() {
        let ledger = ledger(&[
            (Seat::Advocate, "**A1. One.** x\n\n**A2. Two.** y\n\n**A3. Three.** z"),
            (Seat::Critic, "**Attacks A3:** \"never\" said."),
            (Seat::Synthesizer, "```anvil\nA3 fell: so\nC9 fell: so\nverdict: yes\n```"),
        ]);
        let sentences = findings(&ledger.findings, |section| format!("reply {section}"));
        for sentence in [
            "A1 and A2 are open: the other side has spoken since, and did not name them.",
            "A move on A3 quotes words that are in no earlier reply of its side (reply 1): \
             “never”.",
            "The synthesis leaves out A1 and A2.",
            "The synthesis has a line on C9, which does not exist.",
            "The synthesis has no line “rests on”.",
            "The line \"verdict\" has other words: \"yes\".",
        ] {
            assert_eq!(
                sentences.iter().filter(|one| *one == sentence).count(),
                1,
                "{sentence}: {sentences:#?}"
            );
        }
        assert_eq!(standing(&ledger).as_deref(), Some("3 claims: 1 fell, 2 left out"));
    }
}
