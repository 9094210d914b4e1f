//! The retry rule: the next step for a task, from the record of its attempts.

use std::time::Duration;

use jiff::Timestamp;

use super::source::{Blocker, TaskConfig};
use anvil_core::attempt::{EndedLine, FailureKind};
use anvil_engine::Request;
use anvil_prompt::Step;
use anvil_store::{Attempt, Attempts};

/// Seconds before another attempt after a transient failure, unless the service sets more.
/// `ANVIL_RETRY_DELAYS` changes them.
const DELAYS: [u64; 3] = [30, 60, 120];

/// Longest wait that a service may set, in seconds; beyond it the debate pauses.
const LONGEST_WAIT: u64 = 15 * 60;

/// Number of failures after which a seat has failed.
pub(super) const MAX_FAILURES: usize = 3;

/// The next step for a task.
#[derive(Debug)]
pub(crate) enum RetryDecision {
    /// Wait for an attempt that an earlier process has left, or end it.
    Adopt(Box<Attempt>),
    /// Save this reply: it was received, and the debate does not have it yet.
    Save(Box<Attempt>),
    /// Wait before the next attempt.
    Wait(Duration),
    /// Start an attempt. The text says why it is not the first.
    Ask(String),
    /// Start no more attempts.
    GiveUp(Blocker),
}

/// Decides in this order: adopt an open attempt, save a reply that was paid for, check the limits,
/// then the failures.
pub(super) fn decide(
    attempts: &Attempts,
    request: &Request,
    config: &TaskConfig,
    now: Timestamp,
) -> RetryDecision {
    let open = attempts.all.iter().find(|attempt| {
        attempt.ended.is_none()
            && attempt.started.slot == request.slot
            && request.answers.contains(&attempt.answers())
    });
    if let Some(open) = open {
        return RetryDecision::Adopt(Box::new(open.clone()));
    }
    if let Some(attempt) = attempts.waiting(request.slot, &request.answers) {
        return RetryDecision::Save(Box::new(attempt.clone()));
    }
    let reached_limit = match config.limits.step(attempts, request) {
        Step::GoOn => None,
        Step::Synthesize(option) => Some((option, true)),
        Step::Pause(option) => Some((option, false)),
    };
    if let Some((option, synthesis_fits)) = reached_limit {
        return RetryDecision::GiveUp(Blocker::Limit { option, synthesis_fits });
    }
    let failures = failures(attempts, request, config);
    match wait_after(&failures, config.is_single) {
        Ok(wait) => {
            let failed_at = failures.first().map_or(Timestamp::UNIX_EPOCH, |last| last.at);
            let wait = remaining_wait(wait, failed_at, now);
            if !wait.is_zero() {
                return RetryDecision::Wait(wait);
            }
        }
        Err(blocker) => return RetryDecision::GiveUp(blocker),
    }
    let failure = failures.first().and_then(|last| last.error).or_else(|| {
        let newest = attempts.newest_at(request.slot, request.generation)?;
        Some(newest.failure().unwrap_or(FailureKind::Lost))
    });
    RetryDecision::Ask(
        failure.map_or_else(String::new, |kind| format!("asked again: {}", kind.label())),
    )
}

/// Seconds until the next attempt. `None`: no attempt follows.
pub(super) fn retry_in(attempts: &Attempts, request: &Request, config: &TaskConfig) -> Option<u64> {
    let failures = failures(attempts, request, config);
    wait_after(&failures, config.is_single).ok().map(|wait| wait.as_secs())
}

/// Failures of this agent at this reply, newest first, also those of concurrent attempts.
fn failures<'a>(
    attempts: &'a Attempts,
    request: &Request,
    config: &TaskConfig,
) -> Vec<&'a EndedLine> {
    let TaskConfig { agent, failures_count_from, .. } = config;
    attempts.failures(request.slot, &request.answers, &agent.name, *failures_count_from).collect()
}

