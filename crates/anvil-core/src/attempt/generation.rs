//! The state of the debate that a reply answers. A reply to another generation than the current one
//! is late, and is never saved.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::debate::Debate;

/// A turn of a debate, and its requests so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// The step of the debate.
    pub step: u32,
    /// Unusable replies to it.
    pub retries: u8,
    /// The reply was requested once more, for its form.
    pub form_retry: bool,
}

impl From<&Debate> for Turn {
    fn from(debate: &Debate) -> Self {
        Self { step: debate.step(), retries: debate.retry_count(), form_retry: debate.form_retry() }
    }
}

/// The state that a reply answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generation {
    /// The next turn: `3.0`, `3.1`, `3.1f` for a request about the form.
    Turn(Turn),
    /// The turn before which facts are checked: `3.0k`.
    Check(Turn),
    /// The question of a cycle, without its replies: `c1`.
    Cycle(u32),
    /// The number of replies that a judge judges: `r4`.
    Judgment(usize),
}

impl Generation {
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(cycle) = text.strip_prefix('c') {
            return number(cycle).map(Self::Cycle);
        }
        if let Some(replies) = text.strip_prefix('r') {
            return number(replies).map(Self::Judgment);
        }
        let (text, is_check) = without(text, 'k');
        let (text, form_retry) = without(text, 'f');
        let (step, retries) = text.split_once('.')?;
        let turn = Turn { step: number(step)?, retries: number(retries)?, form_retry };
        Some(if is_check { Self::Check(turn) } else { Self::Turn(turn) })
    }

    /// The turn of the request. `None`: any turn of its cycle.
    pub fn turn(self) -> Option<Turn> {
        match self {
            Self::Turn(turn) | Self::Check(turn) => Some(turn),
            Self::Cycle(_) | Self::Judgment(_) => None,
        }
    }

    /// The generation of the first request for this reply.
    pub fn first_request(self) -> Self {
        match self.turn() {
            Some(Turn { step, .. }) => Self::Turn(Turn { step, retries: 0, form_retry: false }),
            None => self,
        }
    }

    /// True for a reply to this step of the debate. A check of facts is not one.
    pub fn is_reply_to(self, step: u32) -> bool {
        matches!(self, Self::Turn(turn) if turn.step == step)
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn(turn) => turn.fmt(out),
            Self::Check(turn) => write!(out, "{turn}k"),
            Self::Cycle(cycle) => write!(out, "c{cycle}"),
            Self::Judgment(replies) => write!(out, "r{replies}"),
        }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = if self.form_retry { "f" } else { "" };
        write!(out, "{}.{}{form}", self.step, self.retries)
    }
}

fn without(text: &str, end: char) -> (&str, bool) {
    text.strip_suffix(end).map_or((text, false), |before| (before, true))
}

/// A number in its one spelling: without a sign or a leading zero.
fn number<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number: &T| number.to_string() == text)
}

impl Serialize for Generation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Generation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("the generation can't be read"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn() -> impl Strategy<Value = Turn> {
        (any::<u32>(), any::<u8>(), any::<bool>()).prop_map(|(step, retries, form_retry)| Turn {
            step,
            retries,
            form_retry,
        })
    }

    fn generation() -> impl Strategy<Value = Generation> {
        prop_oneof![
            turn().prop_map(Generation::Turn),
            turn().prop_map(Generation::Check),
            any::<u32>().prop_map(Generation::Cycle),
            any::<usize>().prop_map(Generation::Judgment),
        ]
    }

    proptest! {
        #[test]
        fn a_generation_round_trips(answers in generation()) {
            prop_assert_eq!(Generation::parse(&answers.to_string()), Some(answers));
        }

        #[test]
        fn one_generation_has_one_text(
            text in "[cr+]?[0-9]{0,3}[.]?[0-9]{0,3}f?k?",
        ) {
            if let Some(read) = Generation::parse(&text) {
                prop_assert_eq!(read.to_string(), text);
            }
        }
    }

    #[test]
    fn every_form_of_a_generation_is_read() {
        let turn = |step, retries, form_retry| Turn { step, retries, form_retry };
        for (text, answers) in [
            ("3.0", Generation::Turn(turn(3, 0, false))),
            ("3.2f", Generation::Turn(turn(3, 2, true))),
            ("4.0k", Generation::Check(turn(4, 0, false))),
            ("4.0fk", Generation::Check(turn(4, 0, true))),
            ("c1", Generation::Cycle(1)),
            ("r4", Generation::Judgment(4)),
        ] {
            assert_eq!(Generation::parse(text), Some(answers), "{text}");
        }
        for text in ["", "3", "3.", ".0", "3.0kf", "3.0@2", "c", "k", "03.0", "+3.0", "c1k"] {
            assert_eq!(Generation::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_fact_check_is_not_the_reply_of_its_step() {
        let reply = Generation::parse("3.1").unwrap();
        let check = Generation::parse("3.0fk").unwrap();
        assert!(reply.is_reply_to(3) && !reply.is_reply_to(31));
        assert!(!check.is_reply_to(3));
    }
}
