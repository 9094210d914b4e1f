//! Estimates the time and the tokens of a debate from earlier debates of the project, and from what
//! this machine's records tell of their replies. It only reads.

use std::time::Duration;

use super::History;
use crate::domain::debate::Debate;
use crate::domain::reply::Usage;
use crate::domain::transcript::{self, Entries};
use crate::seats::{self, Estimate};
use crate::storage::{Attempts, StateFile, Store};

/// Maximum number of earlier debates to measure. The newest ones show how long replies are today.
const MOST_LOOKED_AT: usize = 3;

/// A reply that took longer waited for a person, so its time does not count.
const LONGEST_REPLY: Duration = Duration::from_mins(20);

/// Seconds of a reply without a measurement: a guess on both sides of 35, the value assumed before.
const REPLY_SECONDS: (u64, u64) = (25, 70);

/// Words of a reply of the length that the protocol requests.
const REPLY_WORDS: (u64, u64) = (200, 450);

/// Tokens of a request of Claude Code before the first reply: its own prompt, its tools and the
/// protocol have 54,000 bytes (2.1.330), at four bytes a token. Its cache holds all but the newest
/// reply.
const CLIENT_TOKENS: u64 = 13_500;

/// Lowest and highest seconds and words of one reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace {
    seconds: (u64, u64),
    words: (u64, u64),
    /// Its mean tokens, if the records tell them.
    usage: Option<Usage>,
}

/// The replies that an estimate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    /// One conversation: each request sends it again.
    Conversation,
    /// Programs: each request is a prompt of its own.
    Programs,
}

impl Pace {
    /// Estimates `replies` replies at this pace. `sent` takes the tokens of one reply and returns
    /// the tokens of all requests.
    fn ahead(self, replies: u32, sent: impl Fn(u64) -> u64) -> Estimate {
        let count = u64::from(replies);
        let both = |(least, most): (u64, u64), of: &dyn Fn(u64) -> u64| (of(least), of(most));
        // Four tokens are three words.
        let tokens = |words: u64| words * 4 / 3;
        let told = |tokens: fn(Usage) -> u64| self.usage.map(|usage| tokens(usage) * count);
        let (told_in, told_out) = (told(Usage::sent), told(|usage| usage.out));
        Estimate {
            replies,
            seconds: both(self.seconds, &|seconds| seconds * count),
            tokens_in: told_in
                .map_or_else(|| both(self.words, &|words| sent(tokens(words))), twice),
            tokens_out: told_out
                .map_or_else(|| both(self.words, &|words| tokens(words) * count), twice),
        }
    }
}

/// Estimates a debate at its beginning, in one conversation. Each request sends all earlier replies
/// again.
pub(crate) fn estimate(store: &Store, state: &StateFile) -> Estimate {
    let replies = state.debate.schedule().phases_left(state.debate.progress.slot);
    let count = u64::from(replies);
    let first = CLIENT_TOKENS + state.body.len() as u64 / 4;
    pace(&earlier(store), Writer::Conversation)
        .ahead(replies, |reply| count * first + reply * count * count.saturating_sub(1) / 2)
}

impl History<'_> {
    /// Estimates a debate between programs. `first` is the number of tokens of the first prompt.
    pub fn estimate_run(&self, debate: &Debate, first: u64) -> Estimate {
        let (done, all) = debate.progress();
        let earlier = earlier(&self.context.store_meant(None));
        pace(&earlier, Writer::Programs)
            .ahead(all - done, |reply| seats::tokens_in(debate, first, reply))
    }
}

/// Time for the remaining replies at the pace of the saved ones.
pub(crate) fn left(debate: &Debate, entries: &Entries) -> Option<Duration> {
    let (done, all) = debate.progress();
    Some(median(times(debate, entries).collect())? * (all - done))
}

/// Time of each reply. It skips a reply that waited for a person.
fn times<'a>(debate: &Debate, entries: &'a Entries) -> impl Iterator<Item = Duration> + 'a {
    let mut before = Some(debate.progress.started_at);
    entries.replies().filter_map(move |(_, reply)| {
        let took =
            reply.at.zip(before).and_then(|(at, before)| at.duration_since(before).try_into().ok());
        before = reply.at;
        took.filter(|took: &Duration| *took <= LONGEST_REPLY)
    })
}

/// The upper median: a pause between two replies, or a person who looked something up, moves it
/// little.
fn median<T: Ord + Copy>(mut all: Vec<T>) -> Option<T> {
    all.sort_unstable();
    all.get(all.len() / 2).copied()
}

/// The newest finished debates, with this machine's records of their attempts.
fn earlier(store: &Store) -> Vec<(StateFile, Attempts)> {
    let recorded = |state: StateFile| {
        let attempts = store.attempts(&state.debate.id).unwrap_or_default();
        (state, attempts)
    };
    store.newest_completed(MOST_LOOKED_AT).into_iter().map(recorded).collect()
}

