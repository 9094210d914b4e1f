//! A reply as a report tells it.

use jiff::Timestamp;
use serde::Serialize;

use super::stance::Stance;
use crate::debate::{Phase, Slot};
use crate::reply::Arguments;
use crate::transcript::Entry;

/// A reply.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    pub(super) cycle: u32,
    /// Where voices take turns, the number of the voice.
    pub(super) round: u8,
    pub(super) phase: &'static str,
    pub(super) voice: Option<String>,
    pub(super) at: Option<String>,
    pub(super) words: usize,
    /// It was filed without its beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) beginning_missing: bool,
    /// Numbers of the arguments made in it.
    pub(super) arguments: Vec<String>,
    /// Numbers that it concedes.
    pub(super) conceded: Vec<String>,
    /// Where a voice stands, as far as it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stance: Option<Stance>,
    pub(super) text: String,
    #[serde(skip)]
    pub(super) of: Phase,
}

pub(super) fn part((slot, reply): (Slot, &Entry)) -> Part {
    let Slot { phase, round } = slot;
    let said = Arguments::of(&reply.text);
    let mut numbers: Vec<String> = Vec::new();
    for number in said.numbers.into_iter().filter(|number| is_made_by(number, phase, round)) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Part {
        cycle: reply.cycle,
        round,
        phase: phase.word(),
        voice: reply.voice.clone(),
        at: reply.at.map(rfc3339),
        words: reply.words(),
        beginning_missing: reply.beginning_missing,
        arguments: numbers,
        stance: if is_voice(phase) { Stance::of(&reply.text) } else { None },
        conceded: if phase == Phase::Synthesizer { Vec::new() } else { said.conceded },
        text: reply.text.clone(),
        of: phase,
    }
}

/// True for one of those who take turns: the others have their sides by name.
pub(super) fn is_voice(phase: Phase) -> bool {
    matches!(phase, Phase::Stakeholder | Phase::Persona)
}

/// True for a number of this speaker's own; another's that stands in bold is quoted.
fn is_made_by(number: &str, phase: Phase, round: u8) -> bool {
    match phase {
        Phase::Advocate => number.starts_with('A'),
        Phase::Critic => number.starts_with('C'),
        Phase::Stakeholder | Phase::Persona => number
            .strip_prefix('V')
            .is_some_and(|rest| rest.split_once('.').and_then(|(voice, _)| voice.parse().ok()) == Some(round)),
        Phase::Synthesizer => false,
    }
}

/// A moment as JSON has it.
pub(super) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.0}")
}
