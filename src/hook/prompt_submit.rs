//! A prompt: a command of Anvil, the user's own text, or a prompt of the client.

use std::time::Duration;

use super::read_reply::{INTERRUPTION_WAIT, ended_turn};
use super::wire::Answer;
use super::{Call, NOT_TYPED, background, isolated, plan};
use anvil_command::{Action, HistoryOptions, SteerOptions, TakeOver, Typed, Undo, UndoOptions};
use anvil_core::options::{Statement, Steering, goes_on};
use anvil_core::reply::TurnOutput;
use anvil_core::transcript::Author;
use anvil_engine::{
    Completed, Extent, Interruption, PromptOutcome, Released, ResumeAction, Resumption, Silence,
    Skipped, Stopped, defaults, history, issues, reports, session,
};
use anvil_messages::Screen;
use anvil_prompt::prompt;
use anvil_store::Scope;
use anvil_system::process;
use anvil_text::error::Result;

const MAX_LISTED: usize = 15;

/// Longest time for all requests to a forge: the client ends a hook after 20 s.
const FORGE_LIMIT: Duration = Duration::from_secs(16);

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let typed = call.prompt();
    match Typed::parse(typed) {
        Some(command) => {
            let ended = end_turn(command.as_ref().ok(), call);
            let answer = command
                .and_then(|typed| plan::with_plan(typed, call))
                .map_err(Stopped::from)
                .and_then(|typed| run(&typed, call));
            let answer = match answer {
                // A failed command ends here and costs no request.
                Err(Stopped::Failed(error)) => {
                    Answer::End(anvil_messages::error(&error, call.door))
                }
                answer => answer?,
            };
            Ok(match ended {
                Ok(None) => answer,
                Ok(Some(completed)) => answer.after(&anvil_messages::completed(
                    &completed,
                    call.door,
                    Screen::default(),
                )),
                Err(error) => answer.after(&anvil_messages::error(&error, call.door)),
            })
        }
        None if typed.trim_start().starts_with("/anvil:") => Ok(Answer::Silent),
        None if typed.trim_start().starts_with(NOT_TYPED) => {
            match session::turn_began(call.context, call.session) {
                Err(Stopped::Skipped(Skipped::Follows)) => Err(Skipped::Follows.into()),
                // The news has been shown, and the session follows no debate any more.
                _ if background::wakes(typed) => {
                    Ok(Answer::End(anvil_messages::NEWS_IS_KNOWN.to_owned()))
                }
                began => began.map(|()| Answer::Silent),
            }
        }
        None => handle_plain_prompt(typed, call),
    }
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

/// The user's own text comes before the debate. After an interruption, words that only ask Claude
/// to go on resume it.
fn handle_plain_prompt(words: &str, call: Call<'_>) -> Result<Answer, Stopped> {
    let words = &*anvil_command::without_marks(words);
    if goes_on(words) && is_interrupted(call)? {
        return resume(ResumeAction::AsItIs, TakeOver::default(), call);
    }
    Ok(match session::prompt_typed(call.context, call.session, words)? {
        PromptOutcome::Interrupts(turn) => {
            let unsaved =
                ended_turn(call.event, turn.phase_began(), turn.silence(), INTERRUPTION_WAIT);
            match turn.interrupt(unsaved)? {
                // The protocol in the conversation says "no edits".
                Interruption::Paused(debate) => {
                    Answer::with_prompt(prompt::PAUSED, anvil_messages::paused(&debate))
                }
                // The Stop of the current reply shows that the debate paused, and how to resume it.
                Interruption::AfterReply => Answer::Silent,
                Interruption::Completed(debate) => {
                    Answer::Say(anvil_messages::completed(&debate, call.door, Screen::default()))
                }
            }
        }
        PromptOutcome::Released(Released::Waits) => {
            Answer::with_prompt(prompt::PAUSED, String::new())
        }
        PromptOutcome::Released(Released::Over) => Answer::with_prompt(prompt::OVER, String::new()),
        PromptOutcome::Steered(steered) => Answer::with_prompt(
            steered.cue.as_str(),
            anvil_messages::steered_by_prompt(&steered, words),
        ),
        PromptOutcome::Stopped(debate) => Answer::End(anvil_messages::paused(&debate)),
        PromptOutcome::GoesOn => Answer::Silent,
    })
}

/// True if Claude is not writing the next reply any more.
fn is_interrupted(call: Call<'_>) -> Result<bool, Stopped> {
    let Ok(turn) = session::owned_turn(call.context, call.session) else { return Ok(false) };
    if turn.is_redelivered() {
        return Err(Skipped::Redelivered.into());
    }
    let began = turn.phase_began();
    let silence = turn.silence();
    if silence == Silence::Unknown {
        return Ok(false);
    }
    Ok(turn.is_cut_noted() || ended_turn(call.event, began, silence, INTERRUPTION_WAIT).is_some())
}

