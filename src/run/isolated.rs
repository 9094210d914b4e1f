//! A debate of Claude Code whose seats are programs: it is begun from a prompt, and argued by a process of its own.
//!
//! That process is `anvil run --resume`, in a session of the system's own, so it outlives Esc, other prompts, `/clear` and the time limit
//! of a hook. It ends with the client in whose session it was begun, unless it is detached.

use std::time::{Duration, Instant};

use super::executor::own_program;
use super::{Wanted, choice, listed};
use crate::command::{DebateOptions, IsolatedOptions, SeatOptions};
use crate::debate::{Debate, Format};
use crate::engine::{Engine, Followed, Nothing, Runs, Session, Started, Stopped, for_conversation};
use crate::error::{Error, Result};
use crate::process::Background;
use crate::seats::{Output, Plan, RunEvent};
use crate::state::{AttemptRecord, Project, RunRecord};
use crate::text::clean;
use crate::world::World;

/// Longest time until a process has taken its debate up: it starts in a few milliseconds.
const START: Duration = Duration::from_secs(8);

/// Longest time that the other hook of a prompt takes: the client ends it then.
const OTHER_HOOK: Duration = Duration::from_secs(20);

/// Longest time in which a debate goes from Claude to who writes for it, or back: the session is told after that. A client that
/// prints an answer and ends has no more than that: 2.1.330 waits for its hooks in the background before it ends.
const HAND_OVER: Duration = Duration::from_secs(2);

/// What is not handed on to the process that argues: it works in the project's folder, whatever folder the session is in.
const HIDDEN: [&str; 4] = ["CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDECODE"];

/// Between two looks at whether it has.
const LOOKS: Duration = Duration::from_millis(10);

/// Starts a debate whose replies programs write; gives back what is going to happen.
pub(crate) fn start(
    world: &World,
    session: &Session,
    question: &str,
    options: &DebateOptions,
    isolated: &IsolatedOptions,
) -> Result<RunEvent, Stopped> {
    let engine = Engine::new(world);
    engine.can_have_programs()?;
    if engine.has_just_begun(session, question) {
        return Err(Nothing::Redelivered.into());
    }
    let wanted = Wanted { seats: isolated.seats.clone(), ..Wanted::default() };
    let prepared = super::prepare(world, &engine, question, options, &wanted)?;
    can_isolate(&prepared.plan, &prepared.preview)?;
    let record = of_session(prepared.record, world, session, isolated);
    let (plan, tokens) = (prepared.plan, prepared.first_tokens);
    let started = super::begin(&engine, question, options, record)?;
    let event = choice::announced(&plan, &started.debate, tokens, Vec::new());
    spawn(&engine, session, &started.debate, &started.project, &[])?;
    Ok(event)
}

/// Goes on with the debate that is here; gives back what is going to happen.
pub(crate) fn go_on(
    world: &World,
    session: &Session,
    runs: &Runs,
    isolated: &IsolatedOptions,
    take_over: bool,
) -> Result<RunEvent, Stopped> {
    let engine = Engine::new(world);
    let Runs { debate, project, record, .. } = runs;
    engine.can_have_programs()?;
    engine.may_go_on(session, debate, take_over)?;
    let defaults = engine.seat_defaults()?;
    engine.begin_here(project, &debate.id)?;
    let known = record.clone().or_else(|| engine.run_record(&debate.id, project));
    let known = known.unwrap_or_else(|| RunRecord::of(project.root()));
    let (seats, plan) = choice::plan_again(&isolated.seats, &known, &defaults, known.in_project, debate, world)?;
    can_isolate(&plan, debate)?;
    let agents = choice::words(&seats, plan.checker.as_ref());
    let record = RunRecord { agents, ..of_session(known, world, session, isolated) };
    engine.remember_run(&debate.id, &record)?;
    let event = choice::announced(&plan, debate, 0, Vec::new());
    let mut more = named(&isolated.seats);
    more.extend(take_over.then(|| "--take-over".to_owned()));
    spawn(&engine, session, debate, project, &more)?;
    Ok(event)
}

