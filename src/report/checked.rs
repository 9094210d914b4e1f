//! Findings and moves in plain sentences: the one place for their words, for a report, a terminal and a slash command.

use crate::debate::Seat;
use crate::ledger::{Check, Claim, Disposition, Fault, Finding, Ground, Id, Label, Ledger, Move, MoveKind};
use crate::text;

/// Longest quote in a sentence, in characters.
const MAX_QUOTE: usize = 200;

/// Longest place that a fact-check names, in characters.
const MAX_PLACE: usize = 120;

/// What a finding says, in a sentence. `place` names a reply.
#[must_use]
pub fn finding(finding: &Finding, place: impl Fn(usize) -> String) -> String {
    let here = || place(finding.section);
    match &finding.fault {
        Fault::ReusedId { id, .. } => {
            format!("{id} stands before another sentence later ({}). The first one counts.", here())
        }
        Fault::UnknownClaim { id } => format!("A move is on {id}, which nobody had made by then ({}).", here()),
        Fault::QuoteNotFound { id, quote } => {
            let quote = text::clean(quote, MAX_QUOTE);
            format!("A move on {id} quotes words that are in no earlier reply of its side ({}): “{quote}”.", here())
        }
        Fault::GrantWithoutReason { id } => format!("{id} was granted without a reason ({}).", here()),
        Fault::GrantRepeatsReason { id, earlier } => {
            format!("{id} was granted in the same words as {earlier} before ({}).", here())
        }
        Fault::Untouched { id } => format!("{id} is open: the other side has spoken since, and did not name it."),
        Fault::LeftOut { id } => format!("The synthesis leaves out {id}."),
        Fault::Invented { id } => format!("The synthesis has a line on {id}, which nobody made."),
        Fault::DisposedTwice { id } => format!("The synthesis lists {id} more than once. The first line counts."),
        Fault::NoReason { id } => format!("The line of the synthesis on {id} gives no reason."),
        Fault::SurvivedThoughGivenUp { id } => {
            format!("{id} survived, says the synthesis, but its own side withdrew it or granted what attacks it.")
        }
        Fault::SurvivedThoughContradicted { id } => {
            format!("{id} survived, says the synthesis, but the fact-check contradicts it.")
        }
        Fault::FellUnattacked { id } => {
            format!("{id} fell, says the synthesis, but no other seat attacked or named it.")
        }
        Fault::RestsOnFallen { id } => format!("{id} is named under “Rests on:”, and fell."),
        Fault::RestsOnUnknown { id } => format!("{id} is named under “Rests on:”, and nobody made it."),
        Fault::Overconfident { id, percent } => format!(
            "The confidence is {percent} %; {id} is named under “Rests on:”, and no move answers an attack on it."
        ),
        Fault::NoCall => {
            "The synthesis has no line “Verdict:” with do, do not or depends alone, or has two that differ.".to_owned()
        }
        Fault::NoCarriers => {
            "The synthesis has no line “Rests on:” with claims or “nothing”, or has two that differ.".to_owned()
        }
        Fault::LabelDiffers { id, label, disposition } => format!(
            "{id} {}, says the synthesis; by the moves alone it is {}. Neither is called right.",
            disposition.word(),
            label_word(*label)
        ),
    }
}

/// All of them, one sentence each. Those that differ in the claim alone share a sentence.
#[must_use]
pub fn findings(all: &[Finding], place: impl Fn(usize) -> String) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut shared = [Vec::new(), Vec::new(), Vec::new()];
    let mut places: [Option<usize>; 3] = [None; 3];
    for one in all {
        let (which, id) = match &one.fault {
            Fault::Untouched { id } => (0, id),
            Fault::LeftOut { id } => (1, id),
            Fault::NoReason { id } => (2, id),
            _ => {
                sentences.push(finding(one, &place));
                continue;
            }
        };
        if places[which].is_none() {
            places[which] = Some(sentences.len());
            sentences.push(finding(one, &place));
        }
        shared[which].push(*id);
    }
    for (which, at) in places.into_iter().enumerate() {
        let (Some(at), ids @ [_, _, ..]) = (at, shared[which].as_slice()) else { continue };
        let ids = listed(ids);
        sentences[at] = match which {
            0 => format!("{ids} are open: the other side has spoken since, and did not name them."),
            1 => format!("The synthesis leaves out {ids}."),
            _ => format!("The lines of the synthesis on {ids} give no reason."),
        };
    }
    sentences
}

