//! A claim: its ground, its status by the moves, and its result by the synthesis.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use super::read::MAX_TEXT;
use super::words::{first_sentence, strip};
use super::{Check, Citation, Id, Label, Move, MoveKind};
use anvil_text::{ascii_mark, clean};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Unique in the debate.
    pub id: Id,
    pub cycle: u32,
    pub round: u8,
    /// The reply that makes it, counted from 0 through the debate.
    pub section: usize,
    pub sentence: String,
    pub ground: Ground,
    /// The place of the evidence. `None`: the ground names no words of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
    /// The text of its paragraph after the sentence.
    #[serde(skip)]
    pub reasons: String,
    /// The status by the moves.
    pub status: ClaimStatus,
    /// The status if every move is valid.
    pub label: Label,
    /// The result by the last synthesis. `None`: the claim is newer than that synthesis.
    pub result: Option<ClaimResult>,
    /// The reason for the result.
    pub why: String,
    /// For an objection to a document, after the synthesis: it has an answer. Else `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// False: the synthesis lets it survive, and no seat that may answer had a reply after it.
    pub answered: bool,
    /// `None`: no fact-checker has checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

impl Claim {
    /// What became of it: the word of the synthesis, `unanswered`, or the status by the moves; of an
    /// objection to a document, whether it is resolved.
    pub fn outcome(&self) -> &'static str {
        match (self.resolved, self.result) {
            (Some(true), _) => "resolved",
            (Some(false), _) => "stands",
            (None, _) if !self.answered => "unanswered",
            (None, result) => result.map_or(self.status.word(), ClaimResult::word),
        }
    }
}

/// The ground of a claim, as its own side marks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "named")]
pub enum Ground {
    /// A source that can be checked, as named. Empty if none is named.
    Evidence(String),
    /// The claim follows from another claim or fact.
    Reasoning,
    /// A guess.
    Assumption,
    /// The claim has no mark.
    NotGiven,
}

impl Ground {
    /// The ground of a mark at this position of a claim's words. `source`: the reply from there on.
    pub(super) fn parse(mark: GroundMark, before: &str, source: &str) -> Self {
        match mark {
            GroundMark::Reasoning => Self::Reasoning,
            GroundMark::Assumption => Self::Assumption,
            GroundMark::Evidence => {
                let remaining = after_mark(source);
                let (inside, after) =
                    up_to_bracket(remaining).unwrap_or((first_sentence(remaining), ""));
                let inside = before_mark(inside)
                    .trim_matches(|char| matches!(ascii_mark(char), ':' | ' ' | '-' | ','));
                let after = after.trim_start_matches(|char| {
                    matches!(ascii_mark(char), ':' | ' ' | '-' | '*' | '_' | '.')
                });
                let after = before_mark(first_sentence(after));
                let before = before.trim_end_matches(|char| matches!(ascii_mark(char), ' ' | '('));
                let named = [inside, after, last_sentence(before)]
                    .into_iter()
                    .find(|named| !named.trim().is_empty());
                Self::Evidence(clean(named.unwrap_or_default(), MAX_TEXT))
            }
        }
    }
}

/// The marks of the three grounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroundMark {
    Evidence,
    Reasoning,
    Assumption,
}

/// The place that a mark of evidence names. `source`: the reply from the mark on.
pub(super) fn citation(source: &str) -> Option<Citation> {
    Citation::parse(after_mark(source))
}

fn after_mark(source: &str) -> &str {
    strip(source, "[evidence").unwrap_or_default()
}

/// The text before the closing bracket, and the text after it. If brackets do not match, the first
/// one closes.
fn up_to_bracket(text: &str) -> Option<(&str, &str)> {
    let mut open = 0;
    for at in memchr::memchr2_iter(b'[', b']', text.as_bytes()) {
        match (text.as_bytes()[at], open) {
            (b'[', _) => open += 1,
            (_, 0) => return Some((&text[..at], &text[at + 1..])),
            (_, _) => open -= 1,
        }
    }
    text.split_once(']')
}

