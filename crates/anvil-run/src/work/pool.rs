//! The loop: gets the tasks that can be written now, decides, and follows the attempts that run at
//! the same time. Each attempt is a wrapper process; this one process owns everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::decision::{MAX_FAILURES, RetryDecision, decide, retry_in, times_in_a_row};
use super::source::{Blocker, NextStep, RunContext, TaskConfig, TaskSource};
use crate::attempt::{Executor, Orphan, Running};
use anvil_core::attempt::{FailureKind, Generation, Slot};
use anvil_engine::{Request, Stopped, programs};
use anvil_prompt::{Agent, FoundAttempt, OutputFormat, RunEvent};
use anvil_store::{Attempt, Attempts};
use anvil_text::error::Result;

/// Time between two checks of the attempts that run.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time between two checks whether the debate still waits for an attempt.
const RECHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Works until the source ends the work. Then no attempt of it runs.
pub(crate) fn work<S: TaskSource>(source: &mut S) -> Result<ExitCode, Stopped> {
    let mut pool = Pool::default();
    let ended = pool.work(source);
    let left = pool.end_all(source);
    let code = ended?;
    left?;
    Ok(code)
}

/// An attempt that runs, and the place that its reply fills.
struct ActiveAttempt {
    running: Running,
    slot: Slot,
    /// The state of the debate that it answers.
    answers: Generation,
    /// The text of the live line.
    label: String,
    output: OutputFormat,
    /// `None`: an earlier process started it.
    task: Option<(Request, TaskConfig)>,
    /// True if it writes the debate's next reply.
    is_next: bool,
}

#[derive(Default)]
struct Pool {
    active: Vec<ActiveAttempt>,
    /// The numbers of the attempts that this process started.
    started_here: BTreeSet<u32>,
    /// How often in a row the attempts for a reply were killed.
    killed: BTreeMap<Slot, usize>,
    /// The attempt that the live line shows.
    shown: Option<u32>,
}

/// The result of one step of a task.
enum TaskProgress {
    /// The work ends.
    Ends(ExitCode),
    /// The task is done, so the source has another one.
    Settled,
    /// Nothing can be done until an attempt ends or this time has passed.
    Waits(Option<Duration>),
}

impl Pool {
    fn work<S: TaskSource>(&mut self, source: &mut S) -> Result<ExitCode, Stopped> {
        close_stale_attempts(source)?;
        loop {
            let (request, config) = match source.next()? {
                NextStep::Task(request, config) => (request, config),
                NextStep::End(code) => return Ok(code),
            };
            let wait = match self.advance(source, &request, &config)? {
                TaskProgress::Ends(code) => return Ok(code),
                TaskProgress::Settled => continue,
                TaskProgress::Waits(wait) => wait,
            };
            let soonest = self.begin_concurrent(source)?;
            let wait = wait.into_iter().chain(soonest).min();
            if let Some(code) = self.watch(source, &request, wait)? {
                return Ok(code);
            }
        }
    }

    fn is_active(&self, slot: Slot) -> bool {
        self.active.iter().any(|active| active.slot == slot)
    }

    /// Takes one step with the debate's next task.
    fn advance<S: TaskSource>(
        &mut self,
        source: &mut S,
        request: &Request,
        config: &TaskConfig,
    ) -> Result<TaskProgress, Stopped> {
        if self.is_active(request.slot) {
            return Ok(TaskProgress::Waits(None));
        }
        let attempts = source.executor().attempts()?;
        put_late_replies_aside(source.run_context(), &attempts, request)?;
        let blocker = match decide(&attempts, request, config, Timestamp::now()) {
            RetryDecision::Adopt(attempt) => {
                self.adopt(source.run_context(), &attempt, config)?;
                return Ok(TaskProgress::Waits(None));
            }
            RetryDecision::Save(attempt) => {
                if !self.started_here.contains(&attempt.started.attempt) {
                    source
                        .run_context()
                        .view
                        .say(&found_event(&attempt, FoundAttempt::Finished))?;
                }
                return Ok(source
                    .save(request, &attempt)?
                    .map_or(TaskProgress::Settled, TaskProgress::Ends));
            }
            RetryDecision::Wait(wait) => return Ok(TaskProgress::Waits(Some(wait))),
            RetryDecision::GiveUp(Blocker::Limit { .. }) if !self.active.is_empty() => {
                // Their cost is known when they have ended.
                return Ok(TaskProgress::Waits(None));
            }
            RetryDecision::GiveUp(blocker) => blocker,
            RetryDecision::Ask(recovery) => {
                match self.begin(source, request, config, &attempts, &recovery) {
                    Ok(()) => return Ok(TaskProgress::Waits(None)),
                    Err(error) => Blocker::Broken(error),
                }
            }
        };
        Ok(source.give_up(request, blocker)?.map_or(TaskProgress::Settled, TaskProgress::Ends))
    }

