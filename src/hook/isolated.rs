//! A command about a debate that programs argue for this session, or are to argue.

use super::read_reply::unfiled_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::command::{self, Action, IsolatedOptions, TakeOver, Typed};
use crate::engine::{Engine, Runs, Session, Stopped};
use crate::error::{Error, Result};
use crate::messages;
use crate::run::isolated;
use crate::world::World;

/// The answer to such a command. `None`: it is about a debate that Claude argues.
pub(super) fn answer(
    typed: &Typed,
    event: &Event,
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Option<Answer>, Stopped> {
    match typed {
        Typed::Debate { question, options, isolated } => {
            if let Some(agent) = &isolated.second_opinion {
                let started = isolated::start_with_second_opinion(world, session, question, options, agent)?;
                return Ok(Some(Answer::with_prompt(started.opening.as_str(), messages::begun(&started))));
            }
            if !isolated.is_wanted(engine.seat_defaults()?.isolated)? {
                return Ok(None);
            }
            let plan = isolated::start(world, session, question, options, isolated)?;
            Ok(Some(Answer::End(messages::being_written(&plan, isolated::is_detached(world, isolated)))))
        }
        Typed::Resume { owner, isolated } => resume(isolated, *owner, event, world, engine, session),
        Typed::Action(Action::Steer { text, owner }) => {
            let Some(runs) = argued_by_programs(engine, session)? else { return Ok(None) };
            let text = command::steering(&text.join(" "))?;
            let debate = engine.steer(Some(session), &text, owner.take_over)?;
            noted(messages::noted(&debate, Some(&text)), &runs, world, engine, session)
        }
        Typed::Action(Action::Synthesize { owner }) => {
            let Some(runs) = argued_by_programs(engine, session)? else { return Ok(None) };
            let debate = engine.synthesize(Some(session), owner.take_over)?;
            noted(messages::noted(&debate, None), &runs, world, engine, session)
        }
        Typed::Action(Action::Again { text, owner }) => {
            if !engine.runs(session)?.is_some_and(|runs| runs.is_isolated() && !runs.is_unfinished()) {
                return Ok(None);
            }
            engine.again(None, &command::news(&text.join(" "))?, owner.take_over)?;
            Ok(Some(Answer::End(written_on(world, engine, session)?)))
        }
        _ => Ok(None),
    }
}

/// The unfinished debate here, if programs argue it for Claude Code.
fn argued_by_programs(engine: &Engine<'_>, session: &Session) -> Result<Option<Runs>> {
    Ok(engine.runs(session)?.filter(|runs| runs.is_isolated() && runs.is_unfinished()))
}

/// What was asked for is given by who writes now, or by who goes on now.
fn noted(
    said: String,
    runs: &Runs,
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Option<Answer>, Stopped> {
    let said = if runs.is_running { said } else { format!("{said}\n{}", written_on(world, engine, session)?) };
    Ok(Some(Answer::End(said)))
}

/// Goes on with programs, where the debate is argued so or the user wants that.
fn resume(
    wanted: &IsolatedOptions,
    owner: TakeOver,
    event: &Event,
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Option<Answer>, Stopped> {
    if wanted.second_opinion.is_some() {
        return Err(Stopped::Failed(Error::usage(
            "--second-opinion is said when a debate is started",
            "/anvil:resume --isolated --critic AGENT gives this one's seats to programs",
        )));
    }
    // Whether a finished one goes on is said as of any other.
    let Some(runs) = engine.runs(session)?.filter(Runs::is_unfinished) else { return Ok(None) };
    if wanted.is_wanted(runs.is_isolated())? {
        if runs.is_running {
            return Ok(Some(Answer::End(messages::written_already(&runs.debate))));
        }
        // What this session wrote for it and no Stop has filed is not asked for again.
        let unfiled = engine.unfiled_since(session).and_then(|asked_at| unfiled_reply(event, asked_at, End::Likely));
        if let Some(completed) = engine.file_unfiled(session, unfiled)? {
            return Ok(Some(Answer::End(messages::completed(&completed))));
        }
        let Some(runs) = engine.runs(session)? else { return Ok(None) };
        let plan = isolated::go_on(world, session, &runs, wanted, owner.take_over)?;
        return Ok(Some(Answer::End(messages::being_written(&plan, isolated::is_detached(world, wanted)))));
    }
    engine.may_go_on(session, &runs.debate, owner.take_over)?;
    if let Some(worker) = engine.resume_with_worker(session, owner.take_over)? {
        return Ok(Some(Answer::End(messages::waits_for("", &worker, world.client_version.is_some()))));
    }
    if wanted.isolated.is_none()
        && let Some(agent) = isolated::second_opinion(world, session, &runs.debate)?
    {
        let said = messages::waits_for("", &agent, world.client_version.is_some());
        return Ok(Some(Answer::End(said)));
    }
    engine.resumes_here(&runs, wanted.isolated.is_some())?;
    Ok(None)
}

/// Programs go on with the debate here.
fn written_on(world: &World, engine: &Engine<'_>, session: &Session) -> Result<String, Stopped> {
    let Some(runs) = engine.runs(session)? else { return Ok(String::new()) };
    let options = IsolatedOptions::default();
    let plan = isolated::go_on(world, session, &runs, &options, false)?;
    Ok(messages::being_written(&plan, isolated::is_detached(world, &options)))
}