/// Resumes a debate. First saves this session's last reply if no Stop has saved it.
fn resume(action: ResumeAction<'_>, owner: TakeOver, call: Call<'_>) -> Result<Answer, Stopped> {
    let unsaved = call.read_unsaved_turn();
    let (direction, synthesize) = match action {
        ResumeAction::AsItIs => (None, false),
        ResumeAction::Steered(words) => (Some(words), false),
        ResumeAction::ToSynthesis(words) => (words, true),
    };
    Ok(match session::resume(call.context, call.session, owner.take_over, action, unsaved)? {
        Resumption::GoesOn(resumed) => {
            if let Some(words) = direction {
                let steered = anvil_messages::steered(&resumed.debate, words);
                Answer::with_prompt(resumed.opening.as_str(), steered)
            } else {
                let look = session::look(call.context, Some(call.session)).ok();
                Answer::resumed(&resumed, look.as_ref())
            }
        }
        Resumption::Noted(debate) => {
            let steering =
                Steering { rounds: None, direction: direction.map(str::to_owned), synthesize };
            Answer::End(anvil_messages::noted(&debate, &steering, call.door))
        }
        // No reply is left to write.
        Resumption::Completed(debate) => {
            Answer::End(anvil_messages::completed(&debate, call.door, Screen::default()))
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
            return Ok(Answer::End(anvil_messages::FACT_NOTED.to_owned()));
        }
        Some(Statement::Answer(answer)) => {
            let question = session::answer(context, Some(session), &answer, owner.take_over)?;
            return Ok(Answer::End(anvil_messages::answered(&question)));
        }
        Some(Statement::Motion(motion)) => {
            let debate = session::correct_motion(context, Some(session), &motion, owner.take_over)?;
            return Ok(Answer::End(anvil_messages::motion_corrected(&debate, call.door)));
        }
        None => {}
    }
    let steering = options.steering()?;
    let direction = steering.direction.as_deref();
    if steering.rounds.is_some() {
        let rounds = Steering { direction: None, ..steering.clone() };
        let changed = session::direct(context, Some(session), &rounds, owner.take_over)?;
        if direction.is_none() {
            return Ok(Answer::End(anvil_messages::noted(&changed, &rounds, call.door)));
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
    let shown = anvil_messages::shown(&shown, call.door);
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
    if let Some(noted) = options.noted()? {
        let noted = history::record_outcome(context, Some(session), &noted)?;
        return Ok(anvil_messages::outcome_noted(&noted, columns));
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
    let mut lines = vec![anvil_messages::found(&found, MAX_LISTED, columns)];
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

fn run(typed: &Typed, call: Call<'_>) -> Result<Answer, Stopped> {
    if let Some(answer) = isolated::answer(typed, call)? {
        return Ok(answer);
    }
    let Call { context, session, .. } = call;
    let columns = anvil_messages::client_columns(call.world.columns);
    let text = match typed {
        Typed::Debate { question, options, .. } => {
            let started = session::start(context, Some(session), question, options)?;
            // Claude writes here.
            let other = anvil_run::another_family(context, "anthropic");
            let say = anvil_messages::started_here(&started, other.as_deref(), call.door);
            if other.is_some() {
                session::remember_families(context);
            }
            return Ok(Answer::with_prompt(started.opening.as_str(), say));
        }
        Typed::Resume { owner, .. } => return resume(ResumeAction::AsItIs, *owner, call),
        Typed::Action(Action::Steer { options }) => return steer(options, call),
        Typed::Action(Action::Again { text, owner }) => {
            let news = anvil_command::news(&text.join(" "))?;
            let resumed = session::again(context, Some(session), &news, owner.take_over)?;
            return Ok(Answer::resumed(&resumed, None));
        }
        Typed::Status => anvil_messages::status(
            &session::look(context, Some(session))?,
            call.door,
            Screen::plain(columns),
        ),
        Typed::Report { id, open, exchange } => match (exchange.published(), exchange.pulled()) {
            (Some(request), _) => anvil_messages::published(&issues::publish(
                context,
                Some(session),
                None,
                &request,
                FORGE_LIMIT,
            )?)?,
            (_, Some(request)) => {
                let pulled = issues::pull(context, Some(session), &request, FORGE_LIMIT)?;
                anvil_messages::pulled(&pulled, call.door)
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
        Typed::Action(Action::Cancel { owner }) => anvil_messages::cancelled(
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
    Ok(Answer::End(text))
}
