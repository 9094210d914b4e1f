//! The attempts of a debate, and their writers: each request to a program for a reply, on disk
//! before and after it runs; each claimed task; and each turn of a conversation, when it ended.
//!
//! `snapshots/<id>/attempts.jsonl` has a line when an attempt begins and one when it ended;
//! `attempts/N/` has the program's input and output. A reply is received when its attempt has its
//! second line; then it is never requested again. docs/attempts.md has the schema. The record never
//! leaves the machine, and records of other machines do not count.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::attempt_lines::{AttemptEvent, ClaimLine, Origin, StartedLine};
use anvil_core::attempt::{
    EarlierAttempt, Effort, EndedLine, FailureKind, Generation, Metrics, ReturnedLine, SeatState,
    SeatStatus, Slot, TurnLine, bounds,
};
use anvil_core::reply::Usage;
use anvil_core::transcript::Author;

const SCHEMA: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AttemptLine {
    schema: u32,
    #[serde(flatten)]
    event: AttemptEvent,
}

impl AttemptLine {
    pub(crate) fn is_turn(&self) -> bool {
        matches!(self.event, AttemptEvent::Turn(_))
    }
}

impl From<AttemptEvent> for AttemptLine {
    fn from(event: AttemptEvent) -> Self {
        Self { schema: SCHEMA, event }
    }
}

/// The name of a person who claims a task without a name.
pub const USER: &str = "the user";

#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub started: StartedLine,
    /// Why its reply was returned, for another try. `None`: it was not.
    pub returned: Option<ReturnedLine>,
    /// `None`: the attempt runs, or its end is not known.
    pub ended: Option<EndedLine>,
    /// The debate has got its reply.
    pub is_submitted: bool,
    /// Another cycle has begun since: nobody waits for its reply.
    pub is_over: bool,
}

impl Attempt {
    pub fn is_received(&self) -> bool {
        self.ended.as_ref().is_some_and(|ended| ended.error.is_none())
    }

    /// The generation that it answers.
    pub fn answers(&self) -> Generation {
        self.returned.map_or(self.started.generation, |returned| returned.generation)
    }

    /// The claim of its task. `None`: a program writes it.
    pub fn claim(&self) -> Option<&ClaimLine> {
        self.started.claim.as_ref()
    }

    /// True for a claim without a reply, made by a process that is provably gone.
    pub fn is_dead(&self) -> bool {
        self.ended.is_none() && self.claim().is_some_and(|claim| claim.holder.is_dead())
    }

    /// The writer of its reply.
    pub fn author(&self) -> Author {
        let StartedLine { origin: Origin { agent, family, instead_of }, claim, .. } = &self.started;
        if claim.is_some() {
            return if agent == USER { Author::person() } else { Author::new(agent, None, None) };
        }
        let model = self.ended.as_ref().and_then(|ended| ended.model.as_deref());
        let author = Author::new(agent, model, Some(family));
        match instead_of {
            Some(agent) => author.instead_of(agent),
            None => author,
        }
    }

    pub fn failure(&self) -> Option<FailureKind> {
        self.ended.as_ref()?.error
    }

    /// The attempt as the next one sees it.
    fn as_earlier(&self) -> EarlierAttempt<'_> {
        let StartedLine { attempt, seat, slot, origin, .. } = &self.started;
        let agent = &origin.agent;
        let instead_of = origin.instead_of.as_deref();
        EarlierAttempt {
            number: *attempt,
            seat,
            slot: *slot,
            agent,
            instead_of,
            failure: self.failure(),
        }
    }
}

/// The attempts of a debate, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempts {
    /// The attempts of programs.
    pub all: Vec<Attempt>,
    /// The claims of tasks.
    pub claims: Vec<Attempt>,
    /// The turns of conversations.
    pub turns: Vec<TurnLine>,
    /// The seats by name.
    pub seats: BTreeMap<String, SeatState>,
    /// The tries of each requested reply: slot and generation, without its retries.
    requests: HashMap<(Slot, Generation), u32>,
    /// The newest numbered attempt of each seat.
    newest: HashMap<String, u32>,
    /// Where the attempt with a number is: in `claims` or in `all`, and its index there.
    indices: HashMap<u32, (bool, usize)>,
}

