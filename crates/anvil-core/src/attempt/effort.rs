//! The effort of one debate in a line: its attempts, replies, retries, tokens, cost and time.

use serde::Serialize;

use super::Metrics;
use crate::reply::Usage;
use anvil_text::{duration, group, number_of};

/// How many replies of a seat needed another attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatRetries {
    pub seat: String,
    pub retries: u32,
}

/// The effort of a debate: of programs, and of the turns of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Effort {
    /// Attempts that were started.
    pub attempts: u32,
    /// Attempts that gave a reply.
    #[serde(skip)]
    pub replies: u32,
    /// For each seat with more than one attempt for a reply.
    pub retries: Vec<SeatRetries>,
    /// Tokens in and out, of the attempts that tell them. `None`: no attempt does.
    pub tokens: Option<u64>,
    /// Those tokens by kind. `None`: not all of these attempts tell the kinds.
    pub usage: Option<Usage>,
    /// Attempts that ended and tell no tokens.
    pub without_tokens: u32,
    /// United States dollars, of the attempts that tell them. `None`: no attempt does.
    pub cost: Option<f64>,
    /// The time of all attempts, in seconds.
    pub seconds: u64,
}

impl Effort {
    /// The effort of these replies. `retries`: how many each seat needed. `None`: no attempt began.
    pub fn new<'a>(
        total: Metrics,
        replies: u32,
        retries: impl Iterator<Item = (&'a String, u32)>,
    ) -> Option<Self> {
        let Metrics { attempts, tokens, usage, without_tokens, cost, duration_ms, .. } = total;
        let retries = retries.filter(|(_, retries)| *retries > 0);
        (attempts > 0).then(|| Self {
            attempts,
            replies,
            retries: retries
                .map(|(seat, retries)| SeatRetries { seat: seat.clone(), retries })
                .collect(),
            tokens,
            usage: usage.filter(|usage| Some(usage.sum()) == tokens),
            without_tokens,
            cost,
            seconds: duration_ms.div_ceil(1_000),
        })
    }

    /// `7 replies, 2 retries (critic 2), 61,000 tokens in (52,000 cached), 1,900 out, $0.41, 4 min`
    pub fn line(&self) -> String {
        let all: u32 = self.retries.iter().map(|seat| seat.retries).sum();
        let mut parts = vec![number_of(self.replies as usize, "reply", "replies")];
        if all > 0 {
            let seats = self.retries.iter().map(|seat| format!("{} {}", seat.seat, seat.retries));
            let seats = seats.collect::<Vec<_>>().join(", ");
            parts.push(format!("{} ({seats})", number_of(all as usize, "retry", "retries")));
        }
        let cached = self.usage.map(|usage| usage.cached).filter(|cached| *cached > 0);
        let cached = cached.map(|cached| format!(" ({} cached)", group(cached as usize)));
        parts.extend(self.sum(&cached.unwrap_or_default()));
        parts.extend(self.cost.map(|cost| format!("${cost:.2}")));
        parts.push(duration(self.seconds));
        parts.join(", ") + &self.left_out()
    }

    /// `61,000 tokens in, 1,900 out; 2 attempts tell none`. `None`: no attempt tells any.
    pub fn tokens(&self) -> Option<String> {
        Some(self.sum("")? + &self.left_out())
    }

    fn sum(&self, cached: &str) -> Option<String> {
        match (self.usage, self.tokens) {
            (Some(usage), _) => Some(by_kind(usage, cached)),
            (None, tokens) => tokens.map(|tokens| format!("{} tokens", group(tokens as usize))),
        }
    }

    /// Says which part of the attempts the tokens leave out.
    fn left_out(&self) -> String {
        match (self.tokens, self.without_tokens) {
            (None, _) | (_, 0) => String::new(),
            (Some(_), 1) => "; 1 attempt reported no tokens".to_owned(),
            (Some(_), count) => format!("; {count} attempts reported no tokens"),
        }
    }
}

/// `61,000 tokens in, 1,900 out`; `cached` is a remark behind `in`.
pub fn by_kind(usage: Usage, cached: &str) -> String {
    let sent = group(usage.input() as usize);
    format!("{sent} tokens in{cached}, {} out", group(usage.out as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_reply_is_not_counted() {
        let retries = vec![SeatRetries { seat: "critic".to_owned(), retries: 2 }];
        let effort = Effort { attempts: 4, replies: 1, retries, seconds: 3, ..Effort::default() };
        assert_eq!(effort.line(), "1 reply, 2 retries (critic 2), 3 s");
        assert!(Effort { replies: 0, ..effort }.line().starts_with("0 replies, 2 retries"));
    }

    #[test]
    fn tokens_that_no_attempt_tells_are_left_out_and_never_zero() {
        let usage = Usage { fresh: 9_000, cached: 52_000, out: 1_900 };
        let told = Effort {
            replies: 3,
            tokens: Some(62_900),
            usage: Some(usage),
            cost: Some(0.414),
            seconds: 9,
            ..Effort::default()
        };
        let line = "3 replies, 61,000 tokens in (52,000 cached), 1,900 out, $0.41, 9 s";
        assert_eq!(
            (told.line().as_str(), told.tokens().as_deref()),
            (line, Some("61,000 tokens in, 1,900 out"))
        );
        let some = Effort { without_tokens: 2, ..told.clone() };
        assert_eq!(some.line(), format!("{line}; 2 attempts reported no tokens"));
        assert_eq!(
            some.tokens().as_deref(),
            Some("61,000 tokens in, 1,900 out; 2 attempts reported no tokens")
        );
        let sum = Effort { usage: None, without_tokens: 1, ..told.clone() };
        assert_eq!(sum.tokens().as_deref(), Some("62,900 tokens; 1 attempt reported no tokens"));
        let none = Effort { usage: None, tokens: None, cost: None, without_tokens: 3, ..told };
        assert_eq!(none.line(), "3 replies, 9 s");
        assert_eq!(none.tokens(), None);
    }
}
