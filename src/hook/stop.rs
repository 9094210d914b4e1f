//! Claude is about to stop: saves its reply and hands it the next cue.

use super::Call;
use super::read_reply::read_reply;
use super::wire::Answer;
use crate::engine::{Stopped, TurnOutcome};
use crate::error::Result;
use crate::messages;
use crate::text::door::Door;

/// `last`: the last text of the reply, if the client sends it.
pub(super) fn handle(
    Call { event, engine, session, .. }: Call<'_>,
    last: Option<String>,
) -> Result<Answer, Stopped> {
    let turn = engine.turn(session)?;
    let output = read_reply(event, last, turn.phase_began(), turn.must_read());
    Ok(match turn.record(output)? {
        TurnOutcome::ApiError(debate) => Answer::Say(messages::api_error(&debate)),
        TurnOutcome::Advanced { cue } | TurnOutcome::AskedAgain(cue) => Answer::with_cue(&cue),
        TurnOutcome::Paused(debate) => Answer::Say(messages::paused(&debate)),
        TurnOutcome::Awaits { debate, filed, transcript } => {
            Answer::Say(messages::awaits(&debate, filed, &transcript))
        }
        TurnOutcome::Boundary { debate, filed, is_settled } => {
            let look = engine.sessions().look(Some(session)).ok();
            Answer::Say(messages::boundary(&debate, filed, is_settled, look.as_ref()))
        }
        TurnOutcome::Failed(debate) => Answer::Say(messages::failed(&debate)),
        TurnOutcome::Completed(debate) => {
            Answer::Say(messages::completed(&debate, Door::Client, None))
        }
    })
}