/// The position of the first mark of a ground, and which of the three it is.
pub(super) fn first_mark(text: &str) -> Option<(usize, GroundMark)> {
    memchr::memchr_iter(b'[', text.as_bytes()).find_map(|at| {
        let is = |mark| strip(&text[at..], mark).is_some();
        let mark = if is("[evidence") {
            GroundMark::Evidence
        } else if is("[reasoning") {
            GroundMark::Reasoning
        } else if is("[assumption") {
            GroundMark::Assumption
        } else {
            return None;
        };
        Some((at, mark))
    })
}

/// The text before the first mark.
fn before_mark(text: &str) -> &str {
    first_mark(text).map_or(text, |(at, _)| {
        text[..at]
            .trim_end_matches(|char| matches!(ascii_mark(char), ' ' | '(' | '*' | ',' | ';' | '-'))
    })
}

fn last_sentence(text: &str) -> &str {
    let mut remaining = text.trim();
    loop {
        let first = first_sentence(remaining);
        match remaining[first.len()..].trim_start() {
            "" => return remaining,
            next => remaining = next,
        }
    }
}

/// The status of a claim by the moves on it. The last move counts; a withdrawn claim stays
/// withdrawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum ClaimStatus {
    /// No other seat has attacked, rebutted or granted it since it was made or last repaired.
    Open,
    /// Another seat has attacked or rebutted it since.
    Contested,
    /// Another seat has granted it.
    Granted,
    /// Its own side has withdrawn it.
    Withdrawn,
}

impl ClaimStatus {
    /// The status after a move on the claim.
    pub(super) fn after(self, made: &Move) -> Self {
        let is_own = made.seat == made.target.seat();
        match (made.kind, self) {
            (_, Self::Withdrawn) | (MoveKind::Withdraw, _) => Self::Withdrawn,
            (MoveKind::Attack | MoveKind::Rebut, _) if !is_own => Self::Contested,
            (MoveKind::Repair, _) if is_own => Self::Open,
            (MoveKind::Grant, _) if !is_own => Self::Granted,
            (
                MoveKind::Attack
                | MoveKind::Rebut
                | MoveKind::Repair
                | MoveKind::Support
                | MoveKind::Grant,
                same,
            ) => same,
        }
    }

    /// All of them, in the order in which a claim passes through them.
    pub const ALL: [Self; 4] = [Self::Open, Self::Contested, Self::Granted, Self::Withdrawn];

    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The result of a claim by the synthesis.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, EnumString, IntoStaticStr,
)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum ClaimResult {
    /// The claim stands.
    Survived,
    /// The claim stands in part.
    Weakened,
    /// The claim does not stand.
    Fell,
    /// The synthesis has no line on it.
    #[strum(serialize = "left out")]
    LeftOut,
}

impl ClaimResult {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Survived, Self::Weakened, Self::Fell, Self::LeftOut];

    /// Those that a synthesis writes.
    pub(super) const WRITTEN: [Self; 3] = [Self::Survived, Self::Weakened, Self::Fell];

    pub fn word(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_evidence_is_whole_and_ends_before_another_mark() {
        for (text, named) in [
            ("x [evidence: the audit [reasoning]]", "the audit"),
            ("x [evidence: the audit ([Assumption])] More.", "the audit"),
            ("x [evidence: the audit [reasoning]", "the audit"),
            ("[evidence] The audit [assumption].", "The audit"),
            ("The log shows it. [evidence] [assumption]", "The log shows it."),
            ("x [evidence: [reasoning]] The log.", "The log."),
            (
                "x [evidence: [the audit](https://a.example) and [2]] More.",
                "[the audit](https://a.example) and [2]",
            ),
            ("x [evidence: the audit of 2024. More.", "the audit of 2024."),
            ("x [evidence: 2024 [range: 0, 1)] More.", "2024 [range: 0, 1)"),
        ] {
            let (at, mark) = first_mark(text).unwrap();
            let read = Ground::parse(mark, &text[..at], &text[at..]);
            assert_eq!(read, Ground::Evidence(named.into()), "{text}");
        }
    }
}
