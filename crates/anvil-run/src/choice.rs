//! Chooses the agent of each seat: first the command line, then the debate's record, then the
//! user's defaults.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::view::RunView;
use anvil_core::debate::{Debate, FactCheck, Format, Place, Seat};
use anvil_core::options::SeatOptions;
use anvil_engine::{Context, SeatDefaults, session};
use anvil_prompt::{
    Agent, Candidates, Estimate, PROFILES, Plan, Profile, RunEvent, SeatPlan, Seated,
};
use anvil_store::{Attempts, RunRecord};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::clean;
use anvil_text::door::Door;
use anvil_text::error::{Error, Result};

/// The option that names the agent for fact-checks.
pub(super) const FACT_CHECKER: &str = "fact-checker";

/// Replies that are written at the same time by default.
const JOBS: u8 = 4;

/// `renamed`: for seats that were named again, the first attempt since.
pub(super) fn plan(
    options: &SeatOptions,
    renamed: &BTreeMap<String, u32>,
    defaults: &SeatDefaults,
    in_project: bool,
    debate: &Debate,
    world: &World,
) -> Result<Plan> {
    let candidates = |key: &str, agents: &str| -> Result<Candidates> {
        let (first, others) = anvil_prompt::parse_list(agents, &defaults.own, in_project)?;
        let others = others.into_iter().map(|agent| placed(agent, world));
        // A new agent for all seats is one for this seat.
        let since = [key, "agent"].iter().filter_map(|key| renamed.get(*key)).max();
        Ok(Candidates {
            first: placed(first, world)?,
            others: others.collect::<Result<_>>()?,
            since: since.copied().unwrap_or(0),
        })
    };
    let seat = |name: &str| candidates(name, options.of(name));
    let judges = (1..).zip(&options.judge);
    let judges = judges.map(|(judge, agents)| candidates(&format!("judge {judge}"), agents));
    let number = |name: &str| {
        let named = debate.options.voices.iter().position(|voice| voice.name == name)?;
        u8::try_from(named + 1).ok()
    };
    let mut own_voices = BTreeMap::new();
    for (name, agents) in &options.voice {
        if let Some(voice) = number(name) {
            own_voices.insert(voice, candidates(&format!("voice {name}"), agents)?);
        }
    }
    // The voices of two options are the advocate and the critic.
    let is_pair = debate.format() == Format::Seats && debate.alternatives().are_typed;
    let side = |name: &str, voice: u8| {
        let own = own_voices.get(&voice).filter(|_| is_pair).cloned();
        own.map_or_else(|| seat(name), Ok)
    };
    Ok(Plan {
        advocate: side("advocate", 1)?,
        critic: side("critic", 2)?,
        synthesizer: seat("synthesizer")?,
        judges: judges.collect::<Result<_>>()?,
        voices: seat("agent")?,
        own_voices,
        checker: None,
    })
}

/// The seats that the user has named again, with the first attempt since.
pub(super) fn renamed(typed: &SeatOptions, record: &RunRecord, next: u32) -> BTreeMap<String, u32> {
    let typed = typed.named().into_iter().map(|(key, _)| (key, next));
    record.renamed.clone().into_iter().chain(typed).collect()
}

/// True if the program of an agent is on `PATH`.
pub(super) fn is_here(agent: &Agent) -> bool {
    agent.command.first().is_none_or(|program| process::find(program).is_some())
}

/// The same debate between programs: a conversation has no judges.
fn isolated(debate: &Debate) -> Debate {
    let mut debate = debate.clone();
    debate.isolate_seats();
    debate
}

/// The agents of the user's defaults that fit this debate.
pub(super) fn fitting(mut defaults: SeatOptions, debate: &Debate) -> SeatOptions {
    if defaults.judge.len() != usize::from(isolated(debate).judges()) {
        defaults.judge.clear();
    }
    defaults
}

