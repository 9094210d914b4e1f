//! Earlier debates, in lines that are as wide as the screen.

use std::fmt::Write as _;

use super::steering::rounds;
use crate::debate::{Debate, Format};
use crate::engine::{FoundTexts, Hit, PastDebate, PastDebates};
use crate::error::Error;
use crate::text::{clean, columns, fit, wrap};

/// Columns of a screen that does not say how many it has.
pub const USUAL_COLUMNS: usize = 80;

/// Columns that the client leaves to what a hook shows, of the usual ones: what is wider goes on at the left edge.
pub const CLIENT_COLUMNS: usize = 70;

/// Most files that can't be read which are named.
pub(super) const MOST_UNREADABLE: usize = 5;

/// What a message begins with. The client puts words of its own before that and breaks it by itself.
pub(super) fn opening(text: &str, columns: usize) -> String {
    if columns == CLIENT_COLUMNS { text.to_owned() } else { wrap(text, columns).join("\n") }
}

/// `analyst, 3 rounds`, `stakeholders, 3 voices, cycle 2`.
pub(super) fn how(debate: &Debate) -> String {
    let length = match debate.format() {
        Format::Seats => rounds(debate.options.max_rounds),
        Format::Stakeholders | Format::Personas => format!("{} voices", debate.options.voices.len()),
    };
    let cycle = if debate.progress.cycle > 1 { format!(", cycle {}", debate.progress.cycle) } else { String::new() };
    format!("{}, {length}{cycle}", clean(debate.options.mode.word(), 60))
}

/// What `anvil history` shows of so many debates: each by its number, with what it was and what came of it.
#[must_use]
pub fn history(past: &PastDebates, most: usize, columns: usize) -> String {
    let count = past.debates.len();
    let noun = if count == 1 { "debate" } else { "debates" };
    let head = format!("Anvil: {count} {noun} of this project, newest first. `anvil show NUMBER` shows one.");
    let mut out = opening(&head, columns) + "\n";
    let rows = &past.debates[..most.min(count)];
    let first = rows.last().map_or(1, |row| row.number.to_string().len());
    for row in rows {
        let debate = &row.debate;
        let day = debate.progress.started_at.strftime("%Y-%m-%d").to_string();
        let facts = [ending(&debate.id).to_owned(), day, how(debate), debate.progress.status.label().to_owned()];
        let facts: Vec<String> = facts.into_iter().chain(confidence(row)).collect();
        let _ = write!(out, "\n{}", numbered(row, first, columns));
        let _ = write!(out, "\n{}", below(first, &facts.join(" · "), columns));
        if let Some(verdict) = &row.verdict {
            let _ = write!(out, "\n{}", below(first, &clean(verdict, 2 * columns), columns));
        }
        out.push('\n');
    }
    if count > most {
        let left = count - most;
        let _ = write!(out, "\n  … and {left} more: `anvil history` in a terminal lists them all.\n");
    }
    for (file, why) in past.unreadable.iter().take(MOST_UNREADABLE) {
        let file = clean(&past.project.display(file), 200);
        let _ = write!(out, "\n  unreadable: {file}\n    {}\n", clean(why, 200));
    }
    if past.unreadable.len() > MOST_UNREADABLE {
        let left = past.unreadable.len() - MOST_UNREADABLE;
        let _ = write!(out, "\n  … and {left} more that can't be read: `anvil history --json` lists them all.\n");
    }
    out.trim_end().to_owned()
}

/// The characters that an id ends with, which name the debate; all of an id that was made by hand.
fn ending(id: &str) -> &str {
    id.rsplit_once('-').map(|(_, end)| end).filter(|end| end.len() == 4).unwrap_or(id)
}

/// `confidence 80 %`, `confidence high`: without its reasons.
fn confidence(past: &PastDebate) -> Option<String> {
    if let Some(percent) = past.percent {
        return Some(format!("confidence {percent} %"));
    }
    let stated = clean(past.confidence.as_deref()?, 200).replace("**", "");
    let first = stated.split([',', ';', ':', '.', '(']).next().unwrap_or_default();
    let first = first.split(" because ").next().unwrap_or_default().trim();
    (!first.is_empty()).then(|| format!("confidence {}", clean(first, 24).to_lowercase()))
}

/// What `anvil search` shows: each debate with its hits below it.
#[must_use]
pub fn found(found: &FoundTexts, columns: usize) -> String {
    let debates = &found.debates;
    let hits: usize = debates.iter().map(|(_, hits)| hits.len()).sum();
    let places = if hits == 1 { "1 place".to_owned() } else { format!("{hits} places") };
    let of = if debates.len() == 1 { "1 debate".to_owned() } else { format!("{} debates", debates.len()) };
    let mut out = format!("Anvil: \"{}\" is in {places} of {of}.\n", clean(&found.text, 40));
    let first = debates.iter().map(|(past, _)| past.number.to_string().len()).max().unwrap_or(1);
    let place = |hit: &Hit| clean(&hit.place, 28);
    let width = debates.iter().flat_map(|(_, hits)| hits).map(|hit| self::columns(&place(hit))).max().unwrap_or(0);
    for (past, hits) in debates {
        let _ = writeln!(out, "\n{}", numbered(past, first, columns));
        for hit in hits {
            let place = place(hit);
            let padding = " ".repeat(width.saturating_sub(self::columns(&place)));
            let line = format!("{place}{padding}  {}", clean(&hit.excerpt, 2 * columns));
            let _ = writeln!(out, "{}", below(first, &line, columns));
        }
    }
    out.trim_end().to_owned()
}

/// Nothing was found.
#[must_use]
pub fn not_found(text: &str) -> Error {
    Error::nothing(format!("no debate in this project contains \"{}\"", clean(text, 60)), "`anvil history` lists them")
}

/// A debate's number and question.
fn numbered(past: &PastDebate, width: usize, columns: usize) -> String {
    fit(&format!("  {:>width$}  {}", past.number, clean(&past.debate.question, 2 * columns)), columns)
}

/// A line under the question.
fn below(width: usize, line: &str, columns: usize) -> String {
    fit(&format!("  {:>width$}  {line}", ""), columns).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_wide_characters_fits_the_screen_too() {
        for text in ["日本語の長い質問です。".repeat(20), "🚀 rocket ".repeat(20), "a ".repeat(100)] {
            let line = below(2, &text, 80);
            assert!((78..=80).contains(&columns(&line)) && line.ends_with('…'), "{line}");
        }
        assert_eq!(below(1, "日本", 80), "     日本");
    }
}
