//! The limits of a run.

use std::time::Duration;

use clap::Args;

use super::choice;
use crate::error::RunOptionError;
use anvil_core::attempt::EndedLine;
use anvil_core::debate::Debate;
use anvil_core::options::Refused;
use anvil_engine::Request;
use anvil_prompt::{Budget, NextReply, Plan, Repeat, Spent, Step, step};
use anvil_store::{Attempt, Attempts, Limits};
use anvil_text::clean;
use anvil_text::error::Result;

#[derive(Args, Clone, Copy, Debug, Default, PartialEq)]
pub struct RunLimits {
    /// Most time for one reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", hide_short_help = true, value_parser = max_reply)]
    pub(crate) max_reply: Option<Duration>,
    /// Most time for all replies together, such as 1h
    #[arg(long, value_name = "TIME", hide_short_help = true, value_parser = max_time)]
    pub(crate) max_time: Option<Duration>,
    /// Most tokens, in and out, as far as the programs report them
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = tokens)]
    pub(crate) max_tokens: Option<u64>,
    /// Most US dollars, as far as the programs report them
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Allow agents that report no usage with --max-tokens and --max-cost: they are not counted
    #[arg(long, hide_short_help = true)]
    pub(crate) unmetered: bool,
}

pub(crate) fn max_reply(text: &str) -> std::result::Result<Duration, Refused> {
    duration(text, " 5m")
}

fn max_time(text: &str) -> std::result::Result<Duration, Refused> {
    duration(text, " 30m")
}

fn duration(text: &str, example: &'static str) -> std::result::Result<Duration, Refused> {
    anvil_engine::duration(text)
        .map_err(|_| Refused::new("takes a time such as 90s, 10m or 2h", example))
}

fn tokens(text: &str) -> std::result::Result<u64, Refused> {
    text.parse()
        .ok()
        .filter(|tokens| *tokens > 0)
        .ok_or_else(|| Refused::new("takes a whole number from 1", " 200000"))
}

fn dollars(text: &str) -> std::result::Result<f64, Refused> {
    let cost: Option<f64> = text.trim_start_matches('$').parse().ok();
    cost.filter(|cost| cost.is_finite() && *cost > 0.0)
        .ok_or_else(|| Refused::new("takes an amount such as 2.50", " 2.50"))
}

impl RunLimits {
    /// Fills limits that are not set from a record.
    pub(crate) fn over(self, record: &Limits) -> Self {
        Self {
            max_reply: self.max_reply.or(record.max_reply.map(Duration::from_secs)),
            max_time: self.max_time.or(record.max_time.map(Duration::from_secs)),
            max_tokens: self.max_tokens.or(record.max_tokens),
            max_cost: self.max_cost.or(record.max_cost),
            unmetered: self.unmetered || record.unmetered,
        }
    }

    /// The limits as they are recorded.
    pub(crate) fn recorded_limits(&self) -> Limits {
        Limits {
            max_reply: self.max_reply.map(|time| time.as_secs()),
            max_time: self.max_time.map(|time| time.as_secs()),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            unmetered: self.unmetered,
        }
    }

    /// Limits each reply of the plan. Refuses a limit on tokens or cost that an agent of the plan
    /// does not report.
    pub(crate) fn apply(&self, plan: Plan, debate: &Debate) -> Result<Plan> {
        let no_attempts = Attempts::default();
        let agents = choice::seats_of(&plan, debate, &no_attempts).into_iter().flat_map(|seat| {
            std::iter::once(seat.agent).chain(seat.others).map(move |agent| (seat.option, agent))
        });
        for (seat, agent) in agents {
            if self.unmetered || agent.script.is_some() {
                continue;
            }
            let tokens = agent.output.tells_tokens();
            let cost = agent.output.tells_cost();
            let (what, instead) = if self.max_tokens.is_some() && !tokens {
                ("tokens", "--max-time")
            } else if self.max_cost.is_some() && !cost {
                ("cost", if tokens { "--max-tokens or --max-time" } else { "--max-time" })
            } else {
                continue;
            };
            let agent = clean(&agent.name, 60);
            return Err(RunOptionError::Unmetered { option: seat, agent, what, instead }.into());
        }
        Ok(match self.max_reply {
            Some(reply) => plan.with_longest_reply(reply),
            None => plan,
        })
    }

    /// True if the limits allow one more reply at the same time. With a limit, false until one
    /// reply is measured.
    pub(crate) fn fits_concurrently(&self, attempts: &Attempts, judges: u8) -> bool {
        let (spent, largest) = spent(attempts);
        let budget = self.budget();
        let is_measured = attempts.all.iter().any(|attempt| attempt.ended.is_some());
        budget == Budget::default()
            || is_measured
                && step(budget, spent, largest, NextReply::Argument, judges) == Step::GoOn
    }

    fn budget(&self) -> Budget {
        Budget { time: self.max_time, tokens: self.max_tokens, cost: self.max_cost }
    }

