//! What a debate will take, as far as the earlier ones here tell. Looks only.

use std::time::Duration;

use crate::debate::Debate;
use crate::state::{StateFile, Store};
use crate::transcript;

/// Most earlier debates that are looked at: the newest ones tell how long replies are today.
const MOST_LOOKED_AT: usize = 3;

/// A reply that took longer than this waited for somebody.
const LONGEST_REPLY: Duration = Duration::from_mins(20);

/// What is ahead of a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Replies from now to its end, where nothing shortens it.
    pub replies: u32,
    /// What the replies of earlier debates here took; `None`: there is nothing to tell from.
    pub pace: Option<Pace>,
}

/// What so many replies take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long it is until the last one is filed.
    pub time: Duration,
    /// Words in all of them.
    pub words: usize,
}

/// What this debate, which is at its beginning, will take.
pub(super) fn estimate(store: &Store, debate: &Debate) -> Estimate {
    let replies = debate.schedule().phases_left(debate.progress.slot);
    Estimate { replies, pace: pace(&store.newest_completed(MOST_LOOKED_AT), replies) }
}

fn pace(earlier: &[StateFile], replies: u32) -> Option<Pace> {
    let (mut time, mut timed, mut words, mut counted) = (Duration::ZERO, 0_u32, 0, 0);
    for state in earlier {
        let entries = transcript::parse(&state.body);
        let mut before = Some(state.debate.progress.started_at);
        for (_, reply) in entries.replies() {
            let took = reply.at.zip(before).and_then(|(at, before)| at.duration_since(before).try_into().ok());
            if let Some(took) = took.filter(|took: &Duration| *took <= LONGEST_REPLY) {
                time += took;
                timed += 1;
            }
            before = reply.at;
            words += reply.words();
            counted += 1;
        }
    }
    (timed > 0).then(|| Pace { time: time / timed * replies, words: words / counted * replies as usize })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::debate::{Phase, Slot};
    use jiff::{SignedDuration, Timestamp};

    #[test]
    fn the_pace_is_that_of_earlier_replies_without_what_waited_for_somebody() {
        let started = Timestamp::UNIX_EPOCH;
        let debate = Debate::new("id".into(), "Why?".into(), 1, started);
        let mut state = StateFile::new(debate);
        // The second one waited for a night.
        for (seconds, phase) in [(60, Phase::Advocate), (40_000, Phase::Critic), (40_120, Phase::Synthesizer)] {
            let at = started + SignedDuration::from_secs(seconds);
            let slot = Slot { phase, round: 1 };
            transcript::append_reply(&mut state.body, slot, None, at, &"word ".repeat(200), false);
        }
        assert_eq!(pace(&[state], 7), Some(Pace { time: Duration::from_secs(7 * 90), words: 1_400 }));
        assert_eq!(pace(&[], 7), None);
    }
}