/// The claim that a finding is about.
#[must_use]
pub fn about(finding: &Finding) -> Option<Id> {
    match finding.fault {
        Fault::ReusedId { id, .. }
        | Fault::UnknownClaim { id }
        | Fault::QuoteNotFound { id, .. }
        | Fault::GrantWithoutReason { id }
        | Fault::GrantRepeatsReason { id, .. }
        | Fault::Untouched { id }
        | Fault::LeftOut { id }
        | Fault::Invented { id }
        | Fault::DisposedTwice { id }
        | Fault::NoReason { id }
        | Fault::SurvivedThoughGivenUp { id }
        | Fault::SurvivedThoughContradicted { id }
        | Fault::FellUnattacked { id }
        | Fault::RestsOnFallen { id }
        | Fault::RestsOnUnknown { id }
        | Fault::Overconfident { id, .. }
        | Fault::LabelDiffers { id, .. } => Some(id),
        Fault::NoCall | Fault::NoCarriers => None,
    }
}

/// `7 of 9 claims disposed of`. `None`: all of them are, or there is no synthesis. Where something was argued after it, its cycle
/// is named, also where it has disposed of them all.
#[must_use]
pub fn undisposed(ledger: &Ledger) -> Option<String> {
    let (disposed, all) = (ledger.disposed(), ledger.claims.len());
    let counted = || format!("{disposed} of {all} claims disposed of");
    match &ledger.earlier {
        Some(earlier) => (all > 0).then(|| format!("{}, as of cycle {}", counted(), earlier.cycle)),
        None => (ledger.synthesis.is_some() && disposed < all).then(counted),
    }
}

/// `Fact-check: A2 is contradicted (app/jobs/ingest.rb).` Stands where a verdict is told. `None`: nothing is contradicted.
#[must_use]
pub fn contradicted(ledger: &Ledger) -> Option<String> {
    let place =
        |claim: &Claim| claim.check.as_ref().map(|check| text::clean(&check.place, MAX_PLACE)).unwrap_or_default();
    let all: Vec<&Claim> = ledger.contradicted().collect();
    match all.as_slice() {
        [] => None,
        [claim] => {
            let place = Some(place(claim)).filter(|place| !place.is_empty()).map(|place| format!(" ({place})"));
            Some(format!("Fact-check: {} is contradicted{}.", claim.id, place.unwrap_or_default()))
        }
        claims => {
            let ids: Vec<Id> = claims.iter().map(|claim| claim.id).collect();
            Some(format!("Fact-check: {} are contradicted.", listed(&ids)))
        }
    }
}

/// What happened to a claim: `attacked by C2, repaired`.
#[must_use]
pub fn happened(ledger: &Ledger, claim: &Claim) -> String {
    let mut told: Vec<(String, usize)> = Vec::new();
    for made in ledger.moves.iter().filter(|made| made.target == claim.id) {
        let words = done(made);
        match told.last_mut() {
            Some((last, count)) if *last == words => *count += 1,
            _ => told.push((words, 1)),
        }
    }
    let words = |(words, count): (String, usize)| match count {
        1 => words,
        2 => format!("{words} twice"),
        _ => format!("{words} {count} times"),
    };
    told.into_iter().map(words).collect::<Vec<_>>().join(", ")
}

/// What a move has done: `attacked by C2`, `granted by the critic`, `repaired`.
#[must_use]
pub fn done(made: &Move) -> String {
    let done = match made.kind {
        MoveKind::Attack => "attacked",
        MoveKind::Rebut => "rebutted",
        MoveKind::Repair => "repaired",
        MoveKind::Support => "supported",
        MoveKind::Grant => "granted",
        MoveKind::Withdraw => "withdrawn",
    };
    match (made.by, made.seat) {
        (Some(by), _) => format!("{done} by {by}"),
        (None, seat) if seat == made.target.seat() => done.to_owned(),
        (None, Seat::Voice(_)) => format!("{done} by {}", made.seat),
        (None, _) => format!("{done} by the {}", made.seat),
    }
}

/// What a claim stands on, as its own side marks it.
#[must_use]
pub fn ground(ground: &Ground) -> String {
    match ground {
        Ground::Evidence(named) if named.is_empty() => "evidence".to_owned(),
        Ground::Evidence(named) => format!("evidence: {named}"),
        Ground::Reasoning => "reasoning".to_owned(),
        Ground::Assumption => "assumption".to_owned(),
        Ground::NotGiven => "no ground given".to_owned(),
    }
}

