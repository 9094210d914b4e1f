//! A debate started in words: `anvil debate should we …`, where a person types.

use super::command::start;
use super::prompt_submit::handle_plain_prompt;
use super::wire::Answer;
use super::{Call, isolated, news};
use anvil_core::options::DebateOptions;
use anvil_engine::{Skipped, Stopped};
use anvil_store::client::shows_running_turn;

const BEGINS: &str = "anvil debate";

/// The question of a prompt that asks for a debate.
pub(super) fn question(words: &str) -> Option<&str> {
    let (begin, remaining) = words.split_at_checked(BEGINS.len())?;
    let is_asked = begin.eq_ignore_ascii_case(BEGINS)
        && remaining.starts_with(|char: char| char.is_whitespace() || char == ':');
    let question = remaining.trim_start_matches(':').trim();
    (is_asked && !anvil_command::is_blank(question)).then_some(question)
}

/// Starts a debate on the question, without options. What is typed during a turn may become a part
/// of that turn (2.1.332), and programs may argue by default: both take the command.
pub(super) fn answer(question: &str, words: &str, call: Call<'_>) -> Result<Answer, Stopped> {
    let is_running = call.event.transcript_path.as_deref().is_some_and(shows_running_turn);
    if is_running || isolated::is_default(call)? {
        let answer = match handle_plain_prompt(words, call) {
            Err(Stopped::Skipped(Skipped::Follows)) => news::answer(call)?,
            Err(Stopped::Skipped(Skipped::NoDebate | Skipped::NotOwner | Skipped::NotActive)) => {
                Answer::Silent
            }
            answer => answer?,
        };
        return Ok(answer.after(anvil_messages::NOT_STARTED_IN_WORDS));
    }
    let started = anvil_command::question(question)
        .map_err(Stopped::from)
        .and_then(|question| start(&question, &DebateOptions::default(), call));
    match started {
        Err(Stopped::Failed(error)) => Ok(call.end(anvil_messages::error(&error, call.door))),
        started => Ok(started?.with_title(anvil_messages::session_title(question))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_begin_so_ask_for_a_debate() {
        for (words, asked) in [
            ("anvil debate should we?", Some("should we?")),
            ("Anvil debate: should we --rounds 2?", Some("should we --rounds 2?")),
            ("ANVIL DEBATE\nshould we?", Some("should we?")),
            ("anvil debate", None),
            ("anvil debate \u{200b}", None),
            ("anvil debates are fun", None),
            ("an anvil debate should we?", None),
            ("anvil débate", None),
            ("", None),
        ] {
            assert_eq!(question(words), asked, "{words}");
        }
    }
}