fn pace(earlier: &[(StateFile, Attempts)], writer: Writer) -> Pace {
    let (mut took, mut words, mut told) = (Vec::new(), Vec::new(), Vec::new());
    for (state, attempts) in earlier {
        let entries = transcript::parse(&state.body);
        let measured = measured(attempts, writer);
        let recorded = measured.iter().filter_map(|(took, _)| *took);
        let recorded: Vec<Duration> = recorded.filter(|took| *took <= LONGEST_REPLY).collect();
        if recorded.is_empty() {
            took.extend(times(&state.debate, &entries).map(|took| took.as_secs()));
        }
        took.extend(recorded.iter().map(Duration::as_secs));
        words.extend(entries.replies().map(|(_, reply)| reply.words() as u64));
        told.extend(measured.into_iter().filter_map(|(_, usage)| usage));
    }
    Pace {
        seconds: median(took).map_or(REPLY_SECONDS, twice),
        words: median(words).map_or(REPLY_WORDS, twice),
        usage: mean(&told),
    }
}

/// Time and tokens of the replies that came, as far as they were told.
fn measured(attempts: &Attempts, writer: Writer) -> Vec<(Option<Duration>, Option<Usage>)> {
    let time = Duration::from_millis;
    match writer {
        Writer::Conversation => {
            let saved = attempts.turns.iter().filter(|turn| turn.error.is_none());
            saved.map(|turn| (turn.duration_ms.map(time), turn.usage)).collect()
        }
        Writer::Programs => {
            let ended = attempts.all.iter().filter_map(|attempt| attempt.ended.as_ref());
            let saved = ended.filter(|ended| ended.error.is_none());
            saved.map(|ended| (Some(time(ended.duration_ms)), ended.usage)).collect()
        }
    }
}

fn mean(told: &[Usage]) -> Option<Usage> {
    let sum = told.iter().copied().reduce(Usage::plus)?;
    let share = |tokens: u64| tokens / told.len() as u64;
    Some(Usage { fresh: share(sum.fresh), cached: share(sum.cached), out: share(sum.out) })
}

fn twice(number: u64) -> (u64, u64) {
    (number, number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::debate::{Phase, Slot};
    use crate::storage::{FailureKind, TurnLine};
    use jiff::{SignedDuration, Timestamp};

    #[test]
    fn the_pace_ignores_replies_that_waited_for_a_person() {
        let started = Timestamp::UNIX_EPOCH;
        let debate = Debate::new("id".into(), "Why?".into(), 1, started);
        let mut state = StateFile::new(debate);
        // The second reply waited for a night.
        for (seconds, phase) in
            [(60, Phase::Advocate), (40_000, Phase::Critic), (40_060, Phase::Synthesizer)]
        {
            let at = started + SignedDuration::from_secs(seconds);
            let slot = Slot { phase, round: 1 };
            transcript::append(&mut state.body, slot, None, at, &"word ".repeat(300));
        }
        let pace = |earlier: &[_]| super::pace(earlier, Writer::Conversation);
        let measured = pace(&[(state, Attempts::default())]);
        assert_eq!(measured, Pace { seconds: (60, 60), words: (300, 300), usage: None });
        let estimate = measured.ahead(7, |reply| 7 * 1_000 + 21 * reply);
        let whole = Estimate {
            replies: 7,
            seconds: (420, 420),
            tokens_in: (15_400, 15_400),
            tokens_out: (2_800, 2_800),
        };
        assert_eq!(estimate, whole);
        assert_eq!(
            pace(&[]).ahead(7, |reply| reply).seconds,
            (175, 490),
            "a range, where nothing was measured"
        );
    }

    #[test]
    fn tokens_of_a_record_go_before_words_and_only_for_the_same_kind_of_writer() {
        let at = Timestamp::UNIX_EPOCH;
        let state = StateFile::new(Debate::new("id".into(), "Why?".into(), 1, at));
        let turn = |seconds: i64, usage, error| {
            let ended = at + SignedDuration::from_secs(seconds);
            TurnLine { usage, error, ..TurnLine::new(&state.debate, at, ended) }
        };
        let usage = |cached, out| Some(Usage { fresh: 1_000, cached, out });
        let attempts = Attempts {
            turns: vec![
                turn(40, usage(10_000, 300), None),
                turn(50, usage(20_000, 500), None),
                turn(60, None, None),
                turn(9, usage(1, 1), Some(FailureKind::Interrupted)),
            ],
            ..Attempts::default()
        };
        let earlier = [(state, attempts)];
        let told = pace(&earlier, Writer::Conversation);
        assert_eq!((told.usage, told.seconds), (usage(15_000, 400), (50, 50)));
        let ahead = told.ahead(7, |_| unreachable!("the tokens are told"));
        assert_eq!((ahead.tokens_in, ahead.tokens_out), ((112_000, 112_000), (2_800, 2_800)));
        let programs = pace(&earlier, Writer::Programs);
        assert_eq!((programs.usage, programs.seconds), (None, REPLY_SECONDS));
    }
}
