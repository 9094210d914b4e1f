//! The state machine of a debate: one exhaustive match from (place, signal) to the next step.

use super::{MAX_RETRIES, Phase, Schedule, Slot};

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
    /// A synthesis with something wrong in its block, which is asked for once more.
    WrongBlock,
    /// Nothing to save: the reply was empty, or repeats the phase before it word for word.
    Unusable,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// Save the reply; this place speaks next.
    To(Slot),
    /// Save the reply; the debate is complete.
    Complete,
    /// Save the reply; ask for its block once more.
    Block,
    /// Save nothing; ask the same phase once more. Carries the new count of unusable replies.
    Retry(u8),
    /// Save nothing; the phase has used up its retries.
    Fail,
}

/// Decides the next step of a debate at `slot` of its `schedule`, after `retries` unusable replies.
pub fn advance(slot: Slot, schedule: Schedule, retries: u8, signal: Signal) -> Advance {
    let Slot { phase, round } = slot;
    let synthesis = Advance::To(Slot { phase: Phase::Synthesizer, round });
    let in_this_round = |phase| Advance::To(Slot { phase, round });
    let in_the_next_round = |phase| {
        if round < schedule.max_rounds {
            Advance::To(Slot { phase, round: round + 1 })
        } else {
            synthesis
        }
    };
    match (phase, signal) {
        (Phase::Advocate, Signal::Saved) if schedule.blind => in_the_next_round(Phase::Critic),
        (Phase::Advocate, Signal::Saved) => in_this_round(Phase::Critic),
        (Phase::Critic, Signal::Saved) if schedule.blind => in_this_round(Phase::Advocate),
        (Phase::Critic, Signal::Saved) => in_the_next_round(Phase::Advocate),
        (Phase::Option, Signal::Saved) if round >= schedule.max_rounds => {
            Advance::To(Slot { phase: Phase::Attack, round: 1 })
        }
        (Phase::Stakeholder | Phase::Persona | Phase::Option | Phase::Attack, Signal::Saved) => {
            in_the_next_round(phase)
        }
        (
            Phase::Advocate
            | Phase::Critic
            | Phase::Stakeholder
            | Phase::Persona
            | Phase::Option
            | Phase::Attack,
            Signal::SavedAsLast | Signal::Settled,
        ) => synthesis,
        (Phase::Synthesizer, Signal::WrongBlock) => Advance::Block,
        (Phase::Synthesizer, Signal::Saved | Signal::SavedAsLast | Signal::Settled) => {
            Advance::Complete
        }
        (
            Phase::Advocate
            | Phase::Critic
            | Phase::Synthesizer
            | Phase::Stakeholder
            | Phase::Persona
            | Phase::Option
            | Phase::Attack,
            // Only a synthesis has a block.
            Signal::OutOfForm | Signal::WrongBlock,
        ) => Advance::Retry(retries),
        (
            Phase::Advocate
            | Phase::Critic
            | Phase::Synthesizer
            | Phase::Stakeholder
            | Phase::Persona
            | Phase::Option
            | Phase::Attack,
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
    use crate::domain::debate::{Format, MAX_ROUNDS};

    const fn at(phase: Phase, round: u8) -> Slot {
        Slot { phase, round }
    }

    #[test]
    fn the_truth_table_of_a_two_round_debate() {
        use Phase::{Advocate, Critic, Synthesizer};
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
        for (slot, retries, signal, expected) in table {
            let advanced = advance(slot, Schedule::seats(2), retries, signal);
            assert_eq!(advanced, expected, "{slot:?} {retries} {signal:?}");
        }
    }

    #[test]
    fn the_truth_table_of_a_blind_debate_and_of_voices() {
        use Phase::{Advocate, Critic, Persona, Stakeholder, Synthesizer};
        use Signal::{OutOfForm, Saved, SavedAsLast, Settled, Unusable, WrongBlock};
        let blind = Schedule { blind: true, ..Schedule::seats(2) };
        let voices = |format| Schedule { format, max_rounds: 3, blind: false };
        let (stakeholders, personas) = (voices(Format::Stakeholders), voices(Format::Personas));
        let table = [
            (at(Critic, 1), blind, 0, Saved, Advance::To(at(Advocate, 1))),
            (at(Advocate, 1), blind, 0, Saved, Advance::To(at(Critic, 2))),
            (at(Critic, 2), blind, 0, SavedAsLast, Advance::To(at(Synthesizer, 2))),
            (at(Advocate, 2), blind, 0, Saved, Advance::To(at(Synthesizer, 2))),
            (at(Stakeholder, 1), stakeholders, 0, Saved, Advance::To(at(Stakeholder, 2))),
            (at(Stakeholder, 3), stakeholders, 0, Saved, Advance::To(at(Synthesizer, 3))),
            (at(Stakeholder, 1), stakeholders, 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Persona, 2), personas, 0, Saved, Advance::To(at(Persona, 3))),
            (at(Persona, 2), personas, 3, Unusable, Advance::Fail),
            (at(Persona, 1), personas, 0, OutOfForm, Advance::Retry(0)),
            (at(Advocate, 1), blind, 0, Settled, Advance::To(at(Synthesizer, 1))),
            (at(Synthesizer, 3), personas, 0, OutOfForm, Advance::Retry(0)),
            (at(Synthesizer, 3), personas, 3, OutOfForm, Advance::Retry(3)),
            (at(Synthesizer, 3), personas, 0, Settled, Advance::Complete),
            (at(Synthesizer, 3), personas, 0, Saved, Advance::Complete),
            (at(Synthesizer, 3), personas, 1, WrongBlock, Advance::Block),
            (at(Persona, 3), personas, 1, WrongBlock, Advance::Retry(1)),
        ];
        for (slot, schedule, retries, signal, expected) in table {
            assert_eq!(
                advance(slot, schedule, retries, signal),
                expected,
                "{slot:?} {schedule:?} {signal:?}"
            );
        }
    }

    #[test]
    fn the_truth_table_of_options() {
        use Phase::{Attack, Option, Synthesizer};
        use Signal::{OutOfForm, Saved, SavedAsLast, Settled, Unusable, WrongBlock};
        let options = Schedule { format: Format::Options, max_rounds: 3, blind: false };
        let table = [
            (at(Option, 1), 0, Saved, Advance::To(at(Option, 2))),
            (at(Option, 3), 0, Saved, Advance::To(at(Attack, 1))),
            (at(Attack, 1), 0, Saved, Advance::To(at(Attack, 2))),
            (at(Attack, 3), 0, Saved, Advance::To(at(Synthesizer, 3))),
            (at(Option, 2), 0, SavedAsLast, Advance::To(at(Synthesizer, 2))),
            (at(Attack, 1), 0, SavedAsLast, Advance::To(at(Synthesizer, 1))),
            (at(Attack, 2), 0, Settled, Advance::To(at(Synthesizer, 2))),
            (at(Option, 1), 0, OutOfForm, Advance::Retry(0)),
            (at(Attack, 1), 2, OutOfForm, Advance::Retry(2)),
            (at(Option, 1), 0, Unusable, Advance::Retry(1)),
            (at(Attack, 3), 3, Unusable, Advance::Fail),
            (at(Synthesizer, 3), 0, Saved, Advance::Complete),
            (at(Synthesizer, 3), 0, WrongBlock, Advance::Block),
            (at(Attack, 3), 0, WrongBlock, Advance::Retry(0)),
        ];
        for (slot, retries, signal, expected) in table {
            assert_eq!(advance(slot, options, retries, signal), expected, "{slot:?} {signal:?}");
        }
    }

    #[test]
    fn every_place_reaches_the_end_in_the_counted_steps() {
        for format in [Format::Seats, Format::Stakeholders, Format::Personas, Format::Options] {
            for (max_rounds, blind) in
                (1..=MAX_ROUNDS).flat_map(|rounds| [(rounds, false), (rounds, true)])
            {
                let schedule = Schedule { format, max_rounds, blind };
                let mut walked = vec![schedule.first()];
                while let Advance::To(next) =
                    advance(walked[walked.len() - 1], schedule, 0, Signal::Saved)
                {
                    assert!(schedule.has(next.phase) && next.round <= max_rounds);
                    walked.push(next);
                }
                assert_eq!(walked, schedule.slots().collect::<Vec<_>>());
                assert!(walked.is_sorted_by_key(|slot| schedule.rank(*slot)));
                for (after, slot) in walked.iter().enumerate() {
                    assert_eq!(
                        schedule.phases_left(*slot) as usize,
                        walked.len() - after,
                        "{slot:?} {schedule:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_round_after_the_last_leads_to_the_synthesis() {
        // The user may lower max_rounds in the file during the debate.
        let advanced = advance(at(Phase::Critic, 5), Schedule::seats(2), 0, Signal::Saved);
        assert_eq!(advanced, Advance::To(at(Phase::Synthesizer, 5)));
    }
}
