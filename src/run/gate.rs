//! `--fail-on`: what in a finished debate makes the exit code 4, for CI.

use crate::engine::Judged;
use crate::ledger::{Call, Unread};
use crate::text::clean;

/// Most characters of a line that was not read.
const MAX_SHOWN: usize = 60;

/// One gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// The recommendation is not to do it.
    DoNot,
    /// The confidence is below so many per cent.
    LowConfidence(u8),
    /// A claim is still open.
    OpenClaims,
}

impl Gate {
    /// Reads `do-not`, `low-confidence=70` or `open-claims`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "takes do-not, low-confidence=70 or open-claims".to_owned();
        match text.split_once('=') {
            None if text == "do-not" => Ok(Self::DoNot),
            None if text == "open-claims" => Ok(Self::OpenClaims),
            Some(("low-confidence", percent)) => {
                let percent = percent.trim_end_matches('%').parse().ok().filter(|percent| (1..=100).contains(percent));
                percent.map(Self::LowConfidence).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    /// How it is typed.
    pub(super) fn word(self) -> String {
        match self {
            Self::DoNot => "do-not".to_owned(),
            Self::LowConfidence(percent) => format!("low-confidence={percent}"),
            Self::OpenClaims => "open-claims".to_owned(),
        }
    }

    /// Why it is closed. What can't be read closes it too: nobody can tell.
    pub(super) fn closed(self, judged: &Judged) -> Option<String> {
        match self {
            Self::DoNot => match &judged.call {
                Ok(Call::DoNot) => Some("the verdict is do not".to_owned()),
                Ok(Call::Do | Call::Depends) => None,
                Err(why) => Some(unread("Verdict", "do, do not or depends", why)),
            },
            Self::LowConfidence(least) => match &judged.confidence {
                Ok(confidence) if *confidence < least => {
                    Some(format!("the confidence is {confidence} %, less than {least} %"))
                }
                Ok(_) => None,
                Err(why) => Some(unread("Confidence", "one figure in per cent", why)),
            },
            Self::OpenClaims => match (judged.claims, judged.open) {
                (0, _) => Some("no claim has a number, so nobody can tell what is open".to_owned()),
                (_, 0) => None,
                (_, 1) => Some("1 claim is open".to_owned()),
                (_, open) => Some(format!("{open} claims are open")),
            },
        }
    }
}

/// Why a line of the synthesis was not read.
fn unread(label: &str, holds: &str, why: &Unread) -> String {
    match why {
        Unread::Missing => format!("the synthesis has no line {label} with {holds}"),
        Unread::Differ => format!("the synthesis has two lines {label} that differ"),
        Unread::Holds(text) => format!("the line {label} is not {holds} alone: \"{}\"", clean(text, MAX_SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_closed_by_what_it_names_and_by_what_nobody_can_tell() {
        let judged = |call: Option<Call>, confidence: Option<u8>, open| Judged {
            call: call.ok_or(Unread::Missing),
            confidence: confidence.ok_or(Unread::Missing),
            claims: 3,
            open,
        };
        let is_closed = |gate: &str, judged: &Judged| Gate::parse(gate).unwrap().closed(judged).is_some();
        for (gate, closed, open) in [
            ("do-not", judged(Some(Call::DoNot), None, 0), judged(Some(Call::Depends), None, 3)),
            ("do-not", judged(None, Some(99), 0), judged(Some(Call::Do), None, 0)),
            ("low-confidence=70", judged(None, Some(69), 0), judged(None, Some(70), 1)),
            ("low-confidence=70%", judged(None, None, 0), judged(None, Some(100), 1)),
            ("open-claims", judged(None, None, 1), judged(None, None, 0)),
        ] {
            assert!(is_closed(gate, &closed) && !is_closed(gate, &open), "{gate}");
            let typed = Gate::parse(gate).unwrap().word();
            assert_eq!(Gate::parse(&typed), Gate::parse(gate));
        }
        let none = Judged { claims: 0, ..judged(Some(Call::Do), Some(90), 0) };
        assert!(is_closed("open-claims", &none) && !is_closed("do-not", &none));
        for (why, said) in [
            (Unread::Missing, "the synthesis has no line Verdict with do, do not or depends"),
            (Unread::Differ, "the synthesis has two lines Verdict that differ"),
            (
                Unread::Holds("do / do not".to_owned()),
                "the line Verdict is not do, do not or depends alone: \"do / do not\"",
            ),
        ] {
            let judged = Judged { call: Err(why), ..none.clone() };
            assert_eq!(Gate::DoNot.closed(&judged).as_deref(), Some(said));
        }
        for wrong in ["", "do", "low-confidence", "low-confidence=0", "low-confidence=101", "do-not=1"] {
            assert!(Gate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
