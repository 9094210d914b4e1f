//! The limits of a run.

use std::time::Duration;

use crate::engine::Request;
use crate::seats::{Budget, NextReply, Plan, Spent, Step, step};
use crate::storage::{Attempts, RunRecord};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RunLimits {
    /// `--max-reply`
    pub(crate) reply: Option<Duration>,
    /// `--max-time`, `--max-tokens` and `--max-cost`
    pub(crate) budget: Budget,
}

impl RunLimits {
    /// Fills limits that are not set from a record.
    pub(super) fn over(self, record: &RunRecord) -> Self {
        let seconds = |seconds: Option<u64>| seconds.map(Duration::from_secs);
        Self {
            reply: self.reply.or(seconds(record.max_reply)),
            budget: Budget {
                time: self.budget.time.or(seconds(record.max_time)),
                tokens: self.budget.tokens.or(record.max_tokens),
                cost: self.budget.cost.or(record.max_cost),
            },
        }
    }

    /// The limits as they are recorded.
    pub(super) fn remembered(&self) -> RunRecord {
        RunRecord {
            max_reply: self.reply.map(|time| time.as_secs()),
            max_time: self.budget.time.map(|time| time.as_secs()),
            max_tokens: self.budget.tokens,
            max_cost: self.budget.cost,
            ..RunRecord::default()
        }
    }

    /// Limits each reply of the plan.
    pub(super) fn applied(&self, plan: Plan) -> Plan {
        match self.reply {
            Some(reply) => plan.with_longest_reply(reply),
            None => plan,
        }
    }

    /// The limits of the whole debate, for the user.
    pub(super) fn words(&self) -> Vec<String> {
        let Budget { time, tokens, cost } = self.budget;
        let words = [
            time.map(|time| format!("--max-time {} s", time.as_secs())),
            tokens.map(|tokens| format!("--max-tokens {tokens}")),
            cost.map(|cost| format!("--max-cost ${cost:.2}")),
        ];
        words.into_iter().flatten().collect()
    }

    /// The time for the next reply under `--max-time`: what remains, less the longest reply so far,
    /// which is reserved for the synthesis.
    pub(super) fn time_left(&self, attempts: &Attempts, is_synthesis: bool) -> Option<Duration> {
        let (spent, largest) = spent(attempts);
        let share = if is_synthesis { Duration::ZERO } else { largest.time };
        let left = self.budget.time?.saturating_sub(spent.time.saturating_add(share));
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
        step(self.budget, spent, largest, next, request.judges)
    }
}

/// The sum of all attempts, and the largest values of any.
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
