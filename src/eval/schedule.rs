//! The order of the work: whole cases, in the order of the plan, by several workers, within the
//! budget and up to the decision.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bench::{Bench, Halt, Room};
use super::log::{Log, Results, Spent};
use super::metrics;
use super::prompts;
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
    /// The expense of unfinished units, also of an earlier run.
    open: BTreeMap<Unit, Spent>,
    /// Dollars that running units may take, after that expense.
    granted: BTreeMap<Unit, f64>,
    /// Case and strand, of those that were begun by this run.
    begun: BTreeSet<(usize, usize)>,
    running: Vec<(usize, usize)>,
    jobs: u8,
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
    let open = unfinished.map(|unit| Ok((unit.clone(), bench.spent(unit)?)));
    let open = open.collect::<Result<_>>()?;
    let board = Mutex::new(Board {
        cases,
        results,
        open,
        granted: BTreeMap::new(),
        begun: BTreeSet::new(),
        running: Vec::new(),
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
            board.tokens_of_debate(&unit)
        };
        let left = |spent| obtain(board, at, &unit, spent);
        let spent = locked(board).open.get(&unit).copied().unwrap_or_default();
        if left(spent) <= 0.0 {
            return Err(Halt::Budget);
        }
        let outcome = bench.measure(&unit, &cases[at], Room { tokens, left: &left })?;
        let mut board = locked(board);
        log.ended(&unit, &outcome)?;
        board.open.remove(&unit);
        board.granted.remove(&unit);
        board.results.ended.insert(unit, outcome);
    }
    Ok(())
}

