//! An API error ended the turn: its end is noted, and the debate stays at its place.
//!
//! 2.1.143 to 2.1.331 send it; older clients end such a turn with a Stop.

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
    if event.agent_id.is_some() {
        return Ok(Answer::Silent);
    }
    let turn = session::stop_turn(context, session)?;
    let failed = failed_turn(event, report, turn.phase_began());
    turn.failed(failed)?;
    Ok(Answer::Silent)
}
