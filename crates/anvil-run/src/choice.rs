//! Chooses the agent of each seat: first the command line, then the debate's record, then the
//! user's defaults.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::view::RunView;
use crate::error::{RunError, RunOptionError};
use anvil_core::debate::Debate;
use anvil_core::options::{AgentName, FactCheck, SeatOptions};
use anvil_core::place::{DebateFormat, Place, Seat};
use anvil_engine::{Context, SeatDefaults, session};
use anvil_prompt::{Agent, Candidates, Estimate, PROFILES, Plan, RunEvent, SeatPlan, Seated};
use anvil_store::{Attempts, RunRecord};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::clean;
use anvil_text::error::Result;

/// The option that names the agent for fact-checks.
const FACT_CHECKER: &str = "fact-checker";

/// Replies that are written at the same time by default.
const JOBS: u8 = 4;

/// `reassigned`: for each seat with a newly named agent, the first attempt that counts.
pub(crate) fn plan(
    options: &SeatOptions,
    reassigned: &BTreeMap<String, u32>,
    defaults: &SeatDefaults,
    in_project: bool,
    debate: &Debate,
    world: &World,
) -> Result<Plan> {
    let candidates = |key: &str, agents: &str| -> Result<Candidates> {
        let (first, others) = anvil_prompt::parse_list(agents, &defaults.agents, in_project)?;
        Ok(Candidates {
            first: with_absolute_paths(first, world)?,
            others: others
                .into_iter()
                .map(|agent| with_absolute_paths(agent, world))
                .collect::<Result<_>>()?,
            // A new agent for all seats is one for this seat.
            since: [key, "agent"]
                .iter()
                .filter_map(|key| reassigned.get(*key).copied())
                .max()
                .unwrap_or(0),
        })
    };
    let mut own_voices = BTreeMap::new();
    for (name, agents) in options.voices() {
        let index = debate.options.voices.iter().position(|voice| voice.name == name);
        if let Some(number) = index.and_then(|index| u8::try_from(index + 1).ok()) {
            own_voices.insert(number, candidates(&format!("voice {name}"), agents)?);
        }
    }
    // The voices of two options are the advocate and the critic.
    let is_pair = debate.format() == DebateFormat::Seats && debate.alternatives().are_typed;
    let [advocate, critic] = [("advocate", 1), ("critic", 2)].map(|(name, voice)| match own_voices
        .get(&voice)
        .filter(|_| is_pair)
    {
        Some(candidates) => Ok(candidates.clone()),
        None => candidates(name, options.agent_of(name)),
    });
    Ok(Plan {
        advocate: advocate?,
        critic: critic?,
        synthesizer: candidates("synthesizer", options.agent_of("synthesizer"))?,
        judges: (1..)
            .zip(&options.judge)
            .map(|(judge, agents)| candidates(&format!("judge {judge}"), &agents.0))
            .collect::<Result<_>>()?,
        voices: candidates("agent", options.agent_of("agent"))?,
        own_voices,
        checker: None,
    })
}

/// True if the program of an agent is on `PATH`.
pub(crate) fn is_on_path(agent: &Agent) -> bool {
    agent.command.first().is_none_or(|program| process::find(program).is_some())
}

/// A copy of a debate that programs argue: a conversation has no judges.
fn with_isolated_seats(debate: &Debate) -> Debate {
    let mut debate = debate.clone();
    debate.isolate_seats();
    debate
}

/// Drops default judges if their number is not the debate's.
pub(crate) fn drop_unusable_defaults(mut defaults: SeatOptions, debate: &Debate) -> SeatOptions {
    if defaults.judge.len() != usize::from(with_isolated_seats(debate).judges()) {
        defaults.judge.clear();
    }
    defaults
}

