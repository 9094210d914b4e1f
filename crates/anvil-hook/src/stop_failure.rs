//! An API error ended the turn: its end is noted, and the debate stays at its place. With `-p`
//! 2.1.200 sends nothing then.

use super::Call;
use super::read_reply::failed_turn;
use super::wire::Answer;
use anvil_engine::{Stopped, session};

/// `report`: the client's words about the error.
pub(super) fn handle(
    Call { event, context, session, .. }: Call<'_>,
    report: Option<String>,
) -> Result<Answer, Stopped> {
    // The client reads no answer.
    if event.agent_id.is_some() || event.has_running_agents() {
        return Ok(Answer::Silent);
    }
    let turn = session::stop_turn(context, session)?;
    let failed = failed_turn(event, report, turn.phase_began());
    turn.fail_turn(failed)?;
    Ok(Answer::Silent)
}
