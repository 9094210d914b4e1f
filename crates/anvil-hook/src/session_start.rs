//! A session starts: mentions an unfinished debate in its project, a due review, decisions whose
//! words have changed, and a file that git would add. After a compaction, repeats the debate's
//! protocol.

use super::Call;
use super::wire::Answer;
use anvil_engine::{Stopped, session};
use anvil_text::error::Result;

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { event, context, session, door, .. } = call;
    if event.source.as_deref() == Some("compact") {
        let resumed = session::after_compaction(context, session)?;
        let say = match session::look(context, Some(session)) {
            Ok(look) if look.debate.awaits_direction() => {
                anvil_messages::awaits_still(&look.debate, &look.entries)
            }
            _ => anvil_messages::start_line(&resumed.debate, resumed.report.as_deref()),
        };
        return Ok(call.tell(resumed.opening.as_str(), say));
    }
    // Only for a new session: a resumed, cleared or compacted one has started before.
    let is_new = event.source.as_deref() == Some("startup");
    let found = session::start_notice(context, session, is_new)?;
    let answer = match &found.unfinished {
        None => Answer::Silent,
        // This conversation awaits the user's direction itself.
        Some(look) if look.debate.awaits_direction() && look.debate.is_owned_by(&session.id) => {
            Answer::Say(anvil_messages::awaits_still(&look.debate, &look.entries))
        }
        Some(look) => Answer::Say(anvil_messages::unfinished_lines(look, found.runs_elsewhere)),
    };
    let answer = match &found.reviews {
        Some(due) => answer.after(&anvil_messages::reviews_due(due)),
        None => answer,
    };
    Ok(match found.changed {
        0 => answer,
        decisions => answer.after(&anvil_messages::changed_words_line(decisions, door)),
    })
}
