//! Chooses the agent of each seat: first the command line, then the debate's record, then the
//! defaults of the project and of the user.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::domain::command::SeatOptions;
use crate::domain::debate::{Debate, FactCheck, Format, Phase, Seat};
use crate::engine::{Engine, SeatDefaults};
use crate::error::{Error, Result};
use crate::seats::{self, Agent, PROFILES, Plan, Profile, RunEvent, SeatPlan};
use crate::storage::RunRecord;
use crate::system::process;
use crate::system::world::World;

/// The option that names the agent for fact-checks.
pub(super) const FACT_CHECKER: &str = "fact-checker";

pub(super) fn plan(
    options: &SeatOptions,
    defaults: &SeatDefaults,
    in_project: bool,
    world: &World,
) -> Result<Plan> {
    let agent = |name: &str| -> Result<Agent> {
        let agent = seats::parse(options.of(name), &defaults.own, in_project)?;
        placed(agent, world)
    };
    Ok(Plan {
        advocate: agent("advocate")?,
        critic: agent("critic")?,
        synthesizer: agent("synthesizer")?,
        voices: agent("agent")?,
        checker: None,
    })
}

/// The agent that checks facts, if the user wants that.
pub(super) fn checker(
    options: &SeatOptions,
    defaults: &SeatDefaults,
    check: Option<FactCheck>,
    world: &World,
) -> Result<Option<Agent>> {
    let Some(check) = check else { return Ok(None) };
    let named = options.fact_checker.as_deref();
    let agent = named.unwrap_or_else(|| options.of("synthesizer"));
    placed(seats::checker(agent, &defaults.own, check, named.is_some())?, world).map(Some)
}

/// Makes the paths of its script and its program absolute: they are relative to the user's folder.
fn placed(mut agent: Agent, world: &World) -> Result<Agent> {
    let absolute = |path: &str| match (path.strip_prefix("~/"), &world.home) {
        (Some(inside), Some(home)) => home.join(inside),
        _ => world.cwd.join(path),
    };
    if let Some(script) = &agent.script {
        let path = absolute(script);
        if !path.is_file() {
            return Err(Error::usage(
                format!("there is no script {}", path.display()),
                "name a file with a reply below each heading such as # advocate, round 1",
            ));
        }
        agent.script = Some(text_of(path)?);
        return Ok(agent);
    }
    if let Some(program) = agent.command.first_mut().filter(|program| program.contains('/')) {
        *program = text_of(absolute(program))?;
    }
    Ok(agent)
}

/// The path as UTF-8, which the record of an attempt needs.
fn text_of(path: PathBuf) -> Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        Error::usage(
            format!("the path of this agent is not UTF-8: {}", path.display()),
            "put it into a folder whose path is UTF-8, and name it by its whole path",
        )
    })
}

/// The plan of a resumed debate, and the options it comes from: first the command line, then the
/// record, then the defaults.
pub(super) fn plan_again(
    typed: &SeatOptions,
    record: &RunRecord,
    defaults: &SeatDefaults,
    in_project: bool,
    debate: &Debate,
    world: &World,
) -> Result<(SeatOptions, Plan)> {
    let recorded = from_words(&record.agents);
    // The debate's file may have come with the project. An agent reads files or the web only if
    // this machine's user has named it for that.
    let checks = typed.fact_checker.is_some() || recorded.fact_checker.is_some();
    let seats = typed.clone().over(recorded).over(defaults.seats.clone());
    let mut planned = plan(&seats, defaults, in_project, world)?;
    planned.checker =
        checker(&seats, defaults, debate.options.fact_check.filter(|_| checks), world)?;
    check(&planned, debate)?;
    Ok((seats, planned))
}