/// What a claim stands on, and what the fact-check found of that.
#[must_use]
pub fn ground_and_check(claim: &Ground, check: Option<&Check>) -> String {
    match check {
        Some(check) => format!("{}; fact-check: {}", ground(claim), check.words()),
        None => ground(claim),
    }
}

/// What the synthesis says of a claim, for a reader; that it says nothing is one.
#[must_use]
pub fn outcome(disposition: Option<Disposition>) -> &'static str {
    disposition.map_or("undisposed", Disposition::word)
}

pub(super) fn label_word(label: Label) -> &'static str {
    match label {
        Label::In => "in",
        Label::Out => "out",
        Label::Undecided => "undecided",
    }
}

fn listed(ids: &[Id]) -> String {
    let ids: Vec<String> = ids.iter().map(Id::to_string).collect();
    match ids.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => ids.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::{Phase, Slot};
    use crate::ledger::Spoken;

    fn ledger(replies: &[(Phase, &str)]) -> Ledger {
        Ledger::of(replies.iter().map(|&(phase, text)| Spoken { slot: Slot { phase, round: 1 }, cycle: 1, text }))
    }

    #[test]
    fn what_happened_names_who_did_it_where_it_was_not_its_own_side() {
        let ledger = ledger(&[
            (Phase::Advocate, "**A1. One.** x [evidence: the audit]\n\n**A2. Two.** y"),
            (
                Phase::Critic,
                "**C1. Three.**\n**Attacks A1:** no.\n\n**Attacks A1:** no.\n\n**Attacks A1:** and no.\n\n**Grants A2:** because so.",
            ),
            (Phase::Advocate, "**Repairs A1:** yes."),
        ]);
        assert_eq!(happened(&ledger, &ledger.claims[0]), "attacked by C1, attacked by the critic twice, repaired");
        assert_eq!(happened(&ledger, &ledger.claims[1]), "granted by the critic");
        assert_eq!(happened(&ledger, &ledger.claims[2]), "");
        assert_eq!(ground(&ledger.claims[0].ground), "evidence: the audit");
        assert_eq!(undisposed(&ledger), None);
    }

    #[test]
    fn what_a_fact_check_contradicts_is_told_in_one_line() {
        use crate::transcript::{self, Kind};
        let told = |note: &str| {
            let mut body = transcript::open("Why?");
            let slot = Slot { phase: Phase::Advocate, round: 1 };
            let case = "**A1. One.** x [evidence: a]\n\n**A2. Two.** y [evidence: b]";
            transcript::append(&mut body, slot, None, jiff::Timestamp::UNIX_EPOCH, case);
            transcript::append_note(&mut body, Kind::FactCheck, jiff::Timestamp::UNIX_EPOCH, note);
            contradicted(&Ledger::of_entries(&transcript::parse(&body)))
        };
        let line = |id: &str| format!("**{id}:** contradicted, `src/{id}.rs:2` \"x\" (the words are there)");
        assert_eq!(told(&line("A2")).as_deref(), Some("Fact-check: A2 is contradicted (src/A2.rs:2)."));
        let both = format!("{}\n{}", line("A1"), line("A2"));
        assert_eq!(told(&both).as_deref(), Some("Fact-check: A1 and A2 are contradicted."));
        assert_eq!(told("**A1:** not found"), None);
    }

    #[test]
    fn findings_that_differ_in_the_claim_alone_share_a_sentence() {
        let ledger = ledger(&[
            (Phase::Advocate, "**A1. One.** x\n\n**A2. Two.** y\n\n**A3. Three.** z"),
            (Phase::Critic, "**Attacks A3:** \"never\" said."),
            (Phase::Synthesizer, "- **A3** fell: so\n- **C9** fell: so"),
        ]);
        let said = findings(&ledger.findings, |section| format!("reply {section}"));
        for sentence in [
            "A1 and A2 are open: the other side has spoken since, and did not name them.",
            "A move on A3 quotes words that are in no earlier reply of its side (reply 1): “never”.",
            "The synthesis leaves out A1 and A2.",
            "The synthesis has a line on C9, which nobody made.",
            "The synthesis has no line “Rests on:” with claims or “nothing”, or has two that differ.",
        ] {
            assert_eq!(said.iter().filter(|said| *said == sentence).count(), 1, "{sentence}: {said:#?}");
        }
        assert_eq!(undisposed(&ledger).as_deref(), Some("1 of 3 claims disposed of"));
    }
}
