//! What the program finds wrong, without judging who is right.

use serde::Serialize;

use super::synthesis::ids_in;
use super::{Call, Claim, Disposition, Id, Label, Ledger, MoveKind, Seat, Status, Synthesis, percent};

/// Something that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The reply, counted from 0 through the debate.
    pub section: usize,
    /// What is wrong.
    #[serde(flatten)]
    pub fault: Fault,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "fault")]
pub enum Fault {
    /// An id was used again for another sentence.
    ReusedId {
        /// The id.
        id: Id,
        /// The reply that used it first.
        first: usize,
    },
    /// A move names a claim that nobody had made by then.
    UnknownClaim {
        /// The id.
        id: Id,
    },
    /// The quoted words are in no earlier reply of the claim's side.
    QuoteNotFound {
        /// The claim that the move is on.
        id: Id,
        /// The words.
        quote: String,
    },
    /// A grant does not say because of what.
    GrantWithoutReason {
        /// The claim.
        id: Id,
    },
    /// A grant gives the ground of an earlier one.
    GrantRepeatsReason {
        /// The claim.
        id: Id,
        /// The claim that was granted for that ground before.
        earlier: Id,
    },
    /// The other side has spoken since and has done nothing about it.
    Untouched {
        /// The claim.
        id: Id,
    },
    /// The synthesis passes over a claim.
    LeftOut {
        /// The claim.
        id: Id,
    },
    /// The synthesis disposes of a claim that nobody made.
    Invented {
        /// The id.
        id: Id,
    },
    /// The synthesis disposes of a claim more than once.
    DisposedTwice {
        /// The claim.
        id: Id,
    },
    /// The synthesis does not say why.
    NoReason {
        /// The claim.
        id: Id,
    },
    /// It survived, says the synthesis, although its own side gave it up, or granted what brings it down.
    SurvivedThoughGivenUp {
        /// The claim.
        id: Id,
    },
    /// It survived, says the synthesis, although the fact-check contradicts it and its own side has not repaired it since.
    SurvivedThoughContradicted {
        /// The claim.
        id: Id,
    },
    /// It fell, says the synthesis, although nobody attacked it.
    FellUnattacked {
        /// The claim.
        id: Id,
    },
    /// The recommendation, the confidence or the line `**Rests on:**` stands on a claim that fell.
    RestsOnFallen {
        /// The claim.
        id: Id,
    },
    /// `**Rests on:**` names a claim that nobody made.
    RestsOnUnknown {
        /// The id.
        id: Id,
    },
    /// More than 80 %, with an unanswered attack on what carries it.
    Overconfident {
        /// The claim.
        id: Id,
        /// The percentage.
        percent: u8,
    },
    /// The synthesis has no line `**Verdict:**`, or one without do, do not or depends.
    NoCall,
    /// The synthesis has no line `**Rests on:**`.
    NoCarriers,
    /// The verdict and the recommendation say opposite things.
    CallContradicts,
    /// The synthesis and the labelling differ. Neither is called right.
    LabelDiffers {
        /// The claim.
        id: Id,
        /// What the labelling says.
        label: Label,
        /// What the synthesis says.
        disposition: Disposition,
    },
}

/// From this percentage on, an open attack on what carries a verdict is told.
const SURE: u8 = 80;

/// Adds what can be told only when everything is read.
pub(super) fn complete(ledger: &mut Ledger) {
    let mut found = untouched(ledger);
    if let Some(synthesis) = &ledger.synthesis {
        let section = ledger.sections.len() - 1;
        found.extend(of_synthesis(ledger, synthesis).into_iter().map(|fault| Finding { section, fault }));
    }
    ledger.findings.extend(found);
    ledger.findings.sort_by_key(|finding| finding.section);
}

/// Adds what the synthesis makes of claims that the fact-check contradicts.
pub(super) fn of_checks(ledger: &mut Ledger) {
    if ledger.synthesis.is_none() {
        return;
    }
    let section = ledger.sections.len() - 1;
    let found: Vec<Finding> = ledger
        .contradicted()
        .filter(|claim| claim.disposition == Some(Disposition::Survived))
        .map(|claim| Finding { section, fault: Fault::SurvivedThoughContradicted { id: claim.id } })
        .collect();
    ledger.findings.extend(found);
}

/// A claim of the advocate or the critic is untouched when the other one has spoken after it, in a later round, and has made
/// no move on it.
fn untouched(ledger: &Ledger) -> Vec<Finding> {
    let other = |seat| match seat {
        Seat::Advocate => Some(Seat::Critic),
        Seat::Critic => Some(Seat::Advocate),
        Seat::Voice(_) | Seat::Synthesizer => None,
    };
    let mut found = Vec::new();
    for claim in &ledger.claims {
        let Some(other) = other(claim.id.seat()) else { continue };
        let last = ledger.sections.iter().rposition(|section| section.slot.seat() == other);
        let Some(last) = last.filter(|&last| last > claim.section) else { continue };
        let is_touched = ledger.moves.iter().any(|made| made.target == claim.id && made.seat != claim.id.seat());
        if !is_touched && claim.status == Status::Open {
            found.push(Finding { section: last, fault: Fault::Untouched { id: claim.id } });
        }
    }
    found
}

