//! A door: a debate whose seats are filled by programs, from a terminal or in CI. It knows processes and nothing of the rules of a
//! debate: it asks the engine what a seat is asked, has a program write that, and hands it back.

mod argue;
mod beside;
mod choice;
mod copy;
mod environment;
mod executor;
mod fact_check;
mod filed;
mod gate;
mod helpers;
pub(crate) mod isolated;
pub(crate) mod join;
pub(crate) mod join_issue;
mod limits;
mod listed;
pub(crate) mod locks;
mod person;
pub(crate) mod script;
mod task;
mod view;
mod worker;
pub(crate) mod wrapper;

pub(crate) use executor::Orphan;
pub(crate) use gate::Gate;
pub(crate) use limits::RunLimits;
pub(crate) use listed::{Listed, list};

use std::process::ExitCode;
use std::time::Duration;

use crate::command::{DebateOptions, SeatOptions};
use crate::debate::{Debate, Seat, Status};
use crate::engine::{Engine, Started, Stopped, TakenUp};
use crate::error::{Error, Result};
use crate::process;
use crate::seats::{self, Plan, RunEvent};
use crate::state::RunRecord;
use crate::world::World;
use argue::Run;
use view::View;

/// What is asked of a run.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub(crate) struct Wanted<'a> {
    /// Who fills the seats, as far as that is typed.
    pub(crate) seats: SeatOptions,
    /// They may read the project's files.
    pub(crate) in_project: bool,
    /// How much it may take.
    pub(crate) limits: RunLimits,
    /// What closes its gates.
    pub(crate) gates: Vec<Gate>,
    /// What becomes of a program that an earlier run has left.
    pub(crate) orphan: Orphan,
    /// As JSON.
    pub(crate) as_json: bool,
    /// A pause after each reply, for the reader's eye.
    pub(crate) beat: Duration,
    /// Also when another running session owns the debate.
    pub(crate) take_over: bool,
    /// How the user calls this program.
    pub(crate) named: &'a str,
    /// It argues for a session of Claude Code, in the background.
    pub(crate) is_runner: bool,
    /// How many replies are written at the same time, where none answers another; 0 counts as 1.
    pub(crate) jobs: u8,
}

/// A debate that can begin.
struct Prepared {
    plan: Plan,
    /// As it will be.
    preview: Debate,
    record: RunRecord,
    /// Tokens of its first prompt.
    first_tokens: usize,
}

fn prepare(
    world: &World,
    engine: &Engine<'_>,
    question: &str,
    options: &DebateOptions,
    wanted: &Wanted<'_>,
) -> Result<Prepared> {
    let defaults = engine.seat_defaults()?;
    let seats = wanted.seats.clone().over(defaults.seats.clone());
    let mut plan = choice::plan(&seats, &defaults, wanted.in_project, world)?;
    let (preview, request) = engine.preview(question, options, wanted.in_project, |seat| plan.of(seat).context)?;
    if options.research == Some(true) && preview.options.fact_check.is_none() {
        return Err(Error::usage(
            "--research has no place here: the seats have no web to search",
            "add --fact-check, which looks there; or argue in Claude Code: /anvil:debate QUESTION --research",
        ));
    }
    plan.checker = choice::checker(&seats, &defaults, preview.options.fact_check, world)?;
    let plan = wanted.limits.applied(plan);
    choice::check(&plan, &preview)?;
    // What it says beside it is said again when it is really started.
    let _ = engine.take_notes();
    let record = RunRecord {
        agents: choice::words(&seats, plan.checker.as_ref()),
        in_project: wanted.in_project,
        since: 1,
        ..wanted.limits.remembered()
    };
    Ok(Prepared { plan, preview, record, first_tokens: seats::tokens(&request.prompt) })
}

/// The debate begins. What argues it is on record before it is there: whoever resumes it never asks another agent than the user has
/// named.
fn begin(
    engine: &Engine<'_>,
    question: &str,
    options: &DebateOptions,
    mut record: RunRecord,
) -> Result<Started, Stopped> {
    engine.start_after(None, question, options, |id, project| {
        project.root().clone_into(&mut record.root);
        engine.remember_run(id, &record)
    })
}

/// Starts a debate and argues it.
pub(crate) fn start(world: &World, question: &str, options: &DebateOptions, wanted: Wanted<'_>) -> Result<ExitCode> {
    let engine = Engine::new(world);
    let Prepared { plan, mut record, first_tokens, .. } = prepare(world, &engine, question, options, &wanted)?;
    let started = match begin(&engine, question, options, record.clone()) {
        Ok(started) => started,
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Nothing(_)) => return Ok(ExitCode::SUCCESS),
    };
    started.project.root().clone_into(&mut record.root);
    let debate = started.debate;
    let view = View::new(wanted.as_json);
    view.say(&choice::announced(&plan, &debate, first_tokens, wanted.limits.words()))?;
    Run::new(world, &engine, debate.id, plan, record, started.project.root(), view, wanted)?.argue()
}

