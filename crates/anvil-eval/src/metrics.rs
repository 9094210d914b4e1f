//! The figures: counted by program, never by a model. Pure.

use serde::Serialize;

use anvil_report::GENERATOR;

use super::log::{CaseResult, EvalPlan, Expense, Results};
use super::planted::{Planted, numbers_in, strangers};
use super::primary::{Answers, Pair, Primary, Sway, Votes};
use super::prompts::{self, ReadVerdict, decided};
use super::stats::{self, Mean, Share};
use super::tasks::{Arm, Case, Unit, Wording};

/// The texts of an answer, and its result as far as it does not follow from them.
#[derive(Debug, Default)]
pub(crate) struct AnswerTexts {
    pub text: String,
    /// The text with the block that counts, if the block was requested again.
    pub repeat: Option<String>,
    /// The claims of a debate that its verdict rests on.
    pub claims: String,
    pub result: CaseResult,
}

impl AnswerTexts {
    /// The verdict of its block. A failed answer has none.
    pub(crate) fn verdict(&self) -> ReadVerdict {
        match self.result.degraded {
            None => prompts::read(self.repeat.as_ref().unwrap_or(&self.text)),
            Some(_) => ReadVerdict::default(),
        }
    }

    /// The whole result. Its numbers are looked up by program.
    pub(crate) fn result(self, case: &Case) -> CaseResult {
        let ReadVerdict { word, confidence, .. } = self.verdict();
        let text = [&self.text, self.repeat.as_deref().unwrap_or_default(), &self.claims];
        let text = text.join("\n\n");
        let mut kept = None;
        let mut strange = None;
        if let Some(planted) = &case.planted {
            let found = numbers_in(&text);
            let numbers = planted.numbers.iter();
            kept = Some(numbers.filter(|number| found.contains(*number)).count() as u32);
            strange = Some(strangers(&text, &planted.material).len() as u32);
        }
        let mut votes = Votes::default();
        votes.add(&word);
        CaseResult { verdict: word, confidence, votes, kept, strange, ..self.result }
    }
}

/// A measurement: its cases, in the order of its plan, and their results.
pub(crate) struct Measurement<'r> {
    pub cases: Vec<Case>,
    pub results: &'r Results,
}

impl<'r> Measurement<'r> {
    pub(crate) fn new(results: &'r Results) -> Self {
        Self { cases: results.plan.size.cases(), results }
    }
}

/// All that the page shows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Measured {
    pub generator: &'static str,
    pub primary: Primary,
    pub arms: Vec<ArmFigures>,
    /// Cases with all their answers, and all cases.
    pub whole: usize,
    pub planned: usize,
    pub runs: Vec<MeasurementRecord>,
}

/// The figures of an arm.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ArmFigures {
    pub arm: Arm,
    /// The framing questions that it has answered to both askers.
    pub sway: Sway,
    /// Its mean for the openers that the program takes away, and for the others.
    pub sway_known: Option<f64>,
    pub sway_unknown: Option<f64>,
    /// The share of do in the neutral wording.
    pub neutral: Share,
    /// Right planted decisions: where each seat of a debate is shown all facts, and where they are
    /// split.
    pub right: Share,
    pub right_split: Share,
    /// Of the first kind: wrong with the single answer and right here, and the other way.
    pub repairs: u32,
    pub damage: u32,
    pub mcnemar: Option<f64>,
    /// Difference in accuracy to the single answer.
    pub gain: Option<Mean>,
    /// Numbers that decide and that reach the last text.
    pub kept: Share,
    pub strange: u32,
    pub false_quotes: Option<u32>,
    /// Over the planted cases with a stated confidence.
    pub brier: Option<f64>,
    /// The mean of the stated confidences, in percent.
    pub confidence: Option<f64>,
    pub answers: u32,
    /// The fewest and the most answers to one text.
    pub answers_each: Option<(u32, u32)>,
    pub degraded: u32,
    /// Answers with fewer tokens than the debate on the same text, although they need as many.
    pub short: u32,
    pub spent: Expense,
}

/// A measurement in the JSON: all that its figures follow from.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MeasurementRecord {
    pub plan: EvalPlan,
    pub cases: Vec<Case>,
    pub answers: Vec<(Unit, CaseResult)>,
}

/// A case with the results of its run.
#[derive(Clone, Copy)]
struct MeasuredCase<'a> {
    case: &'a Case,
    results: &'a Results,
}

