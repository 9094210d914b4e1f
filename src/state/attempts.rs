//! The attempts of a debate: each reply that was asked of a program, on disk before and after it happened.
//!
//! `checkpoints/<id>/attempts.jsonl` has a line when an attempt begins and one when it ended; `attempts/N/` beside it has what
//! the program was given and what it printed. A reply was received when its attempt has its second line, and is then never asked
//! for again. docs/attempts.md has the schema. None of it leaves the machine, and what another machine wrote counts for nothing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::attempt_lines::{EndedLine, Event, FailureKind, StartedLine};
use super::bounds;
use super::seal::{Keys, Kind, Reader};

/// The version of the schema.
const SCHEMA: u32 = 1;

/// Where a seat stands after a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeatState {
    /// When this was.
    pub last_updated: Option<Timestamp>,
    /// `running`, `received` or `failed`.
    pub status: String,
    /// The attempt.
    pub current_attempt: u32,
    /// Tokens of all its attempts, where they were told.
    pub tokens_used: u64,
    /// What went wrong last; empty where nothing did.
    pub last_error: String,
    /// What was done about it; empty where nothing was.
    pub recovery_applied: String,
    /// What was counted.
    pub metrics: Metrics,
}

/// What was counted of a seat, or of a debate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Attempts that began.
    pub attempts: u32,
    /// Those that were not the first for their slot.
    pub retries: u32,
    /// Time in which they ran, in milliseconds.
    pub duration_ms: u64,
    /// Tokens in and out, where they were told.
    pub tokens: u64,
    /// United States dollars, where they were told.
    pub cost: f64,
    /// Bytes that were printed.
    pub bytes: u64,
}

#[derive(Serialize)]
struct Line {
    schema: u32,
    #[serde(flatten)]
    event: Event,
    seat_state: SeatState,
}

/// A line as it is read: where its seat stood is counted anew.
#[derive(Deserialize)]
struct ReadLine {
    schema: u32,
    #[serde(flatten)]
    event: Event,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// How it began.
    pub started: StartedLine,
    /// How it ended. `None`: it runs, or nobody could say.
    pub ended: Option<EndedLine>,
    /// Its reply was handed to the debate.
    pub is_submitted: bool,
}

impl Attempt {
    /// True when its reply was received.
    #[must_use]
    pub fn is_received(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.error.is_none())
    }

    /// The state of the debate that it answers, whoever made it.
    #[must_use]
    pub fn answers(&self) -> &str {
        let generation = self.started.generation.as_str();
        generation.split_once('@').map_or(generation, |(answers, _)| answers)
    }

    /// True where a worker made it under a claim: its generation is that of the claim, after an `@`.
    #[must_use]
    pub fn is_of_claim(&self) -> bool {
        self.started.generation.contains('@')
    }

    /// What went wrong with it.
    #[must_use]
    pub fn failure(&self) -> Option<FailureKind> {
        self.ended.as_ref()?.error
    }
}

/// The attempts of a debate, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempts {
    /// All of them.
    pub all: Vec<Attempt>,
    pub(super) seats: BTreeMap<String, SeatState>,
    /// Lines that this machine did not write; nothing in them counts.
    pub foreign: usize,
}

impl Attempts {
    /// The newest for a state of the debate.
    #[must_use]
    pub fn newest_of(&self, generation: &str) -> Option<&Attempt> {
        self.all.iter().rev().find(|attempt| attempt.started.generation == generation)
    }

    /// The newest at a slot whose reply was received, answers one of these states and waits to be handed to the debate.
    #[must_use]
    pub fn waiting(&self, slot: &str, answers: &[String]) -> Option<&Attempt> {
        let is_waiting = |attempt: &&Attempt| attempt.is_received() && !attempt.is_submitted;
        self.at(slot, answers).rev().find(is_waiting)
    }

    /// Those at a slot that answer one of these states and are not known to have ended.
    pub fn unended(&self, slot: &str, answers: &[String]) -> impl Iterator<Item = &Attempt> {
        self.at(slot, answers).filter(|attempt| attempt.ended.is_none())
    }

    fn at(&self, slot: &str, answers: &[String]) -> impl DoubleEndedIterator<Item = &Attempt> {
        let is_of = move |attempt: &&Attempt| {
            attempt.started.slot == slot && answers.iter().any(|state| state == attempt.answers())
        };
        self.all.iter().filter(is_of)
    }

