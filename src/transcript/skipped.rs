//! What of a cycle nobody has argued.

use super::Entries;
use crate::debate::{Debate, Phase, Slot};

/// The places before the synthesis that nobody has argued in this cycle although their turn is over: `critic, round 2; round 3`.
#[must_use]
pub fn skipped(debate: &Debate, entries: &Entries) -> Option<String> {
    if debate.progress.slot.phase != Phase::Synthesizer {
        return None;
    }
    let schedule = debate.schedule();
    let is_argued = |slot: &Slot| entries.filed_in(debate.progress.cycle).any(|argued| argued == *slot);
    let missing: Vec<Slot> =
        schedule.slots().filter(|slot| slot.phase != Phase::Synthesizer && !is_argued(slot)).collect();
    let whole = |round: u8| {
        schedule.opener() != schedule.closer() && missing.iter().filter(|slot| slot.round == round).count() == 2
    };
    let mut said: Vec<String> = Vec::new();
    for slot in &missing {
        let name = if whole(slot.round) { format!("round {}", slot.round) } else { slot.to_string() };
        if said.last() != Some(&name) {
            said.push(name);
        }
    }
    (!said.is_empty()).then(|| said.join("; "))
}
