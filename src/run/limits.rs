//! How much a run may take, and when an attempt that failed is made again.

use std::time::Duration;

use jiff::Timestamp;

use crate::engine::Request;
use crate::seats::{Budget, Plan, Spent, Step, step};
use crate::state::{Attempts, EndedLine, FailureKind, RunRecord};

/// Waits before a service that failed for a moment is asked again, unless it says more itself. `ANVIL_RETRY_DELAYS` changes them.
const DELAYS: [u64; 3] = [30, 60, 120];

/// Longest wait that a service may ask for; beyond it the debate pauses.
const LONGEST_WAIT: u64 = 15 * 60;

/// Failures in a row after which a seat has failed.
pub(super) const CHANCES: usize = 3;

/// The limits of a run, as the user sets them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RunLimits {
    /// `--max-reply`
    pub(crate) reply: Option<Duration>,
    /// `--max-time`, `--max-tokens` and `--max-cost`
    pub(crate) budget: Budget,
}

impl RunLimits {
    /// These, and for what they do not say those on record.
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

    /// What is remembered of them.
    pub(super) fn remembered(&self) -> RunRecord {
        RunRecord {
            max_reply: self.reply.map(|time| time.as_secs()),
            max_time: self.budget.time.map(|time| time.as_secs()),
            max_tokens: self.budget.tokens,
            max_cost: self.budget.cost,
            ..RunRecord::default()
        }
    }

    /// A plan whose replies keep to them.
    pub(super) fn applied(&self, plan: Plan) -> Plan {
        match self.reply {
            Some(reply) => plan.with_longest_reply(reply),
            None => plan,
        }
    }

    /// The limits of the whole debate, for the user.
    pub(super) fn words(&self) -> Vec<String> {
        let Budget { time, tokens, cost } = self.budget;
        let said = [
            time.map(|time| format!("--max-time {} s", time.as_secs())),
            tokens.map(|tokens| format!("--max-tokens {tokens}")),
            cost.map(|cost| format!("--max-cost ${cost:.2}")),
        ];
        said.into_iter().flatten().collect()
    }

    /// How long the next reply may take where `--max-time` says so: what is left of it, without what the
    /// longest one took, which is kept for the synthesis.
    pub(super) fn time_left(&self, attempts: &Attempts, is_synthesis: bool) -> Option<Duration> {
        let (spent, largest) = spent(attempts);
        let share = if is_synthesis { Duration::ZERO } else { largest.time };
        let left = self.budget.time?.saturating_sub(spent.time.saturating_add(share));
        Some(left.max(Duration::from_secs(1)))
    }

    /// Whether the next reply fits.
    pub(super) fn step(&self, attempts: &Attempts, request: &Request) -> Step {
        let (spent, largest) = spent(attempts);
        step(self.budget, spent, largest, request.is_synthesis(), request.has_argument, request.judges)
    }
}

/// What all attempts together took, and the largest of them.
fn spent(attempts: &Attempts) -> (Spent, Spent) {
    let total = attempts.total();
    let all = Spent { time: Duration::from_millis(total.duration_ms), tokens: total.tokens, cost: total.cost };
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

/// What comes after some failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It is asked.
    Ask,
    /// It is asked after a while.
    AskAfter(Duration),
    /// The user has to do something first.
    Pause(String),
    /// The seat has failed.
    Fail(String),
}

/// Decides by the failures of a phase, the newest first.
pub(super) fn next_after(failures: &[EndedLine]) -> Next {
    let Some((last, kind)) = failures.first().and_then(|last| Some((last, last.error?))) else { return Next::Ask };
    let why = match last.message.as_str() {
        "" => kind.label().to_owned(),
        message => format!("{} ({message})", kind.label()),
    };
    match kind {
        FailureKind::Quota | FailureKind::Login | FailureKind::Missing | FailureKind::Rejected => Next::Pause(why),
        FailureKind::Transient => {
            let delays = delays();
            let asked = last.retry_after.unwrap_or(0);
            match delays.get(failures.len() - 1) {
                None => Next::Fail(format!("{why}, {} times in a row", failures.len())),
                Some(_) if asked > LONGEST_WAIT => Next::Pause(format!("{why}; it asks to wait {asked} s")),
                Some(&delay) => Next::AskAfter(jittered(delay, last.attempt).max(Duration::from_secs(asked))),
            }
        }
        FailureKind::Refusal
        | FailureKind::Empty
        | FailureKind::Misshapen
        | FailureKind::Crash
        | FailureKind::TimeLimit
        | FailureKind::Interrupted
        | FailureKind::Lost => {
            if failures.len() < CHANCES {
                Next::Ask
            } else {
                Next::Fail(format!("{why}, {} times in a row", failures.len()))
            }
        }
    }
}

