//! Which agent fills which seat: what is typed, before what this debate had, before the defaults of the project and the user.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::command::SeatOptions;
use crate::debate::{Debate, FactCheck, Format, Seat};
use crate::engine::SeatDefaults;
use crate::error::{Error, Result};
use crate::process;
use crate::seats::{self, Agent, Plan, RunEvent, SeatPlan};
use crate::state::RunRecord;
use crate::world::World;

/// The option that names who checks facts.
pub(super) const FACT_CHECKER: &str = "fact-checker";

/// The plan of a debate.
pub(super) fn plan(options: &SeatOptions, defaults: &SeatDefaults, in_project: bool, world: &World) -> Result<Plan> {
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

/// Who checks facts, where the user wants that.
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

/// With its script and its program named whole: both are meant from where the user is.
fn placed(mut agent: Agent, world: &World) -> Result<Agent> {
    let absolute = |path: &str| match (path.strip_prefix("~/"), &world.home) {
        (Some(rest), Some(home)) => home.join(rest),
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

/// A path as the record of an attempt can hold it.
fn text_of(path: PathBuf) -> Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        Error::usage(
            format!("the path of this agent is not UTF-8: {}", path.display()),
            "put it into a folder whose path is UTF-8, and name it by its whole path",
        )
    })
}

/// The plan of a debate that goes on, and who is named in it: what is typed now, before what was, before the defaults.
pub(super) fn plan_again(
    typed: &SeatOptions,
    record: &RunRecord,
    defaults: &SeatDefaults,
    in_project: bool,
    debate: &Debate,
    world: &World,
) -> Result<(SeatOptions, Plan)> {
    let before = from_words(&record.agents);
    // A debate's file may have come with the project: only who was asked for here looks into files, or at the web.
    let checks = typed.fact_checker.is_some() || before.fact_checker.is_some();
    let seats = typed.clone().over(before).over(defaults.seats.clone());
    let mut planned = plan(&seats, defaults, in_project, world)?;
    planned.checker = checker(&seats, defaults, debate.options.fact_check.filter(|_| checks), world)?;
    check(&planned, debate)?;
    Ok((seats, planned))
}

/// Refuses a plan whose programs are not here.
pub(super) fn check(plan: &Plan, debate: &Debate) -> Result<()> {
    for (seat, agent) in seats_of(plan, debate) {
        let Some(program) = agent.command.first() else { continue };
        if process::find(program).is_none() {
            return Err(Error::failed(
                format!("the {seat} can't be filled: {program} is not on this machine's PATH"),
                format!("install it, or name another agent: --{seat} AGENT; `anvil agents` lists those that are here"),
            ));
        }
    }
    Ok(())
}

/// The seats that this debate has, by the options that name them, and who fills each.
pub(super) fn seats_of<'a>(plan: &'a Plan, debate: &Debate) -> Vec<(&'static str, &'a Agent)> {
    let mut seats = match debate.format() {
        Format::Seats => {
            vec![("advocate", &plan.advocate), ("critic", &plan.critic), ("synthesizer", &plan.synthesizer)]
        }
        Format::Stakeholders | Format::Personas => vec![("agent", &plan.voices), ("synthesizer", &plan.synthesizer)],
    };
    seats.extend(plan.checker.as_ref().map(|checker| (FACT_CHECKER, checker)));
    seats
}

/// The option that names who fills a seat.
pub(super) fn option_of(seat: Seat) -> &'static str {
    match seat {
        Seat::Advocate => "advocate",
        Seat::Critic => "critic",
        Seat::Synthesizer => "synthesizer",
        Seat::Voice(_) => "agent",
    }
}

/// The same as words, to be remembered. That somebody checks facts is among them only where the user wants that.
pub(super) fn words(options: &SeatOptions, checker: Option<&Agent>) -> BTreeMap<String, String> {
    let named = |&name: &&str| match name {
        FACT_CHECKER => checker.map(|checker| (name.to_owned(), checker.name.clone())),
        _ => Some((name.to_owned(), options.of(name).to_owned())),
    };
    SeatOptions::NAMES.iter().filter_map(named).collect()
}

/// The other way.
pub(super) fn from_words(words: &BTreeMap<String, String>) -> SeatOptions {
    let mut options = SeatOptions::default();
    for (name, agent) in words {
        options.set(name, agent.clone());
    }
    options
}

/// What is going to happen, for the user.
pub(super) fn announced(plan: &Plan, debate: &Debate, first_tokens: usize, limits: Vec<String>) -> RunEvent {
    let seats = seats_of(plan, debate);
    let longest = seats.iter().map(|(_, agent)| agent.limits.whole.as_secs()).max().unwrap_or(0);
    let (done, all) = debate.progress();
    let replies = all - done;
    let mut limits = limits;
    limits.extend(plan.checker.as_ref().map(|_| "a fact-check after each round comes on top".to_owned()));
    let is_two_sided = debate.format() == Format::Seats;
    RunEvent::Plan {
        id: debate.id.clone(),
        question: debate.question.clone(),
        seats: seats
            .into_iter()
            .map(|(seat, agent)| SeatPlan {
                seat: if seat == "agent" { "voices".to_owned() } else { seat.to_owned() },
                agent: agent.name.clone(),
                family: agent.family.clone(),
            })
            .collect(),
        replies,
        most_seconds: longest * u64::from(replies),
        about_tokens: seats::about_tokens(debate, first_tokens),
        limits,
        shared_family: plan.shared_family().filter(|_| is_two_sided).map(str::to_owned),
    }
}

/// Where a program of a plan lies.
pub(super) fn place_of(program: &str) -> Option<std::path::PathBuf> {
    process::find(program).map(|path| Path::new(&path).to_owned())
}