impl<'a> MeasuredCase<'a> {
    fn all(runs: &'a [Measurement<'a>]) -> Vec<Self> {
        runs.iter()
            .flat_map(|run| {
                run.cases.iter().map(|case| MeasuredCase { case, results: run.results })
            })
            .collect()
    }

    /// `None`: the answer is missing.
    fn ended(self, wording: Wording, arm: Arm) -> Option<&'a CaseResult> {
        let seed = self.results.plan.size.seed;
        self.results.ended.get(&Unit { seed, case: self.case.id.clone(), wording, arm })
    }

    /// The answers to a framing question, for both askers.
    fn answers(self, arm: Arm) -> Option<Answers<'a>> {
        if self.case.planted.is_some() {
            return None;
        }
        let for_it = self.ended(Wording::For, arm)?;
        let against = self.ended(Wording::Against, arm)?;
        Some(Answers { line: &self.case.line, votes: [for_it.votes, against.votes] })
    }

    /// The answer to a planted case.
    fn decision(self, arm: Arm) -> Option<PlantedAnswer<'a>> {
        let planted = self.case.planted.as_ref()?;
        let result = self.ended(*self.case.wordings.first()?, arm)?;
        let is_right = decided(&result.verdict) == Some(planted.truth);
        Some(PlantedAnswer { planted, result, is_right, seen: self })
    }
}

struct PlantedAnswer<'a> {
    planted: &'a Planted,
    result: &'a CaseResult,
    is_right: bool,
    seen: MeasuredCase<'a>,
}

/// The pairs of the primary result, in the plan's order. They end before the first case that lacks
/// one of them: a slow pair must not change the order.
pub(super) fn pairs<'a>(cases: &'a [Case], results: &'a Results) -> Vec<Pair<'a>> {
    cases
        .iter()
        .map(|case| MeasuredCase { case, results })
        .filter(|seen| seen.case.planted.is_none())
        .map_while(|seen| {
            let debate = seen.answers(Arm::Isolated)?;
            let rival = seen.answers(Arm::Rival)?;
            Some(Pair { debate, rival })
        })
        .collect()
}