/// Refuses typed agents of seats that this debate does not have.
pub(crate) fn reject_unknown_seats(typed: &SeatOptions, debate: &Debate) -> Result<()> {
    let judges = with_isolated_seats(debate).judges();
    let names: Vec<&str> = debate.options.voices.iter().map(|voice| voice.name.as_str()).collect();
    let has_sides = debate.format() == DebateFormat::Seats;
    let is_choice = debate.alternatives().are_typed;
    let side = ["advocate", "critic"].into_iter().find(|side| typed.get(side).is_some());
    let unknown = typed.voices().find(|(name, _)| !names.contains(name));
    let names = || debate.options.voices.iter().map(|voice| voice.name.clone()).collect();
    Err(if let Some(side) = side.filter(|_| !has_sides) {
        RunOptionError::NoSides(side)
    } else if has_sides && !is_choice && !typed.voice.is_empty() {
        RunOptionError::NoVoices
    } else if let Some((name, _)) = unknown {
        RunOptionError::NoVoice { name: name.to_owned(), known: names() }
    } else if !typed.judge.is_empty() && typed.judge.len() != usize::from(judges) {
        RunOptionError::Judges { named: typed.judge.len(), judges }
    } else if !typed.judge.is_empty() && typed.synthesizer.is_some() {
        RunOptionError::NoSynthesizer
    } else if typed.fact_checker.is_some() && debate.options.fact_check.is_none() {
        RunOptionError::NoChecks
    } else {
        return Ok(());
    }
    .into())
}

/// The agent that checks facts, if the user wants that.
pub(crate) fn checker(
    options: &SeatOptions,
    defaults: &SeatDefaults,
    check: Option<FactCheck>,
    world: &World,
) -> Result<Option<Agent>> {
    let Some(check) = check else { return Ok(None) };
    let named = options.get(FACT_CHECKER);
    let agent = match named {
        Some(named) => named.to_owned(),
        None => {
            anvil_prompt::parse_list(options.agent_of("synthesizer"), &defaults.agents, false)?
                .0
                .name
        }
    };
    with_absolute_paths(
        anvil_prompt::checker(&agent, &defaults.agents, check, named.is_some())?,
        world,
    )
    .map(Some)
}

/// Makes the paths of its script and its program absolute: they are relative to the user's folder.
fn with_absolute_paths(mut agent: Agent, world: &World) -> Result<Agent> {
    if let Some(script) = &agent.script {
        let path = absolute(script, world);
        if !path.is_file() {
            return Err(RunOptionError::NoScript(path).into());
        }
        agent.script = Some(utf8_path(path)?);
        return Ok(agent);
    }
    if let Some(program) = agent.command.first_mut().filter(|program| program.contains('/')) {
        *program = utf8_path(absolute(program, world))?;
    }
    Ok(agent)
}

fn absolute(path: &str, world: &World) -> PathBuf {
    match (path.strip_prefix("~/"), &world.home) {
        (Some(inside), Some(home)) => home.join(inside),
        _ => world.cwd.join(path),
    }
}

/// The path as UTF-8, which the record of an attempt needs.
fn utf8_path(path: PathBuf) -> Result<String> {
    let text = path.into_os_string().into_string();
    text.map_err(|path| RunOptionError::NotUtf8(path.into()).into())
}

/// The plan of a resumed debate, and the options it comes from: first the command line, then the
/// record, then the defaults.
pub(crate) fn plan_again(
    typed: &SeatOptions,
    record: &RunRecord,
    defaults: &SeatDefaults,
    in_project: bool,
    debate: &Debate,
    world: &World,
) -> Result<(SeatOptions, Plan)> {
    reject_unknown_seats(typed, debate)?;
    let recorded = from_recorded(&record.agents);
    // The debate's file may have come with the project. An agent reads files or the web only if
    // this machine's user has named it for that.
    let checks = typed.fact_checker.is_some() || recorded.fact_checker.is_some();
    let defaulted = recorded.over(drop_unusable_defaults(defaults.seats.clone(), debate));
    let seats = typed.clone().over(defaulted);
    let mut planned = plan(&seats, &record.reassigned, defaults, in_project, debate, world)?;
    planned.checker =
        checker(&seats, defaults, debate.options.fact_check.filter(|_| checks), world)?;
    Ok((seats, planned))
}

