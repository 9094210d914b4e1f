//! `anvil join`, and the helpers of `--jobs`: the agents that write, and their tasks.

use std::io::{IsTerminal as _, Read as _};
use std::process::ExitCode;
use std::time::Duration;

use super::joined::Joined;
use super::source::Desk;
use crate::domain::command::SeatOptions;
use crate::domain::debate::{Debate, Slot};
use crate::domain::tasks::Wanted;
use crate::engine::{Engine, Worker};
use crate::error::{Error, Result};
use crate::messages;
use crate::run::limits::RunLimits;
use crate::run::view::View;
use crate::run::{choice, locks};
use crate::seats::{Agent, Plan, RunEvent};
use crate::storage::{Holder, Key};
use crate::system::process;
use crate::system::world::World;

/// Most hexadecimal digits of the key that a helper gets.
const MAX_DIGITS: u64 = 128;

/// The options of a worker.
#[derive(Debug)]
pub(crate) struct Joining<'a> {
    /// The debate's id; `None`: the debate of this folder.
    pub(crate) id: Option<&'a str>,
    pub(crate) wanted: Wanted,
    /// The agents that write.
    pub(crate) seats: SeatOptions,
    /// The user writes.
    pub(crate) me: bool,
    /// The worker's name; `None`: its agent's name.
    pub(crate) name: Option<&'a str>,
    /// The agents may read the project's files.
    pub(crate) in_project: bool,
    pub(crate) longest_reply: Option<Duration>,
    pub(crate) as_json: bool,
}

impl Joining<'_> {
    fn worker_name(&self, plan: Option<&Plan>) -> String {
        match (self.name, plan) {
            (Some(name), _) => name.to_owned(),
            (None, None) => "the user".to_owned(),
            (None, Some(plan)) => agent_for(plan, self.wanted).name.clone(),
        }
    }
}

/// The agents of a worker. `None`: the user writes.
fn planned(
    world: &World,
    engine: &Engine<'_>,
    joining: &Joining<'_>,
    limits: RunLimits,
    debate: &Debate,
) -> Result<Option<Plan>> {
    if joining.me {
        return Ok(None);
    }
    let defaults = engine.programs().seat_defaults()?;
    let seats = joining.seats.clone().over(defaults.seats.clone());
    let plan = limits.applied(choice::plan(&seats, &defaults, joining.in_project, world)?);
    check(&plan, joining.wanted, debate)?;
    Ok(Some(plan))
}

/// Takes the leader's key, so a helper trusts the run's record even if this machine can keep no
/// key.
fn take_key() {
    let mut given = String::new();
    let input = std::io::stdin();
    if !input.is_terminal()
        && input.lock().take(MAX_DIGITS).read_to_string(&mut given).is_ok()
        && let Some(key) = Key::parse(&given)
    {
        key.take();
    }
}

/// Works at a debate until it is over.
pub(crate) fn join(world: &World, joining: &Joining<'_>) -> Result<ExitCode> {
    if joining.wanted == Wanted::Independent {
        take_key();
    }
    let engine = Engine::new(world);
    let (debate, project) = engine.workers().debate_to_join(joining.id)?;
    joining.wanted.check(&debate)?;
    locks::check(world, &project)?;
    let mut limits = RunLimits { reply: joining.longest_reply, ..RunLimits::default() };
    let leaders = engine.programs().run_record(&debate.id, &project);
    let leaders = leaders.filter(|_| joining.wanted == Wanted::Independent);
    if let Some(record) = &leaders {
        limits = limits.over(record);
    }
    let plan = planned(world, &engine, joining, limits, &debate)?;
    let name = joining.worker_name(plan.as_ref());
    let (id, view) = (debate.id, View::new(joining.as_json));
    let desk = Desk::new(world, &engine, id.clone(), project.root(), view)?;
    desk.view.say(&RunEvent::Joined {
        id: id.clone(),
        worker: name.clone(),
        seat: messages::wanted(joining.wanted),
    })?;
    // Earlier failures of a run count for its helpers. A worker who joins starts with none.
    let failures_count_from = match leaders {
        Some(record) => record.since,
        None => desk.executor.record.read()?.next_number(),
    };
    let worker = Worker { id, name, wanted: joining.wanted, holder: Holder::this() };
    Joined::new(desk, worker, plan, limits, joining.in_project, failures_count_from).work()
}

/// The agent that gives a worker its name.
fn agent_for(plan: &Plan, wanted: Wanted) -> &Agent {
    match wanted {
        Wanted::Any | Wanted::Independent => &plan.voices,
        Wanted::Seat(phase, _) => plan.of(Slot { phase, round: 1 }.seat()),
        Wanted::Judge(_) => &plan.synthesizer,
    }
}

/// Refuses agents with a program that is not on `PATH`.
fn check(plan: &Plan, wanted: Wanted, debate: &Debate) -> Result<()> {
    if !wanted.holds_ahead() {
        return choice::check(plan, debate);
    }
    let agent = agent_for(plan, wanted);
    match agent.command.first() {
        Some(program) if process::find(program).is_none() => Err(Error::failed(
            format!("{program} is not on this machine's PATH"),
            "install it, or name another agent with --agent; `anvil agents` lists those \
             that are here",
        )),
        _ => Ok(()),
    }
}
