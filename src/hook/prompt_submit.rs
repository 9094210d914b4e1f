//! A prompt: one of Anvil's commands, the user's own words, or a turn that nobody typed.

use std::time::Duration;

use super::background;
use super::read_reply::unfiled_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use super::{NOT_TYPED, isolated};
use crate::command::{self, Action, TakeOver, Typed};
use crate::engine::{
    Engine, Interruption, Nothing, PromptOutcome, Released, ResumeAction, Resumed, Resumption, Session, Stopped,
};
use crate::error::Result;
use crate::messages;
use crate::prompt;
use crate::world::World;

/// Most debates that a prompt's answer lists.
const MOST_LISTED: usize = 15;

/// Longest time for all that is asked of a forge: the client ends a hook after 20 s.
const FORGE_LIMIT: Duration = Duration::from_secs(16);

pub(super) fn handle(event: &Event, world: &World, engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    let typed = event.prompt.as_deref().unwrap_or_default();
    match Typed::parse(typed) {
        Some(command) => {
            match command.map_err(Stopped::from).and_then(|typed| run(&typed, event, world, engine, session)) {
                // A command that can't be done ends here and costs no request.
                Err(Stopped::Failed(error)) => Ok(Answer::End(messages::error(&error))),
                done => done,
            }
        }
        None if typed.trim_start().starts_with("/anvil:") => Ok(Answer::Silent),
        None if typed.trim_start().starts_with(NOT_TYPED) => match engine.turn_began(session) {
            Err(Stopped::Nothing(Nothing::Follows)) => Err(Nothing::Follows.into()),
            // It was told, and nothing is followed any more.
            _ if background::wakes(typed) => Ok(Answer::End(messages::NEWS_IS_KNOWN.to_owned())),
            began => began.map(|()| Answer::Silent),
        },
        None => own_words(typed, event, engine, session),
    }
}

/// The user's own words come before the debate.
fn own_words(words: &str, event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    let words = &*command::without_marks(words);
    let context = Answer::with_prompt;
    Ok(match engine.prompt_typed(session, words)? {
        PromptOutcome::Interrupts(turn) => {
            let unfiled = turn.unfiled_since().and_then(|asked_at| unfiled_reply(event, asked_at, End::Likely));
            match turn.interrupt(unfiled)? {
                // The protocol that stands in the conversation says "no edits".
                Interruption::Paused(debate) => context(prompt::PAUSED, messages::paused(&debate)),
                // The Stop of the reply being written says that the debate paused, and how to go on.
                Interruption::AfterReply => Answer::Silent,
                Interruption::Completed(debate) => Answer::Say(messages::completed(&debate)),
            }
        }
        PromptOutcome::Released(Released::Waits) => context(prompt::PAUSED, String::new()),
        PromptOutcome::Released(Released::Over) => context(prompt::OVER, String::new()),
        PromptOutcome::Steered(steered) => context(steered.cue.as_str(), messages::steered_by_prompt(&steered, words)),
        PromptOutcome::Stopped(debate) => Answer::End(messages::paused(&debate)),
        PromptOutcome::GoesOn => Answer::Silent,
    })
}

/// A debate goes on as the user wants it, after what this session wrote for it and no Stop has filed.
fn resume(
    action: ResumeAction<'_>,
    owner: TakeOver,
    event: &Event,
    engine: &Engine<'_>,
    session: &Session,
) -> Result<Answer, Stopped> {
    let unfiled = engine.unfiled_since(session).and_then(|asked_at| unfiled_reply(event, asked_at, End::Likely));
    let direction = if let ResumeAction::Steered(words) = action { Some(words) } else { None };
    Ok(match engine.resume(session, owner.take_over, action, unfiled)? {
        Resumption::GoesOn(resumed) => {
            let Resumed { debate, report, opening } = &*resumed;
            let say = direction.map(|words| messages::steered(debate, words));
            Answer::with_prompt(opening.as_str(), say.unwrap_or_else(|| messages::started(debate, report.as_deref())))
        }
        Resumption::Noted(debate) => Answer::End(messages::noted(&debate, direction)),
        // Nothing is left for Claude to do.
        Resumption::Completed(debate) => Answer::End(messages::completed(&debate)),
    })
}

