//! Earlier debates, in lines for a screen of 80 columns and more.

use std::fmt::Write as _;

use super::steering::rounds;
use crate::debate::{Debate, Format};
use crate::engine::{FoundTexts, PastDebate, PastDebates};
use crate::error::Error;
use crate::text::{clean, columns, fit};

/// Columns that every line fits into.
const COLUMNS: usize = 80;

/// Narrowest and widest first column. A longer beginning of an id goes beyond it, in its own line.
const FIRST: std::ops::RangeInclusive<usize> = 11..=20;

/// `analyst, 3 rounds`, `stakeholders, 3 voices, cycle 2`.
pub(super) fn how(debate: &Debate) -> String {
    let length = match debate.format() {
        Format::Seats => rounds(debate.options.max_rounds),
        Format::Stakeholders | Format::Personas => format!("{} voices", debate.options.voices.len()),
    };
    let cycle = if debate.progress.cycle > 1 { format!(", cycle {}", debate.progress.cycle) } else { String::new() };
    format!("{}, {length}{cycle}", clean(debate.options.mode.word(), 60))
}

/// What `anvil history` shows of so many debates: two lines for each, and one for each file that can't be read.
#[must_use]
pub fn history(past: &PastDebates, most: usize) -> String {
    let count = past.debates.len();
    let noun = if count == 1 { "debate" } else { "debates" };
    let mut out = format!("Anvil: {count} {noun} of this project, the newest first. `anvil show ID` tells one.\n");
    let rows = &past.debates[..most.min(count)];
    let first = width(rows.iter().map(|row| row.prefix.as_str()));
    for row in rows {
        let debate = &row.debate;
        let day = debate.progress.started_at.strftime("%Y-%m-%d").to_string();
        // An id that was made by hand need not begin with its day.
        let day = if debate.id.starts_with(&day) { String::new() } else { format!("{day}, ") };
        let mut said = format!("{day}{}", how(debate));
        if let Some(confidence) = confidence(row) {
            let _ = write!(said, ", {confidence}");
        }
        if let Some(verdict) = &row.verdict {
            let _ = write!(said, ": {verdict}");
        }
        let _ = write!(out, "\n{}", line(&row.prefix, first, &debate.question));
        let _ = writeln!(out, "\n{}", line(debate.progress.status.label(), first, &said));
    }
    if count > most {
        let left = count - most;
        let _ = write!(out, "\n  … and {left} more: `anvil history` in a terminal lists them all.\n");
    }
    for (file, why) in &past.unreadable {
        let file = clean(&past.project.display(file), 200);
        let _ = write!(out, "\n  unreadable: {file}\n    {}\n", clean(why, 200));
    }
    out.trim_end().to_owned()
}

/// `80 %`, `confidence high`.
fn confidence(past: &PastDebate) -> Option<String> {
    let stated = past.percent.map(|percent| format!("{percent} %")).or_else(|| past.confidence.clone())?;
    let named = if stated.starts_with(|char: char| char.is_ascii_digit()) { "" } else { "confidence " };
    Some(format!("{named}{}", clean(&stated, 24)))
}

/// What `anvil search` shows: each debate with its hits below it.
#[must_use]
pub fn found(found: &FoundTexts) -> String {
    let debates = &found.debates;
    let hits: usize = debates.iter().map(|(_, hits)| hits.len()).sum();
    let places = if hits == 1 { "1 place".to_owned() } else { format!("{hits} places") };
    let of = if debates.len() == 1 { "1 debate".to_owned() } else { format!("{} debates", debates.len()) };
    let mut out = format!("Anvil: \"{}\" is in {places} of {of}.\n", clean(&found.text, 40));
    let first = width(debates.iter().map(|(past, _)| past.prefix.as_str()));
    let place = debates.iter().flat_map(|(_, hits)| hits).map(|hit| clean(&hit.place, 28).chars().count()).max();
    for (past, hits) in debates {
        let _ = write!(out, "\n{}\n", line(&past.prefix, first, &past.debate.question));
        for hit in hits {
            let _ = writeln!(out, "  {}", line(&clean(&hit.place, 28), place.unwrap_or(0), &hit.excerpt));
        }
    }
    out.trim_end().to_owned()
}

/// Nothing was found.
#[must_use]
pub fn not_found(text: &str) -> Error {
    Error::nothing(format!("no debate in this project contains \"{}\"", clean(text, 60)), "`anvil history` lists them")
}

fn width<'a>(words: impl Iterator<Item = &'a str>) -> usize {
    words.map(|word| word.chars().count()).max().unwrap_or(0).clamp(*FIRST.start(), *FIRST.end())
}

/// Two columns; the second one is cut where the screen ends.
fn line(one: &str, width: usize, two: &str) -> String {
    let one = clean(one, 100);
    let padding = " ".repeat(width.saturating_sub(columns(&one)));
    let taken = columns(&one).max(width) + 4;
    let two = fit(&clean(two, 2 * COLUMNS), COLUMNS.saturating_sub(taken).max(20));
    format!("  {one}{padding}  {two}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_wide_characters_fits_the_screen_too() {
        for text in ["日本語の長い質問です。".repeat(20), "🚀 rocket ".repeat(20), "a ".repeat(100)] {
            let line = line("2026-11-21", 11, &text);
            assert!((78..=80).contains(&columns(&line)) && line.ends_with('…'), "{line}");
        }
        assert_eq!(line("2026", 11, "日本"), "  2026         日本");
    }
}
