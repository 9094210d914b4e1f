//! A prompt: one of Anvil's commands, the user's own words, or a turn that nobody typed.

use std::time::Duration;

use super::read_reply::unfiled_reply;
use super::tail::End;
use super::wire::{Answer, Event};
use super::{completed, sentence};
use crate::command::{self, Action, Typed};
use crate::debate::Debate;
use crate::engine::{Engine, PromptOutcome, Released, ResumeAction, Resumption, Session};
use crate::error::Result;
use crate::prompt::{self, Opening};
use crate::say;

/// How the client's own prompts begin: the news that a background agent has ended.
const NOT_TYPED: &str = "<task-notification>";

/// Most debates that a prompt's answer lists.
const MOST_LISTED: usize = 20;

/// Longest time for all that is asked of a forge: the client ends a hook after 20 s.
const PATIENCE: Duration = Duration::from_secs(16);

const EVENT: &str = "UserPromptSubmit";

pub(super) fn handle(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    let typed = event.prompt.as_deref().unwrap_or_default();
    match Typed::parse(typed) {
        Some(typed) => {
            let answer = typed.and_then(|typed| run(&typed, event, engine, session));
            // A command that can't be done ends here and costs no request.
            Ok(answer.unwrap_or_else(|error| Answer::End(sentence(&error))))
        }
        None if typed.trim_start().starts_with("/anvil:") => Ok(Answer::Silent),
        None if typed.trim_start().starts_with(NOT_TYPED) => engine.turn_began(session).map(|_| Answer::Silent),
        None => {
            // The protocol that stands in the conversation says "no edits".
            let read_reply = |debate: &Debate| unfiled_reply(event, debate.progress.updated_at, End::Likely);
            engine.person_spoke(session, typed, read_reply).map(|spoken| match spoken {
                PromptOutcome::Paused(debate) => {
                    Answer::Context { event: EVENT, context: prompt::PAUSED.to_owned(), say: say::paused(&debate) }
                }
                PromptOutcome::Released(why) => {
                    let context = match why {
                        Released::Waits => prompt::PAUSED,
                        Released::Over => prompt::OVER,
                    };
                    Answer::Context { event: EVENT, context: context.to_owned(), say: String::new() }
                }
                PromptOutcome::Completed(debate) => completed(&debate),
                PromptOutcome::Steered(steered) => Answer::Context {
                    event: EVENT,
                    context: steered.cue.as_str().to_owned(),
                    say: say::steered(&steered.debate),
                },
                // The Stop of the reply being written says that the debate paused, and how to go on.
                PromptOutcome::Nothing(_) | PromptOutcome::GoesOn => Answer::Silent,
            })
        }
    }
}

/// Claude gets the protocol and its first cue, the person one line.
fn goes_on(opening: &Opening, debate: &Debate) -> Answer {
    Answer::Context { event: EVENT, context: opening.as_str().to_owned(), say: say::started(debate) }
}

fn onward(resumption: Resumption) -> Answer {
    match resumption {
        Resumption::GoesOn(resumed) => goes_on(&resumed.opening, &resumed.debate),
        Resumption::Noted(debate) => Answer::End(say::noted(&debate)),
        // Nothing is left for Claude to do.
        Resumption::Completed(debate) => match completed(&debate) {
            Answer::Say(line) => Answer::End(line),
            other => other,
        },
        Resumption::Nothing(_) => Answer::Silent,
    }
}

fn run(typed: &Typed, event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    let read_reply = |debate: &Debate| unfiled_reply(event, debate.progress.updated_at, End::Likely);
    Ok(match typed {
        Typed::Debate { question, options } => engine
            .start(Some(session), question, options)?
            .map_or(Answer::Silent, |started| goes_on(&started.opening, &started.debate)),
        Typed::Resume { owner } => onward(engine.resume(session, owner.take_over, ResumeAction::AsItIs, read_reply)?),
        Typed::List { kind } => Answer::End(engine.list(kind.as_deref())?),
        Typed::Status => Answer::End(engine.look(Some(session))?.to_string()),
        Typed::History => Answer::End(engine.past(Some(session))?.lines(MOST_LISTED)),
        Typed::Action(Action::Steer { text, owner }) => {
            let text = command::steering(&text.join(" "))?;
            onward(engine.resume(session, owner.take_over, ResumeAction::Steered(&text), read_reply)?)
        }
        Typed::Action(Action::Synthesize { owner }) => {
            onward(engine.resume(session, owner.take_over, ResumeAction::ToSynthesis, read_reply)?)
        }
        Typed::Action(Action::Again { text, owner }) => {
            onward(engine.again(Some(session), &command::news(&text.join(" "))?, owner.take_over)?)
        }
        Typed::Action(Action::Rounds { options }) => {
            let changed = engine.change_rounds(Some(session), options.rounds, options.owner.take_over)?;
            Answer::End(say::rounds_changed(&changed))
        }
        Typed::Action(Action::Undo { options }) => {
            Answer::End(engine.undo(Some(session), options.phases.into(), options.owner.take_over)?.to_string())
        }
        Typed::Action(Action::Redo { owner }) => Answer::End(engine.redo(Some(session), owner.take_over)?.to_string()),
        Typed::Action(Action::Publish { options }) => Answer::End(engine.publish(Some(session), options, PATIENCE)?),
        Typed::Action(Action::Pull { options }) => Answer::End(engine.pull(Some(session), options, PATIENCE)?),
        Typed::Action(Action::Cancel { owner }) => {
            let archived = engine.cancel(Some(session), owner.take_over)?;
            Answer::End(format!("Anvil: cancelled. The debate lies in {}.", archived.display()))
        }
        Typed::Help(text) => Answer::End(text.clone()),
    })
}