/// Refuses typed agents of seats that this debate does not have.
pub(super) fn check_typed(typed: &SeatOptions, debate: &Debate) -> Result<()> {
    let judges = isolated(debate).judges();
    let names: Vec<&str> = debate.options.voices.iter().map(|voice| voice.name.as_str()).collect();
    let has_sides = debate.format() == Format::Seats;
    let is_choice = debate.alternatives().are_typed;
    let side = ["advocate", "critic"].into_iter().find(|side| typed.get(side).is_some());
    let unknown = typed.voice.iter().find(|(name, _)| !names.contains(&name.as_str()));
    let (what, hint) = if let Some(side) = side.filter(|_| !has_sides) {
        let hint = "name the voices' agents with --agent, or with --voice \"NAME=AGENT\"";
        (format!("--{side} has no seat here: voices take turns"), hint.to_owned())
    } else if has_sides && !is_choice && !typed.voice.is_empty() {
        let hint = "name their agents with --advocate and --critic";
        ("--voice has no seat here: an advocate and a critic argue".to_owned(), hint.to_owned())
    } else if let Some((name, _)) = unknown {
        let hint = format!("the voices are {}", clean(&names.join(", "), 500));
        (format!("there is no voice {}", clean(name, 60)), hint)
    } else if !typed.judge.is_empty() && typed.judge.len() != usize::from(judges) {
        let hint = "name one agent for each judge; --synthesizer names one agent for the synthesis";
        let count = typed.judge.len();
        (format!("--judge names {count}, and judges here: {judges}"), hint.to_owned())
    } else if !typed.judge.is_empty() && typed.synthesizer.is_some() {
        let hint = "leave it out; --fact-checker names who checks facts";
        ("--synthesizer has no seat here: judges write the synthesis".to_owned(), hint.to_owned())
    } else if typed.fact_checker.is_some() && debate.options.fact_check.is_none() {
        let hint = "start the debate with --fact-check, or leave it out";
        ("--fact-checker has no seat here: no facts are checked".to_owned(), hint.to_owned())
    } else {
        return Ok(());
    };
    Err(Error::usage(what, hint))
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
    let agent = match named {
        Some(named) => named.to_owned(),
        None => anvil_prompt::parse_list(options.of("synthesizer"), &defaults.own, false)?.0.name,
    };
    placed(anvil_prompt::checker(&agent, &defaults.own, check, named.is_some())?, world).map(Some)
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
    check_typed(typed, debate)?;
    let recorded = from_words(&record.agents);
    // The debate's file may have come with the project. An agent reads files or the web only if
    // this machine's user has named it for that.
    let checks = typed.fact_checker.is_some() || recorded.fact_checker.is_some();
    let below = recorded.over(fitting(defaults.seats.clone(), debate));
    let seats = typed.clone().over(below);
    let mut planned = plan(&seats, &record.renamed, defaults, in_project, debate, world)?;
    planned.checker =
        checker(&seats, defaults, debate.options.fact_check.filter(|_| checks), world)?;
    Ok((seats, planned))
}

/// Refuses a plan with a program that is not on `PATH`.
pub(super) fn check(plan: &Plan, debate: &Debate, attempts: &Attempts) -> Result<()> {
    for FilledSeat { option, name, agent, .. } in seats_of(plan, debate, attempts) {
        if let Some(program) = agent.command.first().filter(|_| !is_here(agent)) {
            return Err(Error::failed(
                format!("{name} can't be filled: {program} is not on this machine's PATH"),
                (
                    format!(
                        "install it, or name another agent: --{option} AGENT; `anvil agents` lists \
                         those that are here"
                    ),
                    format!("install it, or name another agent: --{option} AGENT"),
                ),
            ));
        }
    }
    Ok(())
}

/// A seat of a debate, or several seats with one agent.
pub(crate) struct FilledSeat<'a> {
    /// The option that names the agent.
    pub option: &'static str,
    /// The name for the user: `critic`, `judge 2`, `voice 1: sales`.
    pub name: String,
    /// Its first place. `None`: it checks facts.
    pub place: Option<Place>,
    pub agent: &'a Agent,
    /// Those that can take the seat after it.
    pub others: Vec<&'a Agent>,
}

/// The seats of this debate and their agents after these attempts.
pub(super) fn seats_of<'a>(
    plan: &'a Plan,
    debate: &Debate,
    attempts: &'a Attempts,
) -> Vec<FilledSeat<'a>> {
    let mut seats: Vec<FilledSeat<'a>> = Vec::new();
    for place in Place::all(&isolated(debate)) {
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
            let Seated { agent, others, .. } = plan.now(place, attempts.tried(), is_here);
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
pub(super) fn usual_jobs(plan: &Plan, debate: &Debate) -> u8 {
    let none = Attempts::default();
    let are_scripts = seats_of(plan, debate, &none).iter().all(|seat| seat.agent.script.is_some());
    if are_scripts { 1 } else { JOBS }
}

/// True if the user typed an agent for this place.
pub(super) fn names_place(typed: &SeatOptions, debate: &Debate, place: Place) -> bool {
    let is_of_voice = |name: &str| debate.voice_at(place).is_some_and(|it| it.name == name);
    typed.agent.is_some()
        || typed.get(option_of(place.seat)).is_some()
        || place.in_schedule().seat == Seat::Synthesizer && !typed.judge.is_empty()
        || typed.voice.iter().any(|(name, _)| is_of_voice(name))
}

/// The option that names the agent of a seat.
pub(super) fn option_of(seat: Seat) -> &'static str {
    match seat {
        Seat::Advocate => "advocate",
        Seat::Critic => "critic",
        Seat::Synthesizer | Seat::Judge(_) => "synthesizer",
        Seat::Voice(_) => "agent",
    }
}

