//! What a session is told of a debate that programs argue for it.

use super::background::WAKES;
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
            if !typed.contains(WAKES) {
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
        Kind::UserPromptSubmit => Ok(match engine.news(session, true)? {
            None if engine.is_shared(session) => Answer::with_prompt(prompt::PAUSED, String::new()),
            None => Answer::Silent,
            Some(News::Completed { conclusion, is_known }) => Answer::with_prompt(
                &prompt::conclusion(&messages::conclusion(&conclusion)),
                if is_known { String::new() } else { messages::news(&News::Completed { conclusion, is_known }) },
            ),
            Some(news) => Answer::Say(messages::news(&news)),
        }),
        Kind::Stop => {
            Ok(engine.news(session, false)?.map_or(Answer::Silent, |news| Answer::Say(messages::news(&news))))
        }
        Kind::PreToolUse | Kind::SessionStart | Kind::SessionEnd | Kind::Other => Ok(Answer::Silent),
    }
}
