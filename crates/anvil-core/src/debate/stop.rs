//! Where an interactive debate stops for the user's direction.

use super::Debate;
use crate::place::{Place, Seat};

/// True if the debate stops after the reply at `last`, from which it has just moved on. `asks`: the
/// reply ends with a question to the user. A user who requested the synthesis gets it without a
/// stop.
pub fn stops_after(last: Place, asks: bool, debate: &Debate) -> bool {
    if !debate.options.interactive || debate.progress.synthesis_requested {
        return false;
    }
    let is_argued = debate.progress.place.seat == Seat::Synthesizer;
    // The turn of a voice is its own round.
    let round_ends = is_argued || last.seat.is_voice() || debate.schedule().closes(last);
    // The user may have typed a direction during the last reply of the round.
    asks || (round_ends && debate.progress.steering.is_none())
}

/// True if the debate stops between two voices. Then they are not written at the same time: a
/// direction comes between them.
pub fn stops_within(debate: &Debate) -> bool {
    matches!(debate.progress.place.seat, Seat::Voice(_)) && debate.options.interactive
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn only_voices_between_which_the_debate_stops_are_not_written_at_once() {
        use Seat::{Advocate, Synthesizer, Voice};
        for (seat, interactive, stops) in [
            (Voice(1), false, false),
            (Voice(1), true, true),
            (Synthesizer, true, false),
            (Advocate, true, false),
        ] {
            let mut debate = Debate::new("id".into(), "Q".into(), 1, Timestamp::UNIX_EPOCH);
            debate.options.interactive = interactive;
            // In round 2 a voice attacks the others.
            for round in [1, 2] {
                debate.set_place(Place { seat, round });
                assert_eq!(stops_within(&debate), stops, "{seat:?} {interactive}");
            }
        }
    }

    #[test]
    fn the_truth_table_of_stops() {
        use Seat::{Advocate, Critic, Synthesizer, Voice};
        for (last, next, interactive, ending, expected) in [
            (Advocate, Critic, true, false, false),
            (Critic, Advocate, true, false, true),
            (Critic, Synthesizer, true, false, true),
            (Advocate, Synthesizer, true, false, true),
            (Advocate, Synthesizer, true, true, false),
            (Critic, Advocate, false, false, false),
            (Critic, Synthesizer, false, false, false),
            (Voice(1), Voice(2), true, false, true),
            (Voice(1), Voice(2), false, false, false),
        ] {
            let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
            if last.is_voice() {
                let voice = |name: &str| crate::options::Named { name: name.into(), text: None };
                debate.options.voices = ["a", "b", "c"].map(voice).to_vec();
            }
            debate.progress.place =
                Place { seat: next, round: if next.is_voice() { 1 } else { 2 } };
            debate.options.interactive = interactive;
            debate.progress.synthesis_requested = ending;
            let last = Place { seat: last, round: 1 };
            let stops = stops_after(last, false, &debate);
            assert_eq!(stops, expected, "{last:?} -> {next:?}, {interactive}, {ending}");
            let asked = stops_after(last, true, &debate);
            assert_eq!(asked, interactive && !ending, "a question is asked at once: {last:?}");
            debate.progress.steering = Some("the cost".into());
            assert!(!stops_after(last, false, &debate), "it is steered already");
        }
    }
}
