//! Adds a judgment to a debate. The last judgment completes the synthesis.

use jiff::Timestamp;

use super::reading::Reading;
use super::reply::{Filed, file};
use crate::domain::ledger::{Id, Ledger, composed};
use crate::domain::reply::Reply;
use crate::domain::transcript::{self, Kind};
use crate::storage::StateFile;

/// Applies a reply of a seat with its own context to the state. A judgment is checked like the
/// synthesis of a single judge, and is requested again for the same reasons.
pub(crate) fn judge(state: &mut StateFile, reply: &Reply, now: Timestamp) -> Filed {
    let Some(judge) = state.debate.judge() else {
        return file(state, reply, Reading::Done, now);
    };
    let mut alone = state.clone();
    let text = match file(&mut alone, reply, Reading::Done, now) {
        Filed::Synthesis(text, _) => text,
        other => {
            *state = alone;
            return other;
        }
    };
    let is_last = judge >= state.debate.judges();
    let words = transcript::append_note(&mut state.body, Kind::Judgment, now, &text);
    state.debate.count_judgment();
    state.debate.touch(now);
    if !is_last {
        let slot = state.debate.progress.slot;
        return Filed::Next { slot, judge: Some(judge), words, is_settled: false, ledger: None };
    }
    let entries = transcript::parse(&state.body);
    let claims: Vec<Id> =
        Ledger::of_entries(&entries).claims.iter().map(|claim| claim.id).collect();
    let judgments: Vec<&str> = entries.judgments().map(|judgment| judgment.text.as_str()).collect();
    let synthesis = composed(&claims, &judgments);
    transcript::append(&mut state.body, state.debate.progress.slot, None, now, &synthesis);
    state.debate.complete(now);
    let ledger = Ledger::of_entries(&transcript::parse(&state.body));
    Filed::Synthesis(synthesis, Box::new(ledger))
}
