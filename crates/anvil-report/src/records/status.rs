//! The status and the owners of a record, wherever people write them.
//!
//! A text of a debate is no place for it: Anvil's own record has such a text only below a heading of
//! the second level, and no heading in one.

use anvil_text::{Fences, clean};

/// Most characters of a status.
const MAX_LINE: usize = 200;

/// Words of a status with which a decision does not stand.
const FALLEN: [&str; 12] = [
    "rejected",
    "deprecated",
    "superseded",
    "superceded",
    "replaced",
    "obsolete",
    "obsoleted",
    "withdrawn",
    "declined",
    "retired",
    "abandoned",
    "cancelled",
];

/// The keys of a status, in lower case.
const STATUS: &[&str] = &["status"];

/// The keys of those who own a decision. MADR 3 has deciders, MADR 4 decision-makers.
const OWNERS: &[&str] = &["owner", "owners", "deciders", "decision-makers", "decision makers"];

/// Every value of a key that a record names, in its order: in its front matter, in a line above its
/// first section, below a heading.
fn values(markdown: &str, keys: &[&str]) -> Vec<String> {
    let text = markdown.trim_start_matches('\u{FEFF}');
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let (front, body) = parts(&lines);
    let mut found: Vec<String> = of_front_matter(front, keys).into_iter().collect();
    found.extend(of_body(body, keys));
    for value in &mut found {
        *value = clean(&bare(value), MAX_LINE);
    }
    found.retain(|value| value.contains(char::is_alphanumeric));
    found
}

/// The status that counts: one with which the decision does not stand, else the first that a person
/// has changed. Empty: there is none.
pub(crate) fn status(markdown: &str) -> String {
    let all = values(markdown, STATUS);
    let fallen = all.iter().find(|status| is_fallen(status));
    let changed = || all.iter().find(|status| !is_word(status, "proposed"));
    fallen.or_else(changed).or_else(|| all.first()).cloned().unwrap_or_default()
}

/// Those who own the decision. Empty: nobody is named.
pub(crate) fn owners(markdown: &str) -> String {
    values(markdown, OWNERS).into_iter().next().unwrap_or_default()
}

/// True if a decision with this status does not stand.
pub(crate) fn is_fallen(status: &str) -> bool {
    FALLEN.iter().any(|word| is_word(status, word))
}

/// True if the status begins with this word.
pub(crate) fn is_word(status: &str, word: &str) -> bool {
    let mut words = status.split(|char: char| !char.is_alphanumeric());
    words.find(|word| !word.is_empty()).is_some_and(|first| first.eq_ignore_ascii_case(word))
}

/// The lines of the front matter, and those after it.
fn parts<'a, 'l>(lines: &'a [&'l str]) -> (&'a [&'l str], &'a [&'l str]) {
    let Some(mark) = lines.first().filter(|first| matches!(**first, "---" | "+++")) else {
        return (&[], lines);
    };
    match lines.iter().skip(1).position(|line| line == mark || *line == "...") {
        Some(end) => (&lines[1..=end], &lines[end + 2..]),
        None => (&[], lines),
    }
}

/// `status: x`, `"Status" : x`, `status = "x"`; a block, a list or an indented line below the key.
fn of_front_matter(lines: &[&str], keys: &[&str]) -> Option<String> {
    let key_at = |line: &str| {
        let (key, value) = line.split_once([':', '='])?;
        is_key(key.trim_matches([' ', '\t', '"', '\'']), keys).then(|| value.trim().to_owned())
    };
    let (at, value) = lines.iter().enumerate().find_map(|(at, line)| Some((at, key_at(line)?)))?;
    let value = value.split(" #").next().unwrap_or_default().trim().to_owned();
    if !value.is_empty() && !value.starts_with(['|', '>', '[', '{']) {
        return Some(value);
    }
    if value.starts_with(['[', '{']) {
        return Some(value.trim_matches(['[', ']', '{', '}', ' ']).to_owned());
    }
    let below = lines[at + 1..].iter().map(|line| (line, line.trim()));
    let below = below.take_while(|(line, text)| {
        text.is_empty() || line.starts_with([' ', '\t']) || text.starts_with("- ")
    });
    let below = below.map(|(_, text)| text.strip_prefix("- ").unwrap_or(text));
    Some(below.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" "))
}

fn is_key(text: &str, keys: &[&str]) -> bool {
    keys.iter().any(|key| text.eq_ignore_ascii_case(key))
}

