//! The relation of two states of a debate: whether one only continues the other.

use super::PortableDebate;
use crate::domain::debate::Seat;
use crate::domain::transcript::{self, Kind};
use crate::storage::{CarriedKeys, StateFile};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Both are equal.
    Same,
    /// The first only continues the second.
    Ahead,
    /// The second only continues the first.
    Behind,
    /// Each has something that the other lacks, or one took back something of the other.
    Diverged,
    /// Two different debates.
    Unrelated,
}

/// The relation of `one` to `other`. Revisions are not compared. A debate continues another if it
/// has the same id, question and options, all its sections word for word and perhaps more after
/// them, a step that is no lower, and the pending wishes of the other: a direction, the synthesis.
pub fn relation(one: &PortableDebate, other: &PortableDebate) -> Relation {
    let (mine, theirs) = (one.state(), other.state());
    if mine.debate.id != theirs.debate.id {
        return Relation::Unrelated;
    }
    if mine == theirs {
        return Relation::Same;
    }
    if fixed(mine.keys()) != fixed(theirs.keys()) {
        return Relation::Diverged;
    }
    if continues(mine, theirs) {
        Relation::Ahead
    } else if continues(theirs, mine) {
        Relation::Behind
    } else {
        Relation::Diverged
    }
}

/// True if the first debate only continues the other one.
fn continues(later: &StateFile, one: &StateFile) -> bool {
    // The user's last change counts if no reply decides.
    let moved = |state: &StateFile| (state.debate.progress.step, state.debate.progress.updated_at);
    let is_later = if later.body == one.body {
        moved(later) > moved(one)
    } else {
        has_more(&later.body, &one.body) && moved(later) >= moved(one)
    };
    is_later && has_direction(later, one) && has_ending(later, one)
}

/// True if a pending direction of `one` was given in the later debate, or is pending in it too.
fn has_direction(later: &StateFile, one: &StateFile) -> bool {
    let Some(words) =
        one.debate.progress.steering.as_deref().map(|words| transcript::normalise(words.trim()))
    else {
        return true;
    };
    let entries = transcript::parse(&later.body);
    let given = entries
        .notes()
        .filter(|(kind, note)| *kind == Kind::Steering && note.begins >= one.body.len());
    let waits = later.debate.progress.steering.as_deref().map(transcript::normalise);
    let mut texts = given.map(|(_, note)| note.text.as_str()).chain(waits.as_deref());
    texts.any(|text| text.contains(&*words))
}

/// True if the synthesis that the user requested in `one` has come in the later one, or is pending
/// in it too.
fn has_ending(later: &StateFile, one: &StateFile) -> bool {
    !one.debate.progress.synthesis_requested
        || later.debate.progress.synthesis_requested
        || later.debate.progress.place.seat == Seat::Synthesizer
}

/// True if a transcript has all of another one and more sections after it.
fn has_more(longer: &str, shorter: &str) -> bool {
    longer
        .strip_prefix(shorter)
        .is_some_and(|more| shorter.ends_with('\n') && more.starts_with("\n#"))
}

/// The question, the options and the user's own keys.
fn fixed(mut keys: CarriedKeys) -> CarriedKeys {
    // All progress moves on, except the time at which the debate began.
    keys.progress.retain(|(key, _)| *key == "started_at");
    keys
}
