//! Judging: what a judgment does to the state of a debate, and the synthesis that the last one completes.

use jiff::Timestamp;

use super::filing::{Filed, file};
use super::reading::Reading;
use crate::ledger::{Id, Ledger, composed};
use crate::reply::Reply;
use crate::state::StateFile;
use crate::transcript::{self, Kind};

/// What a reply did where it may be a judge's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is a judgment, and another judge is next.
    Kept {
        /// Which judge, counted from 1.
        judge: u8,
        /// Its words.
        words: usize,
    },
    /// What any other reply does; the last judgment makes the synthesis.
    Filed(Filed),
}

/// Does to a state what a reply means that one seat wrote by itself. A judgment is what would be the synthesis, were its judge the
/// only one; what is wrong with it is asked for again as it would be there.
pub(super) fn judge(state: &mut StateFile, reply: &Reply, now: Timestamp) -> Judged {
    let Some(judge) = state.debate.judge() else { return Judged::Filed(file(state, reply, Reading::Done, now)) };
    let mut alone = state.clone();
    let text = match file(&mut alone, reply, Reading::Done, now) {
        Filed::Synthesis(text, _) => text,
        other => {
            *state = alone;
            return Judged::Filed(other);
        }
    };
    let is_last = judge >= state.debate.judges();
    let words = transcript::append_note(&mut state.body, Kind::Judgment, now, &text);
    state.debate.count_judgment();
    state.debate.touch(now);
    if !is_last {
        return Judged::Kept { judge, words };
    }
    let entries = transcript::parse(&state.body);
    let claims: Vec<Id> = Ledger::of_entries(&entries).claims.iter().map(|claim| claim.id).collect();
    let judgments: Vec<&str> = entries.judgments().map(|judgment| judgment.text.as_str()).collect();
    let synthesis = composed(&claims, &judgments);
    transcript::append(&mut state.body, state.debate.progress.slot, None, now, &synthesis);
    state.debate.complete(now);
    let ledger = Ledger::of_entries(&transcript::parse(&state.body));
    Judged::Filed(Filed::Synthesis(synthesis, Box::new(ledger)))
}
