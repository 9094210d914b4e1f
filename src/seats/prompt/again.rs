//! The cue for a reply that is asked for again because of its form.

use super::standing::listed;
use super::{cut, utf16_len};
use crate::domain::debate::{Debate, Mode};
use crate::domain::ledger::{OptionFaults, Shortfall};

/// The missing parts of a synthesis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacks {
    /// Missing headings of its framework.
    pub headings: Vec<String>,
    /// Missing statements about the claims.
    pub account: Shortfall,
}

impl Lacks {
    pub fn is_nothing(&self) -> bool {
        self.headings.is_empty() && self.account.is_nothing()
    }
}

/// Longest list of missing headings, in UTF-16 units.
const MAX_MISSING: usize = 200;

/// Longest list of ids in a sentence about a synthesis, in UTF-16 units.
const MAX_IDS: usize = 90;

/// Longest list of the claims that a synthesis left out, in UTF-16 units. Claude forgets a claim
/// again if the list does not name it. Three quarters of 90 claims fit.
const MAX_LEFT_OUT: usize = 400;

/// Longest list of options in a sentence about a synthesis, in UTF-16 units.
const MAX_NAMES: usize = 120;

/// For a synthesis that lacks no heading.
const INCOMPLETE: &str = "is not complete.";

/// Names the changes that can't be made, in at most `limit` UTF-16 units.
pub(super) fn unmade(border: &str, faults: &[String], limit: usize) -> String {
    let mut text = format!("{border} not every change can be made:");
    let end = " Write the whole reply anew, with all of its changes.";
    for fault in faults {
        let sentence = format!(" {fault}.");
        if utf16_len(&text) + utf16_len(&sentence) + utf16_len(end) <= limit {
            text.push_str(&sentence);
        }
    }
    text + end
}

/// Names the missing parts of a synthesis, in at most `limit` UTF-16 units: the claims, then as
/// many headings as fit.
pub(super) fn incomplete(debate: &Debate, border: &str, lacks: &Lacks, limit: usize) -> String {
    let end = " Write it again, whole, with one line for every claim.";
    let account = &lacks.account;
    let verdict = match debate.options.mode {
        Mode::Options => "**Verdict:** with one option or depends",
        _ => "**Verdict:** do | do not | depends",
    };
    let lines = match (account.lacks_verdict, account.lacks_rests_on) {
        (true, true) => format!("the lines {verdict} and **Rests on:**"),
        (true, false) => format!("the line {verdict}"),
        (false, true) => "the line **Rests on:**".to_owned(),
        (false, false) => String::new(),
    };
    let OptionFaults { unknown, left_out, other_first } = &account.options;
    let names = |names: &[String]| cut(&names.join(", "), MAX_NAMES).to_owned();
    let first = other_first.as_deref().unwrap_or_default();
    let start = format!("{border} the synthesis ");
    let limit = limit.saturating_sub(utf16_len(&start) + utf16_len(INCOMPLETE) + utf16_len(end));
    let room_for_ids = limit.saturating_sub(" It left out .".len());
    let mut sentences = String::new();
    for (before, names) in [
        ("It left out ", listed(&account.left_out, MAX_LEFT_OUT.min(room_for_ids)).as_str()),
        ("Nobody claimed ", &listed(&account.invented, MAX_IDS)),
        ("It lacks ", &lines),
        ("Without a place in **Ranking:** or a line of its own: ", &names(left_out)),
        ("**Ranking:** names what is no option: ", &names(unknown)),
        ("The verdict is not the first of **Ranking:**, ", first),
        ("Said twice, or survived although given up: ", &listed(&account.contradictory, MAX_IDS)),
    ] {
        let sentence = format!(" {before}{names}.");
        if !names.is_empty() && utf16_len(&sentences) + utf16_len(&sentence) <= limit {
            sentences.push_str(&sentence);
        }
    }
    let left = (limit + INCOMPLETE.len()).saturating_sub(utf16_len(&sentences));
    let headings: Vec<String> =
        lacks.headings.iter().map(|heading| format!("### {heading}")).collect();
    let lack =
        match cut(&headings.join(", "), MAX_MISSING.min(left.saturating_sub("lacks .".len()))) {
            "" => INCOMPLETE.to_owned(),
            headings => format!("lacks {headings}."),
        };
    format!("{start}{lack}{sentences}{end}")
}
