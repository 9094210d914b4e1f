//! The figures: counted by program, never by a model. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::report::GENERATOR;

use super::log::{CaseResult, Plan, Results, Spent};
use super::planted::numbers_in;
use super::prompts::{self, ReadVerdict, decided};
use super::stats::{self, Bin, Race, Share};
use super::tasks::{Arm, Case, Unit, Wording};

/// The texts of an answer, and what they took.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// The text whose block counts, if the block was asked for again.
    pub(super) repeat: Option<String>,
    pub(super) failed: Option<String>,
    pub(super) false_quotes: Option<u32>,
    pub(super) spent: Spent,
    pub(super) models: BTreeSet<String>,
    pub(super) prompts: String,
}

impl Written {
    /// The verdict of its block.
    pub(super) fn verdict(&self) -> ReadVerdict {
        prompts::read(self.repeat.as_ref().unwrap_or(&self.text))
    }
}

/// The result of an answer. A failed one has no verdict. Its numbers are looked up by program.
pub(super) fn outcome(case: &Case, read: ReadVerdict, written: Written) -> CaseResult {
    let planted = case.planted.as_ref();
    let repeat = written.repeat.as_deref().unwrap_or_default();
    let found = &numbers_in(&written.text) | &numbers_in(repeat);
    let count =
        |is: &dyn Fn(&String) -> bool| found.iter().filter(|number| is(number)).count() as u32;
    let kept = planted.map(|planted| count(&|number| planted.numbers.contains(number)));
    // Small numbers count paragraphs, shares and steps.
    let strange = planted.map(|planted| {
        let known = numbers_in(&planted.material);
        let is_large = |number: &str| number.parse::<f64>().is_ok_and(|number| number > 100.0);
        count(&|number| is_large(number) && !known.contains(number))
    });
    let read = if written.failed.is_none() { read } else { ReadVerdict::default() };
    CaseResult {
        verdict: read.word,
        confidence: read.confidence,
        votes: None,
        short: false,
        kept,
        strange,
        false_quotes: written.false_quotes,
        spent: written.spent,
        degraded: written.failed,
        models: written.models,
        prompts: written.prompts,
    }
}

/// All that the page shows.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Measured {
    pub(super) generator: &'static str,
    pub(super) plan: Plan,
    pub(super) primary: Primary,
    pub(super) arms: Vec<Figures>,
    pub(super) cases: Vec<Row>,
    /// Cases with all their answers, and all cases.
    pub(super) whole: usize,
    pub(super) planned: usize,
}

/// The primary result. `only_first`: only the debate flipped.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Primary {
    pub(super) race: Race,
    pub(super) e_value: f64,
    pub(super) verdict: &'static str,
    /// The exact p-value of `McNemar`'s test. It describes.
    pub(super) mcnemar: Option<f64>,
}

/// The figures of an arm.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Figures {
    pub(super) arm: Arm,
    /// Questions that flip between the convinced wordings, by the half of the openers.
    pub(super) flips: Share,
    pub(super) flips_known: Share,
    pub(super) flips_unknown: Share,
    /// Difference in flips to self-consistency: interval of the bootstrap.
    pub(super) more_flips: Option<(f64, f64)>,
    /// Wordings with disagreeing samples. Empty with one sample.
    pub(super) within: Share,
    pub(super) right: Share,
    /// Wrong with the single answer and right here, and the other way.
    pub(super) repairs: u32,
    pub(super) damage: u32,
    pub(super) mcnemar: Option<f64>,
    /// Difference in accuracy to the single answer: interval of the bootstrap.
    pub(super) gain: Option<(f64, f64)>,
    pub(super) kept: Share,
    pub(super) strange: u32,
    pub(super) false_quotes: Option<u32>,
    /// Over the planted cases with a stated confidence.
    pub(super) brier: Option<f64>,
    /// Over those for which every arm states one, and their number.
    pub(super) brier_shared: Option<(f64, usize)>,
    pub(super) bins: Vec<Bin>,
    /// By steps: right ones, and the mean of the confidence.
    pub(super) steps: BTreeMap<u8, (Share, Option<f64>)>,
    pub(super) answers: u32,
    pub(super) degraded: u32,
    /// Answers with fewer tokens than the debate on the same text, although they need as many.
    pub(super) short: u32,
    pub(super) spent: Spent,
}