/// The options as they are recorded. The fact-checker is among them only if the user wants one.
pub(super) fn words(options: &SeatOptions, checker: Option<&Agent>) -> BTreeMap<String, String> {
    let all = SeatOptions {
        agent: Some(options.of("agent").to_owned()),
        advocate: Some(options.of("advocate").to_owned()),
        critic: Some(options.of("critic").to_owned()),
        synthesizer: Some(options.of("synthesizer").to_owned()),
        fact_checker: checker.map(|checker| checker.name.clone()),
        ..options.clone()
    };
    all.named().into_iter().map(|(key, agent)| (key, agent.to_owned())).collect()
}

/// The options that [`words`] recorded.
pub(super) fn from_words(words: &BTreeMap<String, String>) -> SeatOptions {
    let mut options = SeatOptions::default();
    for (name, agent) in words {
        options.set(name, agent.clone());
    }
    options
}

/// The plan, for the user. `first`: the tokens of the first prompt.
pub(super) fn announced(
    context: &Context<'_>,
    plan: &Plan,
    debate: &Debate,
    attempts: &Attempts,
    first: usize,
    mut limits: Vec<String>,
) -> RunEvent {
    let seats = seats_of(plan, debate, attempts);
    // If only judges remain, no round comes.
    let is_argued = debate.progress.place.seat != Seat::Synthesizer;
    if is_argued && plan.checker.is_some() {
        limits.push("a fact-check after each round comes on top".to_owned());
    }
    let shared_family = plan.shared_family().filter(|_| debate.format() == Format::Seats);
    RunEvent::Plan {
        id: debate.id.clone(),
        question: debate.question.clone(),
        motion: debate.motion().map(str::to_owned),
        motion_line: anvil_messages::motion(debate, Door::Shell),
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
        estimate: Estimate::of_programs(debate, first as u64),
        limits,
        suggested: shared_family
            .filter(|_| plan.advocate.first.script.is_none())
            .and_then(|family| suggested(context, family)),
        shared_family: shared_family.map(str::to_owned),
    }
}

/// The news that an agent takes a seat of the agent before it in a list.
pub(super) fn stands_in(seated: &Seated<'_>, seat: &str) -> Option<RunEvent> {
    let (before, kind) = seated.before?;
    let agent = seated.agent.name.clone();
    let instead_of = before.name.clone();
    Some(RunEvent::StandsIn { seat: seat.to_owned(), agent, instead_of, kind })
}

/// The seats with lists of agents, and the stand-ins that the user knows.
pub(crate) struct StandIns(Vec<(String, Place, String)>);

impl StandIns {
    pub(crate) fn new(plan: &Plan, debate: &Debate) -> Self {
        let none = Attempts::default();
        let seats = seats_of(plan, debate, &none).into_iter();
        let listed = seats.filter_map(|seat| Some((seat.name, seat.place?, String::new())));
        Self(listed.filter(|(_, place, _)| !plan.of(*place).others.is_empty()).collect())
    }

    /// Says who has taken a seat since the last time.
    pub(crate) fn say_new(
        &mut self,
        plan: &Plan,
        view: &RunView,
        attempts: &Attempts,
    ) -> Result<()> {
        for (seat, place, known) in &mut self.0 {
            let seated = plan.now(*place, attempts.tried(), is_here);
            if let Some(event) = stands_in(&seated, seat).filter(|_| seated.agent.name != *known) {
                known.clone_from(&seated.agent.name);
                view.say(&event)?;
            }
        }
        Ok(())
    }
}

/// An installed agent of another family, suggested only once in a project.
fn suggested(context: &Context<'_>, family: &str) -> Option<String> {
    let is_other =
        |profile: &&Profile| profile.family != family && process::find(profile.program).is_some();
    let other = PROFILES.iter().find(is_other).filter(|_| !session::knows_families(context))?;
    Some(other.name.to_owned())
}
