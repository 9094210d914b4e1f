//! The open tasks of a debate that this process joined: takes, writes and submits each.

use std::cell::Cell;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use super::source::{Desk, Obstacle, Offer, TaskSource, Terms};
use super::worker::work;
use crate::domain::attempt::Generation;
use crate::domain::debate::{Debate, Status};
use crate::domain::reply::Written;
use crate::domain::tasks::Wanted;
use crate::engine::{
    Asking, Engine, NextTask, Request, SIGN_OF_LIFE, Stopped, Submitted, Ticket, Waiting, Worker,
};
use crate::error::Result;
use crate::messages;
use crate::run::attempt::Orphan;
use crate::run::choice;
use crate::run::limits::RunLimits;
use crate::seats::{Plan, RunEvent};
use crate::storage::Attempt;
use crate::system::process::{ProcessId, ancestors};

/// Exit code of a worker that could not write its task.
const GAVE_UP: u8 = 5;

/// Time between two looks at the debate's files.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Time after which a worker looks for tasks although no file has changed: a holder may be gone.
const RECHECK_INTERVAL: Duration = Duration::from_secs(2);

/// How a worker's agents write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions {
    pub(super) limits: RunLimits,
    pub(super) in_project: bool,
    pub(super) orphan: Orphan,
    pub(super) failures_count_from: u32,
}

pub(super) struct Joined<'a> {
    desk: Desk<'a>,
    worker: Worker,
    plan: Plan,
    /// The run that started this helper.
    leader: Option<ProcessId>,
    conditions: Conditions,
    held: Option<Ticket>,
    /// Its last reply, if the engine wants another version.
    before: Option<String>,
    /// This worker may resume a paused debate.
    reopens: bool,
    /// The last sign of life of this worker.
    seen: Cell<Instant>,
    /// The last stand-in that the user has seen.
    stand_in: String,
    /// The reason for waiting that the user has seen last.
    shown: Option<Waiting>,
}

impl<'a> Joined<'a> {
    pub(super) fn new(desk: Desk<'a>, worker: Worker, plan: Plan, conditions: Conditions) -> Self {
        let is_helper = worker.wanted == Wanted::Independent;
        Self {
            desk,
            plan,
            leader: ancestors().first().copied().filter(|_| is_helper),
            conditions,
            held: None,
            before: None,
            // A user who joins a paused debate wants it to go on. If it pauses later, the worker
            // waits. For a helper, its run decides that.
            reopens: !is_helper,
            seen: Cell::new(Instant::now()),
            stand_in: String::new(),
            shown: None,
            worker,
        }
    }

    /// Works until no task remains.
    pub(super) fn work(mut self) -> Result<ExitCode> {
        let ended = work(&mut self);
        let signal = self.desk.executor.signals.received();
        if let Some(ticket) = &self.held {
            let why = signal.map_or("its worker has left", |_| "its worker was stopped");
            let _ = self.desk.with(|engine| engine.workers().leave_task(ticket, why));
        }
        if let Some(signal) = signal.filter(|_| ended.is_ok()) {
            self.leaves(format!("{} stopped it; what it held is free again", signal.name()))?;
        }
        match ended {
            Ok(code) => Ok(code),
            Err(Stopped::Failed(error)) => Err(error),
            Err(Stopped::Skipped(_)) => Ok(ExitCode::SUCCESS),
        }
    }

    fn leaves(&self, why: String) -> Result<()> {
        self.desk.view.say(&RunEvent::WorkerLeaves { why })
    }

    /// Has the agent write a task.
    fn begin(&mut self, ticket: &Ticket, request: Box<Request>) -> Result<Offer, Stopped> {
        (self.reopens, self.shown) = (false, None);
        self.held = Some(ticket.clone());
        let attempts = self.desk.executor.record.read()?;
        let seated = self.plan.now(request.place(), &attempts, choice::is_here);
        let agent = seated.agent.clone();
        if let Some(event) = choice::stands_in(&seated, &request.name)
            && self.stand_in != agent.name
        {
            self.stand_in.clone_from(&agent.name);
            self.desk.view.say(&event)?;
        }
        let terms = Terms {
            agent,
            limits: self.conditions.limits,
            failures_count_from: self.conditions.failures_count_from,
            is_single: false,
            orphan: self.conditions.orphan,
        };
        Ok(Offer::Task(request, Box::new(terms)))
    }

    /// Submits the reply of this attempt.
    fn hand_in(
        &mut self,
        request: &Request,
        text: String,
        attempt: &Attempt,
    ) -> Result<Option<ExitCode>, Stopped> {
        let Some(ticket) = self.held.clone() else { return Ok(None) };
        let author = attempt.author();
        let attempts = self.desk.executor.record.read()?;
        let limit = self.conditions.limits.against_repeat(&attempts, request);
        let written = Written { text: &text, author: Some(&author), limit };
        let submitted = self.desk.with(|engine| engine.workers().submit_task(&ticket, written))?;
        if !matches!(submitted, Submitted::Early) {
            self.desk.executor.note_submitted(attempt);
        }
        let slot = request.label.clone();
        let (settled, completed) = match submitted {
            Submitted::AskedAgain(why) => {
                self.desk.view.say(&RunEvent::AskedAgain { slot, why })?;
                self.before = Some(text);
                return Ok(None);
            }
            Submitted::Failed(debate) => {
                self.leaves(debate.progress.status_detail)?;
                return Ok(Some(ExitCode::from(GAVE_UP)));
            }
            Submitted::GivenUp(why) => {
                self.leaves(why)?;
                return Ok(Some(ExitCode::from(GAVE_UP)));
            }
            Submitted::Late | Submitted::Early | Submitted::Checked(_) => {
                self.desk.view.say(&RunEvent::WorkerLate { slot })?;
                (self.held, self.before) = (None, None);
                return Ok(None);
            }
            Submitted::BlockAgain(_) => {
                self.desk.say_saved(request, &self.worker.name, &text, Some(attempt), false)?;
                self.before = None;
                return Ok(None);
            }
            Submitted::Advanced { is_settled } => (is_settled, None),
            Submitted::Completed(completed) => (false, Some(completed)),
            Submitted::Kept | Submitted::Waits(..) => (false, None),
        };
        self.desk.say_saved(request, &self.worker.name, &text, Some(attempt), settled)?;
        if let Some(completed) = completed {
            self.desk.view.say_completed(&completed)?;
        }
        (self.held, self.before) = (None, None);
        Ok(None)
    }

