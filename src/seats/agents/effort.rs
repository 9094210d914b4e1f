//! The effort of the programs in one debate, in a line.

use serde::Serialize;

use crate::storage::{Attempts, Metrics};
use crate::text::{duration, group, number_of};

/// How many replies of a seat needed another attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatRetries {
    pub seat: String,
    pub retries: u32,
}

/// The effort of a debate between programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effort {
    /// Attempts that were started.
    pub attempts: u32,
    /// Attempts that gave a reply.
    #[serde(skip)]
    pub replies: u32,
    /// For each seat with more than one attempt for a reply.
    pub retries: Vec<SeatRetries>,
    /// Tokens in and out, as far as the programs report them.
    pub tokens: u64,
    /// United States dollars, as far as the programs report them.
    pub cost: f64,
    /// Time in which programs wrote, in seconds.
    pub seconds: u64,
}

impl Effort {
    /// `None` if no program was run.
    pub fn from_attempts(attempts: &Attempts) -> Option<Self> {
        let Metrics { attempts: count, tokens, cost, duration_ms, .. } = attempts.total();
        let retries = attempts
            .seats
            .iter()
            .map(|(name, seat)| SeatRetries { seat: name.clone(), retries: seat.metrics.retries })
            .filter(|seat| seat.retries > 0);
        (count > 0).then(|| Self {
            attempts: count,
            replies: attempts.all.iter().filter(|attempt| attempt.is_received()).count() as u32,
            retries: retries.collect(),
            tokens,
            cost,
            seconds: duration_ms.div_ceil(1_000),
        })
    }

    /// `7 replies, 2 retries (critic 2), 21,204 tokens, $0.41, 4 min 12 s`
    pub fn line(&self) -> String {
        let all: u32 = self.retries.iter().map(|seat| seat.retries).sum();
        let mut parts = vec![number_of(self.replies as usize, "reply", "replies")];
        if all > 0 {
            let seats = self.retries.iter().map(|seat| format!("{} {}", seat.seat, seat.retries));
            let seats = seats.collect::<Vec<_>>().join(", ");
            parts.push(format!("{} ({seats})", number_of(all as usize, "retry", "retries")));
        }
        if self.tokens > 0 {
            parts.push(format!("{} tokens", group(self.tokens as usize)));
        }
        if self.cost > 0.0 {
            parts.push(format!("${:.2}", self.cost));
        }
        parts.push(duration(self.seconds));
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_reply_is_not_counted() {
        let retries = vec![SeatRetries { seat: "critic".to_owned(), retries: 2 }];
        let effort = Effort { attempts: 4, replies: 1, retries, tokens: 0, cost: 0.0, seconds: 3 };
        assert_eq!(effort.line(), "1 reply, 2 retries (critic 2), 3 s");
        assert_eq!(Effort { replies: 0, ..effort }.line(), "0 replies, 2 retries (critic 2), 3 s");
    }
}
