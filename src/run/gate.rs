//! `--fail-on`: results of a finished debate that make the exit code 4, for CI.

use crate::domain::ledger::{Unread, VerdictWord};
use crate::engine::{GateFacts, Open};
use crate::text::clean;

/// Most characters shown of an unreadable line.
const MAX_SHOWN: usize = 60;

/// Most claims named in one line.
const MAX_NAMED: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// The verdict is "do not".
    DoNot,
    /// The confidence is below this percentage.
    LowConfidence(u8),
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
                let percent = percent.trim_end_matches('%').parse().ok();
                let percent = percent.filter(|percent| (1..=100).contains(percent));
                percent.map(Self::LowConfidence).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    /// The gate as the user types it.
    pub(super) fn word(self) -> String {
        match self {
            Self::DoNot => "do-not".to_owned(),
            Self::LowConfidence(percent) => format!("low-confidence={percent}"),
            Self::OpenClaims => "open-claims".to_owned(),
        }
    }

    /// Why the gate is closed. An unreadable line closes it too.
    pub(super) fn closed(self, judged: &GateFacts) -> Option<String> {
        match self {
            Self::DoNot => match &judged.verdict {
                Ok(VerdictWord::DoNot) => Some("the verdict is do not".to_owned()),
                Ok(VerdictWord::Do | VerdictWord::Depends) => None,
                Err(why) => Some(unread("Verdict", "do, do not or depends", why)),
            },
            Self::LowConfidence(least) => match &judged.confidence {
                Ok(confidence) if *confidence < least => {
                    Some(format!("the confidence is {confidence} %, less than {least} %"))
                }
                Ok(_) => None,
                Err(why) => Some(unread("Confidence", "one figure in per cent", why)),
            },
            Self::OpenClaims if judged.claims == 0 => {
                Some("no claim has a number, so nobody can tell what is open".to_owned())
            }
            Self::OpenClaims if judged.open.is_empty() => None,
            Self::OpenClaims => Some(unanswered(&judged.open)),
        }
    }
}

/// `C2 was never answered`, `A1 was not answered after its repair`.
fn unanswered(open: &[Open]) -> String {
    let shown = open.iter().take(MAX_NAMED).map(|open| {
        let how = if open.is_repaired { "not answered after its repair" } else { "never answered" };
        format!("{} was {how}", open.id)
    });
    let more = open.len().checked_sub(MAX_NAMED).filter(|more| *more > 0);
    let more = more.map(|more| format!("{more} more claims were open"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

fn unread(label: &str, holds: &str, why: &Unread) -> String {
    match why {
        Unread::Missing => format!("the synthesis has no line {label} with {holds}"),
        Unread::Differ => format!("the synthesis has two lines {label} that differ"),
        Unread::Holds(text) => {
            format!("the line {label} is not {holds} alone: \"{}\"", clean(text, MAX_SHOWN))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_closes_on_its_condition_or_an_unreadable_line() {
        let judged = |word: Option<VerdictWord>, confidence: Option<u8>, open: usize| GateFacts {
            verdict: word.ok_or(Unread::Missing),
            confidence: confidence.ok_or(Unread::Missing),
            claims: 3,
            open: vec![Open { id: "C2".parse().unwrap(), is_repaired: false }; open],
        };
        let is_closed =
            |gate: &str, judged: &GateFacts| Gate::parse(gate).unwrap().closed(judged).is_some();
        for (gate, closed, open) in [
            (
                "do-not",
                judged(Some(VerdictWord::DoNot), None, 0),
                judged(Some(VerdictWord::Depends), None, 3),
            ),
            ("do-not", judged(None, Some(99), 0), judged(Some(VerdictWord::Do), None, 0)),
            ("low-confidence=70", judged(None, Some(69), 0), judged(None, Some(70), 1)),
            ("low-confidence=70%", judged(None, None, 0), judged(None, Some(100), 1)),
            ("open-claims", judged(None, None, 1), judged(None, None, 0)),
        ] {
            assert!(is_closed(gate, &closed) && !is_closed(gate, &open), "{gate}");
            let typed = Gate::parse(gate).unwrap().word();
            assert_eq!(Gate::parse(&typed), Gate::parse(gate));
        }
        let none = GateFacts { claims: 0, ..judged(Some(VerdictWord::Do), Some(90), 0) };
        assert!(is_closed("open-claims", &none) && !is_closed("do-not", &none));
        for (why, expected) in [
            (Unread::Missing, "the synthesis has no line Verdict with do, do not or depends"),
            (Unread::Differ, "the synthesis has two lines Verdict that differ"),
            (
                Unread::Holds("do / do not".to_owned()),
                "the line Verdict is not do, do not or depends alone: \"do / do not\"",
            ),
        ] {
            let judged = GateFacts { verdict: Err(why), ..none.clone() };
            assert_eq!(Gate::DoNot.closed(&judged).as_deref(), Some(expected));
        }
        let repaired = |is_repaired| Open { id: "C2".parse().unwrap(), is_repaired };
        let open =
            GateFacts { open: vec![repaired(false), repaired(true)], ..judged(None, None, 0) };
        let expected = "C2 was never answered, C2 was not answered after its repair";
        assert_eq!(Gate::OpenClaims.closed(&open).as_deref(), Some(expected));
        for wrong in
            ["", "do", "low-confidence", "low-confidence=0", "low-confidence=101", "do-not=1"]
        {
            assert!(Gate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
