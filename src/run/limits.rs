//! The limits of a run.

use std::time::Duration;

use clap::Args;
use clap::builder::ValueParser;

use crate::engine::{self, Request};
use crate::seats::{Budget, NextReply, Plan, Spent, Step, step};
use crate::storage::{Attempts, RunRecord};

#[derive(Args, Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_field_names, reason = "a field has the name of its option")]
pub(crate) struct RunLimits {
    /// Longest time for one reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    pub(super) max_reply: Option<Duration>,
    /// Longest time in which replies are written, all together
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    pub(super) max_time: Option<Duration>,
    /// Most tokens, in and out, as far as the programs tell them
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_tokens: Option<u64>,
    /// Most United States dollars, as far as the programs tell them
    #[arg(long, value_name = "USD", value_parser = ValueParser::new(dollars))]
    pub(super) max_cost: Option<f64>,
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    engine::duration(text).map_err(|_| "takes a time such as 90s, 10m or 2h".to_owned())
}

fn dollars(text: &str) -> Result<f64, String> {
    let cost: Option<f64> = text.trim_start_matches('$').parse().ok();
    cost.filter(|cost| cost.is_finite() && *cost > 0.0)
        .ok_or_else(|| "takes an amount such as 2.50".to_owned())
}

impl RunLimits {
    /// Fills limits that are not set from a record.
    pub(super) fn over(self, record: &RunRecord) -> Self {
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        Self {
            max_reply: self.max_reply.or(seconds(record.max_reply)),
            max_time: self.max_time.or(seconds(record.max_time)),
            max_tokens: self.max_tokens.or(record.max_tokens),
            max_cost: self.max_cost.or(record.max_cost),
        }
    }

    /// The limits as they are recorded.
    pub(super) fn remembered(&self) -> RunRecord {
        RunRecord {
            max_reply: self.max_reply.map(|time| time.as_secs()),
            max_time: self.max_time.map(|time| time.as_secs()),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            ..RunRecord::default()
        }
    }

    /// Limits each reply of the plan.
    pub(super) fn applied(&self, plan: Plan) -> Plan {
        match self.max_reply {
            Some(reply) => plan.with_longest_reply(reply),
            None => plan,
        }
    }

    /// The limits of the whole debate, for the user.
    pub(super) fn words(&self) -> Vec<String> {
        let words = [
            self.max_time.map(|time| format!("--max-time {} s", time.as_secs())),
            self.max_tokens.map(|tokens| format!("--max-tokens {tokens}")),
            self.max_cost.map(|cost| format!("--max-cost ${cost:.2}")),
        ];
        words.into_iter().flatten().collect()
    }

    /// The time for the next reply under `--max-time`: what remains, less the longest reply so far,
    /// which is reserved for the synthesis.
    pub(super) fn time_left(&self, attempts: &Attempts, is_synthesis: bool) -> Option<Duration> {
        let (spent, largest) = spent(attempts);
        let share = if is_synthesis { Duration::ZERO } else { largest.time };
        let left = self.max_time?.saturating_sub(spent.time.saturating_add(share));
        Some(left.max(Duration::from_secs(1)))
    }

    /// Decides whether the next reply fits.
    pub(super) fn step(&self, attempts: &Attempts, request: &Request) -> Step {
        let (spent, largest) = spent(attempts);
        let next = match (request.is_synthesis(), request.has_argument) {
            (true, _) => NextReply::Synthesis,
            (false, true) => NextReply::Argument,
            (false, false) => NextReply::Opening,
        };
        let budget = Budget { time: self.max_time, tokens: self.max_tokens, cost: self.max_cost };
        step(budget, spent, largest, next, request.judges)
    }
}

/// The sum over all attempts, and the largest single values.
fn spent(attempts: &Attempts) -> (Spent, Spent) {
    let total = attempts.total();
    let all = Spent {
        time: Duration::from_millis(total.duration_ms),
        tokens: total.tokens,
        cost: total.cost,
    };
    let ended = attempts.all.iter().filter_map(|attempt| attempt.ended.as_ref());
    let largest = ended.fold(Spent::default(), |largest, ended| {
        largest.largest(Spent {
            time: Duration::from_millis(ended.duration_ms),
            tokens: ended.tokens.unwrap_or(0),
            cost: ended.cost.unwrap_or(0.0),
        })
    });
    (all, largest)
}
