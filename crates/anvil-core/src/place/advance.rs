//! The state machine of a debate: one exhaustive match from (place, signal) to the next step.

use super::{Place, Schedule, Seat, VoiceTask};
use crate::limits::MAX_RETRIES;

/// How a reply counts for the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Saved,
    /// A usable reply that also ends the argument (`<anvil-complete/>`, or the user's wish): the
    /// synthesis is next.
    SavedAsLast,
    /// A usable reply after a round with nothing new and nothing open: the synthesis is next.
    Settled,
    /// A reply without the parts that a program reads, such as numbered claims. The model was not
    /// yet asked to repair it.
    OutOfForm,
    /// A synthesis with a faulty block. The synthesizer writes the block once more.
    WrongBlock,
    /// Nothing to save: the reply was empty, or repeats the phase before it word for word.
    Unusable,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Save the reply; this place speaks next.
    To(Place),
    /// Save the reply; the debate is complete.
    Complete,
    /// Save the reply; ask for its block once more.
    Block,
    /// Save nothing; ask the same phase once more. Carries the new count of unusable replies.
    Retry(u8),
    /// Save nothing; the phase has used up its retries.
    Fail,
}

/// Decides the next step of a debate at a place of its schedule, after `retries` unusable replies.
pub fn advance(place: Place, schedule: Schedule, retries: u8, signal: Signal) -> Advance {
    let number = place.number();
    let synthesis = Advance::To(Place::synthesis(number));
    let is_last = number >= schedule.max_rounds;
    let [opens, closes] = schedule.sides();
    match (place.seat, signal) {
        (Seat::Advocate | Seat::Critic, Signal::Saved) if place.seat == opens => {
            Advance::To(Place { seat: closes, ..place })
        }
        (Seat::Advocate | Seat::Critic, Signal::Saved) if !is_last => {
            Advance::To(Place { seat: opens, round: place.round + 1 })
        }
        (Seat::Voice(voice), Signal::Saved) if !is_last => {
            Advance::To(Place { seat: Seat::Voice(voice + 1), ..place })
        }
        (Seat::Voice(_), Signal::Saved) if schedule.task(place) == Some(VoiceTask::Option) => {
            Advance::To(Place::attack(1))
        }
        (
            Seat::Advocate | Seat::Critic | Seat::Voice(_),
            Signal::Saved | Signal::SavedAsLast | Signal::Settled,
        ) => synthesis,
        (Seat::Synthesizer | Seat::Judge(_), Signal::WrongBlock) => Advance::Block,
        (
            Seat::Synthesizer | Seat::Judge(_),
            Signal::Saved | Signal::SavedAsLast | Signal::Settled,
        ) => Advance::Complete,
        (
            Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_),
            // Only a synthesis has a block.
            Signal::OutOfForm | Signal::WrongBlock,
        ) => Advance::Retry(retries),
        (
            Seat::Advocate | Seat::Critic | Seat::Voice(_) | Seat::Synthesizer | Seat::Judge(_),
            Signal::Unusable,
        ) => {
            if retries < MAX_RETRIES {
                Advance::Retry(retries + 1)
            } else {
                Advance::Fail
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_ROUNDS;
    use crate::place::DebateFormat;

    const fn at(seat: Seat, round: u8) -> Place {
        Place { seat, round }
    }

    #[test]
    fn the_truth_table_of_a_two_round_debate() {
        use Seat::{Advocate, Critic, Synthesizer};
        use Signal::{OutOfForm, Saved, SavedAsLast, Settled, Unusable, WrongBlock};
        let table = [
            (at(Advocate, 1), 0, Saved, Advance::To(at(Critic, 1))),
            (at(Advocate, 1), 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Advocate, 1), 0, Unusable, Advance::Retry(1)),
            (at(Critic, 1), 0, Saved, Advance::To(at(Advocate, 2))),
            (at(Critic, 1), 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Critic, 1), 2, Unusable, Advance::Retry(3)),
            (at(Critic, 1), 3, Unusable, Advance::Fail),
            (at(Advocate, 2), 3, Saved, Advance::To(at(Critic, 2))),
            (at(Advocate, 1), 0, OutOfForm, Advance::Retry(0)),
            (at(Critic, 1), 3, OutOfForm, Advance::Retry(3)),
            (at(Critic, 1), 0, Settled, Advance::To(at(Synthesizer, 1))),
            (at(Critic, 2), 0, Saved, Advance::To(at(Synthesizer, 2))),
            (at(Synthesizer, 2), 0, Saved, Advance::Complete),
            (at(Synthesizer, 1), 0, SavedAsLast, Advance::Complete),
            (at(Synthesizer, 2), 3, Unusable, Advance::Fail),
            (at(Synthesizer, 2), 0, WrongBlock, Advance::Block),
            (at(Synthesizer, 1), 3, WrongBlock, Advance::Block),
            (at(Advocate, 1), 0, WrongBlock, Advance::Retry(0)),
            (at(Critic, 2), 3, WrongBlock, Advance::Retry(3)),
        ];
        for (place, retries, signal, expected) in table {
            let advanced = advance(place, Schedule::seats(2), retries, signal);
            assert_eq!(advanced, expected, "{place:?} {retries} {signal:?}");
        }
    }

    #[test]
    fn the_truth_table_of_a_blind_debate_and_of_voices() {
        use Seat::{Advocate, Critic, Synthesizer, Voice};
        use Signal::{OutOfForm, Saved, SavedAsLast, Settled, Unusable, WrongBlock};
        let blind = Schedule { blind: true, ..Schedule::seats(2) };
        let voices = |format| Schedule { format, max_rounds: 3, blind: false };
        let stakeholders = voices(DebateFormat::Stakeholders);
        let personas = voices(DebateFormat::Personas);
        let table = [
            (at(Critic, 1), blind, 0, Saved, Advance::To(at(Advocate, 1))),
            (at(Advocate, 1), blind, 0, Saved, Advance::To(at(Critic, 2))),
            (at(Critic, 2), blind, 0, SavedAsLast, Advance::To(at(Synthesizer, 2))),
            (at(Advocate, 2), blind, 0, Saved, Advance::To(at(Synthesizer, 2))),
            (at(Voice(1), 1), stakeholders, 0, Saved, Advance::To(at(Voice(2), 1))),
            (at(Voice(3), 1), stakeholders, 0, Saved, Advance::To(at(Synthesizer, 3))),
            (at(Voice(1), 1), stakeholders, 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Voice(2), 1), personas, 0, Saved, Advance::To(at(Voice(3), 1))),
            (at(Voice(2), 1), personas, 3, Unusable, Advance::Fail),
            (at(Voice(1), 1), personas, 0, OutOfForm, Advance::Retry(0)),
            (at(Advocate, 1), blind, 0, Settled, Advance::To(at(Synthesizer, 1))),
            (at(Synthesizer, 3), personas, 0, OutOfForm, Advance::Retry(0)),
            (at(Synthesizer, 3), personas, 3, OutOfForm, Advance::Retry(3)),
            (at(Synthesizer, 3), personas, 0, Settled, Advance::Complete),
            (at(Synthesizer, 3), personas, 0, Saved, Advance::Complete),
            (at(Synthesizer, 3), personas, 1, WrongBlock, Advance::Block),
            (at(Voice(3), 1), personas, 1, WrongBlock, Advance::Retry(1)),
        ];
        for (place, schedule, retries, signal, expected) in table {
            assert_eq!(
                advance(place, schedule, retries, signal),
                expected,
                "{place:?} {schedule:?} {signal:?}"
            );
        }
    }

    #[test]
    fn the_truth_table_of_options() {
        use Seat::{Synthesizer, Voice};
        use Signal::{OutOfForm, Saved, SavedAsLast, Settled, Unusable, WrongBlock};
        let options = Schedule { format: DebateFormat::Options, max_rounds: 3, blind: false };
        let table = [
            (at(Voice(1), 1), 0, Saved, Advance::To(at(Voice(2), 1))),
            (at(Voice(3), 1), 0, Saved, Advance::To(at(Voice(1), 2))),
            (at(Voice(1), 2), 0, Saved, Advance::To(at(Voice(2), 2))),
            (at(Voice(3), 2), 0, Saved, Advance::To(at(Synthesizer, 3))),
            (at(Voice(2), 1), 0, SavedAsLast, Advance::To(at(Synthesizer, 2))),
            (at(Voice(1), 2), 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Voice(2), 2), 0, Settled, Advance::To(at(Synthesizer, 2))),
            (at(Voice(1), 1), 0, OutOfForm, Advance::Retry(0)),
            (at(Voice(1), 2), 2, OutOfForm, Advance::Retry(2)),
            (at(Voice(1), 1), 0, Unusable, Advance::Retry(1)),
            (at(Voice(3), 2), 3, Unusable, Advance::Fail),
            (at(Synthesizer, 3), 0, Saved, Advance::Complete),
            (at(Synthesizer, 3), 0, WrongBlock, Advance::Block),
            (at(Voice(3), 2), 0, WrongBlock, Advance::Retry(0)),
        ];
        for (place, retries, signal, expected) in table {
            assert_eq!(advance(place, options, retries, signal), expected, "{place:?} {signal:?}");
        }
    }

    #[test]
    fn every_place_reaches_the_end_in_the_counted_steps() {
        for format in [
            DebateFormat::Seats,
            DebateFormat::Stakeholders,
            DebateFormat::Personas,
            DebateFormat::Options,
        ] {
            for (max_rounds, blind) in
                (1..=MAX_ROUNDS).flat_map(|rounds| [(rounds, false), (rounds, true)])
            {
                let schedule = Schedule { format, max_rounds, blind };
                let mut walked = vec![schedule.first()];
                while let Advance::To(next) =
                    advance(walked[walked.len() - 1], schedule, 0, Signal::Saved)
                {
                    assert!(schedule.has(next) && next.number() <= max_rounds);
                    walked.push(next);
                }
                assert_eq!(walked, schedule.places().collect::<Vec<_>>());
                assert!(walked.is_sorted_by_key(|place| schedule.rank(*place)));
                for (after, place) in walked.iter().enumerate() {
                    assert_eq!(
                        schedule.phases_left(*place) as usize,
                        walked.len() - after,
                        "{place:?} {schedule:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_round_after_the_last_leads_to_the_synthesis() {
        // The user may lower max_rounds in the file during the debate.
        let advanced = advance(at(Seat::Critic, 5), Schedule::seats(2), 0, Signal::Saved);
        assert_eq!(advanced, Advance::To(at(Seat::Synthesizer, 5)));
    }
}
