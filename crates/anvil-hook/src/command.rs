//! A command of Anvil, as the client expands it.

use std::time::Duration;

use super::read_reply::{INTERRUPTION_WAIT, ended_turn};
use super::wire::Answer;
use super::{Call, isolated, plan};
use anvil_command::{Action, HistoryOptions, SteerOptions, TakeOver, Typed, Undo, UndoOptions};
use anvil_core::options::{DebateOptions, Statement, Steering};
use anvil_core::reply::TurnOutput;
use anvil_core::transcript::Author;
use anvil_engine::{
    Completed, Extent, ResumeAction, Resumption, Stopped, defaults, history, issues, plans,
    reports, session,
};
use anvil_messages::Screen;
use anvil_store::Scope;
use anvil_system::process;
use anvil_text::error::Result;

const MAX_LISTED: usize = 15;

/// Longest time for all requests to a forge: the client ends a hook after 20 s.
const FORGE_LIMIT: Duration = Duration::from_secs(16);

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let Some(command) =
        call.event.command().and_then(|(name, arguments)| Typed::parse(name, arguments))
    else {
        return Ok(Answer::Silent);
    };
    let ended = end_turn(command.as_ref().ok(), call);
    let answer = command
        .and_then(|typed| plan::with_plan(typed, call))
        .map_err(Stopped::from)
        .and_then(|typed| typed.map_or_else(Ok, |typed| run(&typed, call)));
    let answer = match answer {
        // A failed command ends here and costs no request.
        Err(Stopped::Failed(error)) => call.end(anvil_messages::error(&error, call.door)),
        answer => answer?,
    };
    Ok(match ended {
        Ok(None) => answer,
        Ok(Some(completed)) => {
            plan::note_completed(call, &completed);
            answer.after(&anvil_messages::completion_lines(
                &completed,
                call.door,
                Screen::default(),
            ))
        }
        Err(error) => answer.after(&anvil_messages::error(&error, call.door)),
    })
}

/// A command of the debate's own session shows that Claude does not write: the end of the turn is
/// saved before anything else. `Some`: its reply was the synthesis, and the command shows no
/// result.
fn end_turn(typed: Option<&Typed>, call: Call<'_>) -> Result<Option<Box<Completed>>> {
    let Ok(turn) = session::owned_turn(call.context, call.session) else { return Ok(None) };
    // A noted end needs no wait.
    let wait = if turn.is_cut_noted() { Duration::ZERO } else { INTERRUPTION_WAIT };
    match ended_turn(call.event, turn.phase_began(), turn.silence(), wait) {
        Some(TurnOutput::Cut(cut)) if !turn.has_synthesis(&cut) => {
            turn.note_cut(cut).map(|()| None)
        }
        // /anvil:resume saves a whole reply itself, and goes on from there.
        Some(_) if matches!(typed, Some(Typed::Resume { .. })) => Ok(None),
        Some(output) => {
            let completed = turn.save_late(output).or_else(|why| why.failure().map(|()| None))?;
            let shows = matches!(typed, Some(Typed::Status | Typed::Report { .. }));
            Ok(completed.filter(|_| !shows))
        }
        None => Ok(None),
    }
}

/// Resumes a debate. First saves this session's last reply if no Stop has saved it.
pub(super) fn resume(
    action: ResumeAction<'_>,
    owner: TakeOver,
    call: Call<'_>,
) -> Result<Answer, Stopped> {
    let unsaved = call.read_unsaved_turn();
    let (direction, synthesize) = match action {
        ResumeAction::AsItIs => (None, false),
        ResumeAction::Steered(words) => (Some(words), false),
        ResumeAction::ToSynthesis(words) => (words, true),
    };
    Ok(match session::resume(call.context, call.session, owner.take_over, action, unsaved)? {
        Resumption::GoesOn(resumed) => {
            if let Some(words) = direction {
                let steered = anvil_messages::direction_line(&resumed.debate, words);
                call.tell(resumed.opening.as_str(), steered)
            } else {
                let look = session::look(call.context, Some(call.session)).ok();
                let say = anvil_messages::resume_lines(&resumed, look.as_ref());
                call.tell(resumed.opening.as_str(), say)
            }
        }
        Resumption::Noted(debate) => {
            let steering =
                Steering { rounds: None, direction: direction.map(str::to_owned), synthesize };
            call.end(anvil_messages::steering_line(&debate, &steering, call.door))
        }
        // No reply is left to write.
        Resumption::Completed(debate) => {
            plan::note_completed(call, &debate);
            call.end(anvil_messages::completion_lines(&debate, call.door, Screen::default()))
        }
    })
}

