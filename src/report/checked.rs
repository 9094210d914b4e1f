//! Findings and moves in plain sentences: the one place for their words, for a report, a terminal and a slash command.

use crate::debate::Seat;
use crate::ledger::{Check, Claim, Disposition, Fault, Finding, Ground, Id, Label, Ledger, Move, MoveKind};
use crate::text;

/// Longest quote in a sentence, in characters.
const MAX_QUOTE: usize = 200;

/// What a finding says, in a sentence. `place` names a reply.
#[must_use]
pub fn finding(finding: &Finding, place: impl Fn(usize) -> String) -> String {
    let here = || place(finding.section);
    match &finding.fault {
        Fault::ReusedId { id, .. } => {
            format!("{id} was given to another sentence later ({}). The first one counts.", here())
        }
        Fault::UnknownClaim { id } => format!("A move is on {id}, which nobody had made by then ({}).", here()),
        Fault::QuoteNotFound { id, quote } => {
            let quote = text::clean(quote, MAX_QUOTE);
            format!("A move on {id} quotes words that its side had not written ({}): “{quote}”.", here())
        }
        Fault::GrantWithoutReason { id } => format!("{id} was granted without a reason ({}).", here()),
        Fault::GrantRepeatsReason { id, earlier } => {
            format!("{id} was granted for the same reason as {earlier} before ({}).", here())
        }
        Fault::Untouched { id } => format!("{id} is open: the other side has spoken since, and made no move on it."),
        Fault::LeftOut { id } => format!("The synthesis does not dispose of {id}."),
        Fault::Invented { id } => format!("The synthesis disposes of {id}, which nobody made."),
        Fault::DisposedTwice { id } => format!("The synthesis disposes of {id} more than once. The first line counts."),
        Fault::NoReason { id } => format!("The synthesis does not say why for {id}."),
        Fault::SurvivedThoughGivenUp { id } => {
            format!("{id} survived, says the synthesis, but its own side gave it up.")
        }
        Fault::SurvivedThoughContradicted { id } => {
            format!("{id} survived, says the synthesis, but the fact-check contradicts it.")
        }
        Fault::FellUnattacked { id } => format!("{id} fell, says the synthesis, but nobody attacked it."),
        Fault::RestsOnFallen { id } => format!("The verdict rests on {id}, which fell."),
        Fault::RestsOnUnknown { id } => format!("The verdict rests on {id}, which nobody made."),
        Fault::Overconfident { id, percent } => {
            format!("The confidence is {percent} %, but an attack on {id}, which carries it, has no answer.")
        }
        Fault::NoCall => "The synthesis has no line “Verdict:” that says do, do not or depends.".to_owned(),
        Fault::NoCarriers => "The synthesis has no line “Rests on:”.".to_owned(),
        Fault::CallContradicts => "The lines “Verdict:” and “Recommendation:” say opposite things.".to_owned(),
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
            0 => format!("{ids} are open: the other side has spoken since, and made no move on them."),
            1 => format!("The synthesis does not dispose of {ids}."),
            _ => format!("The synthesis does not say why for {ids}."),
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
        Fault::NoCall | Fault::NoCarriers | Fault::CallContradicts => None,
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
    fn findings_that_differ_in_the_claim_alone_share_a_sentence() {
        let ledger = ledger(&[
            (Phase::Advocate, "**A1. One.** x\n\n**A2. Two.** y\n\n**A3. Three.** z"),
            (Phase::Critic, "**Attacks A3:** \"never\" said."),
            (Phase::Synthesizer, "- **A3** fell: so\n- **C9** fell: so"),
        ]);
        let said = findings(&ledger.findings, |section| format!("reply {section}"));
        for sentence in [
            "A1 and A2 are open: the other side has spoken since, and made no move on them.",
            "A move on A3 quotes words that its side had not written (reply 1): “never”.",
            "The synthesis does not dispose of A1 and A2.",
            "The synthesis disposes of C9, which nobody made.",
            "The synthesis has no line “Rests on:”.",
        ] {
            assert_eq!(said.iter().filter(|said| *said == sentence).count(), 1, "{sentence}: {said:#?}");
        }
        assert_eq!(undisposed(&ledger).as_deref(), Some("1 of 3 claims disposed of"));
    }
}
