//! Earlier debates, in lines for a screen of 80 columns and more.

use std::fmt::Write as _;

use super::rounds;
use crate::debate::{Debate, Format};
use crate::text::{clean, columns, fit};

/// Columns that every line fits into.
const COLUMNS: usize = 80;

/// Narrowest and widest first column. A longer beginning of an id goes beyond it, in its own line.
const FIRST: std::ops::RangeInclusive<usize> = 11..=20;

/// An earlier debate.
#[derive(Clone, Debug)]
pub struct PastRow<'a> {
    /// The debate.
    pub debate: &'a Debate,
    /// The shortest beginning of its id that no other has.
    pub prefix: &'a str,
    /// What its synthesis recommends.
    pub verdict: Option<&'a str>,
    /// How sure that is.
    pub confidence: Option<String>,
}

/// A text of a debate in which something was found.
#[derive(Clone, Debug)]
pub struct FoundRow<'a> {
    /// Where in the debate.
    pub place: &'a str,
    /// The text around it.
    pub excerpt: &'a str,
}

/// `analyst, 3 rounds`, `stakeholders, 3 voices, cycle 2`.
#[must_use]
pub fn how(debate: &Debate) -> String {
    let length = match debate.format() {
        Format::Seats => rounds(debate.options.max_rounds),
        Format::Stakeholders | Format::Personas => format!("{} voices", debate.options.voices.len()),
    };
    let cycle = if debate.progress.cycle > 1 { format!(", cycle {}", debate.progress.cycle) } else { String::new() };
    format!("{}, {length}{cycle}", clean(debate.options.mode.word(), 60))
}

/// What `anvil history` shows: two lines for each debate, and one for each file that can't be read.
#[must_use]
pub fn past(rows: &[PastRow<'_>], unreadable: &[(String, String)], left_out: usize) -> String {
    let count = rows.len() + left_out;
    let noun = if count == 1 { "debate" } else { "debates" };
    let mut out = format!("Anvil: {count} {noun} of this project, the newest first. `anvil show ID` tells one.\n");
    let first = width(rows.iter().map(|row| row.prefix));
    for row in rows {
        let debate = row.debate;
        let day = debate.progress.started_at.strftime("%Y-%m-%d").to_string();
        // An id that was made by hand need not begin with its day.
        let day = if debate.id.starts_with(&day) { String::new() } else { format!("{day}, ") };
        let mut said = format!("{day}{}", how(debate));
        if let Some(confidence) = &row.confidence {
            let named = if confidence.starts_with(|char: char| char.is_ascii_digit()) { "" } else { "confidence " };
            let _ = write!(said, ", {named}{}", clean(confidence, 24));
        }
        if let Some(verdict) = row.verdict {
            let _ = write!(said, ": {verdict}");
        }
        let _ = write!(out, "\n{}", line(row.prefix, first, &debate.question));
        let _ = writeln!(out, "\n{}", line(debate.progress.status.label(), first, &said));
    }
    if left_out > 0 {
        let _ = write!(out, "\n  … and {left_out} more: `anvil history` in a terminal lists them all.\n");
    }
    out.push_str(&unread(unreadable));
    out.trim_end().to_owned()
}

/// What `anvil search` shows: each debate with its hits below it.
#[must_use]
pub fn found(text: &str, debates: &[(&str, &str, Vec<FoundRow<'_>>)]) -> String {
    let hits: usize = debates.iter().map(|(_, _, hits)| hits.len()).sum();
    let places = if hits == 1 { "1 place".to_owned() } else { format!("{hits} places") };
    let of = if debates.len() == 1 { "1 debate".to_owned() } else { format!("{} debates", debates.len()) };
    let mut out = format!("Anvil: \"{}\" stands in {places} of {of}.\n", clean(text, 40));
    let first = width(debates.iter().map(|(prefix, _, _)| *prefix));
    let place = debates.iter().flat_map(|(_, _, hits)| hits).map(|hit| clean(hit.place, 28).chars().count()).max();
    for (prefix, question, hits) in debates {
        let _ = write!(out, "\n{}\n", line(prefix, first, question));
        for hit in hits {
            let _ = writeln!(out, "  {}", line(&clean(hit.place, 28), place.unwrap_or(0), hit.excerpt));
        }
    }
    out.trim_end().to_owned()
}

/// A line for each file that can't be read.
#[must_use]
pub fn unread(unreadable: &[(String, String)]) -> String {
    let mut out = String::new();
    for (file, why) in unreadable {
        let _ = write!(out, "\n  unreadable: {}\n    {}\n", clean(file, 200), clean(why, 200));
    }
    out
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