/// Changes the number of rounds without a request. A direction or the synthesis resumes the debate.
fn steer(options: &SteerOptions, call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { context, session, .. } = call;
    let owner = options.owner;
    match options.statement()? {
        Some(Statement::Fact(fact)) => {
            session::note_fact(context, Some(session), &fact, Author::person(), owner.take_over)?;
            return Ok(call.end(anvil_messages::FACT_NOTED.to_owned()));
        }
        Some(Statement::Answer(answer)) => {
            let question = session::answer(context, Some(session), &answer, owner.take_over)?;
            return Ok(call.end(anvil_messages::answer_line(&question)));
        }
        Some(Statement::Motion(motion)) => {
            let debate = session::correct_motion(context, Some(session), &motion, owner.take_over)?;
            return Ok(call.end(anvil_messages::motion_correction_line(&debate, call.door)));
        }
        None => {}
    }
    let steering = options.steering()?;
    let direction = steering.direction.as_deref();
    if steering.rounds.is_some() {
        let rounds = Steering { direction: None, ..steering.clone() };
        let changed = session::direct(context, Some(session), &rounds, owner.take_over)?;
        if direction.is_none() {
            return Ok(call.end(anvil_messages::steering_line(&changed, &rounds, call.door)));
        }
    }
    let action = match direction {
        Some(words) if !steering.synthesize => ResumeAction::Steered(words),
        direction => ResumeAction::ToSynthesis(direction),
    };
    resume(action, owner, call)
}

/// The verdict and the page's path.
fn report(id: Option<&str>, open: bool, columns: usize, call: Call<'_>) -> Result<String, Stopped> {
    let Call { context, session, world, .. } = call;
    let page = if open { Some(reports::page(context, Some(session), id)?) } else { None };
    let shown = reports::show(context, Some(session), id, Extent::Summary { columns })?;
    let shown = anvil_messages::report_lines(&shown, call.door);
    let opened = page
        .map_or(Ok(()), |page| process::open_in_browser(&world.disk, world.home.as_deref(), &page));
    Ok(match opened {
        Ok(()) => shown,
        Err(error) => format!("{shown}\n{}", anvil_messages::error(&error, call.door)),
    })
}

/// Lists the earlier debates, or those that contain a text, or notes what became of one.
fn history(options: &HistoryOptions, columns: usize, call: Call<'_>) -> Result<String, Stopped> {
    let Call { context, session, .. } = call;
    let HistoryOptions { text, due, .. } = options;
    if let Some(noted) = options.outcome_note()? {
        let noted = history::record_outcome(context, Some(session), &noted)?;
        return Ok(anvil_messages::outcome_lines(&noted, columns));
    }
    if *due {
        let due = history::due_reviews(context, Some(session), Scope::of_history(options.all))?;
        return Ok(anvil_messages::due_list(&due, columns, call.door));
    }
    if text.is_empty() {
        let past = history::past(context, Some(session), Scope::of_history(options.all))?;
        return Ok(anvil_messages::history(&past, MAX_LISTED, Screen::plain(columns), call.door));
    }
    let found =
        history::search(context, Some(session), &text.join(" "), Scope::of_history(options.all))?;
    if found.debates.is_empty() {
        return Err(anvil_messages::not_found(&found.text).into());
    }
    let mut lines = vec![anvil_messages::search_lines(&found, MAX_LISTED, columns)];
    lines.extend(anvil_messages::unsearchable(&found));
    Ok(lines.join("\n"))
}

