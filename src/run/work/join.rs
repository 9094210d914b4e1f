//! `anvil join`, and the helpers of `--jobs`: the agents that write, and their tasks.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use super::joined::{Conditions, Joined};
use super::source::Desk;
use clap::Args;
use clap::builder::ValueParser;

use crate::domain::command::{SeatOptions, voice};
use crate::domain::debate::{Debate, Phase, Slot};
use crate::domain::tasks::{Place, Wanted};
use crate::engine::{Engine, Worker};
use crate::error::{Error, Result};
use crate::messages;
use crate::run::attempt::Orphan;
use crate::run::choice;
use crate::run::limits::{RunLimits, duration};
use crate::run::view::{RunView, Shows};
use crate::seats::{Agent, Plan, RunEvent};
use crate::storage::{Attempts, Holder};
use crate::system::process;
use crate::system::world::World;
use crate::text::door::Door;

/// What a worker takes.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct JoinOptions {
    /// The seat: advocate, critic, voice, synthesizer or judge; a task such as voice-2 for one reply
    #[arg(
        long = "as",
        value_name = "SEAT",
        value_parser = ValueParser::new(seat),
        required_unless_present_any = ["any", "helper"]
    )]
    seat: Option<Wanted>,
    /// Whatever can be written now
    #[arg(long, conflicts_with = "seat")]
    any: bool,
    /// What others see you called [default: the agent's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Who writes: claude, claude:opus, codex, …, script:FILE or cmd:"COMMAND LINE" [default:
    /// claude]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// With --any: who argues for
    #[arg(long, value_name = "AGENT")]
    advocate: Option<String>,
    /// With --any: who argues against
    #[arg(long, value_name = "AGENT")]
    critic: Option<String>,
    /// With --any: who writes the synthesis
    #[arg(long, value_name = "AGENT")]
    synthesizer: Option<String>,
    #[arg(long, hide = true, requires = "helper")]
    judge: Vec<String>,
    #[arg(long, hide = true, requires = "helper", value_parser = ValueParser::new(voice))]
    voice: Vec<(String, String)>,
    /// Let the seat read the project's files; claude and codex only
    #[arg(long)]
    in_project: bool,
    /// Longest time for one reply, such as 10m [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = ValueParser::new(duration))]
    max_reply: Option<Duration>,
    /// An event a line, as JSON
    #[arg(long)]
    json: bool,
    /// It helps a run with what is written side by side
    #[arg(long, hide = true, conflicts_with_all = ["seat", "any"])]
    helper: bool,
}

fn seat(text: &str) -> Result<Wanted, String> {
    text.parse::<Wanted>().map_err(|error| format!("{error}; {}", Door::Shell.hint(&error)))
}

impl JoinOptions {
    fn wanted(&self) -> Wanted {
        match self.seat {
            Some(seat) => seat,
            None if self.helper => Wanted::Independent,
            None => Wanted::Any,
        }
    }

    fn seats(&self) -> SeatOptions {
        SeatOptions {
            agent: self.agent.clone(),
            advocate: self.advocate.clone(),
            critic: self.critic.clone(),
            synthesizer: self.synthesizer.clone(),
            judge: self.judge.clone(),
            voice: self.voice.clone(),
            fact_checker: None,
        }
    }

    fn worker_name(&self, plan: &Plan) -> String {
        let of_agent = || agent_for(plan, self.wanted()).short().as_str().to_owned();
        self.name.clone().unwrap_or_else(of_agent)
    }
}

/// The agents of a worker.
fn planned(
    world: &World,
    engine: &Engine<'_>,
    joining: &JoinOptions,
    limits: RunLimits,
    renamed: &BTreeMap<String, u32>,
    debate: &Debate,
) -> Result<Plan> {
    let defaults = engine.programs().seat_defaults()?;
    if !joining.helper {
        choice::check_typed(&joining.seats(), debate)?;
    }
    let seats = joining.seats().over(choice::fitting(defaults.seats.clone(), debate));
    let plan = choice::plan(&seats, renamed, &defaults, joining.in_project, debate, world)?;
    let plan = limits.applied(plan, debate)?;
    check(&plan, joining.wanted(), debate)?;
    Ok(plan)
}

/// Works at a debate until it is over: the one with this id, or the one of this folder.
pub(crate) fn join(world: &World, id: Option<&str>, joining: &JoinOptions) -> Result<ExitCode> {
    let wanted = joining.wanted();
    let engine = Engine::new(world);
    let (debate, project) = engine.workers().debate_to_join(id)?;
    wanted.check(&debate)?;
    let mut limits = RunLimits { max_reply: joining.max_reply, ..RunLimits::default() };
    let leaders = engine.programs().run_record(&debate.id, &project);
    let leaders = leaders.filter(|_| wanted == Wanted::Independent);
    if let Some(record) = &leaders {
        limits = limits.over(record);
    }
    // Earlier failures of a run count for its helpers. A worker who joins starts with none.
    let (failures_count_from, renamed) = if let Some(record) = leaders {
        (record.since, record.renamed)
    } else {
        let next = engine.programs().attempt_record(&debate.id).read()?.next_number();
        (next, BTreeMap::from([("agent".to_owned(), next)]))
    };
    let plan = planned(world, &engine, joining, limits, &renamed, &debate)?;
    let name = joining.worker_name(&plan);
    let (id, view) =
        (debate.id, RunView::new(if joining.json { Shows::Json } else { Shows::Lines }));
    let desk = Desk::new(world, &engine, id.clone(), project.root(), view)?;
    let seat = messages::wanted(wanted);
    desk.view.say(&RunEvent::Joined { id: id.clone(), worker: name.clone(), seat })?;
    let worker = Worker { id, name, wanted, holder: Holder::this() };
    let JoinOptions { in_project, helper, .. } = *joining;
    // A helper's reply was begun for the same run.
    let orphan = if helper { Orphan::Wait } else { Orphan::Kill };
    let conditions = Conditions { limits, in_project, orphan, failures_count_from };
    Joined::new(desk, worker, plan, conditions).work()
}

/// The agent that gives a worker its name.
fn agent_for(plan: &Plan, wanted: Wanted) -> &Agent {
    let at = |phase, round, judge| plan.of(Place { slot: Slot { phase, round }, judge });
    let candidates = match wanted {
        Wanted::Seat("advocate", _) => &plan.advocate,
        Wanted::Seat("critic", _) => &plan.critic,
        Wanted::Seat("judge", judge) => at(Phase::Synthesizer, 1, Some(judge.unwrap_or(1))),
        Wanted::Seat("synthesizer", _) => at(Phase::Synthesizer, 1, None),
        Wanted::Seat(_, Some(voice)) => at(Phase::Stakeholder, voice, None),
        Wanted::Any | Wanted::Independent | Wanted::Seat(_, None) => &plan.voices,
    };
    candidates.all().find(|agent| choice::is_here(agent)).unwrap_or(&candidates.first)
}

/// Refuses agents with a program that is not on `PATH`.
fn check(plan: &Plan, wanted: Wanted, debate: &Debate) -> Result<()> {
    if !wanted.holds_ahead() {
        return choice::check(plan, debate, &Attempts::default());
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
