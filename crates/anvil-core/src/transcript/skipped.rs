//! The places of a cycle that were skipped.

use super::Entries;
use crate::debate::{Debate, Format, Place, Seat};

/// The places before the synthesis that have no reply in this cycle although the debate has passed
/// them: `critic, round 2` and `round 3`.
pub fn skipped(debate: &Debate, entries: &Entries) -> Vec<String> {
    if debate.progress.place.seat != Seat::Synthesizer {
        return Vec::new();
    }
    let schedule = debate.schedule();
    let is_argued = |place: &Place| {
        entries.places_in(debate.progress.cycle, schedule).any(|argued| argued == *place)
    };
    let missing: Vec<Place> = schedule
        .places()
        .filter(|place| place.seat != Seat::Synthesizer && !is_argued(place))
        .collect();
    let whole = |round: u8| {
        schedule.format == Format::Seats
            && missing.iter().filter(|place| place.number() == round).count() == 2
    };
    let mut names: Vec<String> = Vec::new();
    for place in &missing {
        let name = if whole(place.number()) {
            format!("round {}", place.number())
        } else {
            place.to_string()
        };
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}