/// A case in the list of all cases.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) case: String,
    pub(super) decision: String,
    /// The right answer, if the program knows it.
    pub(super) truth: Option<bool>,
    pub(super) answers: Vec<Answer>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    pub(super) unit: Unit,
    pub(super) question: String,
    /// Below the folder of the results.
    pub(super) record: String,
    /// `None`: it was begun, and is not over.
    pub(super) outcome: Option<CaseResult>,
}

/// The result of a case in this wording, by this arm. `None`: it is missing.
fn ended<'r>(
    case: &Case,
    results: &'r Results,
    (wording, arm, sample): (Wording, Arm, u8),
) -> Option<&'r CaseResult> {
    let seed = results.plan.size.seed;
    results.ended.get(&Unit { seed, case: case.id.clone(), wording, arm, sample })
}

/// True if a question flips between the convinced wordings. `None`: an answer is missing.
fn flips(case: &Case, results: &Results, arm: Arm) -> Option<bool> {
    let word = |wording| Some(decided(&ended(case, results, (wording, arm, 1))?.verdict));
    let (one, other) = (word(Wording::For)?, word(Wording::Against)?);
    // Anything else than do and do not is a flip, even twice.
    Some(one.is_none() || one != other)
}

/// The race between the debate and self-consistency, in the plan's order. It ends before the first
/// case that lacks one of them: a slow pair must not change the order.
pub(super) fn race(cases: &[Case], results: &Results) -> Race {
    let framing = cases.iter().filter(|case| case.planted.is_none());
    let pair =
        |case| Some((flips(case, results, Arm::Isolated)?, flips(case, results, Arm::Votes)?));
    Race::run(framing.map_while(pair))
}

pub(super) fn measure(cases: &[Case], results: &Results) -> Measured {
    let plan = &results.plan;
    let race = race(cases, results);
    let arms = plan.arms.iter().map(|arm| figures(cases, results, *arm)).collect();
    let rows: Vec<Row> = cases.iter().filter_map(|case| row(case, results)).collect();
    let is_over = |answer: &Answer| answer.outcome.is_some();
    let is_whole = |row: &&Row| row.answers.iter().all(is_over);
    Measured {
        generator: GENERATOR,
        plan: plan.reported(),
        primary: primary(race),
        arms,
        whole: rows.iter().filter(is_whole).count(),
        cases: rows,
        planned: cases.len(),
    }
}

fn primary(race: Race) -> Primary {
    let verdict = match (race.is_decided(), race.only_first < race.only_second) {
        _ if race.pairs == 0 => "No pair has been measured.",
        (true, true) => "The debate flips less often than self-consistency.",
        (true, false) => "A loss: the debate flips more often than self-consistency.",
        (false, _) => "The two cannot be told apart.",
    };
    Primary {
        e_value: race.e_value(),
        verdict,
        mcnemar: stats::mcnemar(race.only_first, race.only_second),
        race,
    }
}

fn row(case: &Case, results: &Results) -> Option<Row> {
    let seed = results.plan.size.seed;
    let units = case.units(seed, &results.plan.arms);
    units.iter().any(|unit| results.begun.contains(unit)).then(|| Row {
        case: case.id.clone(),
        decision: case.decision.clone(),
        truth: case.planted.as_ref().map(|planted| planted.truth),
        answers: units
            .into_iter()
            .map(|unit| Answer {
                question: case.question(unit.wording),
                record: unit.folder(),
                outcome: results.ended.get(&unit).cloned(),
                unit,
            })
            .collect(),
    })
}

/// True if an answer to a planted case is right. `None`: it is missing.
fn is_right(case: &Case, results: &Results, arm: Arm) -> Option<bool> {
    let outcome = ended(case, results, (*case.wordings.first()?, arm, 1))?;
    Some(decided(&outcome.verdict) == Some(case.planted.as_ref()?.truth))
}