    /// The failures for a state of the debate, from the attempt `since` on, the newest first.
    pub fn failures(&self, generation: &str, since: u32) -> impl Iterator<Item = &EndedLine> {
        let is_of =
            move |attempt: &&Attempt| attempt.started.generation == generation && attempt.started.attempt >= since;
        let ended = self.all.iter().rev().filter(is_of).filter_map(|attempt| attempt.ended.as_ref());
        ended.filter(|ended| ended.error.is_some_and(FailureKind::counts))
    }

    /// The one of whoever leads the debate that began and is not known to have ended.
    #[must_use]
    pub fn open(&self) -> Option<&Attempt> {
        let newest = self.all.iter().rev().find(|attempt| !attempt.is_of_claim());
        newest.filter(|attempt| attempt.ended.is_none())
    }

    /// What all seats together took.
    #[must_use]
    pub fn total(&self) -> Metrics {
        self.seats.values().fold(Metrics::default(), |sum, seat| sum.plus(seat.metrics))
    }

    /// Each seat by its name.
    #[must_use]
    pub fn seats(&self) -> &BTreeMap<String, SeatState> {
        &self.seats
    }

    /// The number of the next one.
    #[must_use]
    pub fn next_number(&self) -> u32 {
        self.all.iter().map(|attempt| attempt.started.attempt).max().unwrap_or(0).saturating_add(1)
    }

    /// What the lines of a record say that are of this machine.
    pub(super) fn parse(text: &[u8], own: &Reader<'_>) -> Self {
        let mut attempts = Self::default();
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if own.is_own(line) {
                let line = serde_json::from_slice::<ReadLine>(line).ok().filter(|line| line.schema == SCHEMA);
                line.map(|line| attempts.add(line.event));
            } else {
                // A line that a death tore in half is nobody's.
                attempts.foreign += usize::from(line.ends_with(b"}"));
            }
        }
        attempts
    }

    /// The line for an event that comes next. `None`: it says nothing new.
    pub(super) fn line(mut self, event: Event, debate: &str, keys: &Keys) -> Option<Vec<u8>> {
        let seat_state = self.add(event.clone())?;
        let line = serde_json::to_vec(&Line { schema: SCHEMA, event, seat_state }).ok()?;
        let mut line = keys.seal(Kind::Attempt, debate, line);
        line.push(b'\n');
        Some(line)
    }

    /// Adds an event; gives back where its seat stands then. `None`: it has a number that can't be, an end or a reply has no
    /// beginning, or the event is there already.
    fn add(&mut self, event: Event) -> Option<SeatState> {
        match event {
            Event::Started(started) => {
                let is_known = self.all.iter().any(|attempt| attempt.started.attempt == started.attempt);
                if is_known || !bounds::is_number(started.attempt) {
                    return None;
                }
                let is_retry = self.all.iter().any(|attempt| attempt.started.slot == started.slot);
                let seat = self.seats.entry(started.seat.clone()).or_default();
                seat.last_updated = Some(started.at);
                "running".clone_into(&mut seat.status);
                seat.current_attempt = started.attempt;
                seat.recovery_applied.clone_from(&started.recovery);
                seat.metrics.attempts = seat.metrics.attempts.saturating_add(1);
                seat.metrics.retries = seat.metrics.retries.saturating_add(u32::from(is_retry));
                let now = seat.clone();
                self.all.push(Attempt { started, ended: None, is_submitted: false });
                Some(now)
            }
            Event::Ended(ended) => {
                let attempt = self.all.iter_mut().rev().find(|known| known.started.attempt == ended.attempt)?;
                if attempt.ended.is_some() || !ended.is_sane() {
                    return None;
                }
                let seat = self.seats.entry(attempt.started.seat.clone()).or_default();
                seat.last_updated = Some(ended.at);
                let status = if ended.error.is_none() { "received" } else { "failed" };
                status.clone_into(&mut seat.status);
                seat.last_error = ended.error.map_or_else(String::new, |kind| match ended.message.as_str() {
                    "" => kind.label().to_owned(),
                    message => format!("{}: {message}", kind.label()),
                });
                let tokens = ended.tokens.unwrap_or(0);
                seat.tokens_used = seat.tokens_used.saturating_add(tokens);
                seat.metrics = seat.metrics.plus(Metrics {
                    attempts: 0,
                    retries: 0,
                    duration_ms: ended.duration_ms,
                    tokens,
                    cost: ended.cost.unwrap_or(0.0),
                    bytes: ended.bytes,
                });
                let now = seat.clone();
                attempt.ended = Some(ended);
                Some(now)
            }
            Event::Submitted(submitted) => {
                let attempt = self.all.iter_mut().rev().find(|known| known.started.attempt == submitted.attempt)?;
                if attempt.is_submitted || !attempt.is_received() {
                    return None;
                }
                attempt.is_submitted = true;
                let seat = self.seats.entry(attempt.started.seat.clone()).or_default();
                seat.last_updated = Some(submitted.at);
                Some(seat.clone())
            }
        }
    }
}