/// The dollars that a unit may take, if it has spent so much. 0: they might not be enough. As long
/// as others hold more than they may need, it waits for what they leave.
fn obtain(board: &Mutex<Board<'_>>, case: usize, unit: &Unit, spent: Spent) -> f64 {
    loop {
        {
            let mut board = locked(board);
            let left = board.grant(case, unit, spent);
            let rest = board.dearest_like(unit) - board.counted(spent);
            if left > 0.0 && left >= rest.max(spent.dearest) {
                return left;
            }
            board.granted.remove(unit);
            if board.granted.is_empty() || board.halted.is_some() {
                return 0.0;
            }
        }
        std::thread::sleep(PAUSE);
    }
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
            // One case is measured alone: before that the cost of an answer is only foreseen.
            if !self.running.is_empty() && self.dearest(case).is_none() {
                return Next::Wait;
            }
            let expected = || self.dearest(case).unwrap_or_else(|| self.foreseen(case));
            if !is_begun && expected() > self.free(None) {
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
        let ended = self.results.ended.values().map(|outcome| &outcome.spent);
        let dearest = ended.chain(self.open.values()).map(|spent| spent.dearest);
        spent.counted(dearest.fold(0.0, f64::max))
    }

    /// Dollars of the dearest answer of this arm to a case of this kind; of votes, of one of them.
    fn dearest_like(&self, unit: &Unit) -> f64 {
        let kind = |unit: &Unit| (unit.arm, unit.case.starts_with('p'));
        let like = self.results.ended.iter().filter(|(other, _)| kind(other) == kind(unit));
        let dollars = like.map(|(_, outcome)| match unit.arm {
            Arm::Votes => outcome.spent.dearest,
            _ => self.counted(outcome.spent),
        });
        dollars.fold(0.0, f64::max)
    }

    fn spent_on(&self, case: &Case) -> f64 {
        let ended = self.results.ended.iter().filter(|(unit, _)| unit.case == case.id);
        let ended: f64 = ended.map(|(_, outcome)| self.counted(outcome.spent)).sum();
        let open = self.open.iter().filter(|(unit, _)| unit.case == case.id);
        ended + open.map(|(_, spent)| self.counted(*spent)).sum::<f64>()
    }

    fn spent(&self) -> f64 {
        self.cases.iter().map(|case| self.spent_on(case)).sum()
    }

    /// Expected dollars of a case like this one, at most. `None`: nothing was measured, or only
    /// attempts with unknown dollars.
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
        let dearest = strand(is_planted).or_else(other);
        let dearest = dearest.filter(|dearest| *dearest > 0.0 || self.max_cost >= f64::MAX);
        dearest.map(|dearest| dearest * strands(case) * MARGIN)
    }

    /// Dollars of a case, at least, by the prices of the plan.
    fn foreseen(&self, case: usize) -> f64 {
        let (plan, case) = (&self.results.plan, &self.cases[case]);
        let units = case.units(plan.size.seed, &plan.arms);
        units.iter().map(|unit| plan.foreseen(unit.arm, &prompts::prompt(unit, case))).sum()
    }

    /// The dollars that no running case needs, but for this one.
    fn free(&self, but: Option<usize>) -> f64 {
        let running: BTreeSet<usize> = self.running.iter().map(|(case, _)| *case).collect();
        let reserved = running.into_iter().filter(|case| Some(*case) != but).map(|case| {
            let spent = self.spent_on(&self.cases[case]);
            (self.dearest(case).unwrap_or(self.max_cost) - spent).max(self.granted_to(case))
        });
        self.max_cost - self.spent() - reserved.sum::<f64>()
    }

    fn granted_to(&self, case: usize) -> f64 {
        let of_case = self.granted.iter().filter(|(unit, _)| unit.case == self.cases[case].id);
        of_case.map(|(_, dollars)| dollars).sum()
    }

    /// Grants the dollars that a unit may take, if it has spent so much: its part of those that are
    /// expected for its case, and of those that no case needs. Nobody else takes them.
    fn grant(&mut self, case: usize, unit: &Unit, spent: Spent) -> f64 {
        let known = self.open.entry(unit.clone()).or_default();
        // Answers of an earlier run are read one after the other; all of them are paid for.
        if spent.attempts >= known.attempts {
            *known = spent;
        }
        self.granted.remove(unit);
        let others = self.granted_to(case);
        let free = (self.free(Some(case)) - others).max(0.0);
        let expected = self.dearest(case).map_or(free, |dearest| {
            (dearest - self.spent_on(&self.cases[case]) - others).clamp(0.0, free)
        });
        let is_open =
            |strand: &usize| !self.strand(case, *strand).iter().all(|unit| self.is_over(unit));
        let strands = (0..self.cases[case].strands().len()).filter(is_open).count();
        let running = self.granted.keys().filter(|other| other.case == unit.case).count();
        let strands = strands.saturating_sub(running).max(1);
        let workers = usize::from(self.jobs).saturating_sub(self.granted.len()).max(1);
        let left = expected / strands as f64 + (free - expected) / workers as f64;
        self.granted.insert(unit.clone(), left);
        left
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::log::{CaseResult, HYPOTHESIS, Plan};
    use crate::eval::tasks::Size;

    /// Results of nothing so far.
    pub(in crate::eval) fn results(framing: usize, planted: usize) -> Results {
        let (neutral, samples, questions) = (false, 1, Vec::new());
        let plan = Plan {
            hypothesis: HYPOTHESIS.into(),
            began: jiff::Timestamp::UNIX_EPOCH,
            size: Size { seed: 1, framing, planted, neutral, samples, questions },
            arms: vec![Arm::Single, Arm::Isolated, Arm::Votes],
            agent: "claude".into(),
            critic: None,
            max_cost: Some(1.0),
            prices: BTreeMap::new(),
            versions: BTreeMap::new(),
            hashes: BTreeMap::new(),
        };
        Results { plan, begun: BTreeSet::new(), ended: BTreeMap::new() }
    }

    fn spent(dollars: f64) -> Spent {
        Spent { attempts: 1, dollars, dearest: dollars, ..Spent::default() }
    }

    fn board<'a>(cases: &'a [Case], results: &'a mut Results, first: Spent) -> Board<'a> {
        for unit in cases[0].units(1, &results.plan.arms) {
            results.ended.insert(unit, CaseResult { spent: first, ..CaseResult::default() });
        }
        Board {
            cases,
            results,
            open: BTreeMap::new(),
            granted: BTreeMap::new(),
            begun: BTreeSet::new(),
            running: Vec::new(),
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
            let mut results = results(6, 0);
            let cases = results.plan.size.cases();
            let mut board = board(&cases, &mut results, spent(0.01));
            let mut units: Vec<((usize, usize), Vec<Unit>)> = Vec::new();
            loop {
                while let Next::Strand(case, strand) = board.next() {
                    units.push(((case, strand), board.strand(case, strand)));
                    if units.len() == usize::from(board.jobs) {
                        break;
                    }
                }
                if units.is_empty() {
                    break;
                }
                // All of them run at once, and each takes up to all that it may.
                let grants: Vec<f64> = units
                    .iter()
                    .map(|((case, _), units)| board.grant(*case, &units[0], Spent::default()))
                    .collect();
                for ((strand, units), grant) in units.iter_mut().zip(grants) {
                    let unit = units.remove(0);
                    let outcome = CaseResult {
                        spent: spent(grant * f64::from(dice.u8(0..=4)) / 4.0),
                        ..CaseResult::default()
                    };
                    board.open.remove(&unit);
                    board.granted.remove(&unit);
                    board.results.ended.insert(unit, outcome);
                    if units.is_empty() {
                        board.running.retain(|running| running != strand);
                    }
                }
                units.retain(|(_, units)| !units.is_empty());
                assert!(board.spent() <= 1.0 + 1e-9, "{}", board.spent());
            }
        }
    }

    #[test]
    fn a_unit_waits_for_what_others_leave() {
        let mut results = results(6, 0);
        let cases = results.plan.size.cases();
        let mut board = board(&cases, &mut results, spent(0.01));
        let strands: Vec<(usize, usize)> = std::iter::from_fn(|| match board.next() {
            Next::Strand(case, strand) if board.running.len() < 4 => Some((case, strand)),
            _ => None,
        })
        .collect();
        let unit = |(case, strand): (usize, usize)| board.strand(case, strand)[0].clone();
        let (one, other) = (unit(strands[0]), unit(strands[1]));
        board.granted.insert(one.clone(), 0.97);
        let board = Mutex::new(board);
        std::thread::scope(|scope| {
            let obtained = scope.spawn(|| obtain(&board, strands[1].0, &other, Spent::default()));
            std::thread::sleep(PAUSE * 3);
            assert!(!obtained.is_finished(), "it waits while another unit has its dollars");
            locked(&board).granted.remove(&one);
            assert!(obtained.join().unwrap() >= 0.01);
        });
        locked(&board).granted.clear();
        locked(&board).max_cost = 0.0;
        assert!(obtain(&board, strands[0].0, &one, Spent::default()) <= 0.0, "none is left");
    }

    #[test]
    fn attempts_with_unknown_dollars_count_as_the_dearest() {
        let mut results = results(3, 0);
        let cases = results.plan.size.cases();
        let lost = Spent { attempts: 1, unpriced: 1, ..Spent::default() };
        let mut board = board(&cases, &mut results, lost);
        assert_eq!(board.dearest(1), None, "nothing is known");
        let unit = cases[1].units(1, &board.results.plan.arms)[0].clone();
        board.open.insert(unit, spent(0.03).plus(lost));
        assert!((board.spent() - (6.0 + 2.0) * 0.03).abs() < 1e-9, "{}", board.spent());
    }
}
