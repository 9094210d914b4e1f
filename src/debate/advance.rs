//! The state machine of a debate: one exhaustive match from (place, signal) to what happens next.

use super::{MAX_RETRIES, Phase, Place};

/// What a reply says to the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A usable reply.
    Filed,
    /// A usable reply that also ends the argument (`<anvil-complete/>`): the synthesis is next.
    FiledAsLast,
    /// Nothing to file: the reply was empty, or the phase before it word for word.
    Unusable,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// File the reply; this place speaks next.
    To(Place),
    /// File the reply; the debate is complete.
    Complete,
    /// File nothing; ask the same phase once more. Carries the new count of unusable replies.
    Retry(u8),
    /// File nothing; the phase has had its chances.
    Fail,
}

/// Decides what a reply does to a debate at `place`, of `max_rounds` rounds, with `retries` unusable replies before it.
#[must_use]
pub fn advance(place: Place, max_rounds: u8, retries: u8, signal: Signal) -> Advance {
    let Place { phase, round } = place;
    let synthesis = Advance::To(Place { phase: Phase::Synthesizer, round });
    match (phase, signal) {
        (Phase::Advocate, Signal::Filed) => Advance::To(Place { phase: Phase::Critic, round }),
        (Phase::Critic, Signal::Filed) if round < max_rounds => {
            Advance::To(Place { phase: Phase::Advocate, round: round + 1 })
        }
        (Phase::Critic, Signal::Filed) | (Phase::Advocate | Phase::Critic, Signal::FiledAsLast) => synthesis,
        (Phase::Synthesizer, Signal::Filed | Signal::FiledAsLast) => Advance::Complete,
        (Phase::Advocate | Phase::Critic | Phase::Synthesizer, Signal::Unusable) => {
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
    use crate::debate::MAX_ROUNDS;

    const fn at(phase: Phase, round: u8) -> Place {
        Place { phase, round }
    }

    #[test]
    fn the_truth_table_of_a_two_round_debate() {
        use Phase::{Advocate, Critic, Synthesizer};
        use Signal::{Filed, FiledAsLast, Unusable};
        let table = [
            (at(Advocate, 1), 0, Filed, Advance::To(at(Critic, 1))),
            (at(Advocate, 1), 0, FiledAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Advocate, 1), 0, Unusable, Advance::Retry(1)),
            (at(Critic, 1), 0, Filed, Advance::To(at(Advocate, 2))),
            (at(Critic, 1), 0, FiledAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Critic, 1), 2, Unusable, Advance::Retry(3)),
            (at(Critic, 1), 3, Unusable, Advance::Fail),
            (at(Advocate, 2), 3, Filed, Advance::To(at(Critic, 2))),
            (at(Critic, 2), 0, Filed, Advance::To(at(Synthesizer, 2))),
            (at(Synthesizer, 2), 0, Filed, Advance::Complete),
            (at(Synthesizer, 1), 0, FiledAsLast, Advance::Complete),
            (at(Synthesizer, 2), 3, Unusable, Advance::Fail),
        ];
        for (place, retries, signal, expected) in table {
            assert_eq!(advance(place, 2, retries, signal), expected, "{place:?} {retries} {signal:?}");
        }
    }

    #[test]
    fn every_place_leads_to_the_end_in_as_many_steps_as_it_says() {
        for max_rounds in 1..=MAX_ROUNDS {
            for round in 1..=max_rounds {
                for phase in Phase::ALL {
                    let mut place = at(phase, round);
                    let mut left = place.phases_left(max_rounds);
                    loop {
                        left -= 1;
                        match advance(place, max_rounds, 0, Signal::Filed) {
                            Advance::To(next) => {
                                assert!(next.round <= max_rounds);
                                assert_eq!(next.phases_left(max_rounds), left);
                                place = next;
                            }
                            Advance::Complete => break,
                            other => panic!("a usable reply led to {other:?}"),
                        }
                    }
                    assert_eq!(left, 0);
                }
            }
        }
    }

    #[test]
    fn a_round_beyond_the_last_one_goes_to_the_synthesis() {
        // A person may lower max_rounds in the file in mid-debate.
        assert_eq!(advance(at(Phase::Critic, 5), 2, 0, Signal::Filed), Advance::To(at(Phase::Synthesizer, 5)));
    }
}
