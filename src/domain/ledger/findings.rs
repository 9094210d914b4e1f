//! Finds the faults of a debate and of its synthesis.

use std::collections::HashSet;

use super::block::Key;
use super::fault::{Fault, Finding};
use super::synthesis::LineFault;
use super::{
    CheckVerdict, Claim, ClaimResult, ClaimStatus, Id, Label, Ledger, Move, MoveKind, Synthesis,
    VerdictWord,
};
use crate::domain::debate::motion;

/// Above this percentage, an unanswered attack on a claim that carries the verdict is a finding.
const SURE: u8 = 80;

const NO_SYNTHESIS: &str = "the debate has no synthesis";

/// Most claims that a verdict may rest on.
const MAX_CARRIERS: usize = 4;

impl Ledger {
    /// Takes over what can't be read in the original of the last synthesis, of which this ledger
    /// has a cleaned text.
    pub(crate) fn take_faults_of(&mut self, original: &Synthesis) {
        let section = self.sections.len().saturating_sub(1);
        let earlier = self.earlier.as_mut().map(|earlier| &mut earlier.synthesis);
        let Some(read) = self.synthesis.as_mut().or(earlier) else { return };
        if original.verdict.is_err() && read.verdict.is_ok() {
            read.verdict.clone_from(&original.verdict);
            self.findings.push(Finding { section, fault: Fault::NoVerdict });
        }
        read.confidence = read.confidence.filter(|_| original.confidence.is_some());
    }

    /// The verdict on the motion of the debate; else why there is none, in a sentence without its
    /// full stop.
    pub fn decision(&self) -> Result<VerdictWord, String> {
        let Some(synthesis) = &self.synthesis else { return Err(NO_SYNTHESIS.to_owned()) };
        let word = synthesis.verdict.as_ref().map_err(ToString::to_string)?;
        let is_missing = self.among.motion.is_some() && synthesis.motion.is_none();
        if is_missing || synthesis.has_fault_on(Key::Motion) {
            return Err("the synthesis has no line \"motion\" that can be read".to_owned());
        }
        match other_motion(self, synthesis) {
            Some(motion) => Err(format!("the synthesis decides on another motion: \"{motion}\"")),
            None => Ok(word.clone()),
        }
    }

    /// The confidence in percent; else why there is none, in a sentence without its full stop.
    pub fn confidence(&self) -> Result<u8, String> {
        let Some(synthesis) = &self.synthesis else { return Err(NO_SYNTHESIS.to_owned()) };
        synthesis.confidence.ok_or_else(|| match synthesis.no_block() {
            Some(why) => format!("the synthesis has {}", why.words()),
            None if synthesis.has_fault_on(Key::Confidence) => {
                "the line \"confidence\" is not one whole number from 0 to 100".to_owned()
            }
            None => "the synthesis has no line \"confidence\"".to_owned(),
        })
    }

    /// What is wrong with the block of the last synthesis: the reasons to ask for another one.
    pub fn faults_of_block(&self) -> Vec<&Fault> {
        let last = self.sections.len().saturating_sub(1);
        let of_block = self.findings.iter().filter(|finding| finding.section == last);
        let is_judged = self.synthesis.is_some();
        of_block
            .map(|finding| &finding.fault)
            .filter(|fault| is_judged && fault.is_of_block())
            .collect()
    }
}

/// Adds the findings that need the whole debate.
pub(super) fn complete(ledger: &mut Ledger) {
    let mut found = passed_over(ledger);
    if let Some(synthesis) = &ledger.synthesis {
        let section = ledger.sections.len() - 1;
        found.extend(
            of_synthesis(ledger, synthesis).into_iter().map(|fault| Finding { section, fault }),
        );
    }
    ledger.findings.extend(found);
    ledger.findings.sort_by_key(|finding| finding.section);
}

