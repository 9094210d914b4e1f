//! What a session is told of a debate that programs argue for it.

use super::background;
use super::wire::{Answer, Event, Kind};
use crate::engine::{Engine, News, ResumeAction, Resumed, Resumption, Session, Stopped};
use crate::messages;
use crate::prompt;

/// One line at most, at the end of a turn or with a prompt. What it came to goes to Claude with the first prompt after its end; in a
/// session that was idle, a prompt of the client's own shows it, and ends there.
pub(super) fn answer(event: &Event, engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    let typed = event.prompt.as_deref().unwrap_or_default();
    match event.kind {
        Kind::UserPromptSubmit if typed.trim_start().starts_with(super::NOT_TYPED) => {
            if !background::wakes(typed) {
                return Ok(Answer::Silent);
            }
            if engine.is_handed_back(session)
                && let Resumption::GoesOn(resumed) = engine.resume(session, false, ResumeAction::AsItIs, None)?
            {
                let Resumed { debate, report, opening } = &*resumed;
                return Ok(Answer::with_prompt(opening.as_str(), messages::started(debate, report.as_deref())));
            }
            let news = engine.news(session, false)?;
            // It was told in the meantime: the prompt ends all the same, or it would cost a request.
            Ok(Answer::End(news.map_or_else(|| messages::NEWS_IS_KNOWN.to_owned(), |news| messages::news(&news))))
        }
        Kind::UserPromptSubmit => {
            let is_released = engine.is_released(session);
            let answer = with_prompt(engine, session)?;
            Ok(if is_released { after_release(answer) } else { answer })
        }
        Kind::Stop => {
            Ok(engine.news(session, false)?.map_or(Answer::Silent, |news| Answer::Say(messages::news(&news))))
        }
        Kind::PreToolUse | Kind::SessionStart | Kind::SessionEnd | Kind::Other => Ok(Answer::Silent),
    }
}

/// What there is to tell with a prompt that the user has typed.
fn with_prompt(engine: &Engine<'_>, session: &Session) -> Result<Answer, Stopped> {
    Ok(match engine.news(session, true)? {
        None if engine.is_shared(session) => Answer::with_prompt(prompt::PAUSED, String::new()),
        None => Answer::Silent,
        Some(News::Completed { conclusion, is_known }) => Answer::with_prompt(
            &prompt::conclusion(&messages::conclusion(&conclusion)),
            if is_known { String::new() } else { messages::news(&News::Completed { conclusion, is_known }) },
        ),
        Some(news) => Answer::Say(messages::news(&news)),
    })
}

/// The same, where the protocol of an earlier debate stands in the conversation: it says "no edits".
fn after_release(answer: Answer) -> Answer {
    let over = |more: &str, say| Answer::with_prompt(&format!("{}{more}", prompt::OVER), say);
    match answer {
        Answer::Silent => over("", String::new()),
        Answer::Say(say) => over("", say),
        Answer::Context { context, say, .. } if context != prompt::PAUSED => over(&format!("\n\n{context}"), say),
        other => other,
    }
}