impl Attempts {
    /// The newest at a slot for a state of the debate.
    pub fn newest_at(&self, slot: Slot, answers: Generation) -> Option<&Attempt> {
        self.at(slot, &[answers]).next_back()
    }

    /// The newest reply to a step that was received.
    pub fn newest_reply_to(&self, step: u32) -> Option<&Attempt> {
        self.all
            .iter()
            .rev()
            .find(|attempt| attempt.answers().is_reply_to(step) && attempt.is_received())
    }

    /// The newest received reply at a slot that answers one of these states and is not yet
    /// submitted to the debate.
    pub fn waiting(&self, slot: Slot, answers: &[Generation]) -> Option<&Attempt> {
        at(&self.claims, slot, answers)
            .chain(self.at(slot, answers))
            .rev()
            .find(|attempt| attempt.is_received() && !attempt.is_submitted)
    }

    /// The claims without a reply.
    pub fn open_claims(&self) -> impl Iterator<Item = &Attempt> {
        self.claims.iter().filter(|claim| claim.ended.is_none() && !claim.is_over)
    }

    fn at(&self, slot: Slot, answers: &[Generation]) -> impl DoubleEndedIterator<Item = &Attempt> {
        at(&self.all, slot, answers)
    }

    /// The failures of an agent at a slot for one of these states of the debate, from the attempt
    /// `first` on, the newest first.
    pub fn failures(
        &self,
        slot: Slot,
        answers: &[Generation],
        agent: &str,
        first: u32,
    ) -> impl Iterator<Item = &EndedLine> {
        self.at(slot, answers)
            .rev()
            .filter(move |attempt| {
                attempt.started.origin.agent == agent && attempt.started.attempt >= first
            })
            .filter_map(|attempt| attempt.ended.as_ref())
            .filter(|ended| ended.error.is_some_and(FailureKind::counts))
    }

    /// The number of failures at a slot for one of these states of the debate.
    pub fn failure_count(&self, slot: Slot, answers: &[Generation]) -> usize {
        self.at(slot, answers).filter_map(Attempt::failure).filter(|kind| kind.counts()).count()
    }

    /// The attempts of programs that began and are not known to have ended.
    pub fn open(&self) -> impl Iterator<Item = &Attempt> {
        self.all.iter().filter(|attempt| attempt.ended.is_none())
    }

