//! The claims of a debate, in lines for a screen: what each says, where it stands, what happened to it, and what was checked.

use std::fmt::Write as _;

use crate::engine::Claims;
use crate::error::Error;
use crate::ledger::{Claim, Counts, Move};
use crate::report;
use crate::text::{clean, columns, fit, wrap};

/// The narrowest and the widest table.
const COLUMNS: std::ops::RangeInclusive<usize> = 70..=160;

/// Longest text of a claim that is shown whole, in characters: longer than any that the ledger reads.
const WHOLE: usize = 10_000;

/// The longest word for where a claim stands, and two spaces.
const STANDS: usize = 12;

/// The table, or all of one claim, and what was checked below it.
#[must_use]
pub fn claims(claims: &Claims, width: usize) -> String {
    let width = width.clamp(*COLUMNS.start(), *COLUMNS.end());
    let mut out = heading(claims, width);
    let first = claims.claims().map(|claim| claim.id.to_string().len()).max().unwrap_or(0) + 2;
    for claim in claims.claims() {
        if claims.one.is_some() {
            whole(claims, claim, first, width, &mut out);
        } else {
            row(claims, claim, first, width, &mut out);
        }
    }
    let findings = report::findings(&claims.findings(), |section| claims.place(section));
    if findings.is_empty() && claims.is_filtered {
        return out.trim_end().to_owned();
    }
    out.push_str("\nChecked by Anvil:\n");
    if findings.is_empty() {
        out.push_str("  Ids, quotes, grants and the account of the synthesis: nothing is wrong.\n");
    }
    for finding in findings {
        for (number, line) in wrapped(&clean(&finding, 1_000), width - 4).into_iter().enumerate() {
            let _ = writeln!(out, "  {}{line}", if number == 0 { "* " } else { "  " });
        }
    }
    out.trim_end().to_owned()
}

/// Nothing that was asked for is there.
#[must_use]
pub fn no_claims(claims: &Claims) -> Error {
    if claims.ledger.claims.is_empty() {
        Error::nothing("this debate has no numbered claim", "`anvil show` shows what was said")
    } else if let Some(one) = claims.one.filter(|one| claims.ledger.claims.iter().all(|claim| claim.id != *one)) {
        Error::nothing(format!("this debate has no claim {one}"), "`anvil claims` lists what it has")
    } else {
        Error::nothing("no claim of this debate is one of those", "`anvil claims` alone lists all of them")
    }
}

fn heading(claims: &Claims, width: usize) -> String {
    if let Some(one) = claims.one {
        return fit(&format!("Anvil: claim {one}. {}", clean(&claims.debate.question, 2 * width)), width) + "\n";
    }
    let Counts { stand, fall, open } = claims.ledger.counts();
    let all = claims.ledger.claims.len();
    let shown = match claims.picked.len() {
        count if !claims.is_filtered => plural(count),
        count => format!("{count} of {}", plural(all)),
    };
    let mut out = fit(&format!("Anvil: {shown}. {}", clean(&claims.debate.question, 2 * width)), width);
    let _ = write!(out, "\nBy the moves alone: {stand} stand, {fall} fall, {open} wait.");
    if let Some(undisposed) = report::undisposed(&claims.ledger) {
        let _ = write!(out, "\nBy the synthesis: {undisposed}.");
    }
    if let Some(contradicted) = report::contradicted(&claims.ledger) {
        let _ = write!(out, "\n{}", clean(&contradicted, 400));
    }
    out.push('\n');
    out
}

fn plural(count: usize) -> String {
    if count == 1 { "1 claim".to_owned() } else { format!("{count} claims") }
}

/// Up to three lines: the claim; where it stands, its ground and what happened; what the synthesis says, and why.
fn row(claims: &Claims, claim: &Claim, first: usize, width: usize, out: &mut String) {
    let indent = " ".repeat(first + 2);
    let left = width.saturating_sub(first + 2);
    let sentence = wrapped(&clean(&claim.sentence, 1_000), left);
    let _ = writeln!(out, "\n  {:<first$}{}", claim.id.to_string(), sentence.join(&format!("\n{indent}")));
    let happened = report::happened(&claims.ledger, claim);
    let ground = clean(&report::ground_and_check(&claim.ground, claim.check.as_ref()), 2 * width);
    let said = if happened.is_empty() { ground } else { format!("{ground}; {happened}") };
    let mut stands = |word: &str, said: &str| {
        let _ = writeln!(out, "{}", format!("{indent}{word:<STANDS$}{}", fit(said, left - STANDS)).trim_end());
    };
    stands(claim.status.word(), &said);
    if claims.ledger.was_judged(claim) {
        stands(report::outcome(claim.disposition), &clean(&claim.why, 2 * width));
    }
}

/// All of a claim: its sentence; its ground; who made it; where it stands, and every move on it; what the synthesis says, and why.
fn whole(claims: &Claims, claim: &Claim, first: usize, width: usize, out: &mut String) {
    let indent = " ".repeat(first + 2);
    let left = width.saturating_sub(first + 2);
    let sentence = wrap(&clean(&claim.sentence, WHOLE), left);
    let _ = writeln!(out, "\n  {:<first$}{}", claim.id.to_string(), sentence.join(&format!("\n{indent}")));
    let mut row = |word: &str, said: &str| {
        let said = wrap(&clean(said, WHOLE), left - STANDS).join(&format!("\n{indent}{:STANDS$}", ""));
        let _ = writeln!(out, "{}", format!("{indent}{word:<STANDS$}{said}").trim_end());
    };
    row("ground", &report::ground(&claim.ground));
    if let Some(check) = &claim.check {
        row("fact-check", &check.words());
    }
    row("made by", &claims.place(claim.section));
    let moves: Vec<&Move> = claims.moves().filter(|made| made.target == claim.id).collect();
    if moves.is_empty() {
        row(claim.status.word(), "no move was made on it");
    }
    for (at, made) in moves.into_iter().enumerate() {
        let quote = made.quote.as_deref().map(|quote| format!("“{quote}” "));
        let place = claims.place(made.section);
        let said = format!("{} ({place}): {}{}", report::done(made), quote.unwrap_or_default(), made.reason);
        row(if at == 0 { claim.status.word() } else { "" }, said.trim_end_matches([' ', ':']));
    }
    if claims.ledger.was_judged(claim) {
        row(report::outcome(claim.disposition), &claim.why);
    }
}

/// A text broken between words. A word that is wider than the screen is cut.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit(word, width)),
        }
    }
    lines
}