fn figures(cases: &[Case], results: &Results, arm: Arm) -> Figures {
    let framing = || cases.iter().filter(|case| case.planted.is_none());
    let flips_of = |known: bool| {
        let half = framing().filter(move |case| case.is_known_opener == known);
        Share::counted(half.filter_map(|case| flips(case, results, arm)))
    };
    let mine: Vec<(&Unit, &CaseResult)> =
        results.ended.iter().filter(|(unit, _)| unit.arm == arm).collect();
    let outcomes = || mine.iter().map(|(_, outcome)| *outcome);
    let pairs: Vec<(bool, bool)> = cases
        .iter()
        .filter_map(|case| {
            Some((is_right(case, results, arm)?, is_right(case, results, Arm::Single)?))
        })
        .collect();
    let repairs = pairs.iter().filter(|(here, single)| *here && !single).count() as u32;
    let damage = pairs.iter().filter(|(here, single)| !here && *single).count() as u32;
    let seed = results.plan.size.seed;
    let flipped = framing()
        .filter_map(|case| Some((flips(case, results, arm)?, flips(case, results, Arm::Votes)?)));
    let flipped: Vec<(bool, bool)> = flipped.collect();
    let stated: Vec<Stated> = cases.iter().filter_map(|case| stated(case, results, arm)).collect();
    let scored = |is_shared: bool| -> Vec<(u8, bool)> {
        let these = stated.iter().filter(|one| one.is_shared || !is_shared);
        these.filter_map(|one| Some((one.percent?, one.is_right))).collect()
    };
    let (brier, bins) = stats::calibration(&scored(false)).unzip();
    let shared = scored(true);
    Figures {
        arm,
        flips: Share::counted(framing().filter_map(|case| flips(case, results, arm))),
        flips_known: flips_of(true),
        flips_unknown: flips_of(false),
        more_flips: stats::bootstrap(&differences(&flipped), seed),
        within: within(cases, results, arm),
        right: Share::counted(stated.iter().map(|one| one.is_right)),
        repairs,
        damage,
        mcnemar: stats::mcnemar(repairs, damage),
        gain: stats::bootstrap(&differences(&pairs), seed),
        kept: kept(cases, results, arm),
        strange: outcomes().filter_map(|outcome| outcome.strange).sum(),
        false_quotes: arm.is_debate().then(|| outcomes().filter_map(|one| one.false_quotes).sum()),
        brier,
        brier_shared: stats::calibration(&shared).map(|(brier, _)| (brier, shared.len())),
        bins: bins.unwrap_or_default(),
        steps: steps(&stated),
        answers: mine.len() as u32,
        degraded: outcomes().filter(|outcome| outcome.degraded.is_some()).count() as u32,
        short: outcomes().filter(|outcome| outcome.short).count() as u32,
        spent: outcomes().fold(Spent::default(), |sum, outcome| sum.plus(outcome.spent)),
    }
}

/// For each case 1, 0 or -1: only the first, both or none, only the second.
fn differences(pairs: &[(bool, bool)]) -> Vec<f64> {
    let one = |is: bool| f64::from(u8::from(is));
    pairs.iter().map(|(first, second)| one(*first) - one(*second)).collect()
}

/// The answer to a planted case.
struct Stated {
    steps: u8,
    percent: Option<u8>,
    /// Every arm states a confidence for this case.
    is_shared: bool,
    is_right: bool,
}

fn stated(case: &Case, results: &Results, arm: Arm) -> Option<Stated> {
    let wording = *case.wordings.first()?;
    let percent = |arm| ended(case, results, (wording, arm, 1))?.confidence;
    Some(Stated {
        steps: case.planted.as_ref()?.steps,
        percent: percent(arm),
        is_shared: results.plan.arms.iter().all(|arm| percent(*arm).is_some()),
        is_right: is_right(case, results, arm)?,
    })
}

fn steps(stated: &[Stated]) -> BTreeMap<u8, (Share, Option<f64>)> {
    let of = |steps: u8| {
        let these = || stated.iter().filter(move |one| one.steps == steps);
        let percents: Vec<f64> = these().filter_map(|one| one.percent.map(f64::from)).collect();
        let mean = percents.iter().sum::<f64>() / percents.len() as f64;
        let right = Share::counted(these().map(|one| one.is_right));
        (right, (!percents.is_empty()).then_some(mean))
    };
    (1..=3).map(|steps| (steps, of(steps))).filter(|(_, (share, _))| share.of > 0).collect()
}

