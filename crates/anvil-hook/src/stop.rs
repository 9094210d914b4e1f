//! Claude is about to stop: saves its reply and hands it the next cue.

use super::Call;
use super::plan::{self, FirstReply};
use super::read_reply::read_reply;
use super::wire::Answer;
use anvil_engine::{Stopped, TurnEnd, session};
use anvil_messages::Screen;
use anvil_system::world::Surface;
use anvil_text::error::Result;

/// `last`: the last text of the reply, if the client sends it.
pub(super) fn handle(call: Call<'_>, last: Option<String>) -> Result<Answer, Stopped> {
    let Call { event, world, context, session, door } = call;
    let first = plan::begin(call, last.as_deref());
    if let FirstReply::Refused(passes) = first {
        return Ok(passes);
    }
    let turn = session::stop_turn(context, session)?;
    let mut reply = read_reply(event, last, turn.phase_began(), turn.must_read());
    if let (FirstReply::Begun, Some(reply)) = (first, &mut reply) {
        // The turn began with the plan: what was said before the request is no part of the reply.
        reply.older.clear();
    }
    Ok(match turn.record(reply)? {
        TurnEnd::GoesOn(cue) => {
            let cue = cue.as_str();
            // Only a terminal shows the cue (2.1.332).
            let is_shown = world.surface == Surface::Terminal;
            let say = if is_shown { String::new() } else { heading(cue) };
            Answer::Continue { cue: cue.to_owned(), say }
        }
        TurnEnd::Paused(debate) => Answer::Say(anvil_messages::pause_line(&debate)),
        TurnEnd::Waits { debate, place } => {
            let look = session::look(context, Some(session))?;
            Answer::Say(anvil_messages::awaits(&debate, place, &look.entries))
        }
        TurnEnd::Failed(debate) => Answer::Say(anvil_messages::failure_line(&debate)),
        TurnEnd::Completed(debate) => {
            let say = anvil_messages::completion_lines(&debate, door, Screen::default());
            let notify = anvil_messages::notification(&debate);
            match plan::after_synthesis(call, &debate) {
                Ok(Some(cue)) => Answer::Continue { cue: cue.to_owned(), say },
                Ok(None) => Answer::Finish { say, notify },
                // The verdict is what counts.
                Err(error) => {
                    Answer::Finish { say, notify }.after(&anvil_messages::error(&error, door))
                }
            }
        }
    })
}

/// The name of the next reply in its cue: `── Critic · round 1 of 2 ──`.
fn heading(cue: &str) -> String {
    let name = cue.split("──").nth(1);
    name.map_or_else(String::new, |name| format!("── {} ──", name.trim()))
}
