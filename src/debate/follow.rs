//! The pointer follows the transcript: where a debate stands, told by the sections it has.

use super::{Advance, Phase, Schedule, Signal, Slot, advance};

/// The place furthest on in a debate, whatever the order in which its sections stand.
#[must_use]
pub fn furthest(slots: impl IntoIterator<Item = Slot>, schedule: Schedule) -> Option<Slot> {
    slots.into_iter().filter(|slot| schedule.has(slot.phase)).max_by_key(|slot| schedule.rank(*slot))
}

/// Where a debate waits whose furthest section is `filed`. `None`: it has its synthesis.
#[must_use]
pub fn waits_at(filed: Option<Slot>, schedule: Schedule) -> Option<Slot> {
    let Some(filed) = filed else { return Some(schedule.first()) };
    match advance(filed, schedule, 0, Signal::Filed) {
        Advance::To(next) => Some(next),
        Advance::Complete | Advance::Retry(_) | Advance::Fail => None,
    }
}

/// True when an unfinished debate whose furthest section is `filed` may wait at `place` without further evidence: it is what
/// comes next. The number of rounds may have been lowered since; a synthesis ahead of its time needs evidence.
#[must_use]
pub fn may_wait_at(slot: Slot, filed: Option<Slot>, schedule: Schedule) -> bool {
    match slot.phase {
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            waits_at(filed, schedule.endless()) == Some(slot)
        }
        Phase::Synthesizer => filed.is_some_and(|filed| {
            filed.phase == schedule.closer() && filed.round >= schedule.max_rounds && filed.round == slot.round
        }),
    }
}

/// True when such a debate may wait for its synthesis where its head is believed: somebody has ended the argument, after this reply
/// or with one that had nothing to add.
#[must_use]
pub fn may_be_ended_at(slot: Slot, filed: Option<Slot>) -> bool {
    let was_last =
        |filed: Slot| filed.phase != Phase::Synthesizer && [filed.round, filed.round + 1].contains(&slot.round);
    slot.phase == Phase::Synthesizer && filed.is_some_and(was_last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands in for what is found")]
    const fn at(phase: Phase, round: u8) -> Option<Slot> {
        Some(Slot { phase, round })
    }

    #[test]
    fn a_debate_waits_for_what_follows_its_furthest_section() {
        use Phase::{Advocate, Critic, Synthesizer};
        for (filed, max_rounds, waits) in [
            (None, 3, at(Advocate, 1)),
            (at(Advocate, 1), 3, at(Critic, 1)),
            (at(Critic, 1), 3, at(Advocate, 2)),
            (at(Critic, 3), 3, at(Synthesizer, 3)),
            (at(Critic, 3), 2, at(Synthesizer, 3)),
            (at(Critic, 3), 5, at(Advocate, 4)),
            (at(Synthesizer, 3), 3, None),
        ] {
            assert_eq!(waits_at(filed, Schedule::seats(max_rounds)), waits, "{filed:?} of {max_rounds}");
            if let Some(slot) = waits {
                assert!(may_wait_at(slot, filed, Schedule::seats(max_rounds)), "{filed:?} of {max_rounds}");
            }
        }
    }

    #[test]
    fn every_other_place_is_doubtful() {
        let slots = || (1..=4).flat_map(|round| Phase::ALL.map(|phase| Slot { phase, round }));
        for filed in slots().map(Some).chain([None]) {
            let fitting: Vec<Slot> = slots().filter(|slot| may_wait_at(*slot, filed, Schedule::seats(3))).collect();
            assert!(fitting.len() <= 2, "{filed:?}: {fitting:?}");
        }
        assert!(
            may_wait_at(Slot { phase: Phase::Advocate, round: 4 }, at(Phase::Critic, 3), Schedule::seats(3)),
            "lowered in mid-round"
        );
        assert!(!may_wait_at(Slot { phase: Phase::Synthesizer, round: 2 }, at(Phase::Advocate, 2), Schedule::seats(3)));
    }

    #[test]
    fn the_argument_may_be_ended_after_any_reply() {
        use Phase::{Advocate, Critic, Synthesizer};
        let synthesis = |round| Slot { phase: Synthesizer, round };
        for (filed, round, may) in [
            (None, 1, false),
            (at(Advocate, 2), 1, false),
            (at(Advocate, 2), 2, true),
            (at(Critic, 2), 3, true),
            (at(Critic, 2), 4, false),
            (at(Synthesizer, 2), 2, false),
        ] {
            assert_eq!(may_be_ended_at(synthesis(round), filed), may, "{filed:?} {round}");
            assert!(!may_be_ended_at(Slot { phase: Advocate, round }, filed));
        }
    }

    #[test]
    fn the_furthest_place_is_found_in_any_order() {
        let slots = [(Phase::Critic, 1), (Phase::Advocate, 2), (Phase::Advocate, 1)];
        let furthest_of = |slots: &[(Phase, u8)]| {
            furthest(slots.iter().map(|&(phase, round)| Slot { phase, round }), Schedule::seats(3))
        };
        assert_eq!(furthest_of(&slots), at(Phase::Advocate, 2));
        assert_eq!(furthest_of(&[(Phase::Synthesizer, 1), (Phase::Critic, 3)]), at(Phase::Synthesizer, 1));
        assert_eq!(furthest_of(&[]), None);
    }
}
