//! The loop: gets the tasks that can be written now, decides, and follows the attempts that run at
//! the same time. Each attempt is a wrapper process; this one process owns everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::decision::{MAX_FAILURES, RetryDecision, decide, retry_in, times_in_a_row};
use super::source::{Desk, Obstacle, Offer, TaskSource, Terms};
use crate::attempt::{Executor, Orphan, Running};
use anvil_core::attempt::{FailureKind, Generation};
use anvil_engine::{Request, Stopped, programs};
use anvil_prompt::{Agent, FoundAttempt, Output, RunEvent};
use anvil_store::{Attempt, Attempts};
use anvil_text::error::Result;

/// Time between two looks at the attempts that run.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time between two checks whether the debate still waits for an attempt.
const RECHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Works until the source ends the work. Then no attempt of it runs.
pub(crate) fn work<S: TaskSource>(source: &mut S) -> Result<ExitCode, Stopped> {
    let mut pool = Pool::default();
    let ended = pool.work(source);
    let left = pool.end_all(source.desk());
    let code = ended?;
    left?;
    Ok(code)
}

/// An attempt that runs, and what it is for.
struct Writing {
    running: Running,
    /// The name of its place, and the state that it answers.
    name: String,
    answers: Generation,
    /// What is shown while it runs.
    label: String,
    output: Output,
    /// `None`: an earlier process has started it.
    task: Option<(Request, Terms)>,
    /// It writes the debate's next reply.
    is_next: bool,
}

#[derive(Default)]
struct Pool {
    all: Vec<Writing>,
    /// The attempts that this process has started.
    own: BTreeSet<u32>,
    /// How often in a row the attempts for a place were killed.
    killed: BTreeMap<String, usize>,
    /// The attempt that the live line shows.
    shown: Option<u32>,
}

/// What the pool did about a task.
enum Done {
    /// The work ends.
    Ends(ExitCode),
    /// The task is settled, so the source has another one.
    Moved,
    /// Nothing more can be done now, or before this time has passed.
    Waits(Option<Duration>),
}

impl Pool {
    fn work<S: TaskSource>(&mut self, source: &mut S) -> Result<ExitCode, Stopped> {
        settle_all(source)?;
        loop {
            let (request, terms) = match source.next()? {
                Offer::Task(request, terms) => (request, terms),
                Offer::End(code) => return Ok(code),
            };
            let wait = match self.advance(source, &request, &terms)? {
                Done::Ends(code) => return Ok(code),
                Done::Moved => continue,
                Done::Waits(wait) => wait,
            };
            let soonest = self.begin_concurrent(source)?;
            let wait = wait.into_iter().chain(soonest).min();
            if let Some(code) = self.follow(source, &request, wait)? {
                return Ok(code);
            }
        }
    }

    fn writes(&self, name: &str) -> bool {
        self.all.iter().any(|writing| writing.name == name)
    }

    /// Does what the next task needs.
    fn advance<S: TaskSource>(
        &mut self,
        source: &mut S,
        request: &Request,
        terms: &Terms,
    ) -> Result<Done, Stopped> {
        if self.writes(&request.name) {
            return Ok(Done::Waits(None));
        }
        let attempts = source.desk().executor.record.read()?;
        keep_late_replies(source.desk(), &attempts, request)?;
        let obstacle = match decide(&attempts, request, terms, Timestamp::now()) {
            RetryDecision::Settle(attempt) => {
                self.take_over(source.desk(), &attempt, terms)?;
                return Ok(Done::Waits(None));
            }
            RetryDecision::Save(attempt) => {
                if !self.own.contains(&attempt.started.attempt) {
                    source.desk().view.say(&found(&attempt, FoundAttempt::Finished))?;
                }
                return Ok(source.save(request, &attempt)?.map_or(Done::Moved, Done::Ends));
            }
            RetryDecision::Wait(wait) => return Ok(Done::Waits(Some(wait))),
            RetryDecision::GiveUp(Obstacle::Limit { .. }) if !self.all.is_empty() => {
                // What counts for a limit is measured when they have ended.
                return Ok(Done::Waits(None));
            }
            RetryDecision::GiveUp(obstacle) => obstacle,
            RetryDecision::Ask(recovery) => {
                match self.begin(source.desk(), request, terms, &attempts, &recovery) {
                    Ok(()) => return Ok(Done::Waits(None)),
                    Err(error) => Obstacle::Broken(error),
                }
            }
        };
        Ok(source.give_up(request, obstacle)?.map_or(Done::Moved, Done::Ends))
    }

