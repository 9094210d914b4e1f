//! The news that a session gets about a debate that programs argue for it.

use super::wire::{Answer, EventKind};
use super::{Call, background};
use anvil_engine::{News, Stopped, programs};
use anvil_prompt::prompt;

/// Shows at most one line, at the end of a turn or with a prompt. Claude gets the result with the
/// first prompt after the debate's end. An idle session gets a prompt from the client that shows
/// the line and ends there.
pub(super) fn answer(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { context, session, .. } = call;
    let typed = call.event.words();
    match call.event.kind {
        EventKind::UserPromptSubmit if typed.trim_start().starts_with(super::NOT_TYPED) => {
            if !background::wakes(&typed) {
                return Ok(Answer::Silent);
            }
            let news = programs::news(context, session, false)?;
            // Even if the user knows the news by now, end the prompt here: otherwise it costs a
            // request.
            Ok(call.block(news.map_or_else(
                || anvil_messages::NEWS_IS_KNOWN.to_owned(),
                |news| anvil_messages::news(&news, call.door),
            )))
        }
        EventKind::UserPromptSubmit | EventKind::UserPromptExpansion => {
            let is_released = programs::is_released(context, session);
            let answer = with_prompt(call)?;
            Ok(if is_released { after_release(answer, call) } else { answer })
        }
        EventKind::Stop => {
            let news = programs::news(context, session, false)?;
            Ok(news
                .map_or(Answer::Silent, |news| Answer::Say(anvil_messages::news(&news, call.door))))
        }
        EventKind::PreToolUse
        | EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::StopFailure
        | EventKind::Other => Ok(Answer::Silent),
    }
}

/// The news for a prompt that the user has typed.
fn with_prompt(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { context, session, door, .. } = call;
    Ok(match &programs::news(context, session, true)? {
        None => Answer::Silent,
        Some(news @ News::Completed { conclusion, is_known }) => call.tell(
            &prompt::conclusion(&anvil_messages::conclusion(conclusion)),
            if *is_known { String::new() } else { anvil_messages::news(news, door) },
        ),
        Some(news) => Answer::Say(anvil_messages::news(news, door)),
    })
}

/// Adds the end of an earlier debate's protocol, which is still in the conversation and says "no
/// edits".
fn after_release(answer: Answer, call: Call<'_>) -> Answer {
    match answer {
        Answer::Silent => call.tell(prompt::OVER, String::new()),
        Answer::Say(say) => call.tell(prompt::OVER, say),
        Answer::Context { context, say, .. } if context != prompt::PAUSED => {
            call.tell(&format!("{}\n\n{context}", prompt::OVER), say)
        }
        other => other,
    }
}
