//! What programs took for a debate, in a line.

use serde::Serialize;

use crate::state::{Attempts, Metrics};
use crate::text::{duration, group};

/// How often a seat was asked once more for a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatRetries {
    /// The seat.
    pub seat: String,
    /// How often.
    pub retries: u32,
}

/// What a debate took that programs argued.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effort {
    /// Replies that were asked for.
    pub attempts: u32,
    /// For each seat that was asked more than once for a reply, how often.
    pub retries: Vec<SeatRetries>,
    /// Tokens in and out, as far as they were told.
    pub tokens: u64,
    /// United States dollars, as far as they were told.
    pub cost: f64,
    /// Time in which programs wrote, in seconds.
    pub seconds: u64,
}

impl Effort {
    /// That of a debate. `None`: no program was asked anything.
    #[must_use]
    pub fn of(attempts: &Attempts) -> Option<Self> {
        let Metrics { attempts: count, tokens, cost, duration_ms, .. } = attempts.total();
        let retries = attempts.seats().iter().filter(|(_, seat)| seat.metrics.retries > 0);
        (count > 0).then(|| Self {
            attempts: count,
            retries: retries
                .map(|(name, seat)| SeatRetries { seat: name.clone(), retries: seat.metrics.retries })
                .collect(),
            tokens,
            cost,
            seconds: duration_ms.div_ceil(1_000),
        })
    }

    /// `9 attempts, 2 retries (critic 2), 21,204 tokens, $0.41, 4 min 12 s`
    #[must_use]
    pub fn line(&self) -> String {
        let count = |count: u32, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let mut said = vec![count(self.attempts, "attempt", "attempts")];
        if !self.retries.is_empty() {
            let all = self.retries.iter().map(|of| of.retries).sum();
            let seats = self.retries.iter().map(|of| format!("{} {}", of.seat, of.retries));
            said.push(format!("{} ({})", count(all, "retry", "retries"), seats.collect::<Vec<_>>().join(", ")));
        }
        if self.tokens > 0 {
            said.push(format!("{} tokens", group(self.tokens as usize)));
        }
        if self.cost > 0.0 {
            said.push(format!("${:.2}", self.cost));
        }
        said.push(duration(self.seconds));
        said.join(", ")
    }
}
