//! Finds the faults of a debate and of its synthesis.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::block::Key;
use super::fault::{Fault, Finding};
use super::synthesis::LineFault;
use super::{
    CheckVerdict, Claim, ClaimResult, ClaimStatus, Ground, Id, Label, Ledger, Move, MoveKind,
    NoVerdict, Synthesis, VerdictWord,
};
use crate::ledger::Revision;
use crate::place::{Place, Seat};
use crate::question::motion;
use crate::transcript::Entries;

/// Above this percentage, an unanswered attack on a claim that carries the verdict is a finding.
const SURE: u8 = 80;

/// Most claims that a verdict may rest on.
const MAX_CARRIERS: usize = 4;

impl Ledger {
    /// The faults of the block of the last synthesis: the reasons to ask for another one.
    pub fn faults_of_block(&self) -> Vec<&Fault> {
        let last = self.sections.len().saturating_sub(1);
        if self.synthesis.is_none() {
            return Vec::new();
        }
        self.findings
            .iter()
            .filter(|finding| finding.section == last)
            .map(|finding| &finding.fault)
            .filter(|fault| fault.row("").asks.is_some())
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

/// Adds the late claims of the last round. A reply may make one claim for each direction, answer
/// and fact of the user since the reply before: `news` counts them by section.
pub(super) fn of_last_round(ledger: &mut Ledger, news: &[usize]) {
    let Some(last) = ledger.among.last_round else { return };
    for (section, allowed) in news.iter().enumerate() {
        let late = ledger
            .claims
            .iter()
            .filter(|claim| {
                claim.section == section
                    && claim.round == last
                    && claim.id.seat().opponent().is_some()
            })
            .skip(*allowed)
            .map(|claim| Finding { section, fault: Fault::LateClaim { id: claim.id } });
        ledger.findings.extend(late);
    }
    ledger.findings.sort_by_key(|finding| finding.section);
}

/// Adds the blocking objections to a document that have no answer.
pub(super) fn of_document(ledger: &mut Ledger, entries: &Entries) {
    if ledger.synthesis.is_none() {
        return;
    }
    let Some(revision) = Revision::of_entries(entries, ledger) else { return };
    let section = ledger.sections.len() - 1;
    let standing = revision.standing().map(|objection| objection.id);
    let fault = |id| Finding { section, fault: Fault::ObjectionStands { id } };
    ledger.findings.extend(standing.map(fault));
    let answered: HashMap<Id, bool> =
        revision.objections.iter().map(|one| (one.id, one.is_answered)).collect();
    for claim in &mut ledger.claims {
        claim.resolved = answered.get(&claim.id).copied();
    }
}

/// Adds the findings about claims that the fact-check contradicts. `conflicts`: those on which it
/// contradicts itself.
pub(super) fn of_checks(ledger: &mut Ledger, conflicts: &[Id]) {
    if ledger.synthesis.is_none() {
        return;
    }
    let section = ledger.sections.len() - 1;
    let known: BTreeSet<Id> =
        conflicts.iter().copied().filter(|id| ledger.claim(*id).is_some()).collect();
    let conflict = |id| Finding { section, fault: Fault::CheckConflicts { id } };
    ledger.findings.extend(known.into_iter().map(conflict));
    let found: Vec<Finding> = ledger
        .contradicted_claims()
        .filter(|claim| claim.result == Some(ClaimResult::Survived))
        .map(|claim| Finding { section, fault: Fault::SurvivedThoughContradicted { id: claim.id } })
        .collect();
    // A claim that the fact-check contradicts may fall without an attack.
    let contradicted: HashSet<Id> = ledger
        .claims
        .iter()
        .filter(|claim| {
            claim.check.as_ref().is_some_and(|check| check.verdict == CheckVerdict::Contradicted)
        })
        .map(|claim| claim.id)
        .collect();
    ledger.findings.retain(|finding| match &finding.fault {
        Fault::FellUnattacked { id } => !contradicted.contains(id),
        _ => true,
    });
    ledger.findings.extend(found);
}

/// A claim of the advocate or critic is passed over if the other one has spoken since and no later
/// reply names it.
fn passed_over(ledger: &Ledger) -> Vec<Finding> {
    let mut found = Vec::new();
    for claim in &ledger.claims {
        let Some(other) = claim.id.seat().opponent() else { continue };
        let last = ledger.sections.iter().rposition(|section| section.place.seat == other);
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
    for (claim, in_time) in ledger.claims.iter().zip(&ledger.labels_in_time) {
        // No check looks at an attack of the last reply.
        let label = Some(claim.label).filter(|label| label == in_time);
        of_claim(ledger, synthesis, (claim, label), &mut faults);
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
    of_seats(ledger, &mut faults);
    for change in &synthesis.changes {
        let has_claim = change
            .claims
            .iter()
            .any(|id| ledger.claim(*id).is_some() || ledger.named_by_own.contains(id));
        if !has_claim {
            faults.push(Fault::ChangeWithoutClaim { item: usize::from(change.number) });
        }
    }
    faults.extend(
        synthesis
            .judges
            .filter(|(agree, all)| agree < all)
            .map(|(agree, all)| Fault::JudgesDiffer { agree, all }),
    );
    faults
}

/// The faults of the lines that have a name.
fn of_lines(ledger: &Ledger, synthesis: &Synthesis) -> Vec<Fault> {
    let mut faults: Vec<Fault> = Vec::new();
    match &synthesis.verdict {
        Ok(_) => {}
        Err(NoVerdict::NoMajority) => faults.push(Fault::NoMajority),
        Err(why) => faults.push(Fault::NoVerdict { why: why.to_string() }),
    }
    if synthesis.has_wrong_ranking() {
        faults.push(Fault::WrongRanking);
    }
    faults.extend(of_motion(ledger, synthesis));
    let mut unknown: Option<(&str, usize)> = None;
    let mut stray: Option<&str> = None;
    for fault in &synthesis.faults {
        match fault {
            // They have faults of their own.
            LineFault::Unreadable(Key::Verdict | Key::Motion | Key::Place(_))
            | LineFault::Twice(Key::Verdict | Key::Motion | Key::Place(_)) => {}
            LineFault::Unreadable(key) => {
                faults.push(Fault::LineUnreadable { key: key.to_string() });
            }
            LineFault::Twice(key) => faults.push(Fault::LineTwice { key: key.to_string() }),
            LineFault::Refused(key) => faults.push(Fault::LineRefused { key: key.to_string() }),
            LineFault::Changed(key) => faults.push(Fault::Changed { key: key.to_string() }),
            LineFault::Unknown { text, is_stray: true } => {
                stray.get_or_insert(text);
            }
            LineFault::Unknown { text, is_stray: false } => match &mut unknown {
                Some((_, more)) => *more += 1,
                None => unknown = Some((text, 0)),
            },
        }
    }
    faults.extend(stray.map(|line| Fault::StrayLine { line: line.to_owned() }));
    faults.extend(unknown.map(|(line, more)| Fault::UnknownLine { line: line.to_owned(), more }));
    if ledger.is_of_judges {
        return faults;
    }
    let is_depends = synthesis.word() == Some(&VerdictWord::Depends);
    let lines = [
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
    if synthesis.depends_on.is_some() && synthesis.word().is_some() && !is_depends {
        faults.push(Fault::LineRefused { key: Key::DependsOn.to_string() });
    }
    faults
}

/// A verdict is a pair of a motion and a word.
fn of_motion(ledger: &Ledger, synthesis: &Synthesis) -> Option<Fault> {
    let needs_motion = matches!(synthesis.word(), Some(VerdictWord::Do | VerdictWord::DoNot));
    match (synthesis.motion.as_deref(), ledger.among.motion.as_deref()) {
        (Some(motion), Some(known)) if motion::is_other(motion, known) => {
            Some(Fault::OtherMotion { motion: motion.to_owned(), known: known.to_owned() })
        }
        (None, Some(_)) => Some(Fault::NoMotion),
        (None, None) if needs_motion => Some(Fault::NoMotion),
        (None, None) | (Some(_), _) => None,
    }
}

/// The seats that argued on one side alone: without a claim, or without a move on the claims before
/// theirs. In a debate about a document silence means that nothing is left to object to.
fn of_seats(ledger: &Ledger, faults: &mut Vec<Fault>) {
    if ledger.among.is_document {
        return;
    }
    let mut seats: Vec<Seat> = Vec::new();
    for section in &ledger.sections {
        let seat = section.place.seat;
        if seat != Seat::Synthesizer && !seats.contains(&seat) {
            seats.push(seat);
        }
    }
    let own: HashSet<Seat> = ledger.named_by_own.iter().map(|id| id.seat()).collect();
    let moved: HashSet<Seat> = ledger
        .moves
        .iter()
        .filter(|made| made.target.seat() != made.seat)
        .map(|made| made.seat)
        .collect();
    for seat in seats {
        if !own.contains(&seat) {
            faults.push(Fault::NoClaims { seat });
        }
        let mut later = ledger.sections.iter().enumerate().filter(|(_, section)| {
            section.place.seat == seat && sees_others(ledger, section.place)
        });
        let has_claims_before = |at: usize| {
            ledger.claims.iter().any(|claim| claim.section < at && claim.id.seat() != seat)
        };
        if !moved.contains(&seat) && later.any(|(at, _)| has_claims_before(at)) {
            faults.push(Fault::NoMoves { seat });
        }
    }
}

/// True for a place that is to answer what others have argued: no opening of a blind debate, and no
/// case of a voice.
fn sees_others(ledger: &Ledger, place: Place) -> bool {
    if place.seat.is_voice() {
        place.is_attack()
    } else {
        !ledger.among.is_blind || place.round > 1
    }
}

fn of_options(ledger: &Ledger, synthesis: &Synthesis, faults: &mut Vec<Fault>) {
    let among = &ledger.among;
    if !among.are_typed {
        return;
    }
    for name in &synthesis.strangers {
        faults.push(Fault::UnknownOption { name: name.clone() });
    }
    for name in &among.names {
        let is_ranked = synthesis.ranking.contains(name);
        let has_line =
            synthesis.options.iter().any(|line| line.name == *name && !line.text.is_empty());
        if !is_ranked || !has_line {
            faults.push(Fault::OptionLeftOut { name: name.clone() });
        }
    }
    if let (Some(VerdictWord::Option(chosen)), Some(first)) = (synthesis.word(), &synthesis.first)
        && chosen != first
    {
        faults.push(Fault::OtherFirst { name: first.clone() });
    }
}

/// The faults of the claims that carry the verdict.
fn of_carriers(ledger: &Ledger, synthesis: &Synthesis, faults: &mut Vec<Fault>) {
    let Some(carriers) = synthesis.rests_on.as_deref() else { return };
    // A composed synthesis says "nothing" where its judges share no claim.
    // In a document an objection that was met carries nothing.
    let is_document = ledger.among.is_document;
    if carriers.is_empty() && !is_document {
        faults.push(Fault::RestsOnNothing);
    } else if !carriers.is_empty()
        && !carriers.iter().any(|id| ledger.claim(*id).is_some() || ledger.named.contains(id))
    {
        faults.push(Fault::RestsOnNobody { ids: carriers.to_vec() });
        return;
    }
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
        if fell && !is_document {
            faults.push(Fault::RestsOnFallen { id });
        } else if claim.ground == Ground::Assumption && !is_backed(ledger, claim) {
            faults.push(Fault::RestsOnAssumption { id });
        }
        if let Some(percent) = percent.filter(|_| has_open_attack(ledger, id)) {
            faults.push(Fault::Overconfident { id, percent });
        }
    }
}

/// True if a later reply repairs or supports the claim.
fn is_backed(ledger: &Ledger, claim: &Claim) -> bool {
    ledger.moves.iter().any(|made| {
        made.section > claim.section
            && made.target == claim.id
            && matches!(made.kind, MoveKind::Repair | MoveKind::Support)
    })
}

/// `label`: the label of the claim, if attacks of last replies make no difference to it.
fn of_claim(
    ledger: &Ledger,
    synthesis: &Synthesis,
    (claim, label): (&Claim, Option<Label>),
    faults: &mut Vec<Fault>,
) {
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
        ClaimResult::Survived if label == Some(Label::Out) => {
            faults.push(Fault::LabelDiffers { id, label: claim.label, result });
        }
        ClaimResult::Fell if !is_attacked && !ledger.disputed_by_others.contains(&id) => {
            faults.push(Fault::FellUnattacked { id });
        }
        ClaimResult::Fell
            if label == Some(Label::In) && attacks_in_time(ledger, id).count() > 0 =>
        {
            faults.push(Fault::LabelDiffers { id, label: claim.label, result });
        }
        ClaimResult::Survived
        | ClaimResult::Weakened
        | ClaimResult::Fell
        | ClaimResult::LeftOut => {}
    }
}

/// Attacks after which the claim's side had a reply. An attack of the last reply had no chance of
/// an answer.
fn attacks_in_time(ledger: &Ledger, id: Id) -> impl Iterator<Item = (usize, &Move)> {
    attacks(ledger, id).filter(move |(_, attack)| ledger.speaks_after(id.seat(), attack.section))
}

/// True if the claim's own side granted an attacking claim, and repaired nothing.
fn is_granted_away(ledger: &Ledger, id: Id) -> bool {
    let is_repaired =
        ledger.moves.iter().any(|made| made.kind == MoveKind::Repair && made.target == id);
    !is_repaired
        && attacks(ledger, id).filter_map(|(_, attack)| attack.by).any(|attacker| {
            ledger.moves.iter().any(|made| {
                made.kind == MoveKind::Grant && made.target == attacker && made.seat == id.seat()
            })
        })
}

/// True if an attack or rebuttal by another seat is unanswered, although the claim's side had a
/// reply after it. An answer is a repair, a counter-attack of the own side on the attacking claim,
/// or a move by which the attacker takes the attack back.
fn has_open_attack(ledger: &Ledger, id: Id) -> bool {
    attacks_in_time(ledger, id).any(|(at, attack)| {
        !ledger.moves[at..].iter().any(|made| {
            let is_on_attacker = attack.by == Some(made.target);
            match made.kind {
                MoveKind::Repair => made.target == id,
                MoveKind::Attack | MoveKind::Rebut => is_on_attacker && made.seat == id.seat(),
                MoveKind::Grant => made.target == id && made.seat == attack.seat,
                MoveKind::Withdraw => is_on_attacker,
                MoveKind::Support => false,
            }
        })
    })
}

/// Attacks and rebuttals of a claim by other seats, with their positions among the moves.
fn attacks(ledger: &Ledger, id: Id) -> impl Iterator<Item = (usize, &Move)> {
    ledger.moves.iter().enumerate().filter(move |(_, made)| made.is_attack_on(id))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::ledger::{Counts, LedgerReply};
    use crate::place::{Place, Seat};
    use crate::question::Alternatives;
    use crate::transcript::{self, NoteKind};

    const ADVOCATE: &str = "**A1. One.** x [reasoning]\n\n**A2. Two.** y";
    const CRITIC: &str =
        "**C1. No.** z\n**Attacks A1:** \"One\" fails.\n\n**Grants A2:** so it is.";
    const AGAIN: &str = "**A3. More.** x\n**Rebuts C1:** \"No\" is old.";
    const LINES: &str = "motion: move\nA1 survived: a\nA2 survived: b\nA3 survived: c\n\
        C1 fell: d\nagainst: e\nrecommendation: f\nverdict: do\nconfidence: 80\nrests on: A1, A2\n\
        flips if: g\nunknown: h\n";

    fn ledger(replies: [&str; 3], lines: &str, among: &Alternatives) -> Ledger {
        let synthesis = format!("Prose.\n\n```anvil\n{lines}```");
        let texts = [replies[0], replies[1], replies[2], &synthesis];
        let places =
            [(Seat::Advocate, 1), (Seat::Critic, 1), (Seat::Advocate, 2), (Seat::Synthesizer, 2)];
        let spoken = places.into_iter().zip(texts);
        let spoken =
            spoken.map(|((seat, round), text)| LedgerReply::new(Place { seat, round }, 1, text));
        Ledger::from_replies(spoken, among)
    }

    fn moving() -> Alternatives {
        Alternatives { motion: Some("Move.".to_owned()), ..Alternatives::default() }
    }

    /// The findings, in short: the fault and what it is about.
    fn short(ledger: &Ledger) -> Vec<String> {
        let short = |finding: &Finding| {
            let json = serde_json::to_value(finding).unwrap();
            let about = [
                "id", "key", "line", "name", "motion", "why", "item", "count", "seat", "ids",
                "agree",
            ];
            let about = about.iter().find_map(|&name| json.get(name));
            let about = about.map(|about| format!(" {}", about.to_string().trim_matches('"')));
            format!("{}{}", json["fault"].as_str().unwrap(), about.unwrap_or_default())
        };
        ledger.findings.iter().map(short).collect()
    }

    #[test]
    fn each_fault_of_a_synthesis_is_found_and_alone() {
        assert_eq!(short(&ledger([ADVOCATE, CRITIC, AGAIN], LINES, &moving())), [""; 0]);
        let all = LINES;
        for (from, to, expected) in [
            ("verdict: do\n", "", "no_verdict the synthesis has no line \\\"verdict\\"),
            (
                "verdict: do\n",
                "verdict: do it\n",
                "no_verdict the line \\\"verdict\\\" has other words: \\\"do it\\",
            ),
            (
                "verdict: do\n",
                "verdict: none\n",
                "no_verdict the line \\\"verdict\\\" has other words: \\\"none\\",
            ),
            (
                "verdict: do\n",
                "verdict: do\nverdict: do\n",
                "no_verdict the synthesis has two lines \\\"verdict\\",
            ),
            ("verdict: do\n", "verdict: do\n  not\n", "stray_line not"),
            (
                "verdict: do\n",
                "verdict: do\n**verdict:** do not\n",
                "stray_line **verdict:** do not",
            ),
            ("motion: move\n", "", "no_motion"),
            ("motion: move\n", "motion: stay\n", "other_motion stay"),
            ("motion: move\n", "motion:\n", "no_motion"),
            ("motion: move\n", "motion: move\nmotion: move\n", "no_motion"),
            ("motion: move\n", "motion:  MOVE .\n", ""),
            ("against: e\n", "", "line_missing against"),
            ("recommendation: f\n", "", "line_missing recommendation"),
            ("confidence: 80\n", "", "line_missing confidence"),
            ("confidence: 80\n", "confidence: high\n", "line_unreadable confidence"),
            ("confidence: 80\n", "confidence: 8\nconfidence: 9\n", "line_twice confidence"),
            ("rests on: A1, A2\n", "", "line_missing rests on"),
            ("rests on: A1, A2\n", "rests on: nothing\n", "rests_on_nothing"),
            ("rests on: A1, A2\n", "rests on: A8, A9\n", "rests_on_nobody [\"A8\",\"A9\"]"),
            ("A1, A2\n", "A1, A9\n", "rests_on_unknown A9"),
            ("A1, A2\n", "A1, C1\n", "rests_on_fallen C1"),
            ("flips if: g\n", "", "line_missing flips if"),
            ("unknown: h\n", "", "line_missing unknown"),
            ("unknown: h\n", "unknown: h\nnote: i\nso it is\n", "unknown_line note: i"),
            ("unknown: h\n", "unknown: h\nnot quite: i\n", "stray_line not quite: i"),
            ("unknown: h\n", "unknown: h\njudges: 2 of 3\n", "line_refused judges"),
            (
                "unknown: h\n",
                "unknown: h\nconfidence range: 1 to 2\n",
                "line_refused confidence range",
            ),
            ("unknown: h\n", "unknown: h\n1. Redis\n", "unknown_line 1. Redis"),
            ("unknown: h\n", "unknown: h\noption 1: x\n", "stray_line option 1: x"),
            ("unknown: h\n", "unknown: h\nA1 not found\n", "stray_line A1 not found"),
            ("verdict: do\n", "verdict: do\ndepends on: x\n", "line_refused depends on"),
            ("verdict: do\n", "verdict: depends\n", "line_missing depends on"),
            ("verdict: do\n", "verdict: depends\ndepends on: x\n", ""),
            ("A3 survived: c\n", "", "left_out A3"),
            ("A3 survived: c\n", "A3 survived: c\nA4 fell: x\n", "invented A4"),
            ("A3 survived: c\n", "A3 survived: c\nA3 survived: c\n", "listed_twice A3"),
            ("A3 survived: c\n", "A3 survived:\n", "no_reason A3"),
            ("A3 survived: c\n", "A3 fell: c\n", "fell_unattacked A3"),
            ("A3 survived: c\n", "A3 weakened: c\n", ""),
            ("A2 survived: b\n", "A2 fell: b\n", "fell_unattacked A2|rests_on_fallen A2"),
            ("A1 survived: a\n", "A1 weakened: a\n", ""),
            ("unknown: h\n", "unknown: h\nchange 1 (A1): x\nchange 2 (A1, A9): y\n", ""),
            ("unknown: h\n", "unknown: h\nchange 1 (A9): x\n", "change_without_claim 1"),
            ("unknown: h\n", "unknown: h\nchange 2: x\n", "change_without_claim 2"),
        ] {
            assert!(all.contains(from), "{from}");
            let among = Alternatives { has_plan: to.contains("change"), ..moving() };
            let found =
                short(&ledger([ADVOCATE, CRITIC, AGAIN], &all.replacen(from, to, 1), &among));
            let mut expected: Vec<&str> =
                expected.split('|').filter(|one| !one.is_empty()).collect();
            let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{to}");
        }
        for (advocate, again, expected) in [
            (" [assumption]", "", "rests_on_assumption A2"),
            (" [assumption]", "\n**Repairs A2:** it was counted.", ""),
            (" [assumption]", "\n**Supports A2:** it was counted.", ""),
            (" [assumption]", "\n**Repairs A1:** it was counted.", "rests_on_assumption A2"),
            (" [reasoning]", "", ""),
            (" [evidence: b]", "", ""),
        ] {
            let first = format!("{ADVOCATE}{advocate}");
            let again = format!("{AGAIN}{again}");
            let found = short(&ledger([&first, CRITIC, &again], all, &moving()));
            assert_eq!(found.join("|"), expected, "{advocate}{again}");
        }
        // A move before the claim does not back it.
        let critic = format!("{CRITIC}\n**Supports A3:** it will be so.");
        let again = AGAIN.replacen("**A3. More.** x", "**A3. More.** x [assumption]", 1);
        let lines = all.replacen("rests on: A1, A2", "rests on: A3", 1);
        let found = short(&ledger([ADVOCATE, &critic, &again], &lines, &moving()));
        assert_eq!(found, ["unknown_claim A3", "rests_on_assumption A3"]);
        let none = Alternatives::default();
        // Without a known motion any is taken, and "do" needs one.
        let without = LINES.replace("motion: move\n", "");
        let depends = without.replace("verdict: do", "verdict: depends\ndepends on: x");
        for (lines, expected) in [(LINES, &[][..]), (&without, &["no_motion"]), (&depends, &[])] {
            assert_eq!(short(&ledger([ADVOCATE, CRITIC, AGAIN], lines, &none)), expected);
        }
    }

    #[test]
    fn a_granted_claim_that_fell_is_not_called_unnamed() {
        let fell = LINES.replace("A2 survived: b", "A2 fell: b").replace("A1, A2", "A1");
        let sentences = |critic: &str| {
            let ledger = ledger([ADVOCATE, critic, AGAIN], &fell, &moving());
            ledger.findings.iter().map(|found| found.fault.row("").sentence).collect::<Vec<_>>()
        };
        let granted = sentences(CRITIC);
        assert_eq!(
            granted,
            ["A2 fell, says the synthesis, but no other seat attacked or disputed it."]
        );
        assert!(!granted[0].contains("named"), "the critic granted it by its name");
        let named = sentences(&CRITIC.replace("**Grants A2:** so it is.", "A2 is no ground."));
        assert_eq!(named, [""; 0], "a seat that names it without a grant disputes it");
    }

    #[test]
    fn a_synthesis_without_a_block_has_one_fault() {
        for (synthesis, why) in [
            ("verdict: do".to_owned(), "missing"),
            (format!("```anvil\n{LINES}```\n\n```anvil\n{LINES}```"), "several"),
            (format!("```anvil\n{LINES}"), "unclosed"),
            (format!("{}\n\n```anvil\n{LINES}```", "`".repeat(200_000)), "unread"),
        ] {
            let spoken = [(Seat::Advocate, ADVOCATE), (Seat::Synthesizer, &synthesis)];
            let spoken =
                spoken.map(|(seat, text)| LedgerReply::new(Place { seat, round: 1 }, 1, text));
            let ledger = Ledger::from_replies(spoken, &moving());
            assert_eq!(short(&ledger), [format!("no_block {why}")]);
            assert!(ledger.standing().verdict().is_none());
        }
    }

    #[test]
    fn each_fault_of_the_argument_is_found_and_alone() {
        let same = ("", "");
        let more = ("**Rebuts C1:**", "**A4. a.** x\n\n**A5. b.** x\n**Rebuts C1:**");
        let end = |text: &'static str| ("\"No\" is old.", text);
        let five =
            ("rests on: A1, A2", "rests on: A1, A2, A3, A4, A5\nA4 survived: x\nA5 survived: x");
        let sure = ("confidence: 80", "confidence: 81");
        let silent = ("\n**Rebuts C1:** \"No\" is old.", "");
        for (critic, again, lines, expected) in [
            (same, ("**A3.", "**A1. Other.** x\n\n**A3."), same, "reused_id A1"),
            (same, ("**A3.", "**A1. one!** x\n\n**A3."), same, ""),
            (("\"One\"", "\"Nine\""), same, same, "quote_not_found A1"),
            (("\"One\"", "\"one\""), same, same, ""),
            (("**Grants", "**Attacks A7:** no.\n\n**Grants"), same, same, "unknown_claim A7"),
            ((" so it is.", ""), same, same, "grant_without_reason A2"),
            (("**Grants A2:** so it is.", ""), same, same, "passed_over A2"),
            (("**Grants A2:** so it is.", "A2 is no ground."), same, same, ""),
            (
                same,
                end("\"No\" is old.\n\n**Withdraws A1:** x"),
                same,
                "survived_though_given_up A1",
            ),
            (same, end("\"No\" is old.\n\n**Grants C1:** x"), same, "survived_though_given_up A1"),
            (same, end("\"No\" is old.\n\n**Grants C1:** x\n\n**Repairs A1:** x"), same, ""),
            (same, more, five, "rests_on_many 5"),
            // An attack that the side did not answer, although it had a reply.
            (
                same,
                silent,
                same,
                "fell_unattacked C1|label_differs A1|no_moves advocate|passed_over C1",
            ),
            (
                same,
                silent,
                sure,
                "fell_unattacked C1|label_differs A1|no_moves advocate|overconfident A1|passed_over C1",
            ),
            (same, same, sure, ""),
        ] {
            let changed = |text: &str, (from, to): (&str, &str)| {
                assert!(text.contains(from), "{from}");
                if from.is_empty() { text.to_owned() } else { text.replacen(from, to, 1) }
            };
            let replies = [ADVOCATE, &changed(CRITIC, critic), &changed(AGAIN, again)];
            let mut found = short(&ledger(replies, &changed(LINES, lines), &moving()));
            found.sort_unstable();
            let expected: Vec<&str> = expected.split('|').filter(|one| !one.is_empty()).collect();
            assert_eq!(found, expected, "{replies:?}");
        }
    }

    #[test]
    fn each_fault_of_options_is_found_and_alone() {
        let names = ["Redis", "PostgreSQL"].map(str::to_owned).to_vec();
        let typed = Alternatives { names, are_typed: true, ..Alternatives::default() };
        let lines = LINES.replace("motion: move\n", "").replace("verdict: do", "verdict: Redis")
            + "1. Redis\n2. PostgreSQL\noption 1: x\noption 2: y\n";
        for (from, to, expected) in [
            ("", "", ""),
            ("1. Redis\n2. PostgreSQL", "1. PostgreSQL\n2. Redis", "other_first PostgreSQL"),
            ("verdict: Redis", "verdict: depends\ndepends on: x", ""),
            (
                "verdict: Redis",
                "verdict: do",
                "no_verdict the line \\\"verdict\\\" has other words: \\\"do\\",
            ),
            ("2. PostgreSQL\n", "1. PostgreSQL\n", "wrong_ranking|option_left_out PostgreSQL"),
            (
                "2. PostgreSQL\n",
                "2) PostgreSQL\n",
                "stray_line 2) PostgreSQL|option_left_out PostgreSQL",
            ),
            (
                "1. Redis\n",
                "1. MySQL\n",
                "unknown_option MySQL|option_left_out Redis|other_first MySQL",
            ),
            ("2. PostgreSQL\n", "", "option_left_out PostgreSQL"),
            ("option 1: x\n", "", "option_left_out Redis"),
            ("option 1: x\n", "option 1:\n", "option_left_out Redis"),
            ("2. PostgreSQL", "2. PostgreSQL\n3. MySQL", "unknown_option MySQL"),
            ("option 2: y", "option 2: y\noption 3: z", "stray_line option 3: z"),
        ] {
            let found =
                short(&ledger([ADVOCATE, CRITIC, AGAIN], &lines.replacen(from, to, 1), &typed));
            let mut expected: Vec<&str> =
                expected.split('|').filter(|one| !one.is_empty()).collect();
            let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{to}");
        }
    }

    #[test]
    fn a_composed_synthesis_owes_no_line_and_may_count_judges() {
        let lines = "A1 survived: a\nA2 survived: b\nA3 survived: c\nC1 fell: d\nverdict: none\n";
        let synthesis = format!("```anvil\n{lines}judges: 2 of 3\n```");
        let texts = [
            (Seat::Advocate, 1, ADVOCATE),
            (Seat::Critic, 1, CRITIC),
            (Seat::Advocate, 2, AGAIN),
            (Seat::Synthesizer, 2, &synthesis),
        ];
        let spoken = texts.map(|(seat, round, text)| LedgerReply {
            is_of_judges: true,
            ..LedgerReply::new(Place { seat, round }, 1, text)
        });
        let ledger = Ledger::from_replies(spoken, &Alternatives::default());
        assert_eq!(short(&ledger), ["no_majority", "judges_differ 2"]);
        let reason = "no verdict has more than half of the judges";
        assert_eq!(ledger.standing().void_reason(), Some(reason));
    }

    #[test]
    fn a_contradicted_claim_may_fall_and_does_not_survive_unrepaired() {
        let found = |a3: &str, after: &str| {
            let mut body = transcript::open("Why?");
            let at = jiff::Timestamp::UNIX_EPOCH;
            let mut add = |seat, round, text: &str| {
                transcript::append(&mut body, Place { seat, round }, None, at, text);
            };
            add(Seat::Advocate, 1, ADVOCATE);
            add(Seat::Critic, 1, CRITIC);
            add(Seat::Advocate, 2, AGAIN);
            let check = "**A3:** contradicted, `a.rs:1` \"x\" (the words are there)";
            transcript::append_note(&mut body, NoteKind::FactCheck, at, check);
            if !after.is_empty() {
                let place = Place { seat: Seat::Advocate, round: 3 };
                transcript::append(&mut body, place, None, at, after);
            }
            let lines = LINES.replace("A3 survived", &format!("A3 {a3}"));
            let place = Place { seat: Seat::Synthesizer, round: 3 };
            transcript::append(&mut body, place, None, at, &format!("```anvil\n{lines}```"));
            short(&Ledger::of_entries(&transcript::parse(&body), &moving()))
        };
        assert_eq!(found("survived", ""), ["survived_though_contradicted A3"]);
        assert_eq!(found("survived", "**Repairs A3:** x"), [""; 0]);
        assert_eq!(found("fell", ""), [""; 0]);
        assert_eq!(found("weakened", ""), [""; 0]);
    }

    #[test]
    fn only_what_is_wrong_with_the_block_is_asked_for_again() {
        let silent = "**A3. More.** x";
        let lines = LINES.replace("confidence: 80", "confidence: 90").replace("unknown: h\n", "");
        let ledger = ledger([ADVOCATE, CRITIC, silent], &lines, &moving());
        assert_eq!(
            short(&ledger),
            [
                "passed_over C1",
                "line_missing unknown",
                "label_differs A1",
                "fell_unattacked C1",
                "overconfident A1",
                "no_moves advocate"
            ]
        );
        let asked = ledger.faults_of_block();
        assert_eq!(asked, [&Fault::LineMissing { key: "unknown".to_owned() }]);
    }

    /// A reply: who speaks, and what it does: the kind of a move or a claim, its side and number.
    #[derive(Clone, Debug)]
    struct Said {
        is_critic: bool,
        items: Vec<Item>,
    }

    #[derive(Clone, Copy, Debug)]
    struct Item {
        /// `None`: a claim.
        kind: Option<MoveKind>,
        is_of_critic: bool,
        number: u16,
        /// It stands below the claim above it, gives no reason, or quotes words.
        form: u8,
    }

    #[derive(Clone, Debug)]
    struct Made {
        replies: Vec<Said>,
        results: Vec<(bool, u16, usize)>,
        verdict: usize,
        percent: u8,
        carriers: Vec<(bool, u16)>,
    }

    impl Made {
        /// The name of a claim. Mirrored, the sides change places.
        fn name(is_of_critic: bool, number: u16, is_mirrored: bool) -> String {
            format!("{}{number}", if is_of_critic == is_mirrored { 'A' } else { 'C' })
        }

        fn ledger(&self, is_mirrored: bool) -> Ledger {
            let name = |is_of_critic, number| Self::name(is_of_critic, number, is_mirrored);
            let text = |item: &Item| {
                let id = name(item.is_of_critic, item.number);
                let gap = if item.form.is_multiple_of(2) { "\n" } else { "\n\n" };
                let reason =
                    ["so", "", "\"stands\" so", "\"absent\" so"][usize::from(item.form / 2)];
                match item.kind {
                    None => format!("\n\n**{id}. It stands {}.** x", item.number),
                    Some(kind) => format!("{gap}**{} {id}:** {reason}", kind.word()),
                }
            };
            let mut texts: Vec<(Place, String)> = Vec::new();
            for (at, said) in (0_u8..).zip(&self.replies) {
                let seat =
                    if said.is_critic == is_mirrored { Seat::Advocate } else { Seat::Critic };
                let place = Place { seat, round: at / 2 + 1 };
                texts.push((place, said.items.iter().map(text).collect::<String>()));
            }
            let line = |&(is_of_critic, number, result): &(bool, u16, usize)| {
                let result = ClaimResult::WRITTEN[result].word();
                format!("{} {result}: x\n", name(is_of_critic, number))
            };
            let verdict = match self.verdict {
                2 => "depends\ndepends on: x",
                word if (word == 1) == is_mirrored => "do",
                _ => "do not",
            };
            let carriers: Vec<String> = self
                .carriers
                .iter()
                .map(|&(is_of_critic, number)| name(is_of_critic, number))
                .collect();
            let carriers =
                if carriers.is_empty() { "nothing".to_owned() } else { carriers.join(", ") };
            let results: String = self.results.iter().map(line).collect();
            let block = format!(
                "```anvil\n{results}against: x\nrecommendation: x\nverdict: {verdict}\nconfidence: {}\n\
                 rests on: {carriers}\nflips if: x\nunknown: x\n```",
                self.percent
            );
            texts.push((Place { seat: Seat::Synthesizer, round: 5 }, block));
            let spoken = texts.iter().map(|(place, text)| LedgerReply::new(*place, 1, text));
            Ledger::from_replies(spoken, &Alternatives::default())
        }

        /// The same debate without the attacks after which the attacked side had no reply.
        fn without_late_attacks(&self) -> Self {
            let mut made = self.clone();
            let last =
                |is_critic| self.replies.iter().rposition(|said| said.is_critic == is_critic);
            for (at, said) in made.replies.iter_mut().enumerate() {
                said.items.retain(|item| {
                    !item.kind.is_some_and(MoveKind::is_attack)
                        || last(item.is_of_critic).is_some_and(|last| last > at)
                });
            }
            made
        }
    }

    fn debate() -> impl Strategy<Value = Made> {
        let kind = prop_oneof![2 => Just(None), 5 => select(MoveKind::ALL.to_vec()).prop_map(Some)];
        let item = (kind, any::<bool>(), 1_u16..4, 0_u8..8).prop_map(
            |(kind, is_of_critic, number, form)| Item { kind, is_of_critic, number, form },
        );
        let said =
            (any::<bool>(), prop::collection::vec(item, 1..5)).prop_map(|(is_critic, items)| {
                let own = |item: Item| match item.kind {
                    None => Item { is_of_critic: is_critic, ..item },
                    Some(_) => item,
                };
                Said { is_critic, items: items.into_iter().map(own).collect() }
            });
        (
            prop::collection::vec(said, 1..7),
            prop::collection::vec((any::<bool>(), 1_u16..4, 0..3_usize), 0..7),
            0..3_usize,
            select(vec![0, 50, 80, 81, 100]),
            prop::collection::vec((any::<bool>(), 1_u16..5), 0..4),
        )
            .prop_map(|(replies, results, verdict, percent, carriers)| Made {
                replies,
                results,
                verdict,
                percent,
                carriers,
            })
    }

    /// A text with the names of the sides changed.
    fn mirrored(text: &str) -> String {
        let swap = |char| match char {
            'A' => 'C',
            'C' => 'A',
            other => other,
        };
        let ids = text.split_inclusive(|char: char| !char.is_ascii_alphanumeric());
        let swapped = ids.map(|word| {
            let is_id = word
                .trim_end_matches(|char: char| !char.is_ascii_alphanumeric())
                .parse::<Id>()
                .is_ok();
            if is_id { word.chars().map(swap).collect() } else { word.to_owned() }
        });
        swapped.collect()
    }

    /// What the ledger says of each claim, and its findings.
    fn told(ledger: &Ledger) -> Vec<String> {
        let claim = |claim: &Claim| {
            let Claim { id, status, label, result, answered, .. } = claim;
            format!("{id} {status:?} {label:?} {result:?} {answered}")
        };
        let finding = |finding: &Finding| {
            format!("{} {}", finding.section, serde_json::to_string(&finding.fault).unwrap())
        };
        let claims = ledger.claims.iter().map(claim);
        claims.chain(ledger.findings.iter().map(finding)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Advocate and critic, do and do not have the same rights, whoever speaks last.
        #[test]
        fn a_mirrored_debate_has_mirrored_findings(made in debate()) {
            let plain = made.ledger(false);
            let other = made.ledger(true);
            let mirror = |line: &String| {
                let line = mirrored(line).replace("\"critic\"", "\"CRITIC\"");
                line.replace("\"advocate\"", "\"critic\"").replace("\"CRITIC\"", "\"advocate\"")
            };
            let expected: Vec<String> = told(&plain).iter().map(mirror).collect();
            prop_assert_eq!(told(&other), expected);
            prop_assert_eq!(plain.counts(), other.counts());
            let mirror = |word: VerdictWord| match word {
                VerdictWord::Do => VerdictWord::DoNot,
                VerdictWord::DoNot => VerdictWord::Do,
                same => same,
            };
            let word = |ledger: &Ledger| ledger.standing().verdict().map(|known| known.word.clone());
            prop_assert_eq!(word(&plain).map(mirror), word(&other));
        }

        /// An attack of the last reply had no chance of an answer: it makes nobody overconfident,
        /// and no result differ.
        #[test]
        fn attacks_of_last_replies_add_no_finding(made in debate()) {
            let looked = |ledger: &Ledger| -> Vec<Fault> {
                let faults = ledger.findings.iter().map(|finding| finding.fault.clone());
                faults
                    .filter(|fault| {
                        matches!(fault, Fault::Overconfident { .. } | Fault::LabelDiffers { .. })
                    })
                    .collect()
            };
            let with = looked(&made.ledger(false));
            let without = looked(&made.without_late_attacks().ledger(false));
            let added: Vec<&Fault> = with.iter().filter(|fault| !without.contains(fault)).collect();
            prop_assert!(added.is_empty(), "{:?}", added);
        }

        /// Unanswered are claims that survive although the other side had no reply after them.
        #[test]
        fn a_claim_is_unanswered_if_it_survives_and_nobody_could_answer(made in debate()) {
            let ledger = made.ledger(false);
            let last = |seat| ledger.sections.iter().rposition(|one| one.place.seat == seat);
            let mut unanswered = 0;
            for claim in &ledger.claims {
                let other = claim.id.seat().opponent().and_then(last);
                let could = other.is_some_and(|last| last > claim.section);
                let survived = claim.result == Some(ClaimResult::Survived);
                prop_assert_eq!(claim.answered, could || !survived, "{}", claim.id);
                unanswered += usize::from(!claim.answered);
            }
            let counts = ledger.counts();
            let Counts::Judged { claims, survived, weakened, fell, unanswered: found, left_out } =
                counts else { panic!("{counts:?}") };
            prop_assert_eq!(found, unanswered);
            prop_assert_eq!(survived + weakened + fell + found + left_out, claims);
        }
    }
}
