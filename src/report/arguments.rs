//! The arguments of a debate: who made each, and what became of it.

use serde::Serialize;

use super::dispositions::{Disposition, claim, dispositions};
use super::part::Part;
use crate::debate::Phase;

/// Most arguments of a debate that are told one by one; a long one has some dozens.
const MAX_ARGUMENTS: usize = 1_000;

/// An argument, by its number in its cycle.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Argument {
    pub(super) number: String,
    pub(super) cycle: u32,
    /// The round in which it was first made.
    pub(super) round: u8,
    /// `advocate`, `critic`, or the name of a voice.
    pub(super) by: String,
    pub(super) claim: String,
    /// What the last synthesis that names it says; `None`: it says nothing.
    pub(super) disposition: Option<Disposition>,
    pub(super) why: Option<String>,
    /// The section it stands in.
    pub(super) section: usize,
    /// The synthesis that said what became of it.
    #[serde(skip)]
    pub(super) told_in: Option<usize>,
}

/// Every argument with its disposition. A synthesis speaks of the last argument before it that has the number.
pub(super) fn arguments(parts: &[Part]) -> Vec<Argument> {
    let mut found: Vec<Argument> = Vec::new();
    for (section, part) in parts.iter().enumerate() {
        for number in &part.arguments {
            let is_full = found.len() == MAX_ARGUMENTS;
            if is_full || found.iter().any(|known| known.cycle == part.cycle && known.number == *number) {
                continue;
            }
            let by = part.voice.as_deref().unwrap_or(part.phase).to_owned();
            let claim = claim(&part.text, number);
            let (cycle, round) = (part.cycle, part.round);
            found.push(Argument {
                number: number.clone(),
                cycle,
                round,
                by,
                claim,
                disposition: None,
                why: None,
                section,
                told_in: None,
            });
        }
        if part.of == Phase::Synthesizer {
            for told in dispositions(&part.text) {
                if let Some(argument) = found.iter_mut().rev().find(|argument| argument.number == told.number) {
                    argument.disposition = Some(told.disposition);
                    argument.told_in = Some(section);
                    argument.why = Some(told.why).filter(|why| !why.is_empty());
                }
            }
        }
    }
    found
}
