//! The cue: one short line that names the phase and what it does now.

use std::path::Path;

use super::{MAX_CUE, MAX_RETRY_CUE, file_name, utf16_len};
use crate::debate::{Debate, Phase};

/// A cue, within its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue(String);

impl Cue {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why the phase is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is its turn.
    Turn,
    /// The last reply was empty.
    Empty,
    /// The last reply was the phase before it, word for word.
    Repeated,
    /// A person edited the file: its question, or where it ends.
    Edited,
}

/// What of the state file Claude is asked to Read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing: the conversation holds the debate.
    Nothing,
    /// A few lines, from this one on: the client's count of continuations is near its cap, and a tool call resets it.
    Few(usize),
    /// Everything from this line on: the conversation does not hold the debate.
    From(usize),
    /// The same, if the conversation turns out not to hold it.
    IfMissing(usize),
}

/// Lines that are read where only the tool call matters.
const FEW_LINES: usize = 3;

/// Composes the cue of the debate's place.
#[must_use]
pub fn cue(debate: &Debate, state_file: &Path, why: Why, read: Read) -> Cue {
    let place = debate.place;
    // A person may have lowered the number of rounds in the file.
    let rounds = debate.max_rounds.max(place.round);
    let phase = match place.phase {
        Phase::Advocate => format!("Advocate, round {} of {rounds}", place.round),
        Phase::Critic => format!("Critic, round {} of {rounds}", place.round),
        Phase::Synthesizer => "Synthesizer".to_owned(),
    };
    let task = match (place.phase, place.round) {
        (Phase::Advocate, 1) => "open the case for it.",
        (Phase::Advocate, _) => "answer every open point, then press on.",
        (Phase::Critic, 1) => "quote and attack the case just made.",
        (Phase::Critic, _) => "test the answers, strike at the weakest.",
        (Phase::Synthesizer, _) => "account for every numbered argument, then decide.",
    };
    let mut text = match why {
        Why::Turn => format!("{phase}: {task}"),
        Why::Empty => format!("{phase}, once more: nothing usable was written. Write this reply now; {task}"),
        Why::Edited => format!("{phase}, for the debate as it was edited by hand: {task}"),
        Why::Repeated => {
            format!("{phase}, once more: that was the previous phase's reply again. Write this phase's own; {task}")
        }
    };
    let file = || file_name(state_file);
    let request = match read {
        Read::Nothing => String::new(),
        Read::Few(line) => format!(" First, without comment, Read {} (offset {line}, limit {FEW_LINES}).", file()),
        Read::From(line) => format!(" First, without comment, Read {} from line {line} to its end.", file()),
        Read::IfMissing(line) => format!(
            " If this conversation does not hold the debate so far, first Read {} from line {line} to its end.",
            file()
        ),
    };
    text.push_str(&request);
    debug_assert!(utf16_len(&text) <= if matches!(why, Why::Turn | Why::Edited) { MAX_CUE } else { MAX_RETRY_CUE });
    Cue(text)
}