    /// Starts attempts at replies that can be written at the same time as the next one. Returns
    /// the time until another one can be started.
    fn begin_concurrent<S: TaskSource>(
        &mut self,
        source: &mut S,
    ) -> Result<Option<Duration>, Stopped> {
        let mut soonest: Option<Duration> = None;
        let busy = |slot| {
            self.is_active(slot)
                || self.killed.get(&slot).is_some_and(|times| *times >= MAX_FAILURES)
        };
        for (request, config) in source.concurrent(self.active.len(), &busy)? {
            let attempts = source.executor().attempts()?;
            let judges = if request.place.seat.judge().is_some() { 0 } else { request.judges };
            match decide(&attempts, &request, &config, Timestamp::now()) {
                RetryDecision::Adopt(attempt) => {
                    self.adopt(source.run_context(), &attempt, &config)?;
                }
                RetryDecision::Ask(recovery)
                    if config.limits.fits_concurrently(&attempts, judges) =>
                {
                    self.begin(source, &request, &config, &attempts, &recovery)?;
                }
                RetryDecision::Wait(wait) => {
                    soonest = Some(soonest.map_or(wait, |other| other.min(wait)));
                }
                // Decided again when it is the debate's next task.
                RetryDecision::Save(_) | RetryDecision::GiveUp(_) | RetryDecision::Ask(_) => {}
            }
        }
        Ok(soonest)
    }

    /// Adds an attempt that an earlier process started.
    fn adopt(
        &mut self,
        run_context: &RunContext<'_>,
        open: &Attempt,
        config: &TaskConfig,
    ) -> Result<()> {
        if config.orphan == Orphan::Wait && open.started.process.is_alive() {
            run_context.view.say(&found_event(open, FoundAttempt::Running))?;
        }
        self.active.push(ActiveAttempt {
            running: Executor::adopt(open, config.orphan),
            slot: open.started.slot,
            answers: open.started.generation,
            label: format!("{} · {}", open.started.slot, open.started.origin.agent),
            output: config.agent.output,
            task: None,
            is_next: false,
        });
        Ok(())
    }

    /// Starts an attempt.
    fn begin(
        &mut self,
        source: &mut impl TaskSource,
        request: &Request,
        config: &TaskConfig,
        attempts: &Attempts,
        recovery: &str,
    ) -> Result<()> {
        let mut agent: Agent = config.agent.clone();
        if let Some(left) = config.limits.time_left(attempts, request.is_synthesis()) {
            agent.limits.whole = agent.limits.whole.min(left);
        }
        let attempt = attempts.next_number();
        let slot = request.slot.to_string();
        let event = RunEvent::Asked { attempt, slot, agent: agent.name.clone() };
        source.run_context().view.say(&event)?;
        let running = source.executor().begin(request, &agent, attempts, recovery)?;
        self.started_here.insert(running.attempt);
        self.active.push(ActiveAttempt {
            running,
            slot: request.slot,
            answers: request.generation,
            label: format!("{} · {}", request.label, agent.name),
            output: agent.output,
            task: Some((request.clone(), config.clone())),
            is_next: false,
        });
        Ok(())
    }