/// Goes on with the debate that is here.
pub(crate) fn resume(world: &World, id: Option<&str>, mut wanted: Wanted<'_>) -> Result<ExitCode> {
    if wanted.is_runner {
        process::begin_session();
    }
    let engine = Engine::new(world);
    let TakenUp { debate, project, record: known } = engine.unfinished_run(id)?;
    let defaults = engine.seat_defaults()?;
    let is_known = known.is_some();
    let mut record = known.unwrap_or_else(|| RunRecord::of(project.root()));
    let named = |seat: Seat| wanted.seats.get(choice::option_of(seat)).or(wanted.seats.agent.as_deref()).is_some();
    if debate.progress.status == Status::Failed && !named(debate.progress.slot.seat()) {
        let option = choice::option_of(debate.progress.slot.seat());
        return Err(Error::failed(
            format!("it failed at {}: {}", debate.slot_label(), debate.progress.status_detail),
            if wanted.is_runner {
                format!("give the seat to an agent, the same or another: /anvil:resume --{option} AGENT")
            } else {
                format!(
                    "give the seat to an agent, the same or another: `{} run --resume --{option} AGENT`; or take it: /anvil:resume",
                    wanted.named
                )
            },
        ));
    }
    wanted.in_project |= record.in_project;
    wanted.limits = wanted.limits.over(&record);
    let (seats, plan) = choice::plan_again(&wanted.seats, &record, &defaults, wanted.in_project, &debate, world)?;
    let plan = wanted.limits.applied(plan);
    let is_unchecked = debate.options.fact_check.is_some() && plan.checker.is_none();
    // What made it pause was told, and is done with: a login, a quota. Where a run was killed instead, its failures count on.
    let has_decided = wanted.seats != SeatOptions::default() || debate.progress.status == Status::Paused;
    let next = engine.attempt_record(&debate.id).read()?.next_number();
    let since = if has_decided || !is_known { next } else { record.since };
    record = RunRecord {
        root: record.root,
        agents: choice::words(&seats, plan.checker.as_ref()),
        in_project: wanted.in_project,
        since,
        found: record.found,
        // In a terminal it is a run as every other.
        isolated: wanted.is_runner && record.isolated,
        for_client: record.for_client.filter(|_| wanted.is_runner),
        detached: wanted.is_runner && record.detached,
        handed_to: record.handed_to.filter(|_| wanted.is_runner),
        second_opinion: record.second_opinion,
        ..wanted.limits.remembered()
    };
    let view = View::new(wanted.as_json);
    let run = Run::new(world, &engine, debate.id.clone(), plan, record.clone(), project.root(), view, wanted)?;
    run.check(&engine, &debate)?;
    run.say(&RunEvent::Resumed { id: debate.id.clone(), at: debate.slot_label() })?;
    if is_unchecked {
        let why = "this machine was not asked for it: add --fact-checker AGENT where you mean it";
        run.say(&RunEvent::Unchecked { slot: "fact check".to_owned(), why: why.to_owned() })?;
    }
    engine.remember_run(&debate.id, &record)?;
    run.argue()
}

/// What a run would do: who fills each seat, and what the first ones are asked.
pub(crate) fn preview(world: &World, question: &str, options: &DebateOptions, wanted: &Wanted<'_>) -> Result<Vec<Dry>> {
    let engine = Engine::new(world);
    let defaults = engine.seat_defaults()?;
    let seats = wanted.seats.clone().over(defaults.seats.clone());
    let mut plan = choice::plan(&seats, &defaults, wanted.in_project, world)?;
    let (debate, _) = engine.preview(question, options, wanted.in_project, |seat| plan.of(seat).context)?;
    plan.checker = choice::checker(&seats, &defaults, debate.options.fact_check, world)?;
    let plan = wanted.limits.applied(plan);
    let mut dry = Vec::new();
    for (seat, agent) in choice::seats_of(&plan, &debate) {
        let check = debate.options.fact_check.filter(|_| seat == choice::FACT_CHECKER);
        let (slot, prompt) = if let Some(check) = check {
            ("fact check, round 1".to_owned(), seats::check_prompt(&debate.question, &[], check, false))
        } else {
            let first = debate.schedule().slots().find(|slot| choice::option_of(slot.seat()) == seat);
            let Some(first) = first else { continue };
            let request = engine.preview_at(question, options, wanted.in_project, first, agent.context)?;
            (request.name, request.prompt)
        };
        let mut command = agent.command.clone();
        if let Some(program) = command.first_mut()
            && let Some(place) = choice::place_of(program)
        {
            *program = place.display().to_string();
        }
        if let Some(script) = &agent.script {
            command = vec!["anvil".to_owned(), script::VERB.to_owned(), script.clone(), slot.clone()];
        }
        dry.push(Dry {
            seat,
            agent: agent.name.clone(),
            is_here: agent.script.is_some()
                || agent.command.first().is_some_and(|program| choice::place_of(program).is_some()),
            command,
            variables: environment::names(&agent.variables),
            slot,
            prompt,
        });
    }
    Ok(dry)
}

/// What one seat would be.
#[derive(Debug)]
pub(crate) struct Dry {
    /// By the option that names it.
    pub(crate) seat: &'static str,
    /// As the user calls it.
    pub(crate) agent: String,
    /// Its program is on this machine.
    pub(crate) is_here: bool,
    /// Its program and arguments.
    pub(crate) command: Vec<String>,
    /// The names of its variables.
    pub(crate) variables: Vec<String>,
    /// Where it speaks first.
    pub(crate) slot: String,
    /// What it is asked there, where nothing is argued before it.
    pub(crate) prompt: String,
}