/// The values of a key in a text without front matter.
fn of_body(lines: &[&str], keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut fences = Fences::default();
    let mut place = Place::Head;
    let mut columns: Option<usize> = None;
    let (mut is_comment, mut has_title) = (false, false);
    for (at, line) in lines.iter().enumerate() {
        if fences.is_code(line) {
            continue;
        }
        let text = line.trim();
        // `<!-- proposed | accepted -->` of a template.
        if is_comment || text.starts_with("<!--") {
            is_comment = !text.contains("-->");
            continue;
        }
        if let Some((level, heading)) = heading(line, lines.get(at + 1).copied()) {
            let (label, value) = split_label(heading).unwrap_or((heading, ""));
            // `1. Status`
            let label = label.trim_start_matches(|char: char| {
                char.is_ascii_digit() || matches!(char, '.' | ')' | ' ')
            });
            // The first heading is the title, of the first level or not.
            let is_first = !std::mem::replace(&mut has_title, true);
            place = match (is_key(&bare(label), keys) && !(is_first && level == 1), place) {
                (true, _) => {
                    found.extend(Some(value.to_owned()).filter(|value| !value.is_empty()));
                    Place::Value(value.is_empty())
                }
                (false, Place::Head) if is_first => Place::Head,
                (false, _) => Place::Elsewhere,
            };
            continue;
        }
        match place {
            // More paragraphs tell a history, or who decided and when.
            Place::Value(is_first) => {
                let Some(text) = item(text) else { continue };
                if is_first || is_fallen(text) || is_word(text, "accepted") {
                    found.push(text.to_owned());
                }
                place = Place::Value(false);
            }
            Place::Head => {
                if let Some(cells) = cells(text) {
                    of_row(&cells, keys, &mut columns, &mut found);
                    continue;
                }
                columns = None;
                let text = text.trim_start_matches(['>', ' ']);
                let text = text.strip_prefix(['*', '-', '+']).filter(|text| text.starts_with(' '));
                let text = text.unwrap_or_else(|| line.trim().trim_start_matches(['>', ' ']));
                if let Some((label, value)) = split_label(text)
                    && is_key(&bare(label), keys)
                {
                    if bare(value).is_empty() {
                        place = Place::Value(true);
                    } else {
                        found.push(value.to_owned());
                    }
                } else if is_key(&bare(text), keys) && text.starts_with(['*', '_']) {
                    place = Place::Value(true);
                }
            }
            Place::Elsewhere => {}
        }
    }
    found
}

#[derive(Clone, Copy)]
enum Place {
    /// Above the first section.
    Head,
    /// Below a heading with the key; true: nothing was there yet.
    Value(bool),
    Elsewhere,
}

/// The level and the text of a heading: of a line with `#`, or of one that the next underlines.
fn heading<'l>(line: &'l str, next: Option<&str>) -> Option<(usize, &'l str)> {
    let after = line.trim_start_matches('#');
    let level = line.len() - after.len();
    if (1..=6).contains(&level) && after.starts_with([' ', '\t']) {
        return Some((level, after.trim().trim_end_matches('#').trim_end()));
    }
    let is_text = line.starts_with(char::is_alphabetic);
    let next = next.filter(|next| is_text && next.len() > 2)?;
    let is_of = |mark: char| next.chars().all(|char| char == mark);
    match (is_of('='), is_of('-')) {
        (true, _) => Some((1, line)),
        (_, true) => Some((2, line)),
        _ => None,
    }
}

/// `Status: x`, `**Status:** x`, `**Status**: x`, `Status – x`.
fn split_label(text: &str) -> Option<(&str, &str)> {
    let end = text.find(':').or_else(|| text.find(" – ")).or_else(|| text.find(" - "))?;
    let (label, value) = text.split_at(end);
    Some((label, value.trim_start_matches([':', '–', '-', ' '])))
}

/// A text without emphasis, links' brackets and quotes around it.
fn bare(text: &str) -> String {
    let marks = ['*', '_', '`', '"', '\'', ' ', '\t', ':', '['];
    let text = text.trim_matches(marks);
    // A part that is struck out was the status.
    let mut shown = String::new();
    for (at, part) in text.split("~~").enumerate() {
        shown += if at % 2 == 0 { part } else { "" };
    }
    shown.trim_matches(marks).to_owned()
}

/// One line below a heading: a paragraph, an item, or a box that is ticked.
fn item(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['>', ' ']);
    let item = text.strip_prefix(['*', '-', '+']).filter(|item| item.starts_with(' '));
    let item = item.map_or(text, str::trim_start);
    if item.starts_with("[ ]") || matches!(item, "---" | "***" | "") {
        return None;
    }
    Some(item.strip_prefix("[x]").or_else(|| item.strip_prefix("[X]")).unwrap_or(item))
}

/// The cells of a row of a table.
fn cells(text: &str) -> Option<Vec<String>> {
    let row = text.strip_prefix('|')?;
    Some(row.trim_end_matches('|').split('|').map(bare).collect())
}