    /// Starts attempts at what can be written at the same time as the next reply. Returns the time
    /// until another one can be started.
    fn begin_concurrent<S: TaskSource>(
        &mut self,
        source: &mut S,
    ) -> Result<Option<Duration>, Stopped> {
        let mut soonest: Option<Duration> = None;
        let busy = |name: &str| {
            self.writes(name) || self.killed.get(name).is_some_and(|times| *times >= MAX_FAILURES)
        };
        for (request, terms) in source.concurrent(self.all.len(), &busy)? {
            let attempts = source.desk().executor.record.read()?;
            let judges = if request.place.seat.judge().is_some() { 0 } else { request.judges };
            match decide(&attempts, &request, &terms, Timestamp::now()) {
                RetryDecision::Settle(attempt) => {
                    self.take_over(source.desk(), &attempt, &terms)?;
                }
                RetryDecision::Ask(recovery)
                    if terms.limits.fits_concurrently(&attempts, judges) =>
                {
                    self.begin(source.desk(), &request, &terms, &attempts, &recovery)?;
                }
                RetryDecision::Wait(wait) => {
                    soonest = Some(soonest.map_or(wait, |other| other.min(wait)));
                }
                // When it is the next one, more is known.
                RetryDecision::Save(_) | RetryDecision::GiveUp(_) | RetryDecision::Ask(_) => {}
            }
        }
        Ok(soonest)
    }

    /// Follows an attempt that an earlier process has started.
    fn take_over(&mut self, desk: &Desk<'_>, open: &Attempt, terms: &Terms) -> Result<()> {
        if terms.orphan == Orphan::Wait && open.started.process.is_alive() {
            desk.view.say(&found(open, FoundAttempt::Running))?;
        }
        self.all.push(Writing {
            running: Executor::found(open, terms.orphan),
            name: open.started.slot.clone(),
            answers: open.started.generation,
            label: format!("{} · {}", open.started.slot, open.started.origin.agent),
            output: terms.agent.output,
            task: None,
            is_next: false,
        });
        Ok(())
    }

    /// Starts an attempt.
    fn begin(
        &mut self,
        desk: &Desk<'_>,
        request: &Request,
        terms: &Terms,
        attempts: &Attempts,
        recovery: &str,
    ) -> Result<()> {
        let mut agent: Agent = terms.agent.clone();
        if let Some(left) = terms.limits.time_left(attempts, request.is_synthesis()) {
            agent.limits.whole = agent.limits.whole.min(left);
        }
        let attempt = attempts.next_number();
        let slot = request.name.clone();
        desk.view.say(&RunEvent::Asked { attempt, slot, agent: agent.name.clone() })?;
        let running = desk.executor.begin(request, &agent, recovery)?;
        self.own.insert(running.attempt);
        self.all.push(Writing {
            running,
            name: request.name.clone(),
            answers: request.generation,
            label: format!("{} · {}", request.label, agent.name),
            output: agent.output,
            task: Some((request.clone(), terms.clone())),
            is_next: false,
        });
        Ok(())
    }

