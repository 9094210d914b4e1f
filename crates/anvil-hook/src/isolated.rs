//! Commands about a debate that programs argue or will argue for this session.

use super::Call;
use super::wire::Answer;
use anvil_command::{Action, IsolatedOptions, TakeOver, Typed};
use anvil_core::options::is_yes;
use anvil_engine::{Runs, Stopped, defaults, programs, session, tasks};
use anvil_messages::Screen;
use anvil_prompt::RunEvent;
use anvil_run::isolated;

/// The answer to such a command. `None`: Claude argues the debate.
pub(super) fn answer(typed: &Typed, call: Call<'_>) -> Result<Option<Answer>, Stopped> {
    let Call { world, context, session, .. } = call;
    match typed {
        Typed::Debate { question, options, isolated } => {
            if !isolated.is_wanted(is_default(call)?)? {
                return Ok(None);
            }
            let plan = isolated::start(world, session, question, options, isolated)?;
            Ok(Some(being_written(&plan, isolated, call)))
        }
        Typed::Resume { id, owner, claims, isolated } => {
            if let Some(id) = id {
                session::take_back(context, Some(session), id)?;
            }
            if claims.drop_claims {
                tasks::drop_claims(context)?;
            }
            resume(isolated, *owner, call)
        }
        Typed::Action(Action::Steer { options }) => {
            let steering = options.steering()?;
            // A new number of rounds and a statement are only noted, and resume nothing.
            let is_noted = options.statement()?.is_some() || steering.direction.is_none();
            if is_noted && !steering.synthesize {
                return Ok(None);
            }
            let runs = programs::runs(context, session)?;
            let Some(runs) = runs.filter(|runs| runs.is_isolated() && runs.is_unfinished()) else {
                return Ok(None);
            };
            let debate =
                session::direct(context, Some(session), &steering, options.owner.take_over)?;
            let noted = anvil_messages::steering_line(&debate, &steering, call.door);
            // If no program writes now, programs resume the debate, which takes up the direction.
            if runs.is_running {
                return Ok(Some(call.end(noted)));
            }
            Ok(Some(resume_with_programs(call)?.after(&noted)))
        }
        Typed::Action(Action::Again { text, owner }) => {
            let runs = programs::runs(context, session)?;
            if !runs.is_some_and(|runs| runs.is_isolated() && !runs.is_unfinished()) {
                return Ok(None);
            }
            session::again(context, None, &anvil_command::news(&text.join(" "))?, owner.take_over)?;
            Ok(Some(resume_with_programs(call)?))
        }
        _ => Ok(None),
    }
}

/// True if programs argue each debate, by the defaults.
pub(super) fn is_default(call: Call<'_>) -> Result<bool, Stopped> {
    Ok(is_yes(&defaults::seat_defaults(call.context)?.isolation.isolated))
}

fn being_written(plan: &RunEvent, options: &IsolatedOptions, call: Call<'_>) -> Answer {
    call.end(anvil_messages::writing_line(plan, isolated::is_detached(call.world, options)))
}

/// Resumes with programs if the debate is argued by programs or the user wants that.
fn resume(
    options: &IsolatedOptions,
    owner: TakeOver,
    call: Call<'_>,
) -> Result<Option<Answer>, Stopped> {
    let Call { world, context, session, .. } = call;
    // A finished debate gets the usual answer, elsewhere.
    let Some(runs) = programs::runs(context, session)?.filter(Runs::is_unfinished) else {
        return Ok(None);
    };
    if options.is_wanted(runs.is_isolated())? {
        if runs.is_running {
            return Ok(Some(call.end(anvil_messages::still_writing_line(&runs.debate))));
        }
        // Save this session's last reply now, so it is not requested again.
        if let Some(completed) = session::save_unsaved(context, session, call.read_unsaved_turn())?
        {
            return Ok(Some(call.end(anvil_messages::completion_lines(
                &completed,
                call.door,
                Screen::default(),
            ))));
        }
        let Some(runs) = programs::runs(context, session)? else { return Ok(None) };
        let plan = isolated::go_on(world, session, &runs, options, owner.take_over)?;
        return Ok(Some(being_written(&plan, options, call)));
    }
    programs::may_go_on(context, session, &runs.debate, owner.take_over)?;
    programs::resumes_here(context, &runs)?;
    Ok(None)
}

/// Has programs resume the debate of this project.
fn resume_with_programs(call: Call<'_>) -> Result<Answer, Stopped> {
    let Some(runs) = programs::runs(call.context, call.session)? else {
        return Ok(call.end(String::new()));
    };
    let options = IsolatedOptions::default();
    let plan = isolated::go_on(call.world, call.session, &runs, &options, false)?;
    Ok(being_written(&plan, &options, call))
}
