//! The words of places in files and JSON, such as `critic` or `attack`, with their number.

use super::{Place, Seat, VoiceTask};

/// The word of a seat. `task`: what a voice is asked to do.
pub fn phase_word(seat: Seat, task: Option<VoiceTask>) -> &'static str {
    task.filter(|_| seat.is_voice()).map_or(seat.word(), VoiceTask::word)
}

/// The place with this word and number, and what a voice is asked to do there.
pub fn place_of(word: &str, number: u8) -> Option<(Place, Option<VoiceTask>)> {
    if let Ok(task) = word.parse::<VoiceTask>() {
        return Some((task.place(number), Some(task)));
    }
    let seats = [Seat::Advocate, Seat::Critic, Seat::Synthesizer];
    let seat = seats.into_iter().find(|seat| seat.word() == word)?;
    Some((Place { seat, round: number }, None))
}
