//! The pointer follows the transcript: the place of a debate, derived from its sections.

use super::{Advance, Place, Schedule, Seat, Signal, advance};

/// The furthest place of a debate. Its sections may be in any order.
pub fn furthest(places: impl IntoIterator<Item = Place>, schedule: Schedule) -> Option<Place> {
    places
        .into_iter()
        .filter(|place| schedule.has(*place))
        .max_by_key(|place| schedule.rank(*place))
}

/// The place that follows the furthest section `last`. `None`: the debate has its synthesis.
pub fn waits_at(last: Option<Place>, schedule: Schedule) -> Option<Place> {
    let Some(last) = last else { return Some(schedule.first()) };
    match advance(last, schedule, 0, Signal::Saved) {
        Advance::To(next) => Some(next),
        Advance::Complete | Advance::Block | Advance::Retry(_) | Advance::Fail => None,
    }
}

/// True if an unfinished debate may wait at `place` without more evidence, because that place
/// follows its furthest section `last`. The user may have lowered the rounds since. An early
/// synthesis needs evidence.
pub fn may_wait_at(place: Place, last: Option<Place>, schedule: Schedule) -> bool {
    match place.seat {
        Seat::Advocate | Seat::Critic | Seat::Voice(_) => {
            waits_at(last, schedule.endless()) == Some(place)
        }
        Seat::Synthesizer | Seat::Judge(_) => last.is_some_and(|last| {
            schedule.closes(last)
                && last.number() >= schedule.max_rounds
                && last.number() == place.round
        }),
    }
}

/// True if the debate may wait for an early synthesis when its frontmatter is trusted: the argument
/// ended after this reply, or with a reply that had nothing to add.
pub fn may_be_ended_at(place: Place, last: Option<Place>) -> bool {
    place.seat == Seat::Synthesizer
        && last.is_some_and(|last| {
            let number = last.number();
            last.seat != Seat::Synthesizer && [number, number + 1].contains(&place.round)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands in for what is found")]
    const fn at(seat: Seat, round: u8) -> Option<Place> {
        Some(Place { seat, round })
    }

    #[test]
    fn a_debate_waits_right_after_its_furthest_section() {
        use Seat::{Advocate, Critic, Synthesizer};
        for (last, max_rounds, waits) in [
            (None, 3, at(Advocate, 1)),
            (at(Advocate, 1), 3, at(Critic, 1)),
            (at(Critic, 1), 3, at(Advocate, 2)),
            (at(Critic, 3), 3, at(Synthesizer, 3)),
            (at(Critic, 3), 2, at(Synthesizer, 3)),
            (at(Critic, 3), 5, at(Advocate, 4)),
            (at(Synthesizer, 3), 3, None),
        ] {
            assert_eq!(
                waits_at(last, Schedule::seats(max_rounds)),
                waits,
                "{last:?} of {max_rounds}"
            );
            if let Some(place) = waits {
                assert!(
                    may_wait_at(place, last, Schedule::seats(max_rounds)),
                    "{last:?} of {max_rounds}"
                );
            }
        }
    }

    #[test]
    fn any_other_place_needs_evidence() {
        use Seat::{Advocate, Critic, Synthesizer, Voice};
        let seats = [Advocate, Critic, Synthesizer, Voice(1), Voice(2)];
        let places = || (1..=4).flat_map(move |round| seats.map(|seat| Place { seat, round }));
        for last in places().map(Some).chain([None]) {
            let fitting: Vec<Place> =
                places().filter(|place| may_wait_at(*place, last, Schedule::seats(3))).collect();
            assert!(fitting.len() <= 2, "{last:?}: {fitting:?}");
        }
        assert!(
            may_wait_at(
                Place { seat: Seat::Advocate, round: 4 },
                at(Seat::Critic, 3),
                Schedule::seats(3)
            ),
            "lowered in mid-round"
        );
        assert!(!may_wait_at(
            Place { seat: Seat::Synthesizer, round: 2 },
            at(Seat::Advocate, 2),
            Schedule::seats(3)
        ));
    }

    #[test]
    fn the_argument_may_end_after_any_reply() {
        use Seat::{Advocate, Critic, Synthesizer};
        let synthesis = |round| Place { seat: Synthesizer, round };
        for (last, round, may) in [
            (None, 1, false),
            (at(Advocate, 2), 1, false),
            (at(Advocate, 2), 2, true),
            (at(Critic, 2), 3, true),
            (at(Critic, 2), 4, false),
            (at(Synthesizer, 2), 2, false),
        ] {
            assert_eq!(may_be_ended_at(synthesis(round), last), may, "{last:?} {round}");
            assert!(!may_be_ended_at(Place { seat: Advocate, round }, last));
        }
    }

    #[test]
    fn the_furthest_place_is_found_in_any_order() {
        let places = [(Seat::Critic, 1), (Seat::Advocate, 2), (Seat::Advocate, 1)];
        let furthest_of = |places: &[(Seat, u8)]| {
            furthest(places.iter().map(|&(seat, round)| Place { seat, round }), Schedule::seats(3))
        };
        assert_eq!(furthest_of(&places), at(Seat::Advocate, 2));
        assert_eq!(
            furthest_of(&[(Seat::Synthesizer, 1), (Seat::Critic, 3)]),
            at(Seat::Synthesizer, 1)
        );
        assert_eq!(furthest_of(&[]), None);
    }
}