/// Refuses a plan with a program that is not on `PATH`.
pub(super) fn check(plan: &Plan, debate: &Debate) -> Result<()> {
    for (seat, agent) in seats_of(plan, debate) {
        let Some(program) = agent.command.first() else { continue };
        if process::find(program).is_none() {
            return Err(Error::failed(
                format!("the {seat} can't be filled: {program} is not on this machine's PATH"),
                (
                    format!(
                        "install it, or name another agent: --{seat} AGENT; `anvil agents` lists \
                         those that are here"
                    ),
                    format!("install it, or name another agent: --{seat} AGENT"),
                ),
            ));
        }
    }
    Ok(())
}

/// The seats of this debate, each by the option that names it, and their agents.
pub(super) fn seats_of<'a>(plan: &'a Plan, debate: &Debate) -> Vec<(&'static str, &'a Agent)> {
    let mut seats = match debate.format() {
        Format::Seats => {
            vec![
                ("advocate", &plan.advocate),
                ("critic", &plan.critic),
                ("synthesizer", &plan.synthesizer),
            ]
        }
        Format::Stakeholders | Format::Personas => {
            vec![("agent", &plan.voices), ("synthesizer", &plan.synthesizer)]
        }
    };
    seats.extend(plan.checker.as_ref().map(|checker| (FACT_CHECKER, checker)));
    seats
}

/// The option that names the agent of a seat.
pub(super) fn option_of(seat: Seat) -> &'static str {
    match seat {
        Seat::Advocate => "advocate",
        Seat::Critic => "critic",
        Seat::Synthesizer => "synthesizer",
        Seat::Voice(_) => "agent",
    }
}

/// The options as they are recorded. The fact-checker is among them only if the user wants one.
pub(super) fn words(options: &SeatOptions, checker: Option<&Agent>) -> BTreeMap<String, String> {
    let named = |&name: &&str| match name {
        FACT_CHECKER => checker.map(|checker| (name.to_owned(), checker.name.clone())),
        _ => Some((name.to_owned(), options.of(name).to_owned())),
    };
    SeatOptions::NAMES.iter().filter_map(named).collect()
}

/// The options that [`words`] recorded.
pub(super) fn from_words(words: &BTreeMap<String, String>) -> SeatOptions {
    let mut options = SeatOptions::default();
    for (name, agent) in words {
        options.set(name, agent.clone());
    }
    options
}

/// The plan, for the user. `first` is the size of the first prompt in tokens.
pub(super) fn announced(
    engine: &Engine<'_>,
    plan: &Plan,
    debate: &Debate,
    first: usize,
    mut limits: Vec<String>,
) -> RunEvent {
    let seats = seats_of(plan, debate);
    // If only judges remain, no round comes.
    let is_argued = debate.progress.slot.phase != Phase::Synthesizer;
    limits.extend(
        plan.checker
            .as_ref()
            .filter(|_| is_argued)
            .map(|_| "a fact-check after each round comes on top".to_owned()),
    );
    let shared_family = plan.shared_family().filter(|_| debate.format() == Format::Seats);
    RunEvent::Plan {
        id: debate.id.clone(),
        question: debate.question.clone(),
        seats: seats
            .into_iter()
            .map(|(seat, agent)| SeatPlan {
                seat: if seat == "agent" { "voices".to_owned() } else { seat.to_owned() },
                agent: agent.name.clone(),
                family: agent.family.clone(),
                is_script: agent.script.is_some(),
            })
            .collect(),
        estimate: engine.history().estimate_run(debate, first as u64),
        limits,
        suggested: shared_family
            .filter(|_| plan.advocate.script.is_none())
            .and_then(|family| suggested(engine, family)),
        shared_family: shared_family.map(str::to_owned),
    }
}

/// An installed agent of another family, suggested only once in a project.
fn suggested(engine: &Engine<'_>, family: &str) -> Option<String> {
    let is_other =
        |profile: &&Profile| profile.family != family && process::find(profile.program).is_some();
    let other = PROFILES.iter().find(is_other).filter(|_| !engine.sessions().knows_families())?;
    Some(other.name.to_owned())
}
