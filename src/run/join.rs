//! A worker: claims the tasks of a seat one after the other, has each written, and files it.

use std::cell::Cell;
use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::argue::at_this_moment;
use super::executor::Executor;
use super::limits::RunLimits;
use super::person;
use super::task::Filled;
use super::view::View;
use super::worker::{AtWork, LOOKS};
use super::{choice, locks};
use crate::command::SeatOptions;
use crate::debate::{Debate, Seat, Slot, Status};
use crate::engine::{Engine, NextTask, Stopped, Ticket, Waiting, Worker};
use crate::error::{Error, Result};
use crate::messages;
use crate::process::{self, Signal, Signals};
use crate::seats::{Agent, Plan, RunEvent};
use crate::state::{Client, Holder, Key, ancestors};
use crate::tasks::Wanted;
use crate::world::World;

/// A worker asks anew after this time also where no file has changed: who held a task may be gone.
const ASKS: Duration = Duration::from_secs(2);

/// Longest key that a helper is given, in hexadecimal digits.
const MOST_DIGITS: u64 = 128;

/// What is asked of a worker.
#[derive(Debug)]
pub(crate) struct Joining<'a> {
    /// The debate; `None`: the one here.
    pub(crate) id: Option<&'a str>,
    /// Which tasks it takes.
    pub(crate) wanted: Wanted,
    /// Who writes.
    pub(crate) seats: SeatOptions,
    /// The user writes.
    pub(crate) me: bool,
    /// How it is called, if not by its agent.
    pub(crate) name: Option<&'a str>,
    /// It may read the project's files.
    pub(crate) in_project: bool,
    /// Longest time for one reply.
    pub(crate) longest_reply: Option<Duration>,
    /// As JSON.
    pub(crate) as_json: bool,
}

impl Joining<'_> {
    /// How the worker is called.
    pub(super) fn called(&self, plan: Option<&Plan>) -> String {
        match (self.name, plan) {
            (Some(name), _) => name.to_owned(),
            (None, None) => "the user".to_owned(),
            (None, Some(plan)) => agent_for(plan, self.wanted).name.clone(),
        }
    }
}

/// Who writes for a worker. `None`: the user does.
pub(super) fn planned(
    world: &World,
    engine: &Engine<'_>,
    joining: &Joining<'_>,
    limits: RunLimits,
    debate: &Debate,
) -> Result<Option<Plan>> {
    if joining.me {
        return Ok(None);
    }
    let defaults = engine.seat_defaults()?;
    let seats = joining.seats.clone().over(defaults.seats.clone());
    let plan = limits.applied(choice::plan(&seats, &defaults, joining.in_project, world)?);
    check(&plan, joining.wanted, debate)?;
    Ok(Some(plan))
}

/// A helper believes the run that it helps, also where this machine can keep no key.
fn take_key() {
    let mut given = String::new();
    let input = std::io::stdin();
    if !input.is_terminal()
        && input.lock().take(MOST_DIGITS).read_to_string(&mut given).is_ok()
        && let Some(key) = Key::parse(&given)
    {
        key.take();
    }
}

/// Works at a debate until that is over.
pub(crate) fn join(world: &World, joining: &Joining<'_>) -> Result<ExitCode> {
    if joining.wanted == Wanted::Independent {
        take_key();
    }
    let engine = Engine::new(world);
    let (debate, project) = engine.debate_to_join(joining.id)?;
    joining.wanted.check(&debate)?;
    locks::check(world, &project)?;
    let mut limits = RunLimits { reply: joining.longest_reply, ..RunLimits::default() };
    if let Some(record) = engine.run_record(&debate.id, &project).filter(|_| joining.wanted == Wanted::Independent) {
        limits = limits.over(&record);
    }
    let plan = planned(world, &engine, joining, limits, &debate)?;
    let name = joining.called(plan.as_ref());
    let record = engine.attempt_record(&debate.id);
    let signals = Signals::listen(true).map_err(|error| Error::io(&error, "try again"))?;
    let executor = Executor { disk: world.disk.clone(), record, signals, project: project.root().to_owned() };
    let worker = Worker { id: debate.id.clone(), name: name.clone(), wanted: joining.wanted, holder: Holder::this() };
    let view = View::new(joining.as_json);
    view.say(&RunEvent::Joined { id: debate.id.clone(), worker: name, seat: messages::wanted(joining.wanted) })?;
    let (in_project, as_json) = (joining.in_project, joining.as_json);
    let leader = ancestors().first().copied().filter(|_| joining.wanted == Wanted::Independent);
    let id = debate.id;
    let at_work = AtWork {
        world,
        worker,
        plan,
        leader,
        executor,
        view,
        in_project,
        as_json,
        limits,
        in_vain: 0,
        seen: Cell::new(Instant::now()),
        said: None,
    };
    at_work.with(|engine| Ok(engine.say_foreign(&id)?)).or_else(Stopped::failure)?;
    at_work.work()
}

/// The agent that a worker's tasks go to, for its name.
fn agent_for(plan: &Plan, wanted: Wanted) -> &Agent {
    match wanted {
        Wanted::Any | Wanted::Independent => &plan.voices,
        Wanted::Seat(phase, _) => plan.of(Slot { phase, round: 1 }.seat()),
        Wanted::Judge(_) => &plan.synthesizer,
    }
}