/// Wordings with two verdicts among their first two samples.
fn within(cases: &[Case], results: &Results, arm: Arm) -> Share {
    let framing = cases.iter().filter(|case| case.planted.is_none());
    let pairs = framing.flat_map(|case| case.wordings.iter().map(move |wording| (case, *wording)));
    Share::counted(pairs.filter_map(|(case, wording)| {
        let word = |sample| ended(case, results, (wording, arm, sample));
        Some(word(1)?.verdict != word(2)?.verdict)
    }))
}

/// Planted numbers that reach the last text, of all that decide.
fn kept(cases: &[Case], results: &Results, arm: Arm) -> Share {
    let (mut count, mut of) = (0, 0);
    for case in cases {
        let Some((planted, wording)) = case.planted.as_ref().zip(case.wordings.first()) else {
            continue;
        };
        if let Some(kept) = ended(case, results, (*wording, arm, 1)).and_then(|one| one.kept) {
            count += kept;
            of += planted.numbers.len() as u32;
        }
    }
    Share::new(count, of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::schedule::tests::results;

    fn framing(results: &Results) -> Vec<Case> {
        results.plan.size.cases().into_iter().filter(|case| case.planted.is_none()).collect()
    }

    fn answered(verdict: &str, confidence: Option<u8>) -> CaseResult {
        CaseResult { verdict: verdict.into(), confidence, ..CaseResult::default() }
    }

    #[test]
    fn a_pair_counts_after_all_pairs_before_it() {
        let mut results = results(3, 0);
        let cases = framing(&results);
        for (at, pairs) in [(2, 0), (0, 1), (1, 3)] {
            for unit in cases[at].units(1, &results.plan.arms) {
                results.ended.insert(unit, answered("do", None));
            }
            assert_eq!(race(&cases, &results).pairs, pairs, "after case {at}");
        }
    }

    #[test]
    fn a_failed_answer_has_no_verdict() {
        let case = &results(1, 0).plan.size.cases()[0];
        let read = prompts::read("```anvil\nverdict: do\nconfidence: 72\n```");
        let written = || Written { failed: Some("cut short".into()), ..Written::default() };
        let found = outcome(case, read.clone(), written());
        assert_eq!((found.verdict.as_str(), found.confidence), ("", None));
        let found = outcome(case, read, Written { failed: None, ..written() });
        assert_eq!((found.verdict.as_str(), found.confidence), ("do", Some(72)));
    }

    #[test]
    fn a_repeated_block_decides_and_the_first_reply_keeps_its_numbers() {
        let case = &results(0, 1).plan.size.cases()[0];
        let number = &case.planted.as_ref().unwrap().numbers[0];
        let written = Written {
            text: format!("It follows from {number}.\n\n```anvil\nverdict: do\n```"),
            repeat: Some("```anvil\nverdict: do not\nconfidence: 72\n```".to_owned()),
            ..Written::default()
        };
        let found = outcome(case, written.verdict(), written);
        assert_eq!((found.verdict.as_str(), found.confidence), ("do not", Some(72)));
        assert_eq!(found.kept, Some(1));
    }

    #[test]
    fn confidences_are_compared_on_the_cases_that_every_arm_has() {
        let mut results = results(0, 4);
        let cases = results.plan.size.cases();
        for (at, case) in cases.iter().enumerate() {
            let truth = case.planted.as_ref().unwrap().truth;
            for unit in case.units(1, &results.plan.arms) {
                // The debate says nothing in the first case, and is wrong in the second.
                let is_silent = unit.arm == Arm::Isolated && at == 0;
                let is_wrong = unit.arm == Arm::Isolated && at == 1;
                let word = if truth == is_wrong { "do not" } else { "do" };
                results.ended.insert(unit, answered(word, (!is_silent).then_some(100)));
            }
        }
        let of = |arm| figures(&cases, &results, arm);
        assert_eq!((of(Arm::Isolated).brier, of(Arm::Single).brier), (Some(1.0 / 3.0), Some(0.0)));
        assert_eq!(of(Arm::Isolated).brier_shared, Some((1.0 / 3.0, 3)));
        assert_eq!(of(Arm::Single).brier_shared, Some((0.0, 3)));
        assert_eq!(of(Arm::Single).bins[0].count, 4);
        assert_eq!(of(Arm::Votes).mcnemar, None, "nothing differs");
    }
}
