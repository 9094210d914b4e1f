//! The order of the work: whole cases, in the order of the plan, by several workers, within the
//! budget and up to the decision.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bench::{Bench, Halt, UnitLimits};
use super::log::{Expense, Log, Results};
use super::metrics;
use super::primary;
use super::prompts;
use super::tasks::{Arm, Case, Unit, Wording};
use anvil_text::error::Result;
use anvil_text::{duration, group};

/// Pause of a worker for which there is no work yet.
const PAUSE: Duration = Duration::from_millis(50);

/// A strand is expected to cost at most this much more than the dearest one before it.
const MARGIN: f64 = 1.25;

/// Planted cases come with more material: until one is measured, an answer counts as so many of the
/// others.
const MATERIAL: f64 = 3.0;

/// The end of a measurement.
#[derive(Debug)]
pub(crate) enum Ending {
    /// Nothing is left to do.
    Complete,
    Stopped(Halt),
}

/// The answers to a case in one wording. They come one after the other.
type Strand = (usize, Wording);

/// The state that the workers share.
struct Board<'a> {
    cases: &'a [Case],
    results: &'a mut Results,
    /// The expense of unfinished units, also of an earlier process.
    open: BTreeMap<Unit, Expense>,
    /// The strands of the cases in work, with the dollars that each may take in all. Their sum is
    /// never more than the budget.
    reserved: BTreeMap<Strand, f64>,
    running: BTreeSet<Strand>,
    jobs: u8,
    max_cost: f64,
    halted: Option<Halt>,
    began: Instant,
    finished: usize,
}

enum NextWork {
    Strand(Strand),
    Wait,
    End,
}

/// Works until nothing is left, or something stops it.
pub(super) fn work(
    bench: &Bench<'_>,
    log: &Log,
    cases: &[Case],
    results: &mut Results,
    (jobs, max_cost): (u8, f64),
) -> Result<Ending> {
    let plan = &results.plan;
    let mut open = BTreeMap::new();
    for unit in cases.iter().flat_map(|case| case.units(plan.size.seed, &plan.arms)) {
        if !results.ended.contains_key(&unit) && bench.has_begun(&unit) {
            let spent = bench.spent(&unit)?;
            open.insert(unit, spent);
        }
    }
    let board = Mutex::new(Board {
        cases,
        results,
        open,
        reserved: BTreeMap::new(),
        running: BTreeSet::new(),
        jobs,
        max_cost,
        halted: None,
        began: Instant::now(),
        finished: 0,
    });
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| worker(bench, log, &board));
        }
    });
    let board = board.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(board.halted.map_or(Ending::Complete, Ending::Stopped))
}

fn locked<'b, 'a>(board: &'b Mutex<Board<'a>>) -> MutexGuard<'b, Board<'a>> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

