//! The order of the work: whole cases, in the order of the plan, by several workers, within the
//! budget and up to the decision.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bench::{Bench, Halt, Room};
use super::log::{Log, Results, Spent};
use super::metrics;
use super::tasks::{Arm, Case, Unit};
use crate::error::Result;
use crate::text::{duration, group};

/// Pause of a worker for which there is no work yet.
const PAUSE: Duration = Duration::from_millis(50);

/// A case is expected to cost at most this much more than the dearest one before it.
const MARGIN: f64 = 1.25;

/// Planted cases come with material: until one is measured, an answer counts as so many of the
/// others.
const MATERIAL: f64 = 3.0;

/// How a measurement went on.
#[derive(Debug)]
pub(super) enum Ending {
    /// Nothing is left to do.
    Complete,
    Stopped(Halt),
}

/// The state that the workers share.
struct Board<'a> {
    cases: &'a [Case],
    results: &'a mut Results,
    /// The dollars of unfinished units, also of an earlier run.
    open: BTreeMap<Unit, f64>,
    /// Case and strand, of those that were begun by this run.
    begun: BTreeSet<(usize, usize)>,
    running: Vec<(usize, usize)>,
    max_cost: f64,
    halted: Option<Halt>,
    began: Instant,
    finished: usize,
}

enum Next {
    Strand(usize, usize),
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
    let unfinished = results.begun.iter().filter(|unit| !results.ended.contains_key(unit));
    let open = unfinished.map(|unit| Ok((unit.clone(), bench.spent(unit)?.dollars)));
    let open = open.collect::<Result<_>>()?;
    let board = Mutex::new(Board {
        cases,
        results,
        open,
        begun: BTreeSet::new(),
        running: Vec::new(),
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
            Next::End => return,
            Next::Wait => std::thread::sleep(PAUSE),
            Next::Strand(case, strand) => {
                let done = argue(bench, log, board, (case, strand));
                let mut board = locked(board);
                board.running.retain(|running| *running != (case, strand));
                if let Err(halt) = done {
                    board.halt(halt);
                } else if board.is_whole(case) {
                    board.finished += 1;
                    board.show_progress();
                }
            }
        }
    }
}

/// The answers of one strand, one after the other.
fn argue(
    bench: &Bench<'_>,
    log: &Log,
    board: &Mutex<Board<'_>>,
    (at, strand): (usize, usize),
) -> Result<(), Halt> {
    let (units, cases) = {
        let board = locked(board);
        (board.strand(at, strand), board.cases)
    };
    for unit in units {
        let tokens = {
            let mut board = locked(board);
            if board.results.ended.contains_key(&unit) {
                continue;
            }
            if let Some(halt) = &board.halted {
                return Err(halt.clone());
            }
            // Written under the lock: lines do not mix.
            if board.results.begun.insert(unit.clone()) {
                log.begun(&unit)?;
            }
            board.open.entry(unit.clone()).or_default();
            if board.left_for(at, &unit) <= 0.0 {
                return Err(Halt::Budget);
            }
            board.tokens_of_debate(&unit)
        };
        let left = |spent: Spent| {
            let mut board = locked(board);
            let dollars = board.counted(spent);
            board.open.insert(unit.clone(), dollars);
            board.left_for(at, &unit)
        };
        let outcome = bench.measure(&unit, &cases[at], Room { tokens, left: &left })?;
        let mut board = locked(board);
        log.ended(&unit, &outcome)?;
        board.open.remove(&unit);
        board.results.ended.insert(unit, outcome);
    }
    Ok(())
}