pub(super) fn measure(runs: &[Measurement<'_>]) -> Measured {
    let plan = &runs[0].results.plan;
    let seen = MeasuredCase::all(runs);
    let arms: Vec<ArmFigures> = plan.arms.iter().map(|arm| figures(&seen, *arm)).collect();
    let whole = seen.iter().filter(|seen| {
        let units = seen.case.units(seen.results.plan.size.seed, &plan.arms);
        units.iter().all(|unit| seen.results.ended.contains_key(unit))
    });
    let pairs: Vec<_> = runs.iter().map(|run| pairs(&run.cases, run.results)).collect();
    Measured {
        generator: GENERATOR,
        primary: Primary::from_runs(&pairs),
        arms,
        whole: whole.count(),
        planned: seen.len(),
        runs: runs
            .iter()
            .map(|run| MeasurementRecord {
                plan: run.results.plan.reported(),
                cases: run.cases.clone(),
                answers: run.results.ended.clone().into_iter().collect(),
            })
            .collect(),
    }
}

fn figures(seen: &[MeasuredCase<'_>], arm: Arm) -> ArmFigures {
    let framing: Vec<(&Case, Answers<'_>)> =
        seen.iter().filter_map(|seen| Some((seen.case, seen.answers(arm)?))).collect();
    let answers: Vec<Answers<'_>> = framing.iter().map(|(_, answers)| *answers).collect();
    let neutral: Vec<(&str, f64)> = seen
        .iter()
        .filter(|seen| seen.case.planted.is_none())
        .filter_map(|seen| {
            let votes = seen.ended(Wording::Neutral, arm)?.votes;
            Some((seen.case.line.as_str(), f64::from(votes.r#do) / f64::from(votes.all())))
        })
        .collect();
    let all: Vec<&CaseResult> = seen
        .iter()
        .flat_map(|seen| {
            let ended = seen.results.ended.iter();
            ended.filter(|(unit, _)| unit.arm == arm && unit.case == seen.case.id)
        })
        .map(|(_, result)| result)
        .collect();
    let votes: Vec<u32> = all.iter().map(|result| result.votes.all()).collect();
    let (split, decisions): (Vec<_>, Vec<_>) = seen
        .iter()
        .filter_map(|seen| seen.decision(arm))
        .partition(|one| one.planted.split.is_some());
    let compared: Vec<(&str, bool, bool)> = decisions
        .iter()
        .filter_map(|one| {
            let single = one.seen.decision(Arm::Single)?;
            Some((one.seen.case.line.as_str(), one.is_right, single.is_right))
        })
        .collect();
    let repairs = compared.iter().filter(|(_, here, single)| *here && !single).count() as u32;
    let damage = compared.iter().filter(|(_, here, single)| !here && *single).count() as u32;
    let gains: Vec<(&str, f64)> = compared
        .iter()
        .map(|(case, here, single)| (*case, f64::from(i8::from(*here) - i8::from(*single))))
        .collect();
    let stated: Vec<(u8, bool)> =
        decisions.iter().filter_map(|one| Some((one.result.confidence?, one.is_right))).collect();
    let confidence = stated.iter().map(|(percent, _)| f64::from(*percent)).sum::<f64>();
    ArmFigures {
        arm,
        sway: Sway::from_answers(&answers),
        sway_known: mean_sway(&framing, true),
        sway_unknown: mean_sway(&framing, false),
        neutral: Share::clustered(&neutral),
        right: Share::counted(decisions.iter().map(|one| one.is_right)),
        right_split: Share::counted(split.iter().map(|one| one.is_right)),
        repairs,
        damage,
        mcnemar: stats::mcnemar(repairs, damage),
        gain: Mean::clustered(&gains),
        kept: kept(&decisions),
        strange: all.iter().filter_map(|result| result.strange).sum(),
        false_quotes: arm.is_debate().then(|| all.iter().filter_map(|one| one.false_quotes).sum()),
        brier: stats::brier(&stated),
        confidence: (!stated.is_empty()).then(|| confidence / stated.len() as f64),
        answers: all.len() as u32,
        answers_each: votes.iter().copied().min().zip(votes.iter().copied().max()),
        degraded: all.iter().filter(|result| result.degraded.is_some()).count() as u32,
        short: all.iter().filter(|result| result.short).count() as u32,
        spent: all.iter().fold(Expense::default(), |sum, result| sum.plus(result.spent)),
    }
}

/// The mean sway for the openers that the program takes away, or for the others.
fn mean_sway(framing: &[(&Case, Answers<'_>)], is_known_opener: bool) -> Option<f64> {
    let half: Vec<Answers<'_>> = framing
        .iter()
        .filter(|(case, _)| case.is_known_opener == is_known_opener)
        .map(|(_, answers)| *answers)
        .collect();
    Sway::from_answers(&half).mean.map(|mean| mean.value)
}

/// The share of the deciding numbers that reach the last text.
fn kept(decisions: &[PlantedAnswer<'_>]) -> Share {
    let numbers = decisions.iter().flat_map(|one| {
        let kept = one.result.kept.unwrap_or(0);
        let case = one.seen.case.line.as_str();
        (0..one.planted.numbers.len() as u32).map(move |at| (case, f64::from(u8::from(at < kept))))
    });
    Share::clustered(&numbers.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(verdict: &str, confidence: Option<u8>) -> CaseResult {
        let mut votes = Votes::default();
        votes.add(verdict);
        CaseResult { verdict: verdict.into(), confidence, votes, ..CaseResult::default() }
    }

    #[test]
    fn a_pair_counts_after_all_pairs_before_it() {
        let mut results = Results::without_answers(3, 0);
        let cases = results.plan.size.cases();
        for (at, count) in [(2, 0), (0, 1), (1, 3)] {
            for unit in cases[at].units(1, &results.plan.arms) {
                results.ended.insert(unit, answered("do", None));
            }
            assert_eq!(pairs(&cases, &results).len(), count, "after case {at}");
        }
    }

    #[test]
    fn a_failed_answer_has_no_verdict() {
        let case = &Results::without_answers(1, 0).plan.size.cases()[0];
        for (degraded, word) in [(Some("cut short".to_owned()), ""), (None, "do")] {
            let result = CaseResult { degraded, ..CaseResult::default() };
            let text = "```anvil\nverdict: do\nconfidence: 72\n```".to_owned();
            let found = AnswerTexts { text, result, ..AnswerTexts::default() }.result(case);
            assert_eq!((&*found.verdict, found.confidence.is_some()), (word, word == "do"));
            assert_eq!((found.votes.r#do, found.votes.all()), (u32::from(word == "do"), 1));
        }
    }

    #[test]
    fn a_repeated_block_decides_and_the_first_reply_keeps_its_numbers() {
        let case = &Results::without_answers(0, 1).plan.size.cases()[0];
        let number = &case.planted.as_ref().unwrap().numbers[0];
        let written = AnswerTexts {
            text: format!("It follows from {number}.\n\n```anvil\nverdict: do\n```"),
            repeat: Some("```anvil\nverdict: do not\nconfidence: 72\n```".to_owned()),
            ..AnswerTexts::default()
        };
        let found = written.result(case);
        assert_eq!((found.verdict.as_str(), found.confidence), ("do not", Some(72)));
        assert_eq!((found.kept, found.strange), (Some(1), Some(0)));
    }

    #[test]
    fn a_debate_keeps_the_numbers_of_the_claims_that_it_rests_on() {
        let case = &Results::without_answers(0, 1).plan.size.cases()[0];
        let numbers = &case.planted.as_ref().unwrap().numbers;
        let written = AnswerTexts {
            text: "It rests on A1, with 31337.".to_owned(),
            claims: numbers.join(" and "),
            ..AnswerTexts::default()
        };
        let found = written.result(case);
        assert_eq!((found.kept, found.strange), (Some(numbers.len() as u32), Some(1)));
    }

    #[test]
    fn a_brier_score_is_that_of_the_stated_confidences() {
        let mut results = Results::without_answers(0, 4);
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
        let runs = [Measurement::new(&results)];
        let seen = MeasuredCase::all(&runs);
        let of = |arm| figures(&seen, arm);
        assert_eq!((of(Arm::Isolated).brier, of(Arm::Single).brier), (Some(1.0 / 3.0), Some(0.0)));
        assert_eq!(of(Arm::Single).confidence, Some(100.0));
        assert_eq!(of(Arm::Rival).mcnemar, None, "nothing differs");
    }
}
