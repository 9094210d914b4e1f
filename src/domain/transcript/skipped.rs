//! The places of a cycle that were skipped.

use super::Entries;
use crate::domain::debate::{Debate, Format, Place, Seat};

/// The places before the synthesis that have no reply in this cycle although the debate has passed
/// them: `critic, round 2` and `round 3`.
pub fn skipped(debate: &Debate, entries: &Entries) -> Vec<String> {
    if debate.progress.place.seat != Seat::Synthesizer {
        return Vec::new();
    }
    let schedule = debate.schedule();
    let is_argued = |slot: &Place| {
        entries.places_in(debate.progress.cycle, schedule).any(|argued| argued == *slot)
    };
    let missing: Vec<Place> = schedule
        .places()
        .filter(|slot| slot.seat != Seat::Synthesizer && !is_argued(slot))
        .collect();
    let whole = |round: u8| {
        schedule.format == Format::Seats
            && missing.iter().filter(|slot| slot.number() == round).count() == 2
    };
    let mut names: Vec<String> = Vec::new();
    for slot in &missing {
        let name = if whole(slot.number()) {
            format!("round {}", slot.number())
        } else {
            slot.to_string()
        };
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}