/// Adds the claims of the last round. In a reply, one claim is right for each direction, answer and
/// fact of the person since the reply before: `news` counts them by section.
pub(super) fn of_last_round(ledger: &mut Ledger, news: &[usize]) {
    let Some(last) = ledger.among.last_round else { return };
    let late = |(section, allowed): (usize, &usize)| {
        let of_section = ledger.claims.iter().filter(move |claim| {
            claim.section == section && claim.round == last && claim.id.seat().opponent().is_some()
        });
        let late = of_section.skip(*allowed);
        late.map(move |claim| Finding { section, fault: Fault::LateClaim { id: claim.id } })
    };
    let found: Vec<Finding> = news.iter().enumerate().flat_map(late).collect();
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

/// A claim of the advocate or critic is passed over if the other one has spoken since and no later
/// reply names it.
fn passed_over(ledger: &Ledger) -> Vec<Finding> {
    let mut found = Vec::new();
    for claim in &ledger.claims {
        let Some(other) = claim.id.seat().opponent() else { continue };
        let last = ledger.sections.iter().rposition(|section| section.slot.seat() == other);
        let Some(last) = last.filter(|&last| last > claim.section) else { continue };
        if claim.status == ClaimStatus::Open && !ledger.named_by_others.contains(&claim.id) {
            found.push(Finding { section: last, fault: Fault::PassedOver { id: claim.id } });
        }
    }
    found
}

fn of_synthesis(ledger: &Ledger, synthesis: &Synthesis) -> Vec<Fault> {
    if let Some(why) = synthesis.no_block() {
        return vec![Fault::NoBlock { why }];
    }
    let mut faults = of_lines(ledger, synthesis);
    for claim in &ledger.claims {
        of_claim(ledger, synthesis, claim, &mut faults);
    }
    let mut seen = HashSet::new();
    for line in &synthesis.results {
        let id = line.id;
        if !seen.insert(id) {
            faults.push(Fault::ListedTwice { id });
        } else if ledger.claim(id).is_none() {
            // The claim may have a form that the ledger cannot read.
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::Invented { id });
            }
        } else if line.why.is_empty() {
            faults.push(Fault::NoReason { id });
        }
    }
    of_options(ledger, synthesis, &mut faults);
    of_carriers(ledger, synthesis, &mut faults);
    let is_known = |id: &Id| ledger.claim(*id).is_some() || ledger.named_by_own.contains(id);
    let unclaimed = synthesis.changes.iter().filter(|change| !change.claims.iter().any(is_known));
    faults.extend(
        unclaimed.map(|change| Fault::ChangeWithoutClaim { item: usize::from(change.number) }),
    );
    faults
}

/// What is wrong with the lines that have a name.
fn of_lines(ledger: &Ledger, synthesis: &Synthesis) -> Vec<Fault> {
    let fault = |fault: &LineFault| match fault {
        // Both are a fault of their own.
        LineFault::Unreadable(Key::Verdict) | LineFault::Twice(Key::Verdict) => Fault::NoVerdict,
        LineFault::Unreadable(key) => Fault::LineUnreadable { key: key.to_string() },
        LineFault::Twice(key) => Fault::LineTwice { key: key.to_string() },
        LineFault::Unknown(text) => Fault::UnknownLine { line: text.clone() },
    };
    let mut faults: Vec<Fault> = synthesis.faults.iter().map(fault).collect();
    if synthesis.verdict.is_err() && !faults.contains(&Fault::NoVerdict) {
        faults.push(Fault::NoVerdict);
    }
    if ledger.is_of_judges {
        return faults;
    }
    let is_depends = synthesis.word() == Some(&VerdictWord::Depends);
    let lines = [
        (Key::Motion, synthesis.motion.is_some(), ledger.among.motion.is_some()),
        (Key::Against, synthesis.against.is_some(), true),
        (Key::Recommendation, synthesis.recommendation.is_some(), true),
        (Key::Confidence, synthesis.confidence.is_some(), true),
        (Key::RestsOn, synthesis.rests_on.is_some(), true),
        (Key::DependsOn, synthesis.depends_on.is_some(), is_depends),
        (Key::FlipsIf, synthesis.flips_if.is_some(), true),
        (Key::Unknown, synthesis.unknown.is_some(), true),
    ];
    for (key, is_there, is_required) in lines {
        if is_required && !is_there && !synthesis.has_fault_on(key) {
            faults.push(Fault::LineMissing { key: key.to_string() });
        }
    }
    let refused = [
        (
            Key::DependsOn,
            synthesis.depends_on.is_some() && synthesis.word().is_some() && !is_depends,
        ),
        (Key::Judges, synthesis.judges.is_some()),
        (Key::ConfidenceRange, synthesis.confidence_range.is_some()),
    ];
    let refused = refused.into_iter().filter(|(_, is_refused)| *is_refused);
    faults.extend(refused.map(|(key, _)| Fault::LineRefused { key: key.to_string() }));
    faults.extend(
        other_motion(ledger, synthesis)
            .map(|motion| Fault::OtherMotion { motion: motion.to_owned() }),
    );
    faults
}