/// A row with the key first, or one below a head that has a column for it.
fn of_row(cells: &[String], keys: &[&str], column: &mut Option<usize>, found: &mut Vec<String>) {
    if let Some(at) = *column {
        let value = cells.get(at).filter(|value| value.contains(char::is_alphanumeric));
        found.extend(value.cloned());
        return;
    }
    match cells.iter().position(|cell| is_key(cell, keys)) {
        // A row with two cells is a key and its value.
        Some(0) if cells.len() == 2 => found.extend(cells.get(1).cloned()),
        Some(at) => *column = Some(at),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_where_people_write_it() {
        for (text, expected) in [
            ("---\nstatus: accepted\n---\n# T\n", "accepted"),
            ("---\nStatus : \"Accepted\" # since May\n---\n", "Accepted"),
            ("---\n\"status\": rejected\n---\n", "rejected"),
            ("---\nstatus: >-\n  superseded by\n  ADR-5\ndate: x\n---\n", "superseded by ADR-5"),
            ("---\nstatus: |\n  Deprecated\n---\n", "Deprecated"),
            ("---\nstatus:\n  - rejected\ndate: x\n---\n", "rejected"),
            ("---\nstatus:\n- rejected\ndate: x\n---\n", "rejected"),
            ("---\nstatus: [rejected]\n---\n", "rejected"),
            ("---\nadr:\n  status: rejected\n---\n", "rejected"),
            ("+++\nstatus = \"rejected\"\n+++\n", "rejected"),
            ("\u{feff}---\r\nstatus: rejected\r\n---\r\n", "rejected"),
            (
                "# 1. T\n\nDate: 2024\n\n## Status\n\nAccepted\n\n## Context\n\nRejected\n",
                "Accepted",
            ),
            (
                "# T\n\n## Status\n\nAccepted\n\nSuperseded by [5](5.md)\n",
                "Superseded by [5](5.md)",
            ),
            ("# T\n\n## Status\n\nProposed\n\nby Ann, 2024\n", "Proposed"),
            ("---\nstatus: proposed\n---\n# T\n\n## Status\n\nAccepted\n", "Accepted"),
            ("# T\n\n### Status:\n**Rejected** in May\n", "Rejected** in May"),
            ("# T\n\n## 1. Status\n\n* rejected\n", "rejected"),
            ("# T\n\n## Status: rejected\n", "rejected"),
            ("# T\n\nStatus\n------\n\nrejected\n", "rejected"),
            ("# T\n\n## Status\n\n- [ ] Proposed\n- [x] Rejected\n- [ ] Accepted\n", "Rejected"),
            (
                "# T\n\n## Status\n\n<!-- Proposed | Accepted -->\n\n~~Proposed~~ Rejected\n",
                "Rejected",
            ),
            ("# T\n\n## Status\n\n<!--\nProposed\n-->\nRejected\n", "Rejected"),
            ("# T\n\n* Status: rejected\n* Date: x\n", "rejected"),
            ("# T\n\n- **Status**: rejected\n", "rejected"),
            ("# T\n\n**Status:** [Superseded](5.md)\n", "Superseded](5.md)"),
            ("# T\n\n**Status**\n\nRejected\n", "Rejected"),
            ("# T\n\n> Status: rejected\n", "rejected"),
            ("# T\n\nStatus: rejected  \n", "rejected"),
            ("T\n=\n\n_Status_ – rejected\n", "rejected"),
            ("# T\n\n| Status | Rejected |\n|---|---|\n| Date | 2024 |\n", "Rejected"),
            ("# T\n\n| | |\n|---|---|\n| **Status** | Rejected |\n", "Rejected"),
            ("# T\n\n| Date | Status | By |\n|---|---|---|\n| 2024 | Rejected | a |\n", "Rejected"),
            ("# T\n\n## Context\n\nStatus: rejected\n\n* Status: rejected\n", ""),
            ("# T\n\n```\n## Status\n\nrejected\n```\n", ""),
            ("# Status\n\nThe state of it.\n", ""),
            ("# T\n\n# Date\n\n2024\n\n# Status\n\nrejected\n\n# Context\n", "rejected"),
            ("# T\n\n## Status\n\n> Rejected\n>\n> in May\n", "Rejected"),
            ("", ""),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }

    #[test]
    fn owners_are_read_where_a_status_is() {
        for (text, expected) in [
            ("---\nstatus: accepted\ndecision-makers: [Ann, Bob]\n---\n# T\n", "Ann, Bob"),
            ("---\ndeciders:\n  - Ann\n---\n", "Ann"),
            ("# T\n\n* Status: accepted\n* Owner: the data team\n", "the data team"),
            ("# T\n\n## Deciders\n\nAnn\n", "Ann"),
            ("# T\n\n## Status\n\nAccepted\n", ""),
        ] {
            assert_eq!(owners(text), expected, "{text}");
        }
    }

    #[test]
    fn a_status_says_whether_the_decision_stands() {
        for (status, is_out) in [
            ("Superseded** by", true),
            ("⛔ Superceded by 5", true),
            ("Withdrawn", true),
            ("accepted, replaces the rejected 5", false),
            ("", false),
        ] {
            assert_eq!(is_fallen(status), is_out, "{status}");
        }
    }
}
