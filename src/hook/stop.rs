//! Claude is about to stop: saves its reply and hands it the next cue.

use super::Call;
use super::read_reply::read_reply;
use super::wire::Answer;
use anvil_engine::{Stopped, TurnEnd, session};
use anvil_messages::Screen;
use anvil_text::error::Result;

/// `last`: the last text of the reply, if the client sends it.
pub(super) fn handle(
    Call { event, context, session, door, .. }: Call<'_>,
    last: Option<String>,
) -> Result<Answer, Stopped> {
    let turn = session::stop_turn(context, session)?;
    let reply = read_reply(event, last, turn.phase_began(), turn.must_read());
    Ok(match turn.record(reply)? {
        TurnEnd::GoesOn(cue) => {
            Answer::Continue { cue: cue.as_str().to_owned(), say: String::new() }
        }
        TurnEnd::Paused(debate) => Answer::Say(anvil_messages::paused(&debate)),
        TurnEnd::Waits { debate, place } => {
            let look = session::look(context, Some(session))?;
            Answer::Say(anvil_messages::awaits(&debate, place, &look.entries))
        }
        TurnEnd::Failed(debate) => Answer::Say(anvil_messages::failed(&debate)),
        TurnEnd::Completed(debate) => {
            Answer::Say(anvil_messages::completed(&debate, door, Screen::default()))
        }
    })
}