/// The motion of the synthesis, if it is not the motion of the debate.
pub(super) fn other_motion<'a>(ledger: &Ledger, synthesis: &'a Synthesis) -> Option<&'a str> {
    let (motion, known) = (synthesis.motion.as_deref()?, ledger.among.motion.as_deref()?);
    is_other_motion(motion, known).then_some(motion)
}

/// True if two motions differ in more than case, blanks and full stops at their ends.
pub(super) fn is_other_motion(stated: &str, known: &str) -> bool {
    motion::is_other(stated.trim_end_matches(['.', ' ']), known.trim_end_matches(['.', ' ']))
}

fn of_options(ledger: &Ledger, synthesis: &Synthesis, faults: &mut Vec<Fault>) {
    let among = &ledger.among;
    if !among.are_typed {
        return;
    }
    let unknown = synthesis.strangers.iter();
    faults.extend(unknown.map(|name| Fault::UnknownOption { name: name.clone() }));
    let has = |name: &&String| {
        synthesis.ranking.contains(name)
            && synthesis.options.iter().any(|line| line.name == **name && !line.text.is_empty())
    };
    let left_out = among.names.iter().filter(|name| !has(name));
    faults.extend(left_out.map(|name| Fault::OptionLeftOut { name: name.clone() }));
    if let (Some(VerdictWord::Option(chosen)), Some(first)) =
        (synthesis.word(), synthesis.ranking.first())
        && chosen != first
    {
        faults.push(Fault::OtherFirst { name: first.clone() });
    }
}

/// What is wrong with the claims that carry the verdict.
fn of_carriers(ledger: &Ledger, synthesis: &Synthesis, faults: &mut Vec<Fault>) {
    let carriers = synthesis.rests_on.as_deref().unwrap_or_default();
    if carriers.len() > MAX_CARRIERS {
        faults.push(Fault::RestsOnMany { count: carriers.len() });
    }
    let percent = synthesis.confidence.filter(|percent| *percent > SURE);
    for &id in carriers {
        let Some(claim) = ledger.claim(id) else {
            if !ledger.named_by_own.contains(&id) {
                faults.push(Fault::RestsOnUnknown { id });
            }
            continue;
        };
        let fell = match synthesis.line_on(id) {
            Some(line) => line.result == ClaimResult::Fell,
            None => {
                claim.status == ClaimStatus::Withdrawn && claim.result == Some(ClaimResult::LeftOut)
            }
        };
        if fell {
            faults.push(Fault::RestsOnFallen { id });
        }
        if let Some(percent) = percent.filter(|_| has_open_attack(ledger, id)) {
            faults.push(Fault::Overconfident { id, percent });
        }
    }
}

fn of_claim(ledger: &Ledger, synthesis: &Synthesis, claim: &Claim, faults: &mut Vec<Fault>) {
    let id = claim.id;
    let Some(result) = claim.result else { return };
    if result == ClaimResult::LeftOut {
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
        ClaimResult::Survived if claim.label == Label::Out && is_attacked_in_time(ledger, id) => {
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

/// True if the claim's side had a reply after each attack. An attack of the last reply had no
/// chance of an answer, so no check looks at it.
fn is_attacked_in_time(ledger: &Ledger, id: Id) -> bool {
    attacks(ledger, id).all(|(_, attack)| ledger.speaks_after(id.seat(), attack.section))
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

/// True if an attack or rebuttal by another seat is unanswered, although the claim's side had a
/// reply after it. An answer is a repair, a
/// counter-attack of the own side on the attacking claim, or a move by which the attacker takes the
/// attack back.
fn has_open_attack(ledger: &Ledger, id: Id) -> bool {
    let in_time = |(_, attack): &(usize, &Move)| ledger.speaks_after(id.seat(), attack.section);
    attacks(ledger, id).filter(in_time).any(|(at, attack)| {
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
