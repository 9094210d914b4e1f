//! A prompt: the user's own text, or a prompt of the client.

use super::command::resume;
use super::read_reply::{INTERRUPTION_WAIT, ended_turn};
use super::wire::Answer;
use super::{COMMANDS, Call, NOT_TYPED, background, in_words, plan};
use anvil_command::{TakeOver, Typed};
use anvil_core::options::goes_on;
use anvil_engine::{
    Interruption, PromptOutcome, Released, ResumeAction, Silence, Skipped, Stopped, plans, session,
};
use anvil_messages::Screen;
use anvil_prompt::prompt;

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let words = call.event.words();
    let typed = words.trim_start();
    if typed.starts_with(COMMANDS) {
        // Its expansion is answered.
        return Ok(title(typed));
    }
    if typed.starts_with(NOT_TYPED) {
        return match session::turn_began(call.context, call.session) {
            Err(Stopped::Skipped(Skipped::Follows)) => Err(Skipped::Follows.into()),
            // The news has been shown, and the session follows no debate any more.
            _ if background::wakes(&words) => {
                Ok(call.block(anvil_messages::NEWS_IS_KNOWN.to_owned()))
            }
            began => began.map(|()| Answer::Silent),
        };
    }
    match in_words::question(typed).filter(|_| call.world.is_attended) {
        Some(question) => in_words::answer(question, &words, call),
        None => handle_plain_prompt(&words, call),
    }
}

/// The session's title, from a command that starts a debate: an expansion can set none.
fn title(words: &str) -> Answer {
    let command = words.strip_prefix(COMMANDS).and_then(|words| words.strip_prefix("debate "));
    match command.and_then(|arguments| Typed::parse("debate", arguments)) {
        Some(Ok(Typed::Debate { question, .. })) if !question.is_empty() => {
            Answer::Title(anvil_messages::session_title(&question))
        }
        _ => Answer::Silent,
    }
}

/// The user's own text comes before the debate. After an interruption, words that only ask Claude
/// to go on resume it.
pub(super) fn handle_plain_prompt(words: &str, call: Call<'_>) -> Result<Answer, Stopped> {
    if goes_on(words) && is_interrupted(call)? {
        return resume(ResumeAction::AsItIs, TakeOver::default(), call);
    }
    if goes_on(words) {
        plans::rearm(call.context, call.session);
    }
    if plans::prompt_typed(call.context, call.session) {
        return Ok(call.tell(prompt::OVER, String::new()));
    }
    Ok(match session::prompt_typed(call.context, call.session, words)? {
        PromptOutcome::Interrupts(turn) => {
            let unsaved =
                ended_turn(call.event, turn.phase_began(), turn.silence(), INTERRUPTION_WAIT);
            match turn.interrupt(unsaved)? {
                // The protocol in the conversation says "no edits".
                Interruption::Paused(debate) => {
                    call.tell(prompt::PAUSED, anvil_messages::pause_line(&debate))
                }
                // The Stop of the current reply shows that the debate paused, and how to resume it.
                Interruption::AfterReply => Answer::Silent,
                Interruption::Completed(debate) => {
                    plan::note_completed(call, &debate);
                    Answer::Say(anvil_messages::completion_lines(
                        &debate,
                        call.door,
                        Screen::default(),
                    ))
                }
            }
        }
        PromptOutcome::Released(Released::Waits) => call.tell(prompt::PAUSED, String::new()),
        PromptOutcome::Released(Released::Over) => call.tell(prompt::OVER, String::new()),
        PromptOutcome::Steered(steered) => {
            call.tell(steered.cue.as_str(), anvil_messages::prompt_direction_line(&steered, words))
        }
        PromptOutcome::Fresh => Answer::End(anvil_messages::FRESH.to_owned()),
        PromptOutcome::Stopped(debate) => Answer::End(anvil_messages::pause_line(&debate)),
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
