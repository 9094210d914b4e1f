//! The results of the attempts of a seat or of a debate.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::FailureKind;
use crate::reply::Usage;

/// The state of a seat after a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeatState {
    /// The time of the line.
    pub last_updated: Option<Timestamp>,
    /// The result of its newest attempt.
    pub status: SeatStatus,
    /// The try of its reply that its newest attempt is, from 1.
    pub current_attempt: u32,
    /// Tokens of all its attempts that reported them.
    pub tokens_used: Option<u64>,
    /// The last failure; empty without one.
    pub last_error: String,
    /// Why its newest attempt is not the first for its slot. `None`: it is the first, or a turn of
    /// a conversation.
    pub recovery_applied: Option<String>,
    pub metrics: Metrics,
}

/// The result of the newest attempt of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatStatus {
    /// Still running, or its end is not known.
    #[default]
    Running,
    /// The whole reply arrived.
    Received,
    /// No reply arrived.
    Failed,
}

/// Counts of a seat, or of a debate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// Attempts that began.
    pub attempts: u32,
    /// Attempts after one for the same reply that brought none.
    pub retries: u32,
    /// Time of all attempts together, in milliseconds.
    pub duration_ms: u64,
    /// Tokens in and out, of attempts that reported them. `None`: no attempt did.
    pub tokens: Option<u64>,
    /// Those tokens by kind. `None`: no attempt reported the kinds.
    pub usage: Option<Usage>,
    /// Attempts that ended and reported no tokens.
    pub without_tokens: u32,
    /// United States dollars, of attempts that reported them. `None`: no attempt did.
    pub cost: Option<f64>,
    /// Bytes of output, of attempts by programs. `None`: there is none.
    pub bytes: Option<u64>,
}

impl SeatState {
    pub fn end(&mut self, at: Timestamp, error: Option<FailureKind>, message: &str) {
        self.last_updated = Some(at);
        (self.status, self.last_error) = match (error, message) {
            (None, _) => (SeatStatus::Received, String::new()),
            (Some(kind), "") => (SeatStatus::Failed, kind.label().to_owned()),
            (Some(kind), why) => (SeatStatus::Failed, format!("{}: {why}", kind.label())),
        };
    }

    pub fn add(&mut self, metrics: Metrics) {
        self.metrics = self.metrics.plus(metrics);
        self.tokens_used = self.metrics.tokens;
    }
}

impl Metrics {
    pub fn plus(self, other: Self) -> Self {
        let usage = [self.usage, other.usage].into_iter().flatten().reduce(Usage::plus);
        let tokens = [self.tokens, other.tokens].into_iter().flatten();
        Self {
            attempts: self.attempts.saturating_add(other.attempts),
            retries: self.retries.saturating_add(other.retries),
            duration_ms: self.duration_ms.saturating_add(other.duration_ms),
            tokens: tokens.reduce(u64::saturating_add),
            usage,
            without_tokens: self.without_tokens.saturating_add(other.without_tokens),
            cost: [self.cost, other.cost].into_iter().flatten().reduce(|sum, cost| sum + cost),
            bytes: [self.bytes, other.bytes].into_iter().flatten().reduce(u64::saturating_add),
        }
    }
}