/// A record with what belongs to the session that asks.
fn of_session(record: RunRecord, world: &World, session: &Session, isolated: &IsolatedOptions) -> RunRecord {
    let detached = record.detached || is_detached(world, isolated);
    RunRecord { isolated: true, for_client: session.client, detached, ..record }
}

/// True where the programs go on when the client ends: as the user wants it, and always where the client can't wait for them. Those
/// that don't tell their version run no hook in the background (2.0.30 and 2.1.47 measured); with `-p` 2.1.330 waits 30 s at most,
/// and 2.1.143 not at all.
pub(crate) fn is_detached(world: &World, isolated: &IsolatedOptions) -> bool {
    isolated.detach || world.is_printing || world.client_version.is_none()
}

/// The options that name these agents.
fn named(seats: &SeatOptions) -> Vec<String> {
    let named = |name: &&str| seats.get(name).map(|agent| format!("--{name}={agent}"));
    SeatOptions::NAMES.iter().filter_map(named).collect()
}

/// Refuses programs that can't keep a seat to itself, or that nobody is logged in to, before anything begins.
fn can_isolate(plan: &Plan, debate: &Debate) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for (seat, agent) in choice::seats_of(plan, debate) {
        let Some(program) = agent.command.first().filter(|program| !seen.contains(&program.as_str())) else { continue };
        seen.push(program);
        if agent.output != Output::Claude {
            continue;
        }
        let missing = listed::missing_options(program, &agent.command);
        if let Some(option) = missing {
            return Err(Error::failed(
                format!("{program} does not know {option}, which keeps a seat to itself"),
                format!(
                    "update Claude Code (`claude update`), name another agent with --{seat} AGENT, or leave --isolated out"
                ),
            ));
        }
        if listed::is_logged_out(program) {
            return Err(Error::failed(
                format!("{program} is not logged in where it is run by itself"),
                "run `claude auth login` in a shell, or leave --isolated out",
            ));
        }
    }
    Ok(())
}

/// Starts a debate that Claude argues in its conversation, and whose critic is a program.
pub(crate) fn start_with_second_opinion(
    world: &World,
    session: &Session,
    question: &str,
    options: &DebateOptions,
    agent: &str,
) -> Result<Started, Stopped> {
    let engine = Engine::new(world);
    engine.can_have_programs()?;
    let options = &for_conversation(options)?;
    let defaults = engine.seat_defaults()?;
    let seats = SeatOptions { agent: Some(agent.to_owned()), ..SeatOptions::default() };
    let plan = choice::plan(&seats, &defaults, false, world)?;
    let (preview, _) = engine.preview(question, options, false, |seat| plan.of(seat).context)?;
    let _ = engine.take_notes();
    if preview.format() != Format::Seats || preview.options.blind {
        return Err(Stopped::Failed(Error::usage(
            "--second-opinion needs an advocate who opens and a critic who answers",
            "leave voices and --blind out, or add --isolated instead",
        )));
    }
    choice::check(&plan, &preview)?;
    can_isolate(&plan, &preview)?;
    let record = RunRecord {
        agents: choice::words(&seats, None),
        since: 1,
        second_opinion: Some(agent.to_owned()),
        ..RunRecord::default()
    };
    engine.start_after(Some(session), question, options, |id, project| {
        engine.remember_run(id, &RunRecord { root: project.root().to_owned(), ..record })
    })
}

/// Has the program write the critic's reply that is next. `None`: Claude writes what is next.
pub(crate) fn second_opinion(world: &World, session: &Session, debate: &Debate) -> Result<Option<String>> {
    let engine = Engine::new(world);
    let Some((agent, runs)) = engine.second_opinion(session, debate)? else { return Ok(None) };
    let detached = is_detached(world, &IsolatedOptions::default());
    let record = RunRecord {
        for_client: session.client.or_else(|| engine.client_of(session)),
        detached,
        handed_to: Some(session.id.clone()),
        ..runs.record.unwrap_or_default()
    };
    engine.remember_run(&debate.id, &record)?;
    spawn(&engine, session, &runs.debate, &runs.project, &[])?;
    Ok(Some(agent))
}

