//! The figures: counted by program, never by a model. Pure.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::log::{CaseResult, Plan, Results, Spent};
use super::planted::numbers_in;
use super::prompts::{ReadVerdict, decided};
use super::stats::{self, Bin, Race, Share};
use super::tasks::{Arm, Case, Unit, Wording};

/// The texts of an answer, and what they took.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) failed: Option<String>,
    pub(super) false_quotes: Option<u32>,
    pub(super) spent: Spent,
    pub(super) models: BTreeSet<String>,
    pub(super) prompts: String,
}

/// The result of an answer. A failed one has no verdict. Its numbers are looked up by program.
pub(super) fn outcome(case: &Case, read: ReadVerdict, written: Written) -> CaseResult {
    let planted = case.planted.as_ref();
    let found = numbers_in(&written.text);
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
    pub(super) brier: Option<f64>,
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

fn unit(case: &Case, wording: Wording, arm: Arm, sample: u8, seed: u64) -> Unit {
    Unit { seed, case: case.id.clone(), wording, arm, sample }
}

/// True if a question flips between the convinced wordings. `None`: an answer is missing.
fn flips(case: &Case, results: &Results, arm: Arm) -> Option<bool> {
    let seed = results.plan.size.seed;
    let word = |wording| {
        let outcome = results.ended.get(&unit(case, wording, arm, 1, seed))?;
        Some(decided(&outcome.verdict))
    };
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
        plan: plan.clone(),
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
    let planted = case.planted.as_ref()?;
    let wording = *case.wordings.first()?;
    let outcome = results.ended.get(&unit(case, wording, arm, 1, results.plan.size.seed))?;
    Some(decided(&outcome.verdict) == Some(planted.truth))
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
    let stated = stated(cases, results, arm);
    let scored: Vec<(u8, bool)> =
        stated.iter().filter_map(|(_, percent, right)| Some(((*percent)?, *right))).collect();
    let (brier, bins) = stats::calibration(&scored).unzip();
    Figures {
        arm,
        flips: Share::counted(framing().filter_map(|case| flips(case, results, arm))),
        flips_known: flips_of(true),
        flips_unknown: flips_of(false),
        more_flips: stats::bootstrap(&differences(&flipped), seed),
        within: within(cases, results, arm),
        right: Share::counted(stated.iter().map(|(_, _, right)| *right)),
        repairs,
        damage,
        mcnemar: stats::mcnemar(repairs, damage),
        gain: stats::bootstrap(&differences(&pairs), seed),
        kept: kept(cases, results, arm),
        strange: outcomes().filter_map(|outcome| outcome.strange).sum(),
        false_quotes: arm.is_debate().then(|| outcomes().filter_map(|one| one.false_quotes).sum()),
        brier,
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

/// Steps, confidence, and whether it is right, of each planted case.
type Stated = (u8, Option<u8>, bool);

fn stated(cases: &[Case], results: &Results, arm: Arm) -> Vec<Stated> {
    let one = |case: &Case| {
        let right = is_right(case, results, arm)?;
        let wording = *case.wordings.first()?;
        let outcome = results.ended.get(&unit(case, wording, arm, 1, results.plan.size.seed))?;
        Some((case.planted.as_ref()?.steps, outcome.confidence, right))
    };
    cases.iter().filter_map(one).collect()
}

fn steps(stated: &[Stated]) -> BTreeMap<u8, (Share, Option<f64>)> {
    let of = |steps: u8| {
        let these = || stated.iter().filter(move |(own, _, _)| *own == steps);
        let percents: Vec<f64> =
            these().filter_map(|(_, percent, _)| (*percent).map(f64::from)).collect();
        let mean = percents.iter().sum::<f64>() / percents.len() as f64;
        let right = Share::counted(these().map(|(_, _, right)| *right));
        (right, (!percents.is_empty()).then_some(mean))
    };
    (1..=3).map(|steps| (steps, of(steps))).filter(|(_, (share, _))| share.of > 0).collect()
}

/// Wordings with two verdicts among their first two samples.
fn within(cases: &[Case], results: &Results, arm: Arm) -> Share {
    let seed = results.plan.size.seed;
    let framing = cases.iter().filter(|case| case.planted.is_none());
    let pairs = framing.flat_map(|case| case.wordings.iter().map(move |wording| (case, *wording)));
    Share::counted(pairs.filter_map(|(case, wording)| {
        let word = |sample| results.ended.get(&unit(case, wording, arm, sample, seed));
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
        let outcome = results.ended.get(&unit(case, *wording, arm, 1, results.plan.size.seed));
        if let Some(kept) = outcome.and_then(|outcome| outcome.kept) {
            count += kept;
            of += planted.numbers.len() as u32;
        }
    }
    Share::new(count, of)
}