/// Refuses agents whose programs are not here.
fn check(plan: &Plan, wanted: Wanted, debate: &Debate) -> Result<()> {
    if !wanted.holds_ahead() {
        return choice::check(plan, debate);
    }
    let agent = agent_for(plan, wanted);
    match agent.command.first() {
        Some(program) if process::find(program).is_none() => Err(Error::failed(
            format!("{program} is not on this machine's PATH"),
            "install it, or name another agent with --agent; `anvil agents` lists those that are here",
        )),
        _ => Ok(()),
    }
}

impl AtWork<'_> {
    fn work(mut self) -> Result<ExitCode> {
        let mut held: Option<Ticket> = None;
        let ended = self.work_on(&mut held);
        if let Some(ticket) = &held {
            let why = self.executor.signals.received().map_or("its worker has left", |_| "its worker was stopped");
            let _ = self.with(|engine| engine.leave_task(ticket, why));
        }
        if let Some(signal) = self.executor.signals.received().filter(|_| ended.is_ok()) {
            self.say_stopped(signal, true)?;
        }
        match ended {
            Ok(code) => Ok(code),
            Err(Stopped::Failed(error)) => Err(error),
            Err(Stopped::Nothing(_)) => Ok(ExitCode::SUCCESS),
        }
    }

    fn work_on(&mut self, held: &mut Option<Ticket>) -> Result<ExitCode, Stopped> {
        // The user who joins a debate that rests wants it to go on; one that comes to rest later waits for them. A helper's run
        // decides that for it.
        let mut reopens = self.worker.wanted != Wanted::Independent;
        let mut before: Option<String> = None;
        loop {
            if let Some(signal) = self.executor.signals.received() {
                return Ok(ExitCode::from(signal.exit_code()));
            }
            if self.leader.is_some_and(Client::is_gone) {
                return Ok(ExitCode::SUCCESS);
            }
            let signature = self.with(|engine| Ok(engine.task_signature(&self.worker.id)))?;
            let most = |seat: Seat| self.plan.as_ref().map_or(usize::MAX / 8, |plan| plan.of(seat).context);
            let next = self.with(|engine| {
                engine.next_task(&self.worker, held.as_ref(), reopens, before.as_deref(), self.in_project, most)
            })?;
            let waits = match next {
                NextTask::Over(debate) => {
                    *held = None;
                    self.say_over(debate.as_deref())?;
                    return Ok(ExitCode::SUCCESS);
                }
                NextTask::Work(ticket, request) => {
                    (reopens, self.said) = (false, None);
                    let is_again = held.as_ref() == Some(&ticket);
                    *held = Some(ticket.clone());
                    match self.fill(&ticket, &request, is_again)? {
                        // There is one standard input.
                        Filled::Done if self.plan.is_none() && person::is_given() => {
                            *held = None;
                            return Ok(ExitCode::SUCCESS);
                        }
                        Filled::Done => (*held, before) = (None, None),
                        Filled::Again(text) => before = Some(text),
                        Filled::Stopped => {}
                        Filled::GaveUp(code) => return Ok(code),
                    }
                    continue;
                }
                NextTask::Holds(ticket, _) if self.worker.wanted == Wanted::Independent => {
                    *held = Some(ticket);
                    return Ok(ExitCode::SUCCESS);
                }
                NextTask::Waits(_) if self.worker.wanted == Wanted::Independent => return Ok(ExitCode::SUCCESS),
                NextTask::Holds(ticket, why) => {
                    *held = Some(ticket);
                    why
                }
                NextTask::Waits(Waiting::NothingLeft) if self.worker.wanted.holds_ahead() => {
                    *held = None;
                    self.view.say(&RunEvent::WorkerWaits { why: messages::worker_waits(&Waiting::NothingLeft) })?;
                    return Ok(ExitCode::SUCCESS);
                }
                NextTask::Waits(why) => {
                    *held = None;
                    why
                }
            };
            // A debate that rests is gone on with once.
            reopens &= !matches!(waits, Waiting::Rests(_));
            if self.said.as_ref() != Some(&waits) {
                self.view.say(&RunEvent::WorkerWaits { why: messages::worker_waits(&waits) })?;
                self.said = Some(waits);
            }
            self.wait(&signature, held.as_ref())?;
        }
    }

    /// Waits until something has changed that concerns it.
    fn wait(&self, before: &[Option<(u64, std::time::SystemTime)>], held: Option<&Ticket>) -> Result<(), Stopped> {
        let began = Instant::now();
        while began.elapsed() < ASKS && self.executor.signals.received().is_none() {
            std::thread::sleep(LOOKS);
            let world = at_this_moment(self.world);
            if Engine::new(&world).task_signature(&self.worker.id) != before {
                break;
            }
        }
        match held {
            Some(ticket) => self.with(|engine| engine.sign_of_life(ticket)),
            None => Ok(()),
        }
    }

    /// Says that the user stopped it.
    pub(super) fn say_stopped(&self, signal: Signal, is_free: bool) -> Result<()> {
        let held = if is_free { "what it held is free again" } else { "what it held could not be freed" };
        let why = format!("{} stopped it; {held}", signal.name());
        self.view.say(&RunEvent::WorkerLeaves { why })
    }

    /// Says that the debate is over. `None`: it is gone.
    pub(super) fn say_over(&self, debate: Option<&Debate>) -> Result<()> {
        let how = match debate.map(|debate| debate.progress.status) {
            Some(Status::Completed) => "the debate is complete",
            Some(_) => "the debate was cancelled",
            None => "the debate is not here any more",
        };
        self.view.say(&RunEvent::WorkerLeaves { why: how.to_owned() })
    }
}