impl Board<'_> {
    /// The units of a strand, the debates before the votes.
    fn strand(&self, case: usize, strand: usize) -> Vec<Unit> {
        let plan = &self.results.plan;
        let all = self.cases[case].units(plan.size.seed, &plan.arms);
        all.chunks(plan.arms.len()).nth(strand).map(<[Unit]>::to_vec).unwrap_or_default()
    }

    fn is_over(&self, unit: &Unit) -> bool {
        self.results.ended.contains_key(unit)
    }

    fn is_whole(&self, case: usize) -> bool {
        let plan = &self.results.plan;
        self.cases[case].units(plan.size.seed, &plan.arms).iter().all(|unit| self.is_over(unit))
    }

    /// The tokens of the debate on the same text.
    fn tokens_of_debate(&self, unit: &Unit) -> u64 {
        let debate = Unit { arm: Arm::Isolated, ..unit.clone() };
        self.results.ended.get(&debate).map_or(0, |outcome| outcome.spent.tokens)
    }

    fn next(&mut self) -> Next {
        if self.halted.is_some() {
            return Next::End;
        }
        let is_decided = metrics::race(self.cases, self.results).is_decided();
        for case in 0..self.cases.len() {
            if self.is_whole(case) {
                continue;
            }
            let strands = 0..self.cases[case].strands().len();
            let is_begun = self.is_begun(case);
            if is_decided && self.cases[case].planted.is_none() && !is_begun {
                continue;
            }
            let mut free = strands.filter(|strand| {
                !self.begun.contains(&(case, *strand))
                    && !self.strand(case, *strand).iter().all(|unit| self.is_over(unit))
            });
            let Some(strand) = free.next() else { continue };
            // One case is measured alone: before that the cost of an answer is unknown.
            if !self.running.is_empty() && self.dearest(case).is_none() {
                return Next::Wait;
            }
            if !is_begun && self.dearest(case).is_some_and(|dearest| dearest > self.free(None)) {
                if self.running.is_empty() {
                    self.halted = Some(Halt::Budget);
                    return Next::End;
                }
                return Next::Wait;
            }
            self.begun.insert((case, strand));
            self.running.push((case, strand));
            return Next::Strand(case, strand);
        }
        if self.running.is_empty() { Next::End } else { Next::Wait }
    }

    fn is_begun(&self, case: usize) -> bool {
        self.begun.iter().any(|(begun, _)| *begun == case)
            || self.results.begun.iter().any(|unit| unit.case == self.cases[case].id)
    }

    /// The first reason counts; a debate that stops at its own limit has none of its own.
    fn halt(&mut self, halt: Halt) {
        if matches!(self.halted, None | Some(Halt::Budget)) {
            self.halted = Some(halt);
        }
    }

    /// Dollars, with those of the dearest attempt for each unknown one.
    fn counted(&self, spent: Spent) -> f64 {
        let dearest = self.results.ended.values().map(|outcome| outcome.spent.dearest);
        spent.dollars + f64::from(spent.unpriced) * dearest.fold(spent.dearest, f64::max)
    }

    fn spent_on(&self, case: &Case) -> f64 {
        let ended = self.results.ended.iter().filter(|(unit, _)| unit.case == case.id);
        let ended: f64 = ended.map(|(_, outcome)| self.counted(outcome.spent)).sum();
        let open = self.open.iter().filter(|(unit, _)| unit.case == case.id);
        ended + open.map(|(_, dollars)| dollars).sum::<f64>()
    }

    fn spent(&self) -> f64 {
        self.cases.iter().map(|case| self.spent_on(case)).sum()
    }

    /// Expected dollars of a case like this one, at most. `None`: nothing was measured.
    fn dearest(&self, case: usize) -> Option<f64> {
        let is_planted = self.cases[case].planted.is_some();
        let strands = |at: usize| self.cases[at].strands().len() as f64;
        let strand = |planted: bool| {
            let all =
                (0..self.cases.len()).filter(|at| self.cases[*at].planted.is_some() == planted);
            let all = all.filter(|at| self.is_whole(*at));
            all.map(|at| self.spent_on(&self.cases[at]) / strands(at)).reduce(f64::max)
        };
        let material = if is_planted { MATERIAL } else { 1.0 };
        let other = || strand(!is_planted).map(|dearest| dearest * material);
        strand(is_planted).or_else(other).map(|dearest| dearest * strands(case) * MARGIN)
    }

    /// The dollars that no running case needs, but for this one.
    fn free(&self, but: Option<usize>) -> f64 {
        let running: BTreeSet<usize> = self.running.iter().map(|(case, _)| *case).collect();
        let reserved = running.into_iter().filter(|case| Some(*case) != but).map(|case| {
            let spent = self.spent_on(&self.cases[case]);
            (self.dearest(case).unwrap_or(self.max_cost) - spent).max(0.0)
        });
        self.max_cost - self.spent() - reserved.sum::<f64>()
    }

    /// Dollars that a unit may take in all: its part of those left for its case.
    fn left_for(&self, case: usize, unit: &Unit) -> f64 {
        let strands = self.running.iter().filter(|(running, _)| *running == case).count().max(1);
        let own = self.open.get(unit).copied().unwrap_or_default();
        self.free(Some(case)) / strands as f64 + own
    }

    fn show_progress(&self) {
        let (all, left) =
            (self.cases.len(), (0..self.cases.len()).filter(|at| !self.is_whole(*at)).count());
        let seconds = self.began.elapsed().as_secs() * left as u64 / self.finished.max(1) as u64;
        let tokens: u64 = self.results.ended.values().map(|outcome| outcome.spent.tokens).sum();
        let most = if self.max_cost < f64::MAX {
            format!(" of {:.2}", self.max_cost)
        } else {
            String::new()
        };
        let _ = writeln!(
            std::io::stderr(),
            "{} of {all} cases · {:.2}{most} dollars · {} tokens · at most {} left",
            all - left,
            self.spent(),
            group(tokens as usize),
            duration(seconds)
        );
    }
}