/// The time between the last of these failures, newest first, and the next attempt. `Err`: no
/// attempt follows.
fn wait_after(failures: &[&EndedLine], is_single: bool) -> Result<Duration, Blocker> {
    let Some((last, kind)) = failures.first().and_then(|last| Some((*last, last.error?))) else {
        return Ok(Duration::ZERO);
    };
    let why = match last.message.as_str() {
        "" => kind.label().to_owned(),
        message => format!("{} ({message})", kind.label()),
    };
    let wait = match kind {
        FailureKind::Quota | FailureKind::Login | FailureKind::Missing | FailureKind::Rejected => {
            return Err(Blocker::Waits(why));
        }
        _ if is_single => {
            return Err(Blocker::Failed(match last.retry_after {
                Some(required) => format!("{why}; it asks to wait {required} s"),
                None => why,
            }));
        }
        FailureKind::Transient => {
            let required = last.retry_after.unwrap_or(0);
            let delay = delays().get(failures.len() - 1).copied();
            if delay.is_some() && required > LONGEST_WAIT {
                return Err(Blocker::Waits(format!("{why}; it asks to wait {required} s")));
            }
            delay.map(|delay| with_jitter(delay, last.attempt).max(Duration::from_secs(required)))
        }
        FailureKind::Refusal
        | FailureKind::Empty
        | FailureKind::Misshapen
        | FailureKind::Crash
        | FailureKind::TimeLimit
        | FailureKind::Interrupted
        | FailureKind::Lost => (failures.len() < MAX_FAILURES).then_some(Duration::ZERO),
    };
    wait.ok_or_else(|| Blocker::Failed(times_in_a_row(&why, failures.len())))
}

/// `it was ended from outside, 3 times in a row`
pub(super) fn times_in_a_row(why: &str, times: usize) -> String {
    if times > 1 { format!("{why}, {times} times in a row") } else { why.to_owned() }
}

/// The remainder of a wait that began when an attempt failed. The time before a resume counts.
fn remaining_wait(wait: Duration, failed_at: Timestamp, now: Timestamp) -> Duration {
    // A clock that was set back does not lengthen the wait.
    let passed = now.duration_since(failed_at).try_into().unwrap_or(Duration::ZERO);
    wait.saturating_sub(passed)
}

fn delays() -> Vec<u64> {
    let variable = std::env::var("ANVIL_RETRY_DELAYS").ok();
    let delays: Option<Vec<u64>> = variable
        .and_then(|delays| delays.split(',').map(|delay| delay.trim().parse().ok()).collect());
    delays.filter(|delays| !delays.is_empty()).unwrap_or_else(|| DELAYS.to_vec())
}

