//! Stops between two phases: for the user's direction, or for a fresh conversation.

use super::Debate;
use crate::options::Boundary;
use crate::place::{Place, Seat};

/// Why the turn ends without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The user steers what comes next.
    Steering,
    /// The debate can go on in a fresh conversation.
    Boundary,
}

/// The stop after the reply at `last`, of a debate that has just moved on. `asks`: the reply ends
/// with a question to the user. A user who requested the synthesis gets it without a stop.
pub fn stop_after(last: Place, asks: bool, debate: &Debate) -> Option<Stop> {
    let is_argued = debate.progress.place.seat == Seat::Synthesizer;
    // The turn of a voice is its own round.
    let round_ends = is_argued || last.seat.is_voice() || debate.schedule().closes(last);
    match debate.options.boundary {
        _ if debate.progress.synthesis_requested => None,
        _ if debate.options.interactive && asks => Some(Stop::Steering),
        // The user typed a direction during the last reply of the round.
        _ if debate.options.interactive && round_ends && debate.progress.steering.is_some() => None,
        _ if debate.options.interactive && round_ends => Some(Stop::Steering),
        Some(Boundary::Round) if round_ends => Some(Stop::Boundary),
        Some(Boundary::Synthesis) if is_argued => Some(Stop::Boundary),
        Some(Boundary::Round | Boundary::Synthesis) | None => None,
    }
}

/// True if the debate can stop between two voices. Then they are not written at the same time: a
/// direction comes between them.
pub fn stops_within(debate: &Debate) -> bool {
    let options = &debate.options;
    matches!(debate.progress.place.seat, Seat::Voice(_))
        && (options.interactive || options.boundary == Some(Boundary::Round))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn only_voices_between_which_the_debate_stops_are_not_written_at_once() {
        use Seat::{Advocate, Synthesizer, Voice};
        let table = [
            (Voice(1), false, None, false),
            (Voice(1), true, None, true),
            (Voice(1), false, Some(Boundary::Round), true),
            (Voice(1), false, Some(Boundary::Synthesis), false),
            (Synthesizer, true, Some(Boundary::Round), false),
            (Advocate, true, Some(Boundary::Round), false),
        ];
        for (seat, interactive, boundary, stops) in table {
            let mut debate = Debate::new("id".into(), "Q".into(), 1, Timestamp::UNIX_EPOCH);
            debate.options.interactive = interactive;
            debate.options.boundary = boundary;
            // In round 2 a voice attacks the others.
            for round in [1, 2] {
                debate.set_place(Place { seat, round });
                assert_eq!(stops_within(&debate), stops, "{seat:?} {interactive} {boundary:?}");
            }
        }
    }

    #[test]
    fn the_truth_table_of_stops() {
        use Boundary::{Round, Synthesis};
        use Seat::{Advocate, Critic, Synthesizer, Voice};
        let steering = Some(Stop::Steering);
        let boundary = Some(Stop::Boundary);
        for (last, next, interactive, at, ending, expected) in [
            (Advocate, Critic, true, Some(Round), false, None),
            (Critic, Advocate, true, None, false, steering),
            (Critic, Advocate, true, Some(Round), false, steering),
            (Critic, Synthesizer, true, None, false, steering),
            (Advocate, Synthesizer, true, None, false, steering),
            (Advocate, Synthesizer, true, None, true, None),
            (Critic, Advocate, false, Some(Round), false, boundary),
            (Critic, Advocate, false, Some(Synthesis), false, None),
            (Critic, Synthesizer, false, Some(Synthesis), false, boundary),
            (Critic, Synthesizer, false, Some(Round), false, boundary),
            (Critic, Synthesizer, false, Some(Synthesis), true, None),
            (Critic, Synthesizer, false, None, false, None),
            (Voice(1), Voice(2), false, Some(Round), false, boundary),
        ] {
            let mut debate = Debate::new("id".into(), "Why?".into(), 3, Timestamp::UNIX_EPOCH);
            if last.is_voice() {
                let voice = |name: &str| crate::options::Named { name: name.into(), text: None };
                debate.options.voices = ["a", "b", "c"].map(voice).to_vec();
            }
            debate.progress.place =
                Place { seat: next, round: if next.is_voice() { 1 } else { 2 } };
            debate.options.interactive = interactive;
            (debate.options.boundary, debate.progress.synthesis_requested) = (at, ending);
            let stop = stop_after(Place { seat: last, round: 1 }, false, &debate);
            debate.progress.steering = Some("the cost".into());
            assert_ne!(
                stop_after(Place { seat: last, round: 1 }, false, &debate),
                steering,
                "it is steered already"
            );
            assert_eq!(stop, expected, "{last:?} -> {next:?}, {interactive}, {at:?}, {ending}");
        }
    }
}