    /// Follows the attempts until one has ended, `wait` has passed, the user stops the work, or
    /// the debate moves on. `next`: the debate's next reply.
    fn follow<S: TaskSource>(
        &mut self,
        source: &mut S,
        next: &Request,
        wait: Option<Duration>,
    ) -> Result<Option<ExitCode>, Stopped> {
        for writing in &mut self.all {
            writing.is_next |= writing.answers == next.generation && writing.name == next.name;
        }
        self.show(source.desk());
        let began = Instant::now();
        let mut checked = Instant::now();
        loop {
            let executor = &source.desk().executor;
            if let Some(at) = self.all.iter_mut().position(|it| executor.is_over(&mut it.running)) {
                let writing = self.all.remove(at);
                return self.end(source, writing);
            }
            let is_over = wait.is_some_and(|wait| began.elapsed() >= wait);
            if is_over || self.all.is_empty() && source.desk().is_stopped() {
                return Ok(None);
            }
            if checked.elapsed() >= RECHECK_INTERVAL {
                checked = Instant::now();
                for it in &mut self.all {
                    if !source.still_waits(&it.name, it.answers) {
                        it.running.ask_to_end();
                    }
                }
                self.show_progress(source.desk());
                if self.all.is_empty() && !source.still_waits(&next.name, next.generation) {
                    return Ok(None);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Takes the end of an attempt. The debate's next reply is saved.
    fn end<S: TaskSource>(
        &mut self,
        source: &mut S,
        writing: Writing,
    ) -> Result<Option<ExitCode>, Stopped> {
        let Desk { executor, view, .. } = source.desk();
        self.hide(source.desk(), writing.running.attempt);
        let ended = executor.end(writing.running);
        let Some((request, terms)) = writing.task else {
            let attempt = ended?;
            if !attempt.is_received() {
                view.say(&found(&attempt, FoundAttempt::Lost))?;
            }
            return Ok(None);
        };
        let attempt = match ended {
            Ok(attempt) => attempt,
            Err(error) => return source.give_up(&request, Obstacle::Broken(error)),
        };
        say_end(source.desk(), &attempt, &request, &terms)?;
        if attempt.is_received() {
            self.killed.remove(&request.name);
            return if writing.is_next { source.save(&request, &attempt) } else { Ok(None) };
        }
        if !is_killed(source, &attempt) {
            return Ok(None);
        }
        // It was killed from outside, or killed itself. This may repeat for ever.
        let times = self.killed.entry(request.name.clone()).or_default();
        *times += 1;
        let most = if terms.is_single { 1 } else { MAX_FAILURES };
        if *times < most || !writing.is_next {
            return Ok(None);
        }
        self.killed.remove(&request.name);
        let why = times_in_a_row("it was ended from outside", most);
        source.give_up(&request, Obstacle::Waits(why))
    }

    /// Ends all attempts that run.
    fn end_all(&mut self, desk: &Desk<'_>) -> Result<()> {
        for writing in &mut self.all {
            writing.running.ask_to_end();
        }
        while let Some(mut writing) = self.all.pop() {
            while !desk.executor.is_over(&mut writing.running) {
                std::thread::sleep(POLL_INTERVAL);
            }
            self.hide(desk, writing.running.attempt);
            desk.view.say_left(&desk.executor.end(writing.running)?)?;
        }
        Ok(())
    }

    /// Shows an attempt in the live line: the next reply, else the first that runs.
    fn show(&mut self, desk: &Desk<'_>) {
        let next = self.all.iter().find(|it| it.is_next).or_else(|| self.all.first());
        let Some(it) = next.filter(|it| self.shown != Some(it.running.attempt)) else { return };
        desk.view.end();
        desk.view.begin(it.label.clone(), it.output);
        self.shown = Some(it.running.attempt);
    }

    fn show_progress(&self, desk: &Desk<'_>) {
        let shown = self.all.iter().find(|it| self.shown == Some(it.running.attempt));
        if let Some(Writing { running, .. }) = shown {
            let output = desk.executor.record.folder_of(running.attempt).join("stdout");
            desk.view.arrived(&output, running.since());
        }
    }

    fn hide(&mut self, desk: &Desk<'_>, attempt: u32) {
        if self.shown == Some(attempt) {
            desk.view.end();
            self.shown = None;
        }
    }
}

/// Ends the attempts of earlier processes for which the debate does not wait any more.
fn settle_all(source: &impl TaskSource) -> Result<()> {
    let Desk { executor, view, .. } = source.desk();
    let attempts = executor.record.read()?;
    let is_stale =
        |open: &&Attempt| !source.still_waits(&open.started.slot, open.started.generation);
    for open in attempts.open().filter(is_stale) {
        let mut running = Executor::found(open, Orphan::Kill);
        while !executor.is_over(&mut running) {
            std::thread::sleep(POLL_INTERVAL);
        }
        if !executor.end(running)?.is_received() {
            view.say(&found(open, FoundAttempt::Lost))?;
        }
    }
    Ok(())
}

/// True if an attempt was stopped although the user and the debate still wanted it.
fn is_killed(source: &impl TaskSource, attempt: &Attempt) -> bool {
    attempt.failure().is_some_and(|kind| !kind.counts())
        && !source.desk().is_stopped()
        && source.still_waits(&attempt.started.slot, attempt.started.generation)
}

fn found(attempt: &Attempt, how: FoundAttempt) -> RunEvent {
    let (attempt, slot) = (attempt.started.attempt, attempt.started.slot.clone());
    RunEvent::Found { attempt, slot, how }
}

/// Shows how an attempt failed, and what it left behind.
fn say_end(desk: &Desk<'_>, attempt: &Attempt, request: &Request, terms: &Terms) -> Result<()> {
    desk.view.say_left(attempt)?;
    let Some(ended) = &attempt.ended else { return Ok(()) };
    let Some(kind) = ended.error.filter(|kind| *kind != FailureKind::Interrupted) else {
        return Ok(());
    };
    desk.view.say(&RunEvent::AttemptFailed {
        attempt: attempt.started.attempt,
        slot: request.name.clone(),
        agent: terms.agent.name.clone(),
        kind,
        message: ended.message.clone(),
        retry_in: retry_in(&desk.executor.record.read()?, request, terms),
    })
}

/// Puts concurrent replies aside that were written for another state of the debate.
fn keep_late_replies(
    desk: &Desk<'_>,
    attempts: &Attempts,
    request: &Request,
) -> Result<(), Stopped> {
    let is_late = |attempt: &&Attempt| {
        attempt.answers().turn().is_none()
            && attempt.is_received()
            && !attempt.is_submitted
            && attempt.started.slot == request.name
            && !request.answers.contains(&attempt.answers())
    };
    for attempt in attempts.all.iter().filter(is_late) {
        if let Ok(text) = desk.executor.reply(attempt) {
            desk.with(|context| programs::keep_late(context, &desk.id, &text))?;
            desk.executor.note_submitted(attempt);
        }
    }
    Ok(())
}
