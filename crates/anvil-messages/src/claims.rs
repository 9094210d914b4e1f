//! The claims of a debate on a screen: each with its ground, its moves and its result.

use super::Screen;
use anvil_core::ledger::{Claim, Id, Move};
use anvil_engine::SelectedClaims;
use anvil_text::error::{Error, Failure, Kind};
use anvil_text::{Hint, Verb, clean, hint, wrap};

/// The narrowest and the widest list.
const COLUMNS: std::ops::RangeInclusive<usize> = 40..=160;

/// Longest text, in characters; the ledger reads less.
const MAX_TEXT: usize = 10_000;

/// The requested claims, three lines each, and what was checked. A single claim has all its moves.
pub fn claims(claims: &SelectedClaims, screen: Screen) -> String {
    let width = screen.width().clamp(*COLUMNS.start(), *COLUMNS.end());
    let heading = wrap(&heading(claims), width).into_iter();
    let mut lines: Vec<String> = heading.map(|line| screen.bold(&line)).collect();
    let id_width = claims.claims().map(|claim| claim.id.to_string().len()).max().unwrap_or(0);
    for claim in claims.claims() {
        let head =
            format!("{} {:<id_width$}  ", anvil_report::sign(&claims.ledger, claim), claim.id);
        let indent = " ".repeat(id_width + 4);
        lines.push(String::new());
        for (at, text) in claim_lines(claims, claim).iter().enumerate() {
            let wrapped = wrap(&clean(text, MAX_TEXT), width - indent.len());
            for (part, line) in wrapped.iter().enumerate() {
                lines.push(format!("{}{line}", if at + part == 0 { &head } else { &indent }));
            }
        }
    }
    lines.extend(check_lines(claims, width));
    lines.join("\n")
}

/// The error if no claim matches.
pub fn no_claims(claims: &SelectedClaims) -> Error {
    let has = |one: &Id| claims.ledger.claims.iter().any(|claim| claim.id == *one);
    match claims.one {
        _ if claims.ledger.claims.is_empty() => NoClaims::Unnumbered,
        Some(one) if !has(&one) => NoClaims::Unknown(one),
        _ => NoClaims::NoMatch,
    }
    .into()
}

#[derive(Debug, thiserror::Error)]
enum NoClaims {
    #[error("this debate has no numbered claim")]
    Unnumbered,
    #[error("this debate has no claim {0}")]
    Unknown(Id),
    #[error("no claim of this debate matches")]
    NoMatch,
}

impl Failure for NoClaims {
    fn kind(&self) -> Kind {
        Kind::Nothing
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Unnumbered => {
                let in_shell = hint![Verb::Report.with("--full"), " shows what was said"];
                (in_shell, hint![Verb::Report, " shows the verdict"]).into()
            }
            Self::Unknown(_) => hint![Verb::Claims, " lists what it has"],
            Self::NoMatch => hint![Verb::Claims, " alone lists all of them"],
        }
    }
}

/// Number of claims, and number of those that are shown.
fn heading(claims: &SelectedClaims) -> String {
    let standing = anvil_report::standing(&claims.ledger).unwrap_or_default();
    let shown = if claims.is_filtered {
        format!(" Shown: {}.", claims.picked.len())
    } else {
        String::new()
    };
    let contradicted = anvil_report::contradiction(&claims.ledger)
        .map(|line| format!(" {line}"))
        .unwrap_or_default();
    let verdict = claims.ledger.standing();
    let void = verdict.void_reason().map(|_| format!(" {}.", verdict.headline()));
    let void = clean(&void.unwrap_or_default(), 600);
    format!("{standing}.{shown}{}{void}", clean(&contradicted, 400))
}

/// A claim's sentence; its ground and its moves; its result and the reason.
fn claim_lines(claims: &SelectedClaims, claim: &Claim) -> Vec<String> {
    let citation = claim.citation.as_ref();
    let ground = anvil_report::ground_and_check(&claim.ground, citation, claim.check.as_ref());
    let mut lines = vec![claim.sentence.clone()];
    if claims.one.is_some() {
        lines.push(format!("{ground} · {}", claims.place(claim.section)));
        let moves = claims.moves().filter(|made| made.target == claim.id);
        lines.extend(moves.map(|made| move_line(claims, made)));
    } else {
        let happened = anvil_report::moves_line(&claims.ledger, claim);
        lines.push(if happened.is_empty() { ground } else { format!("{ground} · {happened}") });
    }
    if !claim.answered
        && let Some(line) = lines.last_mut()
    {
        line.push_str(" · unanswered: no other seat had a turn to reply");
    }
    if let Some(result) = claim.result {
        let cycle =
            claims.ledger.earlier.as_ref().map(|earlier| format!("in cycle {}: ", earlier.cycle));
        let why = if claim.why.is_empty() { String::new() } else { format!(": {}", claim.why) };
        let word = if claim.answered { claim.outcome() } else { result.word() };
        lines.push(format!("{}{word}{why}", cycle.unwrap_or_default()));
    }
    lines
}

/// A move with its quote and its reason.
fn move_line(claims: &SelectedClaims, made: &Move) -> String {
    let phrase = anvil_report::move_phrase(made);
    let place = claims.place(made.section);
    let line = format!("{phrase} ({place}): {}", anvil_report::words_of(made));
    line.trim_end_matches([' ', ':']).to_owned()
}

/// The checks of the program, and their findings.
fn check_lines(claims: &SelectedClaims, width: usize) -> Vec<String> {
    let findings = anvil_report::findings(&claims.findings(), |section| claims.place(section));
    if findings.is_empty() {
        if claims.is_filtered {
            return Vec::new();
        }
        return [vec![String::new()], wrap(&anvil_report::nothing_wrong(&claims.ledger), width)]
            .concat();
    }
    let mut lines = vec![String::new(), "Checked:".to_owned()];
    for finding in findings {
        let wrapped = wrap(&clean(&finding, 1_000), width - 4);
        lines.push(format!("  * {}", wrapped.join("\n    ")));
    }
    lines
}
