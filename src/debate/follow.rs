//! The pointer follows the transcript: where a debate stands, told by the sections it has.

use super::{Advance, Course, Phase, Place, Signal, advance};

/// The place furthest on in a debate, whatever the order in which its sections stand.
#[must_use]
pub fn furthest(places: impl IntoIterator<Item = Place>, course: Course) -> Option<Place> {
    places.into_iter().filter(|place| course.has(place.phase)).max_by_key(|place| course.rank(*place))
}

/// Where a debate waits whose furthest section is `filed`. `None`: it has its synthesis.
#[must_use]
pub fn waits_at(filed: Option<Place>, course: Course) -> Option<Place> {
    let Some(filed) = filed else { return Some(course.first()) };
    match advance(filed, course, 0, Signal::Filed) {
        Advance::To(next) => Some(next),
        Advance::Complete | Advance::Retry(_) | Advance::Fail => None,
    }
}

/// True when an unfinished debate whose furthest section is `filed` may wait at `place` without further evidence: it is what
/// comes next. The number of rounds may have been lowered since; a synthesis ahead of its time needs evidence.
#[must_use]
pub fn may_wait_at(place: Place, filed: Option<Place>, course: Course) -> bool {
    match place.phase {
        Phase::Advocate | Phase::Critic | Phase::Stakeholder | Phase::Persona => {
            waits_at(filed, course.endless()) == Some(place)
        }
        Phase::Synthesizer => filed.is_some_and(|filed| {
            filed.phase == course.closer() && filed.round >= course.max_rounds && filed.round == place.round
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it stands in for what is found")]
    const fn at(phase: Phase, round: u8) -> Option<Place> {
        Some(Place { phase, round })
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
            assert_eq!(waits_at(filed, Course::seats(max_rounds)), waits, "{filed:?} of {max_rounds}");
            if let Some(place) = waits {
                assert!(may_wait_at(place, filed, Course::seats(max_rounds)), "{filed:?} of {max_rounds}");
            }
        }
    }

    #[test]
    fn every_other_place_is_doubtful() {
        let places = || (1..=4).flat_map(|round| Phase::ALL.map(|phase| Place { phase, round }));
        for filed in places().map(Some).chain([None]) {
            let fitting: Vec<Place> = places().filter(|place| may_wait_at(*place, filed, Course::seats(3))).collect();
            assert!(fitting.len() <= 2, "{filed:?}: {fitting:?}");
        }
        assert!(
            may_wait_at(Place { phase: Phase::Advocate, round: 4 }, at(Phase::Critic, 3), Course::seats(3)),
            "lowered in mid-round"
        );
        assert!(!may_wait_at(Place { phase: Phase::Synthesizer, round: 2 }, at(Phase::Advocate, 2), Course::seats(3)));
    }

    #[test]
    fn the_furthest_place_is_found_in_any_order() {
        let places = [(Phase::Critic, 1), (Phase::Advocate, 2), (Phase::Advocate, 1)];
        let furthest_of = |places: &[(Phase, u8)]| {
            furthest(places.iter().map(|&(phase, round)| Place { phase, round }), Course::seats(3))
        };
        assert_eq!(furthest_of(&places), at(Phase::Advocate, 2));
        assert_eq!(furthest_of(&[(Phase::Synthesizer, 1), (Phase::Critic, 3)]), at(Phase::Synthesizer, 1));
        assert_eq!(furthest_of(&[]), None);
    }
}