/// What is left of a wait that began when an attempt failed: a run that is resumed later has waited already.
pub(super) fn rest_of(wait: Duration, failed_at: Timestamp, now: Timestamp) -> Duration {
    // A clock that was set back makes no wait longer.
    let passed = now.duration_since(failed_at).try_into().unwrap_or(Duration::ZERO);
    wait.saturating_sub(passed)
}

fn delays() -> Vec<u64> {
    let set = std::env::var("ANVIL_RETRY_DELAYS").ok();
    let set: Option<Vec<u64>> = set.and_then(|set| set.split(',').map(|delay| delay.trim().parse().ok()).collect());
    set.filter(|delays| !delays.is_empty()).unwrap_or_else(|| DELAYS.to_vec())
}

/// Up to a fifth more, so that many debates do not ask at once. The same for one attempt, however often it is asked.
fn jittered(seconds: u64, attempt: u32) -> Duration {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (attempt, std::process::id()).hash(&mut hasher);
    let part = hasher.finish() % 200;
    Duration::from_millis(seconds * (1_000 + part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(kind: FailureKind, retry_after: Option<u64>) -> EndedLine {
        EndedLine {
            attempt: 1,
            at: Timestamp::UNIX_EPOCH,
            code: None,
            signal: None,
            duration_ms: 0,
            bytes: 0,
            words: 0,
            tokens: None,
            cost: None,
            error: Some(kind),
            reply: None,
            stdout: None,
            message: String::new(),
            retry_after,
            left_behind: 0,
            still_running: 0,
        }
    }

    #[test]
    fn what_comes_after_a_failure_is_told_by_its_kind() {
        use FailureKind::{Crash, Empty, Login, Misshapen, Missing, Quota, Refusal, Rejected, TimeLimit, Transient};
        for kind in [Quota, Login, Missing, Rejected] {
            assert!(matches!(next_after(&[ended(kind, None)]), Next::Pause(_)), "{kind:?}");
        }
        for kind in [Refusal, Empty, Misshapen, Crash, TimeLimit] {
            let failures = vec![ended(kind, None); 3];
            assert_eq!(next_after(&failures[..2]), Next::Ask, "{kind:?}");
            assert!(matches!(next_after(&failures), Next::Fail(_)), "{kind:?}");
        }
        let waits = |count: usize, retry_after| match next_after(&vec![ended(Transient, retry_after); count]) {
            Next::AskAfter(wait) => wait.as_secs(),
            other => panic!("{other:?}"),
        };
        assert!((30..=36).contains(&waits(1, None)));
        assert!((60..=72).contains(&waits(2, None)));
        assert!((120..=144).contains(&waits(3, None)));
        assert_eq!(waits(1, Some(300)), 300);
        assert!(matches!(next_after(&[ended(Transient, Some(3_600))]), Next::Pause(_)));
        assert!(matches!(next_after(&vec![ended(Transient, None); 4]), Next::Fail(_)));
        assert_eq!(next_after(&[]), Next::Ask);
    }

    #[test]
    fn a_wait_that_is_over_is_not_waited_for_again() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let minute = Duration::from_mins(1);
        for (now, left) in [(1_000, 60), (1_045, 15), (1_060, 0), (9_000, 0), (1, 60)] {
            assert_eq!(rest_of(minute, at(1_000), at(now)), Duration::from_secs(left), "{now}");
        }
    }
}
