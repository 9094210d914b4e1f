//! The places of a cycle that were skipped.

use super::Entries;
use crate::debate::Debate;
use crate::place::{DebateFormat, Place, Seat};

/// The places before the synthesis that have no reply in this cycle although the debate has passed
/// them: `critic, round 2` and `round 3`.
pub fn skipped_places(debate: &Debate, entries: &Entries) -> Vec<String> {
    if debate.place().seat != Seat::Synthesizer {
        return Vec::new();
    }
    let schedule = debate.schedule();
    let argued: Vec<Place> = entries.places_in(debate.cycle(), schedule).collect();
    let missing: Vec<Place> = schedule
        .places()
        .filter(|place| place.seat != Seat::Synthesizer && !argued.contains(place))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for place in &missing {
        let number = place.number();
        let in_round = missing.iter().filter(|place| place.number() == number).count();
        let name = if schedule.format == DebateFormat::Seats && in_round == 2 {
            format!("round {number}")
        } else {
            place.to_string()
        };
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}