/// Refuses a plan with a program that is not on `PATH`.
pub(crate) fn check_on_path(plan: &Plan, debate: &Debate, attempts: &Attempts) -> Result<()> {
    for FilledSeat { option, name, agent, .. } in seats_of(plan, debate, attempts) {
        if let Some(program) = agent.command.first().filter(|_| !is_on_path(agent)) {
            let program = program.clone();
            return Err(RunError::NotOnPath { seat: name, program, option }.into());
        }
    }
    Ok(())
}

/// One seat with its agent, or several seats that share an agent.
pub(crate) struct FilledSeat<'a> {
    /// The option that names the agent.
    pub option: &'static str,
    /// The name for the user: `critic`, `judge 2`, `voice 1: sales`.
    pub name: String,
    /// Its first place. `None`: it checks facts.
    pub place: Option<Place>,
    pub agent: &'a Agent,
    /// The next agents of the list.
    pub others: Vec<&'a Agent>,
}

/// The seats of this debate and their agents after these attempts.
pub(crate) fn seats_of<'a>(
    plan: &'a Plan,
    debate: &Debate,
    attempts: &'a Attempts,
) -> Vec<FilledSeat<'a>> {
    let mut seats: Vec<FilledSeat<'a>> = Vec::new();
    for place in with_isolated_seats(debate).places() {
        let (option, name) = match place.seat {
            Seat::Judge(judge) if plan.has_own(place) => ("judge", format!("judge {judge}")),
            Seat::Voice(voice) if plan.has_own(place) => {
                let named = debate.voice_at(place).map_or("", |named| named.name.as_str());
                ("voice", format!("voice {voice}: {}", clean(named, 60)))
            }
            Seat::Voice(_) => ("agent", "voices".to_owned()),
            seat => (option_of(seat), option_of(seat).to_owned()),
        };
        if !seats.iter().any(|seat| seat.name == name) {
            let Seated { agent, others, .. } =
                plan.now(place, attempts.earlier_attempts(), is_on_path);
            seats.push(FilledSeat { option, name, place: Some(place), agent, others });
        }
    }
    seats.extend(plan.checker.as_ref().map(|agent| FilledSeat {
        option: FACT_CHECKER,
        name: FACT_CHECKER.to_owned(),
        place: None,
        agent,
        others: Vec::new(),
    }));
    seats
}

/// Replies that are written at the same time if the user names no number. Scripts take no time, so
/// their replies come in order.
pub(crate) fn usual_jobs(plan: &Plan, debate: &Debate) -> u8 {
    let no_attempts = Attempts::default();
    let are_scripts =
        seats_of(plan, debate, &no_attempts).iter().all(|seat| seat.agent.script.is_some());
    if are_scripts { 1 } else { JOBS }
}

/// True if the user typed an agent for this place.
pub(crate) fn names_place(typed: &SeatOptions, debate: &Debate, place: Place) -> bool {
    let voice = debate.voice_at(place).map(|voice| voice.name.as_str());
    typed.agent.is_some()
        || typed.get(option_of(place.seat)).is_some()
        || place.in_schedule().seat == Seat::Synthesizer && !typed.judge.is_empty()
        || typed.voices().any(|(name, _)| voice == Some(name))
}

/// The option that names the agent of a seat.
pub(crate) fn option_of(seat: Seat) -> &'static str {
    match seat {
        Seat::Advocate => "advocate",
        Seat::Critic => "critic",
        Seat::Synthesizer | Seat::Judge(_) => "synthesizer",
        Seat::Voice(_) => "agent",
    }
}

/// The options as they are recorded. The fact-checker is among them only if the user wants one.
pub(crate) fn to_words(options: &SeatOptions, checker: Option<&Agent>) -> BTreeMap<String, String> {
    let agent = |agent: &str| Some(AgentName(agent.to_owned()).into());
    let all = SeatOptions {
        agent: agent(options.agent_of("agent")),
        advocate: agent(options.agent_of("advocate")),
        critic: agent(options.agent_of("critic")),
        synthesizer: agent(options.agent_of("synthesizer")),
        fact_checker: checker.and_then(|checker| agent(&checker.name)),
        ..options.clone()
    };
    all.agents_by_key().into_iter().map(|(key, agent)| (key, agent.to_owned())).collect()
}