fn run(typed: &Typed, event: &Event, world: &World, engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    if let Some(answer) = isolated::answer(typed, event, world, engine, session)? {
        return Ok(answer);
    }
    Ok(match typed {
        Typed::Debate { question, options, .. } => {
            let started = engine.start(Some(session), question, options)?;
            Answer::with_prompt(started.opening.as_str(), messages::begun(&started))
        }
        Typed::Resume { owner, .. } => resume(ResumeAction::AsItIs, *owner, event, engine, session)?,
        Typed::List { kind } => {
            Answer::End(messages::texts(&engine.texts_by_kind(kind.as_deref())?, messages::CLIENT_COLUMNS))
        }
        Typed::Status => Answer::End(messages::status(&engine.look(Some(session))?)),
        Typed::History { due: true } => {
            Answer::End(messages::due_list(&engine.due_reviews(Some(session))?, messages::CLIENT_COLUMNS))
        }
        Typed::History { due: false } => {
            let past = engine.past(Some(session))?;
            Answer::End(messages::history(&past, MOST_LISTED, messages::CLIENT_COLUMNS))
        }
        Typed::Calibration { all } => {
            let calibrated = engine.calibration(Some(session), *all)?;
            if calibrated.calibration.counted == 0 {
                return Err(messages::nothing_to_calibrate(&calibrated).into());
            }
            Answer::End(messages::calibration(&calibrated, messages::CLIENT_COLUMNS))
        }
        Typed::Claims { options } => {
            let claims = engine.claims(Some(session), options)?;
            if claims.picked.is_empty() {
                return Err(messages::no_claims(&claims).into());
            }
            Answer::End(messages::claims(&claims, messages::CLIENT_COLUMNS))
        }
        Typed::Action(Action::Steer { text, owner }) => {
            let text = command::steering(&text.join(" "))?;
            resume(ResumeAction::Steered(&text), *owner, event, engine, session)?
        }
        Typed::Action(Action::Synthesize { owner }) => {
            resume(ResumeAction::ToSynthesis, *owner, event, engine, session)?
        }
        Typed::Action(Action::Again { text, owner }) => {
            let resumed = engine.again(Some(session), &command::news(&text.join(" "))?, owner.take_over)?;
            Answer::with_prompt(resumed.opening.as_str(), messages::started(&resumed.debate, resumed.report.as_deref()))
        }
        Typed::Action(Action::Rounds { options }) => {
            let changed = engine.change_rounds(Some(session), options.rounds, options.owner.take_over)?;
            Answer::End(messages::rounds_changed(&changed))
        }
        Typed::Action(Action::Undo { options }) => {
            let change = engine.undo(Some(session), options.phases.into(), options.owner.take_over)?;
            Answer::End(messages::history_change(&change))
        }
        Typed::Action(Action::Redo { owner }) => {
            Answer::End(messages::history_change(&engine.redo(Some(session), owner.take_over)?))
        }
        Typed::Action(Action::Publish { options }) => {
            Answer::End(messages::published(&engine.publish(Some(session), options, FORGE_LIMIT)?)?)
        }
        Typed::Action(Action::Pull { options }) => {
            Answer::End(messages::pulled(&engine.pull(Some(session), options, FORGE_LIMIT)?))
        }
        Typed::Action(Action::Outcome { options }) => Answer::End(messages::outcome_noted(
            &engine.record_outcome(Some(session), options)?,
            messages::CLIENT_COLUMNS,
        )),
        Typed::Action(Action::Cancel { owner }) => {
            Answer::End(messages::cancelled(&engine.cancel(Some(session), owner.take_over)?))
        }
        Typed::Help(text) => Answer::End(text.clone()),
    })
}