/// Starts the process that argues, and waits until the debate is its own.
fn spawn(engine: &Engine<'_>, session: &Session, debate: &Debate, project: &Project, more: &[String]) -> Result<()> {
    let attempts = engine.attempt_record(&debate.id);
    let log = attempts.open_log()?;
    let mut arguments = vec!["run".to_owned(), format!("--resume={}", debate.id), "--runner".to_owned()];
    arguments.extend(more.iter().cloned());
    let began = Background::start(&own_program()?, &arguments, project.root(), &HIDDEN, log, None);
    let mut runner = began.map_err(|error| error.of("the program itself", "check that anvil can be run"))?;
    let asked = Instant::now();
    let mut is_over = false;
    while !is_over && asked.elapsed() < START {
        is_over = runner.is_over();
        // One that is over may have argued all of it: a script takes no time.
        if engine.is_taken_up(project, debate) {
            engine.follow(session, project, debate);
            return Ok(());
        }
        std::thread::sleep(LOOKS);
    }
    Err(Error::failed(
        format!("what writes the replies did not start: {}", last_line(&attempts)),
        "/anvil:resume tries again; /anvil:resume --isolated=no goes on in the conversation",
    ))
}

/// What the process said last.
fn last_line(attempts: &AttemptRecord) -> String {
    let text = attempts.log();
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.map_or_else(|| "it said nothing".to_owned(), |line| clean(line, 300))
}

/// Waits, for a hook in the background, until what is written for this session is over. True: there is news of that for an idle
/// session, and nobody else waits to tell it. `is_woken`: the prompt is one that has woken it; `replaces`: it may
/// put another debate in the place of what is written.
pub(crate) fn wait(world: &World, session: &Session, mut is_woken: bool, replaces: bool) -> bool {
    let engine = Engine::new(world);
    let asked = Instant::now();
    // When there was something to wait for last.
    let mut argued: Option<Instant> = None;
    let other_hook = if world.is_printing || is_woken { HAND_OVER } else { OTHER_HOOK };
    loop {
        // The other hook of the same prompt has it started, and may be slower.
        let followed = match engine.followed(session) {
            // The session was woken for that, and the other hook tells it just now.
            Followed::Runs(_, None) if is_woken && asked.elapsed() > OTHER_HOOK => return false,
            Followed::Runs(_, None) if is_woken => {
                argued = Some(Instant::now());
                std::thread::sleep(LOOKS * 5);
                continue;
            }
            Followed::Runs(followed, _) => followed,
            Followed::Not | Followed::NotYet if argued.is_some_and(|seen| seen.elapsed() > HAND_OVER) => return false,
            Followed::Not if argued.is_none() => return false,
            Followed::NotYet if asked.elapsed() > other_hook => return false,
            Followed::Not | Followed::NotYet => {
                std::thread::sleep(LOOKS * 5);
                continue;
            }
            // Claude writes what a program or a worker may answer.
            Followed::Later => {
                // It has gone on since it was woken.
                (is_woken, argued) = (false, Some(Instant::now()));
                std::thread::sleep(LOOKS * 30);
                continue;
            }
        };
        if engine.waits_alone(session) {
            // One worker may follow on another.
            while matches!(engine.followed(session), Followed::Runs(_, Some(_))) {
                std::thread::sleep(LOOKS * 10);
            }
            if engine.has_news_of_end(&followed) {
                return true;
            }
        }
        // The other hook puts another debate in its place just now.
        if !replaces || asked.elapsed() > OTHER_HOOK {
            return false;
        }
        std::thread::sleep(LOOKS * 5);
    }
}
