//! Claude is about to stop: its reply is filed, and it is told what comes next.

use super::completed;
use super::read_reply::read_reply;
use super::wire::{Answer, Event};
use crate::engine::{Engine, Nothing, Outcome, Session};
use crate::error::Result;
use crate::say;

pub(super) fn handle(event: &mut Event, engine: &Engine<'_>, session: &Session) -> Result<Answer> {
    Ok(match engine.file_reply(session, |debate| read_reply(event, debate))? {
        Outcome::Nothing(Nothing::AgentsRunning) => {
            Answer::Say("Anvil: waiting for an agent that Claude has started; the reply is filed when it ends.".into())
        }
        Outcome::Nothing(Nothing::Lost) => Answer::Say(
            "Anvil: this session's debate was ended, taken over or removed elsewhere; nothing of this turn is filed. /anvil:status tells more.".into(),
        ),
        Outcome::Nothing(
            Nothing::NoDebate | Nothing::NotOwner | Nothing::NotActive | Nothing::NotReadable | Nothing::Redelivered,
        ) => Answer::Silent,
        Outcome::ApiError(debate) => Answer::Say(format!(
            "Anvil: an API error ended the turn; the debate waits at {}. Type /anvil:resume to go on.",
            say::slot(&debate)
        )),
        Outcome::Advanced { debate, filed, words, cue } => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: say::advanced(&debate, filed, words) }
        }
        Outcome::AskedAgain { debate, why, cue } => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: say::asked_again(&debate, &why) }
        }
        Outcome::Paused(debate) => Answer::Say(say::paused(&debate)),
        Outcome::Awaits { debate, filed, round } => Answer::Say(say::awaits(&debate, filed, &round)),
        Outcome::Boundary { debate, filed } => Answer::Say(say::boundary(&debate, filed)),
        Outcome::Failed(debate) => Answer::Say(say::failed(&debate)),
        Outcome::Completed(debate) => completed(&debate),
    })
}