fn of_synthesis(ledger: &Ledger, synthesis: &Synthesis) -> Vec<Fault> {
    let mut faults = Vec::new();
    let fell = |id: Id| {
        ledger.claim(id).is_some_and(|claim| {
            claim.disposition == Some(Disposition::Fell)
                || claim.disposition.is_none() && claim.status == Status::Withdrawn
        })
    };
    for claim in &ledger.claims {
        of_claim(ledger, claim, &mut faults);
    }
    let mut seen = Vec::new();
    for disposed in &synthesis.disposed {
        let id = disposed.id;
        if ledger.claim(id).is_none() {
            faults.push(Fault::Invented { id });
        } else if seen.contains(&id) {
            faults.push(Fault::DisposedTwice { id });
        } else if disposed.why.is_empty() {
            faults.push(Fault::NoReason { id });
        }
        seen.push(id);
    }
    match &synthesis.call {
        None => faults.push(Fault::NoCall),
        Some(call) => {
            let recommendation =
                synthesis.verdict.recommendation.as_deref().unwrap_or_default().to_lowercase().replace('’', "'");
            let recommendation = recommendation.trim_start_matches(['*', '_', ' ']);
            let says_no = ["do not ", "don't ", "no, ", "no: "].iter().any(|word| recommendation.starts_with(word));
            let says_yes = ["do it", "yes, ", "yes: "].iter().any(|word| recommendation.starts_with(word));
            if *call == Call::Do && says_no || *call == Call::DoNot && says_yes {
                faults.push(Fault::CallContradicts);
            }
        }
    }
    let mut carriers = synthesis.rests_on.clone().unwrap_or_default();
    if synthesis.rests_on.is_none() {
        faults.push(Fault::NoCarriers);
    }
    for &id in &carriers {
        if ledger.claim(id).is_none() {
            faults.push(Fault::RestsOnUnknown { id });
        }
    }
    let verdict = &synthesis.verdict;
    for text in [&verdict.recommendation, &verdict.confidence].into_iter().flatten() {
        for id in carried_by(text) {
            if !carriers.contains(&id) {
                carriers.push(id);
            }
        }
    }
    for &id in carriers.iter().filter(|id| fell(**id)) {
        faults.push(Fault::RestsOnFallen { id });
    }
    if let Some(percent) = verdict.confidence.as_deref().and_then(percent).filter(|percent| *percent > SURE) {
        for &id in &carriers {
            if ledger.claim(id).is_some_and(|claim| claim.status == Status::Answered && claim.label != Label::In) {
                faults.push(Fault::Overconfident { id, percent });
            }
        }
    }
    faults
}

fn of_claim(ledger: &Ledger, claim: &Claim, faults: &mut Vec<Fault>) {
    let id = claim.id;
    let Some(disposition) = claim.disposition else {
        faults.push(Fault::LeftOut { id });
        return;
    };
    let is_attacked = ledger
        .moves
        .iter()
        .any(|made| made.target == id && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw));
    let is_given_up = claim.status == Status::Withdrawn || is_granted_away(ledger, id);
    match disposition {
        Disposition::Survived if is_given_up => faults.push(Fault::SurvivedThoughGivenUp { id }),
        Disposition::Survived if claim.label == Label::Out => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, disposition });
        }
        Disposition::Fell if !is_attacked && !is_given_up => faults.push(Fault::FellUnattacked { id }),
        Disposition::Fell if claim.label == Label::In => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, disposition });
        }
        Disposition::Survived | Disposition::Weakened | Disposition::Fell => {}
    }
}

/// Its own side has granted a claim that attacks it.
fn is_granted_away(ledger: &Ledger, id: Id) -> bool {
    let is_granted = |by: Id| {
        ledger.moves.iter().any(|made| made.kind == MoveKind::Grant && made.target == by && made.seat == id.seat())
    };
    let repaired = ledger.moves.iter().any(|made| made.kind == MoveKind::Repair && made.target == id);
    !repaired
        && ledger.moves.iter().any(|made| {
            made.target == id
                && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut)
                && made.by.is_some_and(is_granted)
        })
}

/// The claims that a sentence of the verdict stands on: those of each clause that does not say that they fell, or lower it.
fn carried_by(text: &str) -> Vec<Id> {
    let takes_off = [
        "fell",
        "fall",
        "lower",
        "despite",
        "although",
        "withdrawn",
        "withdrew",
        "without",
        "open",
        "against",
        "weaken",
        "not ",
        "no longer",
        "conceded",
        "reduce",
        "limit",
        "unless",
        "but ",
    ];
    let clauses = text.split([';', '(', ')']).flat_map(|clause| clause.split(". "));
    clauses
        .filter(|clause| {
            let clause = clause.to_lowercase();
            !takes_off.iter().any(|word| clause.contains(word))
        })
        .flat_map(ids_in)
        .collect()
}