impl Metrics {
    fn plus(self, other: Self) -> Self {
        Self {
            attempts: self.attempts.saturating_add(other.attempts),
            retries: self.retries.saturating_add(other.retries),
            duration_ms: self.duration_ms.saturating_add(other.duration_ms),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost + other.cost,
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attempt_lines::ProcessMark;
    use super::*;

    fn started(attempt: u32, slot: &str, generation: &str) -> Event {
        Event::Started(StartedLine {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            seat: slot.split(',').next().unwrap().to_owned(),
            slot: slot.to_owned(),
            generation: generation.to_owned(),
            agent: "claude".to_owned(),
            command: vec!["claude".to_owned()],
            process: ProcessMark::default(),
            token: "t".to_owned(),
            recovery: String::new(),
        })
    }

    fn ended(attempt: u32, error: Option<FailureKind>) -> Event {
        Event::Ended(EndedLine {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            code: Some(0),
            signal: None,
            duration_ms: 1_500,
            bytes: 10,
            words: 3,
            tokens: Some(100),
            cost: Some(0.5),
            error,
            reply: None,
            stdout: None,
            message: "why".to_owned(),
            retry_after: None,
            left_behind: 0,
            still_running: 0,
        })
    }

    fn keys() -> Keys {
        Keys::Given(super::super::seal::Key::parse(&"0a".repeat(32)).unwrap())
    }

    fn parse(text: &str) -> Attempts {
        Attempts::parse(text.as_bytes(), &keys().reader(Kind::Attempt, "one"))
    }

    /// The record after these events, as it is read back.
    fn record(events: Vec<Event>) -> (String, Attempts) {
        let mut text = String::new();
        for event in events {
            if let Some(line) = parse(&text).line(event, "one", &keys()) {
                text.push_str(std::str::from_utf8(&line).unwrap());
            }
        }
        let read = parse(&text);
        (text, read)
    }

    #[test]
    fn what_is_noted_is_read_back_and_counted_by_seat() {
        let (text, read) = record(vec![
            started(1, "advocate, round 1", "1.0"),
            ended(1, None),
            started(2, "critic, round 1", "2.0"),
            ended(2, Some(FailureKind::Transient)),
            started(3, "critic, round 1", "2.0"),
            ended(3, Some(FailureKind::Lost)),
            started(4, "critic, round 1", "2.0"),
            // A second end is not noted.
            ended(3, None),
        ]);
        assert_eq!(text.lines().count(), 7);
        assert!(read.newest_of("1.0").unwrap().is_received() && read.newest_of("9.0").is_none());
        assert_eq!(read.open().map(|attempt| attempt.started.attempt), Some(4));
        assert_eq!(read.failures("2.0", 1).count(), 1, "what was lost says nothing about the program");
        assert_eq!(read.failures("2.0", 3).count(), 0);
        let total = read.total();
        assert_eq!((total.attempts, total.retries, total.tokens, total.duration_ms), (4, 2, 300, 4_500));
        let critic = &read.seats()["critic"];
        assert_eq!((critic.status.as_str(), critic.current_attempt, critic.tokens_used), ("running", 4, 200));
        assert_eq!(critic.last_error, "it was lost: why");
        assert_eq!(read.next_number(), 5);
        // Each line has where its seat stands.
        let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last["seat_state"]["metrics"]["attempts"], 3);
        assert_eq!((&last["schema"], &last["event"]), (&SCHEMA.into(), &"started".into()));
    }

    #[test]
    fn a_line_that_was_torn_or_means_nothing_is_passed_over() {
        let (text, whole) = record(vec![started(1, "advocate, round 1", "1.0"), ended(1, None)]);
        for cut in 0..text.len() {
            let read = parse(&text[..cut]);
            assert!(read.all.len() <= 1 && !read.all.iter().any(Attempt::is_received) || read == whole, "{cut}");
        }
        let odd = format!("{{}}\nnull\n[1]\n{{\"schema\":1,\"event\":\"ended\",\"attempt\":7}}\n{text}\u{FFFD}");
        assert_eq!(parse(&odd), Attempts { foreign: 2, ..whole });
    }
}