    /// The limits of the whole debate, for the user.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = [
            self.max_time.map(|time| format!("--max-time {} s", time.as_secs())),
            self.max_tokens.map(|tokens| format!("--max-tokens {tokens}")),
            self.max_cost.map(|cost| format!("--max-cost ${cost:.2}")),
        ];
        words.into_iter().flatten().collect()
    }

    /// The time for the next reply under `--max-time`: what remains, less the longest reply so far,
    /// which is reserved for the synthesis.
    pub(crate) fn time_left(&self, attempts: &Attempts, is_synthesis: bool) -> Option<Duration> {
        let (spent, largest) = spent(attempts);
        let share = if is_synthesis { Duration::ZERO } else { largest.time };
        let left = self.max_time?.saturating_sub(spent.time.saturating_add(share));
        Some(left.max(Duration::from_secs(1)))
    }

    /// Decides whether the next reply fits.
    pub(crate) fn step(&self, attempts: &Attempts, request: &Request) -> Step {
        if request.is_again || has_paid_failure(attempts, request) {
            return self.step_again(attempts, request);
        }
        let (spent, largest) = spent(attempts);
        let next = match (request.is_synthesis(), request.has_argument) {
            (true, _) => NextReply::Synthesis,
            (false, true) => NextReply::Argument,
            (false, false) => NextReply::Opening,
        };
        step(self.budget(), spent, largest, next, request.judges)
    }

    /// The option that leaves no room to ask again for a reply that was received.
    pub(crate) fn against_repeat(
        &self,
        attempts: &Attempts,
        request: &Request,
    ) -> Option<&'static str> {
        match self.step_again(attempts, request) {
            Step::GoOn => None,
            Step::Synthesize(option) | Step::Pause(option) => Some(option),
        }
    }

    fn step_again(&self, attempts: &Attempts, request: &Request) -> Step {
        let (spent, largest) = spent(attempts);
        let judge = request.place.seat.judge().unwrap_or(request.judges);
        let judges_after = request.is_synthesis().then(|| request.judges.saturating_sub(judge));
        let has_argument = request.has_argument;
        let repeat = Repeat { mean: mean(attempts), judges_after, has_argument };
        step(self.budget(), spent, largest, NextReply::Again(repeat), request.judges)
    }
}

/// The sum over all attempts, and the largest single values. An attempt that still runs counts like
/// the largest one. The turns of a conversation do not count: the limits are for programs.
fn spent(attempts: &Attempts) -> (Spent, Spent) {
    let mut sum = Spent::default();
    let mut largest = Spent::default();
    for took in attempts.all.iter().filter_map(|attempt| attempt.ended.as_ref()).map(took) {
        sum = sum.plus(took);
        largest = largest.largest(took);
    }
    for attempt in &attempts.all {
        if attempt.ended.is_none() && attempt.started.process.is_alive() {
            sum = sum.plus(largest);
        }
    }
    (sum, largest)
}

/// True if an attempt at this reply failed but cost something: it was empty, or cut off.
fn has_paid_failure(attempts: &Attempts, request: &Request) -> bool {
    attempts.all.iter().any(|attempt| {
        attempt.started.slot == request.slot
            && request.answers.contains(&attempt.answers())
            && attempt.failure().is_some()
            && is_paid(attempt)
    })
}

fn is_paid(attempt: &Attempt) -> bool {
    attempt.ended.as_ref().map(took).is_some_and(|took| took.tokens > 0 || took.cost > 0.0)
}

/// The mean of the replies, without failed attempts that cost nothing.
fn mean(attempts: &Attempts) -> Spent {
    let took: Vec<Spent> = attempts
        .all
        .iter()
        .filter(|attempt| attempt.is_received() || is_paid(attempt))
        .filter_map(|reply| reply.ended.as_ref())
        .map(took)
        .collect();
    let count = u32::try_from(took.len()).unwrap_or(u32::MAX).max(1);
    took.into_iter().fold(Spent::default(), Spent::plus).divided_by(count)
}

fn took(ended: &EndedLine) -> Spent {
    Spent {
        time: Duration::from_millis(ended.exit.duration_ms),
        tokens: ended.tokens.unwrap_or(0),
        cost: ended.cost.unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use anvil_core::attempt::Generation;
    use anvil_core::attempt::Slot;
    use anvil_store::Origin;
    use anvil_store::StartedLine;
    use anvil_system::process::ProcessId;

    /// An attempt of 100 tokens; without an end it still runs.
    fn attempt(number: u32, has_ended: bool) -> Attempt {
        let started = StartedLine {
            attempt: number,
            at: Timestamp::UNIX_EPOCH,
            seat: "voice 1".to_owned(),
            slot: Slot::Voice(1),
            generation: Generation::Cycle(1),
            origin: Origin { agent: "claude".to_owned(), ..Origin::default() },
            command: Vec::new(),
            process: ProcessId::current(),
            token: String::new(),
            recovery: String::new(),
            claim: None,
        };
        let ended = EndedLine { attempt: number, tokens: Some(100), ..EndedLine::default() };
        Attempt {
            started,
            returned: None,
            ended: has_ended.then_some(ended),
            is_submitted: has_ended,
            is_over: false,
        }
    }

    #[test]
    fn no_more_replies_are_written_at_once_than_fit() {
        let table = [
            // No limit, and a limit before a reply is measured.
            (None, vec![], 3),
            (Some(1_000_000), vec![], 0),
            (Some(1_000_000), vec![false], 0),
            // 100 spent and 150 for the synthesis: the next reply, and what is written with it.
            (Some(1_000_000), vec![true], 3),
            (Some(650), vec![true], 3),
            (Some(549), vec![true], 1),
            (Some(449), vec![true], 0),
            // What runs counts like the largest reply.
            (Some(650), vec![true, false], 2),
        ];
        for (max_tokens, ended, fit) in table {
            let limits = RunLimits { max_tokens, ..RunLimits::default() };
            let mut attempts = Attempts::default();
            for (number, has_ended) in (1..).zip(&ended) {
                attempts.all.push(attempt(number, *has_ended));
            }
            // The next reply is written in any case.
            let next = |attempts: &Attempts| u32::try_from(attempts.all.len() + 1).unwrap();
            let mut begun = 0;
            attempts.all.push(attempt(next(&attempts), false));
            while begun < 3 && limits.fits_concurrently(&attempts, 1) {
                attempts.all.push(attempt(next(&attempts), false));
                begun += 1;
            }
            assert_eq!(begun, fit, "{max_tokens:?} {ended:?}");
        }
    }
}