/// Reads what [`to_words`] recorded.
fn from_recorded(words: &BTreeMap<String, String>) -> SeatOptions {
    let mut options = SeatOptions::default();
    for (name, agent) in words {
        options.set(name, agent.clone());
    }
    options
}

/// The plan, for the user. `first`: the tokens of the first prompt.
pub(crate) fn announcement(
    context: &Context<'_>,
    plan: &Plan,
    debate: &Debate,
    attempts: &Attempts,
    first: usize,
    mut limits: Vec<String>,
) -> RunEvent {
    let seats = seats_of(plan, debate, attempts);
    // If only judges remain, no round comes.
    let is_argued = debate.place().seat != Seat::Synthesizer;
    if is_argued && plan.checker.is_some() {
        limits.push("plus a fact-check after each round".to_owned());
    }
    let shared_family = plan.shared_family().filter(|_| debate.format() == DebateFormat::Seats);
    RunEvent::Plan {
        id: debate.id.clone(),
        question: debate.question.clone(),
        motion: debate.motion().map(str::to_owned),
        motion_line: anvil_messages::motion_line(debate),
        seats: seats
            .into_iter()
            .map(|FilledSeat { name, agent, others, .. }| SeatPlan {
                seat: name,
                others: others.into_iter().map(|agent| agent.name.clone()).collect(),
                agent: agent.name.clone(),
                family: agent.family.clone(),
                is_script: agent.script.is_some(),
            })
            .collect(),
        estimate: Estimate::of_programs(
            debate,
            first as u64,
            context.reply_time(&debate.id, attempts.reply_times()),
        ),
        limits,
        suggested: shared_family
            .filter(|_| plan.advocate.first.script.is_none())
            .and_then(|family| another_family(context, family)),
        shared_family: shared_family.map(str::to_owned),
    }
}

/// Set if the agent has replaced the one before it in its list.
fn stands_in(seated: &Seated<'_>, seat: &str) -> Option<RunEvent> {
    let (before, kind) = seated.before?;
    let agent = seated.agent.name.clone();
    let instead_of = before.name.clone();
    Some(RunEvent::StandsIn { seat: seat.to_owned(), agent, instead_of, kind })
}

/// The seats with lists of agents, and for each the stand-in that was shown last.
pub(crate) struct StandIns(Vec<(String, Place, String)>);

impl StandIns {
    pub(crate) fn new(plan: &Plan, debate: &Debate) -> Self {
        let no_attempts = Attempts::default();
        let seats_with_lists = seats_of(plan, debate, &no_attempts)
            .into_iter()
            .filter_map(|seat| Some((seat.name, seat.place?, String::new())))
            .filter(|(_, place, _)| !plan.candidates_for(*place).others.is_empty())
            .collect();
        Self(seats_with_lists)
    }

    /// Shows the agents that took a seat since the last call.
    pub(crate) fn say_new(
        &mut self,
        plan: &Plan,
        view: &RunView,
        attempts: &Attempts,
    ) -> Result<()> {
        for (seat, place, shown) in &mut self.0 {
            let seated = plan.now(*place, attempts.earlier_attempts(), is_on_path);
            if let Some(event) = stands_in(&seated, seat).filter(|_| seated.agent.name != *shown) {
                shown.clone_from(&seated.agent.name);
                view.say(&event)?;
            }
        }
        Ok(())
    }
}

/// An installed agent whose models are of another family. `None` too if the user has read that in
/// this project.
pub fn another_family(context: &Context<'_>, family: &str) -> Option<String> {
    PROFILES
        .iter()
        .filter(|other| !other.family.is_empty() && other.family != family)
        .find(|other| process::find(other.program).is_some())
        .filter(|_| !session::knows_families(context))
        .map(|other| other.name.to_owned())
}
