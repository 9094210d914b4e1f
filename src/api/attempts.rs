//! The attempts of a debate for users of the library: the contents of `docs/attempts.md` in few
//! small types.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::domain::attempt::FailureKind;
use crate::domain::reply::Usage;
use crate::storage::{self, Metrics, SeatStatus, TurnLine};

/// What was asked of programs and conversations for a debate, and what came of it.
///
/// [`Attempts::load`] reads it. Only lines that this machine wrote count.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Attempts {
    /// The attempts of programs in the order of their numbers, then the turns of conversations.
    pub all: Vec<Attempt>,
    /// The state of each seat, by its name: `advocate`, `critic`, `voice 2`, `synthesizer`.
    pub seats: BTreeMap<String, SeatState>,
}

/// One try at getting a reply.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// Counted from 1 through the debate. `None`: a turn of a conversation.
    pub number: Option<u32>,
    /// The seat: `critic`.
    pub seat: String,
    /// The place of the reply: `critic, round 2`.
    pub slot: String,
    /// The agent, as the user named it.
    pub agent: String,
    /// The model, if the agent reports it.
    pub model: Option<String>,
    /// When the reply was requested.
    pub began: SystemTime,
    /// `None`: the attempt runs, or its end is not known.
    pub took: Option<Duration>,
    /// Words of its reply.
    pub words: usize,
    /// Tokens in and out, if the agent reports them.
    pub tokens: Option<u64>,
    /// United States dollars, if the agent reports them.
    pub cost: Option<f64>,
    /// True if the whole reply arrived. It is never requested again.
    pub is_received: bool,
    /// Why no reply arrived.
    pub failure: Option<FailureKind>,
    /// The failure in the agent's words; empty without one.
    pub message: String,
}

/// A seat after its newest attempt.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SeatState {
    /// The result of the newest attempt.
    pub status: SeatStatus,
    /// When that changed last.
    pub updated: Option<SystemTime>,
    /// The counts of all attempts.
    pub metrics: Metrics,
    /// The last failure; empty without one.
    pub last_error: String,
    /// Why its newest attempt is not the first for its slot. `None`: it is the first, or a turn of
    /// a conversation.
    pub recovery: Option<String>,
}

impl From<storage::Attempts> for Attempts {
    fn from(read: storage::Attempts) -> Self {
        let turns = read.turns.into_iter().map(Attempt::from);
        let all = read.all.into_iter().map(Attempt::from).chain(turns).collect();
        let seats = read.seats.into_iter().map(|(name, seat)| (name, seat.into())).collect();
        Self { all, seats }
    }
}

impl From<storage::Attempt> for Attempt {
    fn from(attempt: storage::Attempt) -> Self {
        let is_received = attempt.is_received();
        let storage::Attempt { started, ended, .. } = attempt;
        let ended = ended.as_ref();
        Self {
            number: Some(started.attempt),
            seat: started.seat,
            slot: started.slot,
            agent: started.agent,
            model: ended.and_then(|ended| ended.model.clone()),
            began: started.at.into(),
            took: ended.map(|ended| Duration::from_millis(ended.duration_ms)),
            words: ended.map_or(0, |ended| ended.words),
            tokens: ended.and_then(|ended| ended.tokens),
            cost: ended.and_then(|ended| ended.cost),
            is_received,
            failure: ended.and_then(|ended| ended.error),
            message: ended.map(|ended| ended.message.clone()).unwrap_or_default(),
        }
    }
}

impl From<TurnLine> for Attempt {
    fn from(turn: TurnLine) -> Self {
        Self {
            number: None,
            seat: turn.seat,
            slot: turn.slot,
            agent: TurnLine::AGENT.to_owned(),
            model: turn.model,
            began: turn.asked.into(),
            took: turn.duration_ms.map(Duration::from_millis),
            words: turn.words,
            tokens: turn.usage.map(Usage::sum),
            cost: None,
            is_received: turn.error.is_none(),
            failure: turn.error,
            message: turn.message,
        }
    }
}

impl From<storage::SeatState> for SeatState {
    fn from(seat: storage::SeatState) -> Self {
        Self {
            status: seat.status,
            updated: seat.last_updated.map(SystemTime::from),
            metrics: seat.metrics,
            last_error: seat.last_error,
            recovery: seat.recovery_applied,
        }
    }
}