    /// Waits until the debate's files change or `RECHECK_INTERVAL` has passed.
    fn wait(&self, before: &[Option<(u64, SystemTime)>]) -> Result<(), Stopped> {
        let began = Instant::now();
        while began.elapsed() < RECHECK_INTERVAL && !self.desk.is_stopped() {
            std::thread::sleep(POLL_INTERVAL);
            if Engine::new(&self.desk.now()).workers().task_signature(&self.worker.id) != before {
                break;
            }
        }
        let held = self.held.as_ref();
        held.map_or(Ok(()), |ticket| self.desk.with(|engine| engine.workers().sign_of_life(ticket)))
    }

    /// Shows that the debate is over. `None`: its file is gone.
    fn say_over(&self, debate: Option<&Debate>) -> Result<()> {
        let how = match debate.map(|debate| debate.progress.status) {
            Some(Status::Completed) => "the debate is complete",
            Some(_) => "the debate was cancelled",
            None => "the debate is not here any more",
        };
        self.leaves(how.to_owned())
    }
}

impl TaskSource for Joined<'_> {
    fn desk(&self) -> &Desk<'_> {
        &self.desk
    }

    fn next(&mut self) -> Result<Offer, Stopped> {
        if let Some(signal) = self.desk.executor.signals.received() {
            return Ok(Offer::End(ExitCode::from(signal.exit_code())));
        }
        if self.leader.is_some_and(ProcessId::is_gone) {
            return Ok(Offer::End(ExitCode::SUCCESS));
        }
        let signature =
            self.desk.with(|engine| Ok(engine.workers().task_signature(&self.worker.id)))?;
        let attempts = self.desk.executor.record.read()?;
        let limit = |place| self.plan.now(place, &attempts, choice::is_here).agent.context;
        let next = self.desk.with(|engine| {
            let asking = Asking {
                held: self.held.as_ref(),
                before: self.before.as_deref(),
                reopens: self.reopens,
                in_project: self.conditions.in_project,
            };
            engine.workers().next_task(&self.worker, asking, limit)
        })?;
        let (ticket, waits) = match next {
            NextTask::Over(debate) => {
                self.held = None;
                self.say_over(debate.as_deref())?;
                return Ok(Offer::End(ExitCode::SUCCESS));
            }
            NextTask::Work(ticket, request) => return self.begin(&ticket, request),
            NextTask::Holds(ticket, waits) => (Some(ticket), waits),
            NextTask::Waits(waits) => (None, waits),
        };
        let is_left = waits == Waiting::NothingLeft && ticket.is_none();
        self.held = ticket;
        // A helper leaves blocked tasks to its run.
        if self.worker.wanted == Wanted::Independent {
            return Ok(Offer::End(ExitCode::SUCCESS));
        }
        // Resume a paused debate only once.
        self.reopens &= !matches!(waits, Waiting::Rests(_));
        let ends = is_left && self.worker.wanted.holds_ahead();
        if ends || self.shown.as_ref() != Some(&waits) {
            let why = messages::worker_waits(&waits);
            self.desk.view.say(&RunEvent::WorkerWaits { why })?;
            self.shown = Some(waits);
        }
        if ends {
            return Ok(Offer::End(ExitCode::SUCCESS));
        }
        self.wait(&signature)?;
        Ok(Offer::Nothing)
    }

    /// Also gives a sign of life.
    fn still_waits(&self, _: Generation) -> bool {
        let Some(ticket) = &self.held else { return false };
        let world = self.desk.now();
        let engine = Engine::new(&world);
        if self.seen.get().elapsed() > SIGN_OF_LIFE {
            self.seen.set(Instant::now());
            let _ = engine.workers().sign_of_life(ticket);
        }
        !self.leader.is_some_and(ProcessId::is_gone) && engine.workers().still_holds(ticket)
    }

    fn save(&mut self, request: &Request, attempt: &Attempt) -> Result<Option<ExitCode>, Stopped> {
        let text = self.desk.executor.reply(attempt)?;
        self.hand_in(request, text, attempt)
    }

    fn give_up(
        &mut self,
        request: &Request,
        obstacle: Obstacle,
    ) -> Result<Option<ExitCode>, Stopped> {
        let why = match obstacle {
            Obstacle::Limit { .. } => "a limit of the run is reached".to_owned(),
            Obstacle::Waits(why) | Obstacle::Failed(why) => why,
            Obstacle::Broken(error) => return Err(error.into()),
        };
        if let Some(ticket) = &self.held {
            self.desk.with(|engine| engine.workers().leave_task(ticket, &why))?;
        }
        let attempts = self.desk.executor.record.read()?;
        let agent = self.plan.now(request.place(), &attempts, choice::is_here).agent.short();
        self.leaves(format!("{}: {why}", agent.as_str()))?;
        Ok(Some(ExitCode::from(GAVE_UP)))
    }
}
