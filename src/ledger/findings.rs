//! What the program finds wrong, without judging who is right.

use std::collections::HashSet;

use serde::Serialize;

use super::{CheckVerdict, Claim, Disposition, Id, Label, Ledger, Move, MoveKind, Seat, Status, Synthesis};

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
    /// A grant says nothing but that.
    GrantWithoutReason {
        /// The claim.
        id: Id,
    },
    /// A grant gives its reason in the words of an earlier one.
    GrantRepeatsReason {
        /// The claim.
        id: Id,
        /// The claim that was granted for that ground before.
        earlier: Id,
    },
    /// The other side has spoken since, and no reply of it names the claim.
    Untouched {
        /// The claim.
        id: Id,
    },
    /// No line of the synthesis is on a claim, and no prose of it names the claim.
    LeftOut {
        /// The claim.
        id: Id,
    },
    /// The synthesis disposes of a claim that nobody made.
    Invented {
        /// The id.
        id: Id,
    },
    /// The synthesis lists a claim more than once.
    DisposedTwice {
        /// The claim.
        id: Id,
    },
    /// The synthesis does not say why.
    NoReason {
        /// The claim.
        id: Id,
    },
    /// It survived, says the synthesis, although its own side withdrew it, or granted the claim that attacks it and repaired nothing.
    SurvivedThoughGivenUp {
        /// The claim.
        id: Id,
    },
    /// It survived, says the synthesis, although the fact-check contradicts it and its own side has not repaired it since.
    SurvivedThoughContradicted {
        /// The claim.
        id: Id,
    },
    /// It fell, says the synthesis, although no move attacks it and no reply of another seat names it.
    FellUnattacked {
        /// The claim.
        id: Id,
    },
    /// `**Rests on:**` names a claim that fell, says the synthesis, or one that was withdrawn and that it says nothing of.
    RestsOnFallen {
        /// The claim.
        id: Id,
    },
    /// `**Rests on:**` names a claim that nobody made.
    RestsOnUnknown {
        /// The id.
        id: Id,
    },
    /// More than 80 %, with an attack without an answer among the moves on a claim that `**Rests on:**` names.
    Overconfident {
        /// The claim.
        id: Id,
        /// The percentage.
        percent: u8,
    },
    /// The synthesis has no line `**Verdict:**`, one that holds something else than do, do not or depends, or two that differ.
    NoCall,
    /// The synthesis has no line `**Rests on:**`, one that names no claim and does not say "nothing", or two that differ.
    NoCarriers,
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
    // What the fact-check contradicts may fall without an attack.
    let is_contradicted =
        |claim: &&Claim| claim.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Contradicted);
    let contradicted: HashSet<Id> = ledger.claims.iter().filter(is_contradicted).map(|claim| claim.id).collect();
    let is_explained = |fault: &Fault| matches!(fault, Fault::FellUnattacked { id } if contradicted.contains(id));
    ledger.findings.retain(|finding| !is_explained(&finding.fault));
    ledger.findings.extend(found);
}

/// A claim of the advocate or the critic is untouched when the other one has spoken after it and no reply since names it.
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
        if claim.status == Status::Open && !ledger.named_by_others.contains(&claim.id) {
            found.push(Finding { section: last, fault: Fault::Untouched { id: claim.id } });
        }
    }
    found
}

