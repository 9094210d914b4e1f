//! Faults that a program finds, without judging who is right.

use std::collections::HashSet;

use serde::Serialize;

use super::ranking::OptionFaults;
use super::{
    CheckVerdict, Claim, ClaimResult, ClaimStatus, Id, Label, Ledger, Move, MoveKind, Synthesis,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The reply, counted from 0 through the debate.
    pub section: usize,
    #[serde(flatten)]
    pub fault: Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "fault")]
pub enum Fault {
    /// An id was used again for another sentence.
    ReusedId {
        id: Id,
        /// The first reply that used it.
        first: usize,
    },
    /// A move names a claim that did not exist yet.
    UnknownClaim { id: Id },
    /// No earlier reply of the claim's side has the quoted words.
    QuoteNotFound {
        /// The target of the move.
        id: Id,
        /// The quoted words.
        quote: String,
    },
    /// A grant gives no reason.
    GrantWithoutReason { id: Id },
    /// A grant gives its reason in the words of an earlier one.
    GrantRepeatsReason {
        id: Id,
        /// The earlier claim that was granted for this reason.
        earlier: Id,
    },
    /// The other side has spoken since, and none of its replies names the claim.
    Unanswered { id: Id },
    /// The synthesis has no line on the claim, and its prose does not name it.
    LeftOut { id: Id },
    /// The synthesis has a line on a claim that does not exist.
    Invented { id: Id },
    /// The synthesis lists a claim more than once.
    ListedTwice { id: Id },
    /// The synthesis gives no reason.
    NoReason { id: Id },
    /// The synthesis says that it survived, although its own side withdrew it, or granted the
    /// attacking claim and repaired nothing.
    SurvivedThoughGivenUp { id: Id },
    /// The synthesis says that it survived, although the fact-check contradicts it and its own side
    /// has not repaired it since.
    SurvivedThoughContradicted { id: Id },
    /// The synthesis says that it fell, although no move attacks it and no other seat names it.
    FellUnattacked { id: Id },
    /// `**Rests on:**` names a claim that fell by the synthesis, or a withdrawn claim without a
    /// result.
    RestsOnFallen { id: Id },
    /// `**Rests on:**` names a claim that does not exist.
    RestsOnUnknown { id: Id },
    /// More than 80 % confidence, with an unanswered attack on a claim that `**Rests on:**` names.
    Overconfident { id: Id, percent: u8 },
    /// No line `**Verdict:**`, a line with other words than do, do not, depends or an option, or two
    /// lines that differ.
    NoVerdict,
    /// No line `**Rests on:**`, a line that names no claim and does not say "nothing", or two lines
    /// that differ.
    NoRestsOn,
    /// `**Ranking:**` names something that is no option.
    UnknownOption { name: String },
    /// An option has no place in `**Ranking:**`, or no line.
    OptionLeftOut { name: String },
    /// The first place of `**Ranking:**` is this option, and the verdict is another.
    OtherFirst { name: String },
    /// An item of the list `### What to change in the plan` names no claim of the debate.
    ChangeWithoutClaim {
        /// Counted from 1.
        item: usize,
    },
    /// The debate has more claims and moves than are read.
    NotAllRead,
    /// The synthesis and the labelling differ. Either may be right.
    LabelDiffers {
        id: Id,
        /// By the labelling.
        label: Label,
        /// By the synthesis.
        result: ClaimResult,
    },
}

/// Above this percentage, an unanswered attack on a claim that carries the verdict is a finding.
const SURE: u8 = 80;

/// Adds the findings that need the whole debate.
pub(super) fn complete(ledger: &mut Ledger) {
    let mut found = unanswered(ledger);
    if let Some(synthesis) = &ledger.synthesis {
        let section = ledger.sections.len() - 1;
        found.extend(
            of_synthesis(ledger, synthesis).into_iter().map(|fault| Finding { section, fault }),
        );
    }
    ledger.findings.extend(found);
    ledger.findings.sort_by_key(|finding| finding.section);
}

/// Adds the findings about claims that the fact-check contradicts.
pub(super) fn of_checks(ledger: &mut Ledger) {
    if ledger.synthesis.is_none() {
        return;
    }
    let section = ledger.sections.len() - 1;
    let found: Vec<Finding> = ledger
        .contradicted()
        .filter(|claim| claim.result == Some(ClaimResult::Survived))
        .map(|claim| Finding { section, fault: Fault::SurvivedThoughContradicted { id: claim.id } })
        .collect();
    // A claim that the fact-check contradicts may fall without an attack.
    let is_contradicted = |claim: &&Claim| {
        claim.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Contradicted)
    };
    let contradicted: HashSet<Id> =
        ledger.claims.iter().filter(is_contradicted).map(|claim| claim.id).collect();
    let is_explained =
        |fault: &Fault| matches!(fault, Fault::FellUnattacked { id } if contradicted.contains(id));
    ledger.findings.retain(|finding| !is_explained(&finding.fault));
    ledger.findings.extend(found);
}