    /// Watches the attempts until one has ended, `wait` has passed, the user stops the work, or
    /// the debate moves on. `next`: the debate's next reply.
    fn watch<S: TaskSource>(
        &mut self,
        source: &mut S,
        next: &Request,
        wait: Option<Duration>,
    ) -> Result<Option<ExitCode>, Stopped> {
        for active in &mut self.active {
            active.is_next |= active.answers == next.generation && active.slot == next.slot;
        }
        self.show(source.run_context());
        let began = Instant::now();
        let mut checked = Instant::now();
        loop {
            let executor = &source.run_context().executor;
            if let Some(at) =
                self.active.iter_mut().position(|active| executor.is_over(&mut active.running))
            {
                let active = self.active.remove(at);
                return self.end(source, active);
            }
            let is_over = wait.is_some_and(|wait| began.elapsed() >= wait);
            if is_over || self.active.is_empty() && source.run_context().is_stopped() {
                return Ok(None);
            }
            if checked.elapsed() >= RECHECK_INTERVAL {
                checked = Instant::now();
                for active in &mut self.active {
                    if !source.still_waits(active.slot, active.answers) {
                        active.running.ask_to_end();
                    }
                }
                self.show_progress(source.run_context());
                if self.active.is_empty() && !source.still_waits(next.slot, next.generation) {
                    return Ok(None);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Records the end of an attempt. Saves its reply if that is the debate's next one.
    fn end<S: TaskSource>(
        &mut self,
        source: &mut S,
        active: ActiveAttempt,
    ) -> Result<Option<ExitCode>, Stopped> {
        self.hide(source.run_context(), active.running.attempt);
        let ended = source.executor().end(active.running);
        let Some((request, config)) = active.task else {
            let attempt = ended?;
            if !attempt.is_received() {
                source.run_context().view.say(&found_event(&attempt, FoundAttempt::Lost))?;
            }
            return Ok(None);
        };
        let attempt = match ended {
            Ok(attempt) => attempt,
            Err(error) => return source.give_up(&request, Blocker::Broken(error)),
        };
        let attempts = source.executor().attempts()?;
        say_end(source.run_context(), &attempts, &attempt, &request, &config)?;
        if attempt.is_received() {
            self.killed.remove(&request.slot);
            return if active.is_next { source.save(&request, &attempt) } else { Ok(None) };
        }
        // Stopped, and not by the user or the progress of the debate.
        let was_killed = attempt.failure().is_some_and(|kind| !kind.counts())
            && !source.run_context().is_stopped()
            && source.still_waits(attempt.started.slot, attempt.started.generation);
        if !was_killed {
            return Ok(None);
        }
        // Killed from outside, or by itself. This may repeat for ever.
        let times = self.killed.entry(request.slot).or_default();
        *times += 1;
        let most = if config.is_single { 1 } else { MAX_FAILURES };
        if *times < most || !active.is_next {
            return Ok(None);
        }
        self.killed.remove(&request.slot);
        let why = times_in_a_row("it was ended from outside", most);
        source.give_up(&request, Blocker::Waits(why))
    }

    /// Ends all attempts that run.
    fn end_all(&mut self, source: &mut impl TaskSource) -> Result<()> {
        for active in &mut self.active {
            active.running.ask_to_end();
        }
        while let Some(mut active) = self.active.pop() {
            while !source.run_context().executor.is_over(&mut active.running) {
                std::thread::sleep(POLL_INTERVAL);
            }
            self.hide(source.run_context(), active.running.attempt);
            let ended = source.executor().end(active.running)?;
            source.run_context().view.say_left(&ended)?;
        }
        Ok(())
    }

    /// Shows an attempt in the live line: the next reply, else the first that runs.
    fn show(&mut self, run_context: &RunContext<'_>) {
        let next = self.active.iter().find(|active| active.is_next).or_else(|| self.active.first());
        let Some(active) = next.filter(|active| self.shown != Some(active.running.attempt)) else {
            return;
        };
        run_context.view.end();
        run_context.view.begin(active.label.clone(), active.output);
        self.shown = Some(active.running.attempt);
    }

    fn show_progress(&self, run_context: &RunContext<'_>) {
        let shown = self.active.iter().find(|active| self.shown == Some(active.running.attempt));
        if let Some(ActiveAttempt { running, .. }) = shown {
            let output = run_context.executor.record.folder_of(running.attempt).join("stdout");
            run_context.view.show_arrival(&output, running.since());
        }
    }

    fn hide(&mut self, run_context: &RunContext<'_>, attempt: u32) {
        if self.shown == Some(attempt) {
            run_context.view.end();
            self.shown = None;
        }
    }
}

/// Ends the attempts of earlier processes for which the debate does not wait any more.
fn close_stale_attempts(source: &mut impl TaskSource) -> Result<()> {
    let attempts = source.executor().attempts()?;
    for open in attempts.open() {
        if source.still_waits(open.started.slot, open.started.generation) {
            continue;
        }
        let mut running = Executor::adopt(open, Orphan::Kill);
        while !source.executor().is_over(&mut running) {
            std::thread::sleep(POLL_INTERVAL);
        }
        if !source.executor().end(running)?.is_received() {
            source.run_context().view.say(&found_event(open, FoundAttempt::Lost))?;
        }
    }
    Ok(())
}

fn found_event(attempt: &Attempt, how: FoundAttempt) -> RunEvent {
    let (attempt, slot) = (attempt.started.attempt, attempt.started.slot.to_string());
    RunEvent::Found { attempt, slot, how }
}

/// Shows why an attempt failed, and the processes that it left behind.
fn say_end(
    run_context: &RunContext<'_>,
    attempts: &Attempts,
    attempt: &Attempt,
    request: &Request,
    config: &TaskConfig,
) -> Result<()> {
    run_context.view.say_left(attempt)?;
    let Some(ended) = &attempt.ended else { return Ok(()) };
    let Some(kind) = ended.error.filter(|kind| *kind != FailureKind::Interrupted) else {
        return Ok(());
    };
    run_context.view.say(&RunEvent::AttemptFailed {
        attempt: attempt.started.attempt,
        slot: request.slot.to_string(),
        agent: config.agent.name.clone(),
        kind,
        message: ended.message.clone(),
        retry_in: retry_in(attempts, request, config),
    })
}

/// Puts concurrent replies aside that were written for another state of the debate.
fn put_late_replies_aside(
    run_context: &RunContext<'_>,
    attempts: &Attempts,
    request: &Request,
) -> Result<(), Stopped> {
    let late = attempts.all.iter().filter(|attempt| {
        attempt.answers().turn().is_none()
            && attempt.is_received()
            && !attempt.is_submitted
            && attempt.started.slot == request.slot
            && !request.answers.contains(&attempt.answers())
    });
    for attempt in late {
        if let Ok(text) = run_context.executor.reply(attempt) {
            run_context
                .with(|context| programs::put_late_aside(context, &run_context.id, &text))?;
            run_context.executor.note_submitted(attempt);
        }
    }
    Ok(())
}
