//! Commands about a debate that programs argue for this session, or shall argue.

use super::read_reply::unsaved_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use crate::domain::command::{self, Action, IsolatedOptions, TakeOver, Typed};
use crate::engine::{Engine, Runs, Session, Stopped};
use crate::error::{Error, Result};
use crate::messages;
use crate::run::isolated;
use crate::system::world::World;
use crate::text::door::Door;

/// The answer to such a command. `None`: Claude argues the debate.
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
                let started =
                    isolated::start_with_second_opinion(world, session, question, options, agent)?;
                return Ok(Some(Answer::with_prompt(
                    started.opening.as_str(),
                    messages::begun(&started),
                )));
            }
            if !isolated.is_wanted(engine.programs().seat_defaults()?.isolated)? {
                return Ok(None);
            }
            let plan = isolated::start(world, session, question, options, isolated)?;
            Ok(Some(Answer::End(messages::being_written(
                &plan,
                isolated::is_detached(world, isolated),
            ))))
        }
        Typed::Resume { owner, isolated } => {
            resume(isolated, *owner, event, world, engine, session)
        }
        Typed::Action(Action::Steer { options }) => {
            let steering = options.steering()?;
            // A new number of rounds is only noted, in any debate, and resumes nothing.
            if steering.direction.is_none() && !steering.synthesize {
                return Ok(None);
            }
            let Some(runs) = argued_by_programs(engine, session)? else { return Ok(None) };
            let debate =
                engine.sessions().direct(Some(session), &steering, options.owner.take_over)?;
            noted(messages::noted(&debate, &steering, Door::Client), &runs, world, engine, session)
        }
        Typed::Action(Action::Again { text, owner }) => {
            if !engine
                .programs()
                .runs(session)?
                .is_some_and(|runs| runs.is_isolated() && !runs.is_unfinished())
            {
                return Ok(None);
            }
            engine.sessions().again(None, &command::news(&text.join(" "))?, owner.take_over)?;
            Ok(Some(Answer::End(resume_with_programs(world, engine, session)?)))
        }
        _ => Ok(None),
    }
}

/// The unfinished debate of this project, if programs argue it for Claude Code.
fn argued_by_programs(engine: &Engine<'_>, session: &Session) -> Result<Option<Runs>> {
    Ok(engine.programs().runs(session)?.filter(|runs| runs.is_isolated() && runs.is_unfinished()))
}

/// Answers with the line. If no program writes now, programs resume the debate, which takes up the
/// user's direction.
fn noted(
    line: String,
    runs: &Runs,
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Option<Answer>, Stopped> {
    let lines = if runs.is_running {
        line
    } else {
        format!("{line}\n{}", resume_with_programs(world, engine, session)?)
    };
    Ok(Some(Answer::End(lines)))
}

/// Resumes with programs if the debate is argued by programs or the user wants that.
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
            "`anvil resume --isolated --critic AGENT` gives this one's seats to programs",
        )));
    }
    // A finished debate gets the usual answer, elsewhere.
    let Some(runs) = engine.programs().runs(session)?.filter(Runs::is_unfinished) else {
        return Ok(None);
    };
    if wanted.is_wanted(runs.is_isolated())? {
        if runs.is_running {
            return Ok(Some(Answer::End(messages::written_already(&runs.debate))));
        }
        // If no Stop has saved this session's last reply, save it now, so it is not requested
        // again.
        let unsaved = engine
            .sessions()
            .unfiled_since(session)
            .and_then(|asked_at| unsaved_reply(event, asked_at, End::Likely));
        if let Some(completed) = engine.sessions().file_unfiled(session, unsaved)? {
            return Ok(Some(Answer::End(messages::completed(&completed, Door::Client, None))));
        }
        let Some(runs) = engine.programs().runs(session)? else { return Ok(None) };
        let plan = isolated::go_on(world, session, &runs, wanted, owner.take_over)?;
        return Ok(Some(Answer::End(messages::being_written(
            &plan,
            isolated::is_detached(world, wanted),
        ))));
    }
    engine.programs().may_go_on(session, &runs.debate, owner.take_over)?;
    if let Some(worker) = engine.workers().resume_with_worker(session, owner.take_over)? {
        return Ok(Some(Answer::End(messages::waits_for(&worker, world.client_version.is_some()))));
    }
    if wanted.isolated.is_none()
        && let Some(agent) = isolated::second_opinion(world, session, &runs.debate)?
    {
        let line = messages::waits_for(&agent, world.client_version.is_some());
        return Ok(Some(Answer::End(line)));
    }
    engine.programs().resumes_here(&runs, wanted.isolated.is_some())?;
    Ok(None)
}

/// Has programs resume the debate of this project.
fn resume_with_programs(
    world: &World,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<String, Stopped> {
    let Some(runs) = engine.programs().runs(session)? else { return Ok(String::new()) };
    let options = IsolatedOptions::default();
    let plan = isolated::go_on(world, session, &runs, &options, false)?;
    Ok(messages::being_written(&plan, isolated::is_detached(world, &options)))
}
