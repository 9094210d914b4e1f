//! `--fail-on`: what in a finished debate makes the exit code 4, for CI.

use crate::engine::Judged;
use crate::ledger::Call;

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

    /// Why it is closed. What a synthesis does not say closes it too: nobody can tell.
    pub(super) fn closed(self, judged: &Judged) -> Option<String> {
        match (self, judged.call, judged.confidence) {
            (Self::DoNot, Some(Call::DoNot), _) => Some("the verdict is do not".to_owned()),
            (Self::DoNot, None, _) => Some("the synthesis has no verdict of one word".to_owned()),
            (Self::LowConfidence(least), _, Some(confidence)) if confidence < least => {
                Some(format!("the confidence is {confidence} %, less than {least} %"))
            }
            (Self::DoNot, Some(Call::Do | Call::Depends), _) | (Self::LowConfidence(_), _, Some(_)) => None,
            (Self::LowConfidence(_), _, None) => Some("the synthesis gives no confidence in per cent".to_owned()),
            (Self::OpenClaims, ..) => match judged.open {
                0 => None,
                1 => Some("1 claim is open".to_owned()),
                open => Some(format!("{open} claims are open")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_closed_by_what_it_names_and_by_what_nobody_can_tell() {
        let judged = |call, confidence, open| Judged { call, confidence, open };
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
        for wrong in ["", "do", "low-confidence", "low-confidence=0", "low-confidence=101", "do-not=1"] {
            assert!(Gate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