/// A claim of the advocate or critic is unanswered if the other one has spoken since and no later
/// reply names it.
fn unanswered(ledger: &Ledger) -> Vec<Finding> {
    let mut found = Vec::new();
    for claim in &ledger.claims {
        let Some(other) = claim.id.seat().opponent() else { continue };
        let last = ledger.sections.iter().rposition(|section| section.slot.seat() == other);
        let Some(last) = last.filter(|&last| last > claim.section) else { continue };
        if claim.status == ClaimStatus::Open && !ledger.named_by_others.contains(&claim.id) {
            found.push(Finding { section: last, fault: Fault::Unanswered { id: claim.id } });
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
    for line in &synthesis.results {
        let id = line.id;
        if ledger.claim(id).is_none() {
            // The claim may have a form that the ledger cannot read.
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::Invented { id });
            }
        } else if !seen.insert(id) {
            faults.push(Fault::ListedTwice { id });
        } else if line.why.is_empty() {
            faults.push(Fault::NoReason { id });
        }
    }
    if synthesis.word.is_none() {
        faults.push(Fault::NoVerdict);
    }
    if synthesis.lacks_rests_on() {
        faults.push(Fault::NoRestsOn);
    }
    let OptionFaults { unknown, left_out, other_first } = synthesis.option_faults(&ledger.among);
    faults.extend(unknown.into_iter().map(|name| Fault::UnknownOption { name }));
    faults.extend(left_out.into_iter().map(|name| Fault::OptionLeftOut { name }));
    faults.extend(other_first.map(|name| Fault::OtherFirst { name }));
    let is_known = |id: &Id| ledger.claim(*id).is_some() || ledger.named_by_own.contains(id);
    let changes = synthesis.plan_changes.iter().flat_map(|changes| &changes.items);
    let unclaimed = (1..).zip(changes).filter(|(_, change)| !change.claims.iter().any(is_known));
    faults.extend(unclaimed.map(|(item, _)| Fault::ChangeWithoutClaim { item }));
    let percent = synthesis.verdict.percent().filter(|percent| *percent > SURE);
    for &id in synthesis.rests_on.iter().flatten() {
        let Some(claim) = ledger.claim(id) else {
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::RestsOnUnknown { id });
            }
            continue;
        };
        let fell = match synthesis.line_on(id) {
            Some(line) => line.result == ClaimResult::Fell,
            None => claim.status == ClaimStatus::Withdrawn && is_left_out(synthesis, claim),
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
    let Some(result) = claim.result else { return };
    if is_left_out(synthesis, claim) {
        faults.push(Fault::LeftOut { id });
    }
    // Two lines that differ have their own finding.
    if synthesis.line_on(id).is_none() {
        return;
    }
    let is_attacked = ledger.moves.iter().any(|made| {
        made.target == id
            && matches!(made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw)
    });
    match result {
        ClaimResult::Survived
            if claim.status == ClaimStatus::Withdrawn || is_granted_away(ledger, id) =>
        {
            faults.push(Fault::SurvivedThoughGivenUp { id });
        }
        ClaimResult::Survived if claim.label == Label::Out => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, result });
        }
        ClaimResult::Fell if !is_attacked && !ledger.disputed_by_others.contains(&id) => {
            faults.push(Fault::FellUnattacked { id });
        }
        ClaimResult::Fell if is_attacked && claim.label == Label::In => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, result });
        }
        ClaimResult::Survived
        | ClaimResult::Weakened
        | ClaimResult::Fell
        | ClaimResult::LeftOut => {}
    }
}

/// True if no line and no prose names the claim. Prose may say what became of it.
fn is_left_out(synthesis: &Synthesis, claim: &Claim) -> bool {
    claim.result == Some(ClaimResult::LeftOut) && !synthesis.named.contains(&claim.id)
}

/// True if the claim's own side granted an attacking claim, and repaired nothing.
fn is_granted_away(ledger: &Ledger, id: Id) -> bool {
    let is_granted = |by: Id| {
        ledger
            .moves
            .iter()
            .any(|made| made.kind == MoveKind::Grant && made.target == by && made.seat == id.seat())
    };
    let repaired =
        ledger.moves.iter().any(|made| made.kind == MoveKind::Repair && made.target == id);
    !repaired && attacks(ledger, id).any(|(_, made)| made.by.is_some_and(is_granted))
}

/// True if an attack or rebuttal by another seat is unanswered. An answer is a repair, a
/// counter-attack of the own side on the attacking claim, or a move by which the attacker takes the
/// attack back.
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

/// Attacks and rebuttals of a claim by other seats, with their positions among the moves.
fn attacks(ledger: &Ledger, id: Id) -> impl Iterator<Item = (usize, &Move)> {
    ledger.moves.iter().enumerate().filter(move |(_, made)| made.is_attack_on(id))
}