/// Adds up to a fifth, so that many debates do not retry at the same moment. Constant for one
/// attempt of one process.
fn with_jitter(seconds: u64, attempt: u32) -> Duration {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (attempt, std::process::id()).hash(&mut hasher);
    let part = hasher.finish() % 200;
    Duration::from_millis(seconds * (1_000 + part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Orphan;
    use crate::limits::RunLimits;
    use anvil_core::attempt::Generation;
    use anvil_core::attempt::Slot;
    use anvil_core::place::{Place, Seat};
    use anvil_store::Origin;
    use anvil_store::StartedLine;
    use anvil_system::process::ProcessId;

    fn next(failures: &[EndedLine]) -> Result<Duration, Blocker> {
        wait_after(&failures.iter().collect::<Vec<_>>(), false)
    }

    fn ended(kind: FailureKind, retry_after: Option<u64>) -> EndedLine {
        EndedLine { attempt: 1, error: Some(kind), retry_after, ..EndedLine::default() }
    }

    #[test]
    fn the_kind_of_a_failure_decides_the_next_step() {
        use FailureKind::{
            Crash, Empty, Login, Misshapen, Missing, Quota, Refusal, Rejected, TimeLimit, Transient,
        };
        for kind in [Quota, Login, Missing, Rejected] {
            assert!(matches!(next(&[ended(kind, None)]), Err(Blocker::Waits(_))), "{kind:?}");
        }
        for kind in [Refusal, Empty, Misshapen, Crash, TimeLimit] {
            let failures = vec![ended(kind, None); 3];
            assert!(matches!(next(&failures[..2]), Ok(Duration::ZERO)), "{kind:?}");
            assert!(matches!(next(&failures), Err(Blocker::Failed(_))), "{kind:?}");
        }
        let waits =
            |count: usize, retry_after| match next(&vec![ended(Transient, retry_after); count]) {
                Ok(wait) => wait.as_secs(),
                other => panic!("{other:?}"),
            };
        assert!((30..=36).contains(&waits(1, None)));
        assert!((60..=72).contains(&waits(2, None)));
        assert!((120..=144).contains(&waits(3, None)));
        assert_eq!(waits(1, Some(300)), 300);
        assert!(matches!(next(&[ended(Transient, Some(3_600))]), Err(Blocker::Waits(_))));
        assert!(matches!(next(&vec![ended(Transient, None); 4]), Err(Blocker::Failed(_))));
        assert!(matches!(next(&[]), Ok(Duration::ZERO)));
    }

    #[test]
    fn a_resumed_run_waits_only_for_the_remaining_time() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let minute = Duration::from_mins(1);
        for (now, left) in [(1_000, 60), (1_045, 15), (1_060, 0), (9_000, 0), (1, 60)] {
            assert_eq!(
                remaining_wait(minute, at(1_000), at(now)),
                Duration::from_secs(left),
                "{now}"
            );
        }
    }

    const AGENT: &str = "cmd:critic";

    /// An attempt at the critic's reply. `end`: `None` while it runs.
    fn attempt(
        number: u32,
        agent: &str,
        generation: &str,
        end: Option<Result<(), FailureKind>>,
    ) -> Attempt {
        let started = StartedLine {
            attempt: number,
            at: Timestamp::UNIX_EPOCH,
            seat: "critic".to_owned(),
            slot: Slot::Critic { round: 1 },
            generation: Generation::parse(generation).unwrap(),
            origin: Origin { agent: agent.to_owned(), ..Origin::default() },
            command: Vec::new(),
            process: ProcessId::default(),
            token: String::new(),
            recovery: String::new(),
            claim: None,
        };
        let end = end.map(|end| EndedLine { error: end.err(), ..ended(FailureKind::Crash, None) });
        Attempt { started, returned: None, ended: end, is_submitted: false, is_over: false }
    }

    /// The decision about the critic's reply, as text.
    fn decided(all: &[Attempt], limits: RunLimits) -> String {
        let mut attempts = Attempts::default();
        attempts.all.extend_from_slice(all);
        let place = Place { seat: Seat::Critic, round: 1 };
        let request = Request {
            seat: place.seat,
            place,
            slot: place.into(),
            label: String::new(),
            generation: Generation::parse("2.0").unwrap(),
            answers: vec![Generation::parse("2.0").unwrap(), Generation::Cycle(1)],
            prompt: String::new(),
            sheet: String::new(),
            is_again: false,
            has_argument: true,
            judges: 1,
            left: 2,
            saved_replies: 1,
            check: None,
        };
        let agent = anvil_prompt::parse(AGENT, &[], false).unwrap();
        let orphan = Orphan::Wait;
        let config = TaskConfig { agent, limits, failures_count_from: 3, is_single: false, orphan };
        // Long after every attempt, so no wait remains.
        match decide(&attempts, &request, &config, Timestamp::from_second(1_000_000).unwrap()) {
            RetryDecision::Adopt(attempt) => format!("settle {}", attempt.started.attempt),
            RetryDecision::Save(attempt) => format!("save {}", attempt.started.attempt),
            RetryDecision::Wait(_) => "wait".to_owned(),
            RetryDecision::Ask(recovery) => format!("ask {recovery}"),
            RetryDecision::GiveUp(Blocker::Limit { option, .. }) => format!("stop at {option}"),
            RetryDecision::GiveUp(Blocker::Waits(why)) => format!("wait for the user: {why}"),
            RetryDecision::GiveUp(Blocker::Failed(why)) => format!("fail: {why}"),
            RetryDecision::GiveUp(Blocker::Broken(error)) => error.to_string(),
        }
    }

    #[test]
    fn an_attempt_starts_only_within_limits_and_if_none_is_open() {
        use FailureKind::{Crash, Login, Transient};
        let failed = |number, kind| attempt(number, AGENT, "2.0", Some(Err(kind)));
        let helped = |number, kind| attempt(number, AGENT, "c1", Some(Err(kind)));
        let table = [
            (vec![], "ask "),
            (vec![attempt(3, AGENT, "c1", None)], "settle 3"),
            (vec![attempt(3, AGENT, "1.0", None)], "ask "),
            (vec![failed(3, Login), attempt(4, "cmd:other", "c1", Some(Ok(())))], "save 4"),
            (vec![attempt(3, AGENT, "1.0", Some(Ok(())))], "ask "),
            (vec![failed(1, Login), failed(2, Login)], "ask asked again: not logged in"),
            (vec![attempt(3, "cmd:other", "c1", Some(Err(Login)))], "ask "),
            (vec![helped(3, Login)], "wait for the user: not logged in"),
            (vec![failed(3, Transient)], "ask asked again: the service failed temporarily"),
            (
                vec![helped(3, Crash), helped(4, Crash), failed(5, Crash)],
                "fail: the program failed, 3 times in a row",
            ),
        ];
        let spent = RunLimits { max_tokens: Some(0), ..RunLimits::default() };
        for (attempts, expected) in table {
            let decision = decided(&attempts, RunLimits::default());
            assert_eq!(decision, expected, "{attempts:?}");
            let without_room = decided(&attempts, spent);
            let is_free = ["settle", "save"].iter().any(|word| expected.starts_with(word));
            let expected = if is_free { expected } else { "stop at --max-tokens" };
            assert_eq!(without_room, expected, "{attempts:?}");
        }
    }
}