    /// The attempts of programs, in their order.
    pub fn earlier_attempts(&self) -> impl Iterator<Item = EarlierAttempt<'_>> {
        self.all.iter().map(Attempt::as_earlier)
    }

    /// How long each received reply of a program and each saved one of a conversation took.
    pub fn reply_times(&self) -> impl Iterator<Item = Duration> + '_ {
        let received = self.all.iter().filter_map(|attempt| attempt.ended.as_ref());
        let programs =
            received.filter(|ended| ended.error.is_none()).map(|ended| ended.exit.duration_ms);
        let saved = self.turns.iter().filter(|turn| turn.error.is_none());
        let turns = saved.filter_map(|turn| turn.duration_ms);
        programs.chain(turns).map(Duration::from_millis)
    }

    /// `None`: no reply was requested that this machine knows of.
    pub fn effort(&self) -> Option<Effort> {
        let all = self.all.iter().chain(&self.claims);
        let received = all.filter(|attempt| attempt.is_received()).count();
        let saved = self.turns.iter().filter(|turn| turn.error.is_none()).count();
        let retries = self.seats.iter().map(|(name, seat)| (name, seat.metrics.retries));
        Effort::new(self.total(), (received + saved) as u32, retries)
    }

    /// The counts of all seats together.
    pub fn total(&self) -> Metrics {
        self.seats.values().fold(Metrics::default(), |sum, seat| sum.plus(seat.metrics))
    }

    pub fn next_number(&self) -> u32 {
        self.all
            .iter()
            .chain(&self.claims)
            .map(|attempt| attempt.started.attempt)
            .max()
            .unwrap_or(0)
            .saturating_add(1)
    }

    /// Adds the lines of a record from its beginning, or lines without a turn that come next.
    pub(crate) fn read_on(&mut self, lines: Vec<AttemptLine>) {
        let events: Vec<AttemptEvent> =
            lines.into_iter().filter(|line| line.schema == SCHEMA).map(|line| line.event).collect();
        // The last line about a turn counts.
        let last: HashMap<_, usize> = events
            .iter()
            .enumerate()
            .filter_map(|(at, event)| Some((turn_request(event)?, at)))
            .collect();
        for (at, event) in events.into_iter().enumerate() {
            if turn_request(&event).is_none_or(|request| last.get(&request) == Some(&at)) {
                self.add(event);
            }
        }
    }

    /// The tries of a reply on record. `answers`: the state that it answers.
    pub fn tries(&self, slot: Slot, answers: Generation) -> u32 {
        self.requests.get(&(slot, answers.first_request())).copied().unwrap_or_default()
    }

    /// Counts a try of a reply; returns its number. An undo and another cycle ask for another
    /// reply at the slot: their step is higher, or the reply to the earlier request was saved.
    fn count_try(&mut self, slot: Slot, generation: Generation) -> u32 {
        let tries = self.requests.entry((slot, generation.first_request())).or_default();
        *tries = tries.saturating_add(1);
        *tries
    }

    /// The turn that was to write a reply to this state and was cut off, requested at this time.
    pub fn cut_turn(&self, answers: Generation, requested_at: Timestamp) -> Option<&TurnLine> {
        self.turns
            .iter()
            .rev()
            .find(|turn| turn.asked == requested_at && turn.generation == answers)
            .filter(|turn| turn.is_cut())
    }

    /// Adds an event; returns the name of its seat. `None`: the event's number is out of bounds,
    /// its attempt has no beginning, or the event is known already.
    fn add(&mut self, event: AttemptEvent) -> Option<String> {
        match event {
            AttemptEvent::Started(started) => self.start(*started),
            AttemptEvent::Returned(returned) => {
                let attempt = self.get_mut(returned.attempt)?;
                if attempt.ended.is_some() || attempt.claim().is_none() {
                    return None;
                }
                attempt.returned = Some(returned);
                let (name, slot) = (attempt.started.seat.clone(), attempt.started.slot);
                let tries = self.count_try(slot, returned.generation);
                let seat = self.seats.entry(name.clone()).or_default();
                seat.current_attempt = tries;
                seat.metrics.retries = seat.metrics.retries.saturating_add(1);
                Some(name)
            }
            AttemptEvent::Ended(ended) => self.end(&ended),
            AttemptEvent::Submitted(submitted) => {
                let attempt = self.get_mut(submitted.attempt)?;
                let is_over = attempt.is_received() || attempt.claim().is_some();
                if attempt.is_submitted || attempt.ended.is_none() || !is_over {
                    return None;
                }
                attempt.is_submitted = true;
                let name = attempt.started.seat.clone();
                let (slot, answers) = (attempt.started.slot, attempt.answers());
                if answers.turn().is_none() {
                    self.requests.remove(&(slot, answers));
                }
                self.seats.entry(name.clone()).or_default().last_updated = Some(submitted.at);
                Some(name)
            }
            AttemptEvent::Turn(turn) => self.add_turn(turn),
            AttemptEvent::Cycle(_) => {
                for attempt in self.all.iter_mut().chain(&mut self.claims) {
                    attempt.is_over = true;
                }
                None
            }
        }
    }

    fn start(&mut self, started: StartedLine) -> Option<String> {
        let number = started.attempt;
        let is_claim = started.claim.is_some();
        if self.indices.contains_key(&number) || !bounds::is_number(number) {
            return None;
        }
        let name = started.seat.clone();
        let tries = self.count_try(started.slot, started.generation);
        let is_retry = tries > 1 || !started.recovery.is_empty();
        self.newest.insert(name.clone(), number);
        let seat = self.seats.entry(name.clone()).or_default();
        seat.last_updated = Some(started.at);
        seat.status = SeatStatus::Running;
        seat.current_attempt = tries;
        seat.recovery_applied =
            Some(started.recovery.clone()).filter(|recovery| !recovery.is_empty());
        seat.metrics.attempts = seat.metrics.attempts.saturating_add(1);
        seat.metrics.retries = seat.metrics.retries.saturating_add(u32::from(is_retry));
        let attempts = if is_claim { &mut self.claims } else { &mut self.all };
        self.indices.insert(number, (is_claim, attempts.len()));
        let is_submitted = false;
        let is_over = false;
        attempts.push(Attempt { started, returned: None, ended: None, is_submitted, is_over });
        Some(name)
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut Attempt> {
        let (is_claim, index) = *self.indices.get(&number)?;
        if is_claim { self.claims.get_mut(index) } else { self.all.get_mut(index) }
    }

    fn end(&mut self, ended: &EndedLine) -> Option<String> {
        let attempt = self.get_mut(ended.attempt)?;
        if attempt.ended.is_some() || !ended.is_sane() {
            return None;
        }
        let name = attempt.started.seat.clone();
        let is_claim = attempt.claim().is_some();
        attempt.ended = Some(ended.clone());
        let seat = self.seats.entry(name.clone()).or_default();
        // Another one has begun meanwhile: that this one was lost is known later.
        if self.newest.get(&name) == Some(&ended.attempt) {
            seat.end(ended.at, ended.error, &ended.message);
        }
        seat.add(Metrics {
            duration_ms: ended.exit.duration_ms,
            tokens: ended.tokens,
            usage: ended.usage,
            without_tokens: u32::from(ended.tokens.is_none()),
            cost: ended.cost,
            bytes: Some(ended.exit.bytes).filter(|_| !is_claim),
            ..Metrics::default()
        });
        Some(name)
    }

    fn add_turn(&mut self, turn: TurnLine) -> Option<String> {
        if !turn.is_sane() {
            return None;
        }
        let tries = self.count_try(turn.slot, turn.generation);
        let seat = self.seats.entry(turn.seat.clone()).or_default();
        (seat.current_attempt, seat.recovery_applied) = (tries, None);
        seat.end(turn.at, turn.error, &turn.message);
        seat.add(Metrics {
            attempts: 1,
            retries: u32::from(tries > 1),
            duration_ms: turn.duration_ms.unwrap_or(0),
            tokens: turn.usage.map(Usage::sum),
            usage: turn.usage,
            without_tokens: u32::from(turn.usage.is_none()),
            ..Metrics::default()
        });
        let name = turn.seat.clone();
        self.turns.push(turn);
        Some(name)
    }
}