fn undo(options: &UndoOptions, call: Call<'_>) -> Result<String, Stopped> {
    let Call { context, session, .. } = call;
    let session = Some(session);
    let take_over = options.owner.take_over;
    let changed = match options.undo()? {
        Undo::List(id) => {
            let kept = history::snapshots(context, session, id)?;
            return Ok(anvil_messages::snapshots(&kept, call.door));
        }
        Undo::Phases(phases) => history::undo(context, session, phases, take_over)?,
        Undo::Redo => history::redo(context, session, take_over)?,
        Undo::To(number, id) => history::restore(context, session, number, id, take_over)?,
    };
    Ok(anvil_messages::history_change(&changed, call.door))
}

/// Starts a debate that Claude argues here.
pub(super) fn start(
    question: &str,
    options: &DebateOptions,
    call: Call<'_>,
) -> Result<Answer, Stopped> {
    let Call { context, session, .. } = call;
    let started = session::start(context, Some(session), question, options)?;
    // A plan that was to be argued is none of this debate.
    plans::disarm(context, session);
    // Claude writes here.
    let other = anvil_run::another_family(context, "anthropic");
    let say = anvil_messages::start_here_lines(&started, other.as_deref(), call.door);
    if other.is_some() {
        session::remember_families(context);
    }
    Ok(call.tell(started.opening.as_str(), say))
}

fn run(typed: &Typed, call: Call<'_>) -> Result<Answer, Stopped> {
    if let Some(answer) = plan::answer(typed, call) {
        return Ok(answer);
    }
    if let Some(answer) = isolated::answer(typed, call)? {
        return Ok(answer);
    }
    let Call { context, session, .. } = call;
    let columns = anvil_messages::client_columns(call.world.columns);
    let text = match typed {
        Typed::Debate { question, options, .. } => return start(question, options, call),
        Typed::Resume { owner, .. } => return resume(ResumeAction::AsItIs, *owner, call),
        Typed::Action(Action::Steer { options }) => return steer(options, call),
        Typed::Action(Action::Again { text, owner }) => {
            let news = anvil_command::news(&text.join(" "))?;
            let resumed = session::again(context, Some(session), &news, owner.take_over)?;
            let say = anvil_messages::resume_lines(&resumed, None);
            return Ok(call.tell(resumed.opening.as_str(), say));
        }
        Typed::Status => {
            let armed = plan::status(call);
            match session::look(context, Some(session)) {
                Err(error) => armed.ok_or(error)?,
                Ok(look) => {
                    let status = anvil_messages::status(&look, call.door, Screen::plain(columns));
                    [status].into_iter().chain(armed).collect::<Vec<_>>().join("\n")
                }
            }
        }
        Typed::Report { id, open, exchange } => match (exchange.publishing(), exchange.pulling()) {
            (Some(request), _) => anvil_messages::publish_lines(&issues::publish(
                context,
                Some(session),
                None,
                &request,
                FORGE_LIMIT,
            )?)?,
            (_, Some(request)) => {
                let pulled = issues::pull(context, Some(session), &request, FORGE_LIMIT)?;
                anvil_messages::pull_lines(&pulled, call.door)
            }
            (None, None) => report(id.as_deref(), *open, columns, call)?,
        },
        Typed::History { options } => history(options, columns, call)?,
        Typed::Claims { options } => {
            let claims = reports::claims(context, Some(session), options)?;
            if claims.picked.is_empty() {
                return Err(anvil_messages::no_claims(&claims).into());
            }
            anvil_messages::claims(&claims, Screen::plain(columns))
        }
        Typed::Undo { options } => undo(options, call)?,
        Typed::Action(Action::Cancel { owner }) => anvil_messages::cancel_line(
            &session::cancel(context, Some(session), owner.take_over)?,
            call.door,
        ),
        Typed::Help { command, all } => {
            let help = Typed::help(command, *all, columns);
            if command == "debate" {
                let texts = defaults::texts_by_kind(context, None)?;
                format!("{help}\n\n{}", anvil_messages::text_names(&texts, columns))
            } else {
                help
            }
        }
    };
    Ok(call.end(text))
}