fn worker(bench: &Bench<'_>, log: &Log, board: &Mutex<Board<'_>>) {
    loop {
        let next = locked(board).next();
        match next {
            NextWork::End => return,
            NextWork::Wait => std::thread::sleep(PAUSE),
            NextWork::Strand(strand) => {
                let done = answer(bench, log, board, strand);
                let is_short = matches!(done, Err(Halt::Budget));
                locked(board).finish(strand, done);
                if is_short {
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }
}

/// The answers of one strand, one after the other.
fn answer(
    bench: &Bench<'_>,
    log: &Log,
    board: &Mutex<Board<'_>>,
    strand: Strand,
) -> Result<(), Halt> {
    let (units, cases) = {
        let board = locked(board);
        (board.units(strand), board.cases)
    };
    for unit in units {
        let tokens = {
            let board = locked(board);
            if board.results.ended.contains_key(&unit) {
                continue;
            }
            // Those of the debate on the same text.
            let debate = Unit { arm: Arm::Isolated, ..unit.clone() };
            board.results.ended.get(&debate).map_or(0, |outcome| outcome.spent.tokens)
        };
        let left = |spent| locked(board).left(strand, &unit, spent);
        let outcome = loop {
            if let Some(halt) = &locked(board).halted {
                return Err(halt.clone());
            }
            match bench.measure(&unit, &cases[strand.0], UnitLimits { tokens, left: &left }) {
                Err(Halt::Quota { seconds, .. }) if bench.waits => {
                    bench.wait(seconds, &|| locked(board).halted.is_some())?;
                }
                other => break other?,
            }
        };
        let mut board = locked(board);
        log.ended(&unit, &outcome)?;
        board.open.remove(&unit);
        board.results.ended.insert(unit, outcome);
    }
    Ok(())
}

impl Board<'_> {
    /// The units of a strand, the debates before the rival.
    fn units(&self, (case, wording): Strand) -> Vec<Unit> {
        let plan = &self.results.plan;
        let mut units = self.cases[case].units(plan.size.seed, &plan.arms);
        units.retain(|unit| unit.wording == wording);
        units
    }

    fn is_over(&self, strand: Strand) -> bool {
        self.units(strand).iter().all(|unit| self.results.ended.contains_key(unit))
    }

    /// The strands of a case that are not over.
    fn missing(&self, case: usize) -> Vec<Strand> {
        self.cases[case]
            .wordings
            .iter()
            .map(|wording| (case, *wording))
            .filter(|strand| !self.is_over(*strand))
            .collect()
    }

    fn next(&mut self) -> NextWork {
        if self.halted.is_some() {
            return NextWork::End;
        }
        if let Some(strand) = self.reserved.keys().find(|strand| !self.running.contains(strand)) {
            let strand = *strand;
            self.running.insert(strand);
            // More dollars than it needs, if they are free: no answer is cut short while money is
            // left.
            let share = self.free().max(0.0) / f64::from(self.jobs);
            self.reserved.entry(strand).and_modify(|all| *all += share);
            return NextWork::Strand(strand);
        }
        let pairs = metrics::pairs(self.cases, self.results);
        let is_decided = primary::bets(&pairs).are_decided();
        let Some(case) = (0..self.cases.len()).find(|case| self.may_start(*case, is_decided))
        else {
            return if self.running.is_empty() { NextWork::End } else { NextWork::Wait };
        };
        let free = self.free();
        let missing = self.missing(case);
        let count = missing.len() as f64;
        let each = match self.dearest(case) {
            Some(dearest) => dearest * MARGIN,
            // One case is measured alone: before that the cost of an answer is only foreseen.
            None if !self.running.is_empty() => return NextWork::Wait,
            None if self.foreseen(case) <= free => free / count,
            None => f64::INFINITY,
        };
        let mut needs = Vec::new();
        let mut more = 0.0;
        for strand in missing {
            let spent = self.spent_in(strand);
            // A strand that was too dear for its dollars gets more than it has spent.
            let all = each.max(MARGIN * spent);
            more += all - spent;
            needs.push((strand, all));
        }
        if more <= free + 1e-9 || self.max_cost >= f64::MAX {
            self.reserved.extend(needs);
            return self.next();
        }
        if self.running.is_empty() {
            self.halted = Some(Halt::Budget);
            return NextWork::End;
        }
        NextWork::Wait
    }

    /// True for a case with missing answers that no worker has. After the decision only planted
    /// cases start.
    fn may_start(&self, case: usize, is_decided: bool) -> bool {
        let is_open = !self.missing(case).is_empty();
        let mut units = self.results.ended.keys().chain(self.open.keys());
        let has_begun = units.any(|unit| unit.case == self.cases[case].id);
        let is_idle = self.reserved.keys().all(|(other, _)| *other != case);
        is_open && is_idle && (has_begun || !is_decided || self.is_planted(case))
    }

    fn is_planted(&self, case: usize) -> bool {
        self.cases[case].planted.is_some()
    }

    fn finish(&mut self, strand: Strand, done: Result<(), Halt>) {
        self.running.remove(&strand);
        self.reserved.remove(&strand);
        match done {
            // Others may leave what it needs.
            Err(Halt::Budget) if !self.running.is_empty() => {}
            // The first reason counts; a debate that stops at its own limit has none of its own.
            Err(halt) if matches!(self.halted, None | Some(Halt::Budget)) => {
                self.halted = Some(halt);
            }
            Ok(()) if self.missing(strand.0).is_empty() => {
                self.finished += 1;
                self.show_progress();
            }
            _ => {}
        }
    }

    /// Dollars, with those of the dearest attempt of its arm for each unknown one; without one in
    /// its arm, of all.
    fn counted(&self, arm: Arm, spent: Expense) -> f64 {
        let ended = self.results.ended.iter().map(|(unit, outcome)| (unit.arm, outcome.spent));
        let all = ended.chain(self.open.iter().map(|(unit, spent)| (unit.arm, *spent)));
        let mut of_arm: f64 = 0.0;
        let mut of_others: f64 = 0.0;
        for (other, spent) in all {
            let dearest = if other == arm { &mut of_arm } else { &mut of_others };
            *dearest = dearest.max(spent.dearest);
        }
        spent.counted(if of_arm > 0.0 { of_arm } else { of_others })
    }

    fn spent_on(&self, is_included: impl Fn(&Unit) -> bool) -> f64 {
        let ended = self.results.ended.iter().map(|(unit, outcome)| (unit, outcome.spent));
        let all = ended.chain(self.open.iter().map(|(unit, spent)| (unit, *spent)));
        all.filter(|(unit, _)| is_included(unit))
            .map(
                |(unit, spent)| {
                    if spent.unpriced == 0 { spent.dollars } else { self.counted(unit.arm, spent) }
                },
            )
            .sum()
    }

    fn spent_in(&self, (case, wording): Strand) -> f64 {
        self.spent_on(|unit| unit.case == self.cases[case].id && unit.wording == wording)
    }

    /// Dollars of the dearest strand like those of this case. `None`: none was measured, or only
    /// attempts with unknown dollars.
    fn dearest(&self, case: usize) -> Option<f64> {
        let is_planted = self.is_planted(case);
        let material = if is_planted { MATERIAL } else { 1.0 };
        self.dearest_of_kind(is_planted)
            .or_else(|| Some(self.dearest_of_kind(!is_planted)? * material))
            .filter(|dearest| *dearest > 0.0 || self.max_cost >= f64::MAX)
    }

    /// Dollars of the dearest strand of the whole cases that are planted, or of the others.
    fn dearest_of_kind(&self, is_planted: bool) -> Option<f64> {
        (0..self.cases.len())
            .filter(|case| self.is_planted(*case) == is_planted && self.missing(*case).is_empty())
            .flat_map(|case| self.cases[case].wordings.iter().map(move |wording| (case, *wording)))
            .map(|strand| self.spent_in(strand))
            .reduce(f64::max)
    }

    /// Dollars of a case, at least, by the prices of the plan.
    fn foreseen(&self, case: usize) -> f64 {
        let plan = &self.results.plan;
        let case = &self.cases[case];
        let units = case.units(plan.size.seed, &plan.arms);
        units.iter().map(|unit| plan.foreseen(unit.arm, &prompts::prompt(unit, case))).sum()
    }

    /// The dollars that are not spent and not reserved.
    fn free(&self) -> f64 {
        if self.max_cost >= f64::MAX {
            return f64::MAX;
        }
        let open = self.reserved.iter().map(|(strand, all)| all - self.spent_in(*strand));
        self.max_cost - self.spent_on(|_| true) - open.map(|left| left.max(0.0)).sum::<f64>()
    }

    /// The dollars that a unit may take, if it has spent so much. 0: they might not be enough for
    /// an answer like the dearest one of its arm.
    fn left(&mut self, strand: Strand, unit: &Unit, spent: Expense) -> f64 {
        if self.max_cost >= f64::MAX {
            return f64::MAX;
        }
        let known = self.open.entry(unit.clone()).or_default();
        // Answers of an earlier process are read one after the other; all of them are paid for.
        if spent.attempts >= known.attempts {
            *known = spent;
        }
        let needed = self
            .results
            .ended
            .iter()
            .filter(|(other, _)| {
                other.arm == unit.arm && other.case.starts_with('p') == unit.case.starts_with('p')
            })
            .map(|(_, outcome)| match unit.arm {
                // An answer of the rival is one of many.
                Arm::Rival => outcome.spent.dearest,
                arm => self.counted(arm, outcome.spent) - self.counted(arm, self.open[unit]),
            })
            .fold(spent.dearest, f64::max);
        let left = self.reserved.get(&strand).copied().unwrap_or(0.0) - self.spent_in(strand);
        if needed <= left { left } else { 0.0 }
    }

    fn show_progress(&self) {
        let all = self.cases.len();
        let left = (0..all).filter(|at| !self.missing(*at).is_empty()).count();
        let seconds = self.began.elapsed().as_secs() * left as u64 / self.finished.max(1) as u64;
        let tokens: u64 = self.results.ended.values().map(|outcome| outcome.spent.tokens).sum();
        let done = all - left;
        let dollars = self.spent_on(|_| true);
        let left = duration(seconds);
        let tokens = group(tokens as usize);
        let line =
            format!("{done} of {all} cases · {dollars:.2} dollars · {tokens} tokens · {left} left");
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::CaseResult;

    fn spent(dollars: f64) -> Expense {
        Expense { attempts: 1, dollars, dearest: dollars, ..Expense::default() }
    }

    fn board<'a>(cases: &'a [Case], results: &'a mut Results, first: Expense) -> Board<'a> {
        for unit in cases[0].units(1, &results.plan.arms) {
            results.ended.insert(unit, CaseResult { spent: first, ..CaseResult::default() });
        }
        Board {
            cases,
            results,
            open: BTreeMap::new(),
            reserved: BTreeMap::new(),
            running: BTreeSet::new(),
            jobs: 4,
            max_cost: 1.0,
            halted: None,
            began: Instant::now(),
            finished: 0,
        }
    }

    #[test]
    fn running_units_never_take_more_than_is_left() {
        let mut dice = fastrand::Rng::with_seed(4);
        for _ in 0..200 {
            let mut results = Results::without_answers(6, 0);
            let cases = results.plan.size.cases();
            let mut board = board(&cases, &mut results, spent(0.01));
            let mut running: Vec<(Strand, Vec<Unit>)> = Vec::new();
            loop {
                while running.len() < 4
                    && let NextWork::Strand(strand) = board.next()
                {
                    running.push((strand, board.units(strand)));
                }
                if running.is_empty() {
                    break;
                }
                // All of them run at once, and each takes up to all that it may.
                let grants: Vec<f64> = running
                    .iter()
                    .map(|(strand, units)| board.left(*strand, &units[0], Expense::default()))
                    .collect();
                for ((_, units), grant) in running.iter_mut().zip(grants) {
                    let unit = units.remove(0);
                    let outcome = CaseResult {
                        spent: spent(grant * f64::from(dice.u8(0..=4)) / 4.0),
                        ..CaseResult::default()
                    };
                    board.open.remove(&unit);
                    board.results.ended.insert(unit, outcome);
                }
                for (strand, _) in running.iter().filter(|(_, units)| units.is_empty()) {
                    board.running.remove(strand);
                    board.reserved.remove(strand);
                }
                running.retain(|(_, units)| !units.is_empty());
                assert!(board.spent_on(|_| true) <= 1.0 + 1e-9, "{}", board.spent_on(|_| true));
            }
        }
    }

    #[test]
    fn attempts_with_unknown_dollars_count_as_the_dearest() {
        let mut results = Results::without_answers(3, 0);
        let cases = results.plan.size.cases();
        let lost = Expense { attempts: 1, unpriced: 1, ..Expense::default() };
        let mut board = board(&cases, &mut results, lost);
        assert_eq!(board.dearest(1), None, "nothing is known");
        let unit = cases[1].units(1, &board.results.plan.arms)[0].clone();
        board.open.insert(unit, spent(0.03).plus(lost));
        let all = board.spent_on(|_| true);
        assert!((all - (6.0 + 2.0) * 0.03).abs() < 1e-9, "{all}");
    }
}