fn of_synthesis(ledger: &Ledger, synthesis: &Synthesis) -> Vec<Fault> {
    let mut faults = Vec::new();
    for claim in &ledger.claims {
        of_claim(ledger, synthesis, claim, &mut faults);
    }
    let mut seen = HashSet::new();
    for disposed in &synthesis.disposed {
        let id = disposed.id;
        if ledger.claim(id).is_none() {
            // A claim may have been made in a form that is not read.
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::Invented { id });
            }
        } else if !seen.insert(id) {
            faults.push(Fault::DisposedTwice { id });
        } else if disposed.why.is_empty() {
            faults.push(Fault::NoReason { id });
        }
    }
    if synthesis.call.is_none() {
        faults.push(Fault::NoCall);
    }
    if synthesis.lacks_carriers() {
        faults.push(Fault::NoCarriers);
    }
    let percent = synthesis.verdict.percent().filter(|percent| *percent > SURE);
    for &id in synthesis.rests_on.iter().flatten() {
        let Some(claim) = ledger.claim(id) else {
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::RestsOnUnknown { id });
            }
            continue;
        };
        let fell = match synthesis.line_on(id) {
            Some(line) => line.disposition == Disposition::Fell,
            None => claim.status == Status::Withdrawn && is_left_out(synthesis, claim),
        };
        if fell {
            faults.push(Fault::RestsOnFallen { id });
        }
        if let Some(percent) = percent.filter(|_| has_open_attack(ledger, id)) {
            faults.push(Fault::Overconfident { id, percent });
        }
    }
    faults
}

fn of_claim(ledger: &Ledger, synthesis: &Synthesis, claim: &Claim, faults: &mut Vec<Fault>) {
    let id = claim.id;
    let Some(disposition) = claim.disposition else {
        faults.extend(is_left_out(synthesis, claim).then_some(Fault::LeftOut { id }));
        return;
    };
    // Two lines that differ have their own finding.
    if synthesis.line_on(id).is_none() {
        return;
    }
    let is_attacked = ledger
        .moves
        .iter()
        .any(|made| made.target == id && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw));
    match disposition {
        Disposition::Survived if claim.status == Status::Withdrawn || is_granted_away(ledger, id) => {
            faults.push(Fault::SurvivedThoughGivenUp { id });
        }
        Disposition::Survived if claim.label == Label::Out => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, disposition });
        }
        Disposition::Fell if !is_attacked && !ledger.disputed_by_others.contains(&id) => {
            faults.push(Fault::FellUnattacked { id });
        }
        Disposition::Fell if is_attacked && claim.label == Label::In => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, disposition });
        }
        Disposition::Survived | Disposition::Weakened | Disposition::Fell => {}
    }
}

/// True where no line is on a claim and no prose names it: prose may say what became of it.
fn is_left_out(synthesis: &Synthesis, claim: &Claim) -> bool {
    claim.disposition.is_none() && !synthesis.named.contains(&claim.id)
}

/// Its own side has granted a claim that attacks it, and has repaired nothing.
fn is_granted_away(ledger: &Ledger, id: Id) -> bool {
    let is_granted = |by: Id| {
        ledger.moves.iter().any(|made| made.kind == MoveKind::Grant && made.target == by && made.seat == id.seat())
    };
    let repaired = ledger.moves.iter().any(|made| made.kind == MoveKind::Repair && made.target == id);
    !repaired && attacks(ledger, id).any(|(_, made)| made.by.is_some_and(is_granted))
}

/// Another seat has attacked or rebutted it, and among the moves since none answers that: its own side has not repaired it or gone
/// against the claim that attacks it, and who attacked took nothing back.
fn has_open_attack(ledger: &Ledger, id: Id) -> bool {
    attacks(ledger, id).any(|(at, attack)| {
        let answers = |made: &Move| {
            let is_on = |target: Option<Id>| target == Some(made.target);
            match made.kind {
                MoveKind::Repair => is_on(Some(id)),
                MoveKind::Attack | MoveKind::Rebut => is_on(attack.by) && made.seat == id.seat(),
                MoveKind::Grant => is_on(Some(id)) && made.seat == attack.seat,
                MoveKind::Withdraw => is_on(attack.by),
                MoveKind::Support => false,
            }
        };
        !ledger.moves[at..].iter().any(answers)
    })
}

/// Attacks and rebuttals of a claim by other seats.
fn attacks(ledger: &Ledger, id: Id) -> impl Iterator<Item = (usize, &Move)> {
    ledger.moves.iter().enumerate().filter(move |(_, made)| {
        made.target == id && made.seat != id.seat() && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut)
    })
}