/// The attempts of the cycle at a slot that answer one of these states.
fn at<'a>(
    all: &'a [Attempt],
    slot: Slot,
    answers: &[Generation],
) -> impl DoubleEndedIterator<Item = &'a Attempt> {
    all.iter()
        .filter(|attempt| !attempt.is_over)
        .filter(move |attempt| attempt.started.slot == slot && answers.contains(&attempt.answers()))
}

/// The request that a turn answers.
fn turn_request(event: &AttemptEvent) -> Option<(Generation, Timestamp)> {
    match event {
        AttemptEvent::Turn(turn) => Some((turn.generation, turn.asked)),
        AttemptEvent::Started(_)
        | AttemptEvent::Returned(_)
        | AttemptEvent::Ended(_)
        | AttemptEvent::Submitted(_)
        | AttemptEvent::Cycle(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_lines::JsonLines;
    use crate::machine::holder::Holder;
    use anvil_core::attempt::{CycleLine, Exit, Leftovers, SubmittedLine};
    use anvil_core::debate::Debate;
    use anvil_system::process::ProcessId;

    fn slot(text: &str) -> Slot {
        text.parse().unwrap()
    }

    fn started(attempt: u32, slot: &str, generation: &str) -> AttemptEvent {
        AttemptEvent::Started(Box::new(StartedLine {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            seat: slot.split(',').next().unwrap().to_owned(),
            slot: slot.parse().unwrap(),
            generation: Generation::parse(generation).unwrap(),
            origin: Origin {
                agent: "claude".to_owned(),
                family: "anthropic".to_owned(),
                instead_of: None,
            },
            command: vec!["claude".to_owned()],
            process: ProcessId::default(),
            token: "t".to_owned(),
            recovery: String::new(),
            claim: None,
        }))
    }

    fn claimed(attempt: u32, task: &str) -> AttemptEvent {
        let AttemptEvent::Started(line) = started(attempt, "critic, round 1", "2.0") else {
            unreachable!()
        };
        let task = task.to_owned();
        let token = "digest".to_owned();
        let user = String::new();
        let claim = Some(ClaimLine { task, token, user, holder: Holder::user() });
        AttemptEvent::Started(Box::new(StartedLine { command: Vec::new(), claim, ..*line }))
    }

    fn ended(attempt: u32, error: Option<FailureKind>) -> AttemptEvent {
        AttemptEvent::Ended(EndedLine {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            exit: Exit { code: Some(0), signal: None, duration_ms: 1_500, bytes: 10 },
            words: 3,
            model: None,
            tokens: Some(100),
            usage: None,
            cost: Some(0.5),
            error,
            reply: None,
            stdout: None,
            message: "why".to_owned(),
            retry_after: None,
            left: Leftovers::default(),
        })
    }

    fn parse(text: &str) -> Attempts {
        let mut attempts = Attempts::default();
        attempts.read_on(JsonLines::parse(text.as_bytes()));
        attempts
    }

    fn record(events: Vec<AttemptEvent>) -> (String, Attempts) {
        let mut text = String::new();
        for event in events {
            let line = JsonLines::line(&AttemptLine::from(event)).unwrap();
            text.push_str(std::str::from_utf8(&line).unwrap());
        }
        let read = parse(&text);
        (text, read)
    }

    #[test]
    fn attempts_are_read_back_and_counted_by_seat() {
        let (text, read) = record(vec![
            started(1, "advocate, round 1", "1.0"),
            ended(1, None),
            started(2, "critic, round 1", "2.0"),
            ended(2, Some(FailureKind::Transient)),
            started(3, "critic, round 1", "2.0"),
            ended(3, Some(FailureKind::Lost)),
            started(4, "critic, round 1", "2.0"),
            // Of two ends the first counts.
            ended(3, None),
        ]);
        assert_eq!(text.lines().count(), 8);
        let of = |text: &str| Generation::parse(text).unwrap();
        assert!(read.newest_at(slot("advocate, round 1"), of("1.0")).unwrap().is_received());
        for (name, state) in [("advocate, round 1", "9.0"), ("critic, round 1", "1.0")] {
            assert!(read.newest_at(slot(name), of(state)).is_none(), "{name}");
        }
        assert_eq!(read.open().map(|attempt| attempt.started.attempt).collect::<Vec<_>>(), [4]);
        let failures = |agent, first| {
            let answers = [of("2.0")];
            read.failures(slot("critic, round 1"), &answers, agent, first).count()
        };
        assert_eq!(failures("claude", 1), 1, "what was lost says nothing about the program");
        assert_eq!((failures("claude", 3), failures("codex", 1)), (0, 0));
        let total = read.total();
        assert_eq!(
            (total.attempts, total.retries, total.tokens, total.duration_ms),
            (4, 2, Some(300), 4_500)
        );
        assert_eq!((total.without_tokens, total.cost, total.bytes), (0, Some(1.5), Some(30)));
        let critic = &read.seats["critic"];
        assert_eq!(
            (critic.status, critic.current_attempt, critic.tokens_used),
            (SeatStatus::Running, 3, Some(200))
        );
        assert_eq!(critic.last_error, "it was lost: why");
        assert_eq!(read.next_number(), 5);
        let AttemptEvent::Ended(end) = ended(1, None) else { unreachable!() };
        let silent = AttemptEvent::Ended(EndedLine { tokens: None, ..end });
        let (_, of_silent) = record(vec![started(1, "advocate, round 1", "1.0"), silent]);
        assert_eq!(of_silent.total().without_tokens, 1);
        let line: serde_json::Value = serde_json::from_str(text.lines().nth(6).unwrap()).unwrap();
        assert_eq!((&line["schema"], &line["event"]), (&SCHEMA.into(), &"started".into()));
    }

    fn turn(asked: i64, generation: &str, error: Option<FailureKind>) -> TurnLine {
        let at = |second| Timestamp::from_second(second).unwrap();
        let debate = Debate::new("one".into(), "Why?".into(), 3, at(0));
        TurnLine {
            generation: Generation::parse(generation).unwrap(),
            words: 7,
            usage: error.is_none().then_some(Usage { fresh: 30, cached: 50, out: 20 }),
            error,
            ..TurnLine::new(&debate, at(asked), at(asked + 4))
        }
    }

    #[test]
    fn turns_count_with_the_attempts_and_once_for_each_request() {
        let failed = |asked| turn(asked, "1.0", Some(FailureKind::Interrupted));
        let cut = TurnLine { duration_ms: None, ..failed(20) };
        let (_, read) = record(vec![
            AttemptEvent::Turn(failed(10)),
            // The same request, read once more.
            AttemptEvent::Turn(failed(20)),
            started(1, "critic, round 1", "2.0"),
            AttemptEvent::Turn(cut.clone()),
            AttemptEvent::Turn(turn(30, "1.0", None)),
            ended(1, None),
            started(2, "advocate, round 1", "1.1"),
        ]);
        assert_eq!(read.turns, [failed(10), cut, turn(30, "1.0", None)]);
        let total = read.total();
        assert_eq!((total.attempts, total.retries, total.without_tokens), (5, 3, 2));
        assert_eq!((total.tokens, total.duration_ms), (Some(200), 9_500));
        assert_eq!(total.usage, Some(Usage { fresh: 30, cached: 50, out: 20 }));
        assert_eq!((read.next_number(), read.seats["advocate"].current_attempt), (3, 4));
    }

    #[test]
    fn a_reply_to_a_cycle_that_was_lost_and_asked_for_again_is_a_retry() {
        for generation in ["c1", "r4", "3.0k"] {
            let (_, read) = record(vec![
                started(1, "critic, round 1", generation),
                ended(1, Some(FailureKind::Lost)),
                started(2, "critic, round 1", generation),
                ended(2, None),
            ]);
            let effort = read.effort().unwrap();
            assert_eq!((effort.attempts, effort.replies), (2, 1));
            let retries: Vec<u32> = effort.retries.iter().map(|seat| seat.retries).collect();
            assert_eq!(retries, [1], "{generation}");
        }
    }

    #[test]
    fn an_undo_and_another_cycle_are_no_retries() {
        let (_, read) = record(vec![
            AttemptEvent::Turn(turn(10, "1.0", None)),
            // After an undo, and in another cycle.
            AttemptEvent::Turn(turn(20, "3.0", None)),
            AttemptEvent::Turn(turn(30, "7.0", None)),
            started(1, "advocate, round 1", "9.0"),
        ]);
        assert_eq!((read.total().attempts, read.total().retries), (4, 0));
        let submitted =
            AttemptEvent::Submitted(SubmittedLine { attempt: 1, at: Timestamp::UNIX_EPOCH });
        let first = vec![started(1, "advocate, round 1", "c1"), ended(1, None), submitted];
        let again =
            vec![started(2, "advocate, round 1", "c1"), started(3, "critic, round 1", "c1")];
        let (_, read) = record([first, again].concat());
        assert_eq!((read.total().attempts, read.total().retries), (3, 0));
        let (_, read) = record(vec![
            AttemptEvent::Turn(turn(10, "1.0", Some(FailureKind::Misshapen))),
            AttemptEvent::Turn(turn(20, "1.1", None)),
        ]);
        assert_eq!(read.total().retries, 1);
        let seat = &read.seats["advocate"];
        assert_eq!((seat.current_attempt, &seat.recovery_applied), (2, &None));
    }

    #[test]
    fn a_claim_is_open_until_its_reply_and_counts_as_an_attempt() {
        let returned = |retries| {
            AttemptEvent::Returned(ReturnedLine {
                attempt: 1,
                at: Timestamp::UNIX_EPOCH,
                generation: Generation::parse("2.1").unwrap(),
                retries,
                form_retry: true,
            })
        };
        let submitted =
            |attempt| AttemptEvent::Submitted(SubmittedLine { attempt, at: Timestamp::UNIX_EPOCH });
        let mut events = vec![claimed(1, "critic-1"), returned(1), started(2, "judge 1", "3.0")];
        let (_, open) = record(events.clone());
        assert_eq!((open.open_claims().count(), open.next_number()), (1, 3));
        let critic = &open.claims[0];
        assert_eq!((critic.answers().to_string().as_str(), critic.is_dead()), ("2.1", false));
        assert_eq!(open.seats["critic"].current_attempt, 2);
        assert_eq!(open.total().attempts, 2);
        // What is over is neither returned nor submitted twice.
        events.extend([ended(1, None), returned(2)]);
        let (_, received) = record(events.clone());
        assert_eq!(received.claims[0].returned.map(|it| it.retries), Some(1));
        let waits =
            |read: &Attempts| read.waiting(slot("critic, round 1"), &[critic.answers()]).is_some();
        assert!(waits(&received) && received.open_claims().count() == 0);
        events.extend([submitted(1), submitted(1)]);
        let (_, filed) = record(events);
        assert!(!waits(&filed) && filed.claims[0].is_submitted);
        let critic = filed.seats["critic"].clone();
        assert_eq!((critic.status, critic.metrics.bytes), (SeatStatus::Received, None));
    }

    #[test]
    fn another_cycle_waits_for_no_attempt_before_it() {
        let (text, before) = record(vec![
            started(1, "critic, round 1", "c2"),
            ended(1, None),
            claimed(2, "critic-1"),
            started(3, "advocate, round 1", "c2"),
        ]);
        let of = |text: &str| Generation::parse(text).unwrap();
        let waits = |read: &Attempts| read.waiting(slot("critic, round 1"), &[of("c2")]).is_some();
        assert!(waits(&before) && before.open_claims().count() == 1);
        let line = CycleLine { at: Timestamp::UNIX_EPOCH };
        let line = AttemptLine::from(AttemptEvent::Cycle(line));
        let text = text + std::str::from_utf8(&JsonLines::line(&line).unwrap()).unwrap();
        // What a program of the earlier cycle still writes is not waited for either.
        let late = AttemptLine::from(ended(3, None));
        let text = text + std::str::from_utf8(&JsonLines::line(&late).unwrap()).unwrap();
        let after = parse(&text);
        assert!(!waits(&after) && after.open_claims().count() == 0);
        assert!(after.waiting(slot("advocate, round 1"), &[of("c2")]).is_none());
        assert_eq!((after.total().attempts, after.next_number()), (3, 4));
    }

    #[test]
    fn a_turn_is_cut_off_until_its_reply_is_found() {
        let cut = turn(10, "1.0", Some(FailureKind::Transient));
        let of = |events| {
            let (_, read) = record(events);
            read.cut_turn(cut.generation, cut.asked).is_some()
        };
        assert!(of(vec![AttemptEvent::Turn(cut.clone())]));
        assert!(!of(vec![
            AttemptEvent::Turn(cut.clone()),
            AttemptEvent::Turn(turn(10, "1.0", None))
        ]));
        for other in [turn(11, "1.0", cut.error), turn(10, "2.0", cut.error)] {
            assert!(!of(vec![AttemptEvent::Turn(other)]));
        }
        assert!(!of(vec![AttemptEvent::Turn(turn(10, "1.0", Some(FailureKind::Empty)))]));
    }

    #[test]
    fn a_fact_check_does_not_count_as_the_reply_to_a_retry() {
        let (_, read) = record(vec![
            started(1, "critic, round 1", "2.0"),
            ended(1, None),
            started(2, "critic, round 1", "2.1"),
            ended(2, None),
            started(3, "fact check, round 1", "2.0k"),
            ended(3, None),
            started(4, "advocate, round 10", "20.0"),
            ended(4, None),
        ]);
        let newest = |step| read.newest_reply_to(step).map(|attempt| attempt.started.attempt);
        assert_eq!((newest(2), newest(20), newest(3)), (Some(2), Some(4), None));
    }

    #[test]
    fn a_torn_or_meaningless_line_is_skipped() {
        let (text, whole) = record(vec![started(1, "advocate, round 1", "1.0"), ended(1, None)]);
        for cut in 0..text.len() {
            let read = parse(&text[..cut]);
            assert!(
                read.all.len() <= 1 && !read.all.iter().any(Attempt::is_received) || read == whole,
                "{cut}"
            );
        }
        let odd = format!(
            "{{}}\nnull\n[1]\n{{\"schema\":1,\"event\":\"ended\",\"attempt\":7}}\n{text}\u{FFFD}"
        );
        assert_eq!(parse(&odd), whole);
    }
}
