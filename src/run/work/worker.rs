//! The loop: gets a task, decides, acts.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::decision::{MAX_FAILURES, RetryDecision, decide, retry_in, times_in_a_row};
use super::source::{Desk, Obstacle, Offer, TaskSource, Terms};
use crate::domain::attempt::{FailureKind, Generation};
use crate::engine::{Request, Stopped};
use crate::error::Result;
use crate::run::attempt::Orphan;
use crate::seats::{FoundAttempt, Output, RunEvent};
use crate::storage::{Attempt, Attempts};

/// Time between two checks whether the debate still waits.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Works until the source ends the work.
pub(in crate::run) fn work(source: &mut impl TaskSource) -> Result<ExitCode, Stopped> {
    let mut killed_in_a_row = 0;
    loop {
        let (request, terms) = match source.next()? {
            Offer::Task(request, terms) => (request, terms),
            Offer::Nothing => continue,
            Offer::End(code) => return Ok(code),
        };
        let attempts = source.desk().executor.record.read()?;
        keep_late_replies(source.desk(), &attempts, &request)?;
        let ended = match decide(&attempts, &request, &terms, Timestamp::now()) {
            RetryDecision::Settle(attempt, orphan) => {
                settle(source, &attempt, orphan, terms.agent.output, request.generation.answers)?;
                None
            }
            RetryDecision::Save(attempt) => {
                source.desk().view.say(&found(&attempt, FoundAttempt::Finished))?;
                source.save(&request, &attempt)?
            }
            RetryDecision::Wait(wait) => {
                pause(source, wait, request.generation.answers);
                None
            }
            RetryDecision::GiveUp(obstacle) => source.give_up(&request, obstacle)?,
            RetryDecision::Ask(recovery) => {
                match ask(source, &request, &terms, &attempts, &recovery) {
                    Err(error) => source.give_up(&request, Obstacle::Broken(error))?,
                    Ok(attempt) if attempt.is_received() => {
                        killed_in_a_row = 0;
                        source.save(&request, &attempt)?
                    }
                    // The attempt was killed from outside, or killed itself. This may repeat for
                    // ever.
                    Ok(attempt) if is_killed(source, &attempt, request.generation.answers) => {
                        killed_in_a_row += 1;
                        let most = if terms.is_single { 1 } else { MAX_FAILURES };
                        if killed_in_a_row == most {
                            killed_in_a_row = 0;
                            let why = times_in_a_row("it was ended from outside", most);
                            source.give_up(&request, Obstacle::Waits(why))?
                        } else {
                            None
                        }
                    }
                    Ok(_) => None,
                }
            }
        };
        if let Some(code) = ended {
            return Ok(code);
        }
    }
}

/// True if an attempt was stopped although the user and the debate still wanted it.
fn is_killed(source: &impl TaskSource, attempt: &Attempt, generation: Generation) -> bool {
    attempt.failure().is_some_and(|kind| !kind.counts())
        && !source.desk().is_stopped()
        && source.still_waits(generation)
}

/// Waits for an attempt that an earlier process began, or ends it. The record has its end then.
pub(in crate::run) fn settle(
    source: &impl TaskSource,
    open: &Attempt,
    orphan: Orphan,
    output: Output,
    generation: Generation,
) -> Result<()> {
    let view = &source.desk().view;
    if orphan == Orphan::Wait && open.started.process.is_alive() {
        view.say(&found(open, FoundAttempt::Running))?;
    }
    view.begin(format!("{} · {}", open.started.slot, open.started.agent), output);
    let watch = &mut watch(source, generation);
    let settled = source.desk().executor.settle(open, orphan, watch);
    view.end();
    if !settled?.is_received() {
        view.say(&found(open, FoundAttempt::Lost))?;
    }
    Ok(())
}

fn found(attempt: &Attempt, how: FoundAttempt) -> RunEvent {
    let (attempt, slot) = (attempt.started.attempt, attempt.started.slot.clone());
    RunEvent::Found { attempt, slot, how }
}

/// Puts replies aside that an earlier holder of this task received for another state of the debate.
fn keep_late_replies(
    desk: &Desk<'_>,
    attempts: &Attempts,
    request: &Request,
) -> Result<(), Stopped> {
    let is_late = |attempt: &&Attempt| {
        attempt.is_leased()
            && attempt.is_received()
            && !attempt.is_submitted
            && attempt.started.slot == request.name
            && !request.answers.contains(&attempt.answers())
    };
    for attempt in attempts.all.iter().filter(is_late) {
        if let Ok(text) = desk.executor.reply(attempt) {
            desk.with(|engine| engine.workers().keep_late(&desk.id, &text))?;
            desk.executor.note_submitted(attempt);
        }
    }
    Ok(())
}

/// Waits until `wait` has passed, the user stops the work, or the debate moves on.
fn pause(source: &impl TaskSource, wait: Duration, generation: Generation) {
    let began = Instant::now();
    let mut checked = began;
    while began.elapsed() < wait && !source.desk().is_stopped() {
        std::thread::sleep(Duration::from_millis(50).min(wait));
        if checked.elapsed() > RECHECK_INTERVAL {
            checked = Instant::now();
            if !source.still_waits(generation) {
                return;
            }
        }
    }
}

/// Runs one attempt.
fn ask(
    source: &impl TaskSource,
    request: &Request,
    terms: &Terms,
    attempts: &Attempts,
    recovery: &str,
) -> Result<Attempt> {
    let Desk { executor, view, .. } = source.desk();
    let mut agent = terms.agent.clone();
    if let Some(left) = terms.limits.time_left(attempts, request.is_synthesis()) {
        agent.limits.whole = agent.limits.whole.min(left);
    }
    let (attempt, slot) = (attempts.next_number(), request.name.clone());
    view.say(&RunEvent::Asked { attempt, slot, agent: agent.name.clone() })?;
    view.begin(format!("{} · {}", request.label, agent.name), agent.output);
    let watch = &mut watch(source, request.generation.answers);
    let attempt = executor.attempt(request, &agent, recovery, watch);
    view.end();
    let attempt = attempt?;
    view.say_left(&attempt)?;
    if let Some(ended) = &attempt.ended
        && let Some(kind) = ended.error.filter(|kind| *kind != FailureKind::Interrupted)
    {
        view.say(&RunEvent::AttemptFailed {
            attempt: attempt.started.attempt,
            slot: request.name.clone(),
            agent: agent.name,
            kind,
            message: ended.message.clone(),
            retry_in: retry_in(&executor.record.read()?, request, terms),
        })?;
    }
    Ok(attempt)
}

/// Shows a running attempt, and checks whether the debate still waits for it.
fn watch(source: &impl TaskSource, generation: Generation) -> impl FnMut(&Path, Duration) -> bool {
    move |output, since| {
        source.desk().view.arrived(output, since);
        source.still_waits(generation)
    }
}
