//! The text of a document that is nearest to words which it does not have.

use std::collections::HashMap;
use std::fmt::Write as _;

use anvil_text::{ascii_mark, is_unseen};

/// Longest passage that is shown around a difference, in characters on each side.
const AROUND: usize = 40;

/// Longest text that is shown, in bytes.
const MOST_SHOWN: usize = 240;

/// What the document has instead of `quoted`, as a phrase: it has `b`, not `a`. `None`: nothing there is like it.
pub(super) fn nearest(document: &str, quoted: &str) -> Option<String> {
    let (says, passage) = match same_letters(document, quoted) {
        Some(passage) => ("it has", passage),
        None => ("the nearest is", same_words(document, quoted)?),
    };
    let (there, quoted) = difference(passage, quoted.trim());
    Some(format!("{says} {}, not {}", visible(there), visible(quoted)))
}

/// The passage that differs only in blanks, marks and invisible characters.
fn same_letters<'a>(document: &'a str, quoted: &str) -> Option<&'a str> {
    let mut starts = Vec::new();
    let mut folded = String::new();
    for (at, char) in document.char_indices() {
        if let Some(char) = folded_char(char) {
            starts.extend(std::iter::repeat_n(at, char.len_utf8()));
            folded.push(char);
        }
    }
    let wanted: String = quoted.chars().filter_map(folded_char).collect();
    if wanted.is_empty() {
        return None;
    }
    let at = memchr::memmem::find(folded.as_bytes(), wanted.as_bytes())?;
    let last = starts[at + wanted.len() - 1];
    let end = last + document[last..].chars().next().map_or(0, char::len_utf8);
    Some(&document[starts[at]..end])
}

/// `None`: a blank or an invisible character.
fn folded_char(char: char) -> Option<char> {
    (!char.is_whitespace() && !is_unseen(char)).then(|| ascii_mark(char))
}

/// As many lines as are quoted, with the most words of the quote: at least half of them.
fn same_words<'a>(document: &'a str, quoted: &str) -> Option<&'a str> {
    let mut left: HashMap<&str, i64> = HashMap::new();
    for word in quoted.split_whitespace() {
        *left.entry(word).or_default() += 1;
    }
    let count = quoted.split_whitespace().count();
    let height = quoted.trim().lines().count();
    let lines: Vec<&str> = document.split_inclusive('\n').collect();
    let starts: Vec<usize> = lines
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    let mut shared = 0;
    let mut best = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        for word in line.split_whitespace() {
            if let Some(left) = left.get_mut(word) {
                shared += usize::from(*left > 0);
                *left -= 1;
            }
        }
        if let Some(gone) = at.checked_sub(height) {
            for word in lines[gone].split_whitespace() {
                if let Some(left) = left.get_mut(word) {
                    *left += 1;
                    shared -= usize::from(*left > 0);
                }
            }
        }
        if shared > best.0 {
            best = (shared, at);
        }
    }
    let (shared, last) = best;
    if shared == 0 || shared * 2 < count {
        return None;
    }
    let first = starts[(last + 1).saturating_sub(height)];
    Some(document[first..starts[last] + lines[last].len()].trim())
}

/// The parts of two texts that differ, with the words around them.
fn difference<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    let begin: usize = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .map(|(char, _)| char.len_utf8())
        .sum();
    let end: usize = one[begin..]
        .chars()
        .rev()
        .zip(other[begin..].chars().rev())
        .take_while(|(one, other)| one == other)
        .map(|(char, _)| char.len_utf8())
        .sum();
    let part = |text: &'a str| {
        let from = text[..begin].char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
        let ends = text.len() - end;
        let to = text[ends..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| ends + at);
        // Another difference may follow.
        let most = text[from..to].char_indices().nth(3 * AROUND).map_or(to, |(at, _)| from + at);
        &text[from..most]
    };
    (part(one), part(other))
}

/// A text as code, in which what looks like a blank, or like nothing, has its name. It closes no
/// code and draws no border of a request.
fn visible(text: &str) -> String {
    let mut out = String::from("`");
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if out.len() > MOST_SHOWN {
            out.push('…');
            break;
        }
        match char {
            '\n' => out.push('⏎'),
            ' ' if chars.peek().is_none_or(|next| matches!(next, ' ' | '\n')) => out.push('␣'),
            ' ' => out.push(' '),
            '\u{a0}' => out.push_str("[no-break space]"),
            '\t' => out.push_str("[tab]"),
            char if char.is_whitespace() || is_unseen(char) || matches!(char, '`' | '─') => {
                let _ = write!(out, "[U+{:04X}]", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('`');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_text_shows_what_differs() {
        for (document, quoted, expected) in [
            ("Wait 5\u{a0}days.", "Wait 5 days.", "it has `Wait 5[no-break space]days.`"),
            ("He says “go”.", "He says \"go\".", "it has `He says “go”.`"),
            ("It’s on.", "It's on.", "it has `It’s on.`"),
            ("One.  \nTwo.", "One.\nTwo.", "it has `One.␣␣⏎Two.`"),
            ("a\tb", "a b", "it has `a[tab]b`"),
            ("a\u{200b}b", "ab", "it has `a[U+200B]b`"),
            ("Run x.", "Run  x.", "it has `Run x.`"),
            (
                "First.\nMove the cache on Monday.\nLast.",
                "Move the cache on Tuesday.",
                "the nearest is `Move the cache on Monday.`",
            ),
            (
                "One.\nMove it all.\nThen wait a day.\nLast.",
                "Move it all.\nThen wait a year.",
                "the nearest is `Move it all.⏎Then wait a day.`",
            ),
        ] {
            let expected = format!("{expected}, not {}", visible(quoted));
            assert_eq!(nearest(document, quoted), Some(expected), "{quoted}");
        }
        assert_eq!(nearest("Move the cache.", "Nobody said this."), None);
        assert_eq!(nearest("", "a"), None);
        assert_eq!(nearest("Move.", " \n"), None);
    }

    #[test]
    fn a_long_passage_is_shown_around_its_difference() {
        let long = "word ".repeat(200);
        for odd in ["x\u{a0}y".to_owned(), "\u{200b}".repeat(200)] {
            let document = format!("{long}{odd} {long}");
            let shown = nearest(
                &document,
                &format!("{long}{} {long}", odd.replace(['\u{a0}', '\u{200b}'], " ")),
            )
            .unwrap();
            assert!(shown.contains('[') && shown.len() < 600, "{shown}");
        }
        assert_eq!(visible("a`b─"), "`a[U+0060]b[U+2500]`");
    }
}
