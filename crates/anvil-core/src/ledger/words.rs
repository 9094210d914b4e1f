//! Compares quotes with the text that they quote.

use std::cell::OnceCell;

use crate::question::ends_sentence;
use anvil_text::{ascii_mark, closing_quote};

/// A text with folded white space and quote marks, and without marks of emphasis and code, which a
/// page does not show. Case, punctuation and ellipses stay.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // French has spaces inside its quote marks.
    let mut is_open = false;
    for word in text.split_whitespace() {
        let begins = out.len();
        let after_mark = word.strip_prefix('»');
        let closes = after_mark.is_some_and(|text| !text.starts_with(char::is_alphanumeric));
        if begins > 0 && !is_open && !closes {
            out.push(' ');
        }
        let before_mark = word.strip_suffix('«');
        is_open = before_mark.is_some_and(|text| !text.ends_with(char::is_alphanumeric));
        let before = out.len();
        if word.bytes().any(|byte| matches!(byte, b'*' | b'`' | 0x80..)) {
            out.extend(word.chars().filter(|char| !matches!(char, '*' | '`')).map(|char| {
                Some(ascii_mark(char)).filter(|mark| matches!(mark, '"' | '\'')).unwrap_or(char)
            }));
        } else {
            out.push_str(word);
        }
        // Only marks.
        if out.len() == before {
            out.truncate(begins);
        }
    }
    out
}

/// The positions of whole words in a text. In a script without capitals, which may not separate
/// words, any letters match.
pub(super) fn occurrences<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let first = words.chars().next();
    let last = words.chars().next_back();
    memchr::memmem::find_iter(text.as_bytes(), words.as_bytes()).filter(move |&at| {
        // An empty needle is found inside of characters, too.
        !words.is_empty()
            && !are_one_word(text[..at].chars().next_back(), first)
            && !are_one_word(last, text[at + words.len()..].chars().next())
    })
}

fn are_one_word(one: Option<char>, next: Option<char>) -> bool {
    [one, next].into_iter().all(|char| {
        char.is_some_and(|char| char.is_lowercase() || char.is_uppercase() || char.is_numeric())
    })
}

/// True if a text has these words, whatever its white space, quote marks and emphasis. The text is
/// folded for the first quote that needs it.
pub fn stands_in(quote: &str, text: &str, folded: &OnceCell<String>) -> bool {
    occurrences(text, quote).next().is_some()
        || occurrences(folded.get_or_init(|| fold(text)), &fold(quote)).next().is_some()
}

/// The first words in quote marks, and the text after them.
pub(super) fn first_quote(text: &str) -> Option<(&str, &str)> {
    let (at, open) = text.char_indices().find(|(_, char)| is_quote_mark(*char))?;
    let remaining = &text[at + open.len_utf8()..];
    let close = closing_quote(open)?;
    // `„one”` and `“one"` also occur, but nothing of that kind in Chinese and Japanese.
    let closes = |char: char| char == close || close <= '”' && matches!(char, '"' | '”');
    let end = remaining.find(closes)?;
    let words = remaining[..end].trim();
    (!words.is_empty()).then(|| (words, remaining[end..].trim_start_matches(closes)))
}

/// True for a double quote mark that opens a quote.
pub(super) fn is_quote_mark(char: char) -> bool {
    ascii_mark(char) == '"' && closing_quote(char).is_some()
}

/// The text after a word at its start, in any case.
pub(super) fn strip<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, after) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(after)
}

/// True for a mark that may stand around a sentence.
pub(super) fn is_around(char: char) -> bool {
    char.is_whitespace() || matches!(ascii_mark(char), '.' | ':')
}

/// A text without marks of weight at its start, and their weight: true for `[blocks]`, false for
/// `[minor]` alone.
pub(super) fn without_weight(text: &str) -> (&str, Option<bool>) {
    let mut plain = text;
    let mut blocks = None;
    loop {
        let start = plain.trim_start_matches(is_around);
        let (after, weight) = if let Some(after) = strip(start, "[blocks]") {
            (after, true)
        } else if let Some(after) = strip(start, "[minor]") {
            (after, false)
        } else if blocks.is_some() {
            return (start, blocks);
        } else {
            return (text, None);
        };
        (plain, blocks) = (after, blocks.max(Some(weight)));
    }
}

/// The weight that the words of a claim give: true for `[blocks]` anywhere, false for a `[minor]`
/// that begins a sentence. In quotes it is somebody else's, and inside of a sentence a word: "this
/// is not [minor]".
pub(super) fn weight_in(words: &str) -> Option<bool> {
    let mut weight = None;
    for at in memchr::memchr_iter(b'[', words.as_bytes()) {
        if strip(&words[at..], "[blocks]").is_some() {
            return Some(true);
        }
        if weight.is_none() && strip(&words[at..], "[minor]").is_some() {
            let before = &words[..at];
            let quotes = before.chars().filter(|char| ascii_mark(*char) == '"').count();
            let is_stop = |char: char| matches!(ascii_mark(char), '.' | '!' | '?' | ']');
            let begins = before.rfind(is_stop).unwrap_or_default();
            let is_alone = !before[begins..].contains(char::is_alphanumeric);
            weight = (is_alone && quotes % 2 == 0).then_some(false);
        }
    }
    weight
}

/// The text up to its first full stop. A small letter may follow: emphasis may end there, and means
/// nothing.
pub(super) fn up_to_full_stop(text: &str) -> &str {
    const SHORT: [&str; 7] = ["vs", "approx", "cf", "ca", "incl", "resp", "bzw"];
    let ends = |&(at, mark): &(usize, char)| {
        let after = text[at + mark.len_utf8()..]
            .trim_start_matches(|char| matches!(ascii_mark(char), '"' | ')'));
        let is_wide = matches!(mark, '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}');
        let word = text[..at].rsplit(|char: char| !char.is_alphanumeric() && char != '.').next();
        let word = word.unwrap_or_default();
        // `e.g.`, `z.B.`, `J. Doe`
        let is_short = mark == '.'
            && (word.contains('.')
                || word.chars().count() == 1 && word.chars().all(char::is_alphabetic)
                || SHORT.iter().any(|short| word.eq_ignore_ascii_case(short)));
        is_wide || after.chars().next().is_none_or(char::is_whitespace) && !is_short
    };
    let mut marks =
        text.char_indices().filter(|(_, char)| matches!(ascii_mark(*char), '.' | '!' | '?'));
    marks.find(ends).map_or(text, |(at, mark)| &text[..at + mark.len_utf8()])
}

pub fn first_sentence(text: &str) -> &str {
    let mut marks =
        text.char_indices().filter(|(_, char)| matches!(ascii_mark(*char), '.' | '!' | '?'));
    let end = marks.find(|&(at, mark)| ends_sentence(text, at, mark));
    end.map_or(text, |(at, mark)| &text[..at + mark.len_utf8()])
}

/// Most pieces of a quote that are searched.
const MAX_PIECES: usize = 8;

/// The literal pieces of a quote, between ellipses and brackets, without the marks at their ends.
/// Each in two forms: first letter small and large.
pub(super) fn pieces(quote: &str) -> Vec<[String; 2]> {
    let mut inside = false;
    quote
        .split(|char: char| {
            inside = char == '[' || inside && char != ']';
            inside || matches!(char, ']' | '…')
        })
        .flat_map(|part| part.split("..."))
        .filter_map(|part| {
            let part = part.trim_matches(|char: char| {
                let mark = ascii_mark(char);
                char.is_whitespace()
                    || matches!(mark, '.' | ',' | ';' | ':' | '!' | '?' | '(' | ')')
            });
            both_cases(part)
        })
        .take(MAX_PIECES)
        .collect()
}

/// The text, and the text with the case of its first letter changed. `None`: an empty text.
fn both_cases(text: &str) -> Option<[String; 2]> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let other = if first.is_uppercase() {
        first.to_lowercase().to_string()
    } else {
        first.to_uppercase().to_string()
    };
    Some([text.to_owned(), other + chars.as_str()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_and_quote_marks_are_folded() {
        assert_eq!(fold("  **A1. One**\n> “claim”,\u{A0}`it’s` "), "A1. One > \"claim\", it's");
        assert_eq!(fold("Il dit : « un mot », 「两个字」."), "Il dit : \"un mot\", \"两个字\".");
        for (one, other) in
            [("Word", "word"), ("one, two", "one two"), ("one … two", "one two"), ("co-op", "coop")]
        {
            assert_ne!(fold(one), fold(other));
        }
    }

    #[test]
    fn only_whole_words_match() {
        for (text, words, count) in [
            ("One claim here, one claim there", "claim", 2),
            ("One claim here", "e cla", 0),
            ("One claim here", "n", 0),
            ("One claim here", "One claim here", 1),
            ("claimed, claim", "claim", 1),
            ("(claim)", "claim", 1),
            ("40 minutes", "0 minutes", 0),
            ("我们应该拆分", "应该", 1),
            ("äny", "", 0),
        ] {
            assert_eq!(occurrences(text, words).count(), count, "{text}: {words}");
        }
    }

    #[test]
    fn a_quote_is_the_text_between_its_marks() {
        for text in [
            "says \"one two\" here",
            "says “one two” here",
            "says «one two» here",
            "says „one two“ here",
            "says „one two” here",
            "says « one two » here",
            "says »one two« here",
            "says 「one two」 here",
            "says 『one two』 here",
            "says ＂one two＂ here",
        ] {
            assert_eq!(first_quote(text), Some(("one two", " here")), "{text}");
        }
        for text in ["", "none", "\"open", "\"\" empty", "it's one's own"] {
            assert_eq!(first_quote(text), None, "{text}");
        }
    }

    #[test]
    fn a_claim_ends_at_its_first_full_stop() {
        for (text, first) in [
            ("One claim. its ground.", "One claim."),
            ("One claim. Its ground.", "One claim."),
            ("Costs 1.5 times. more", "Costs 1.5 times."),
            ("Use e.g. this one. then", "Use e.g. this one."),
            ("Der Plan, z.B. für uns, kostet. so", "Der Plan, z.B. für uns, kostet."),
            ("Redis vs. Valkey pays. x", "Redis vs. Valkey pays."),
            ("No. z", "No."),
            ("Is it \"dear?\" yes", "Is it \"dear?"),
            ("缓存便宜。没有数据。", "缓存便宜。"),
            ("no mark", "no mark"),
        ] {
            assert_eq!(up_to_full_stop(text), first);
        }
    }

    #[test]
    fn a_sentence_ends_before_a_blank_and_no_small_letter() {
        for (text, first) in [
            ("One claim. Its ground.", "One claim."),
            ("Costs 1.5 times. More.", "Costs 1.5 times."),
            ("Use e.g. this one. Then.", "Use e.g. this one."),
            ("**Really?** Yes.", "**Really?"),
            ("no mark", "no mark"),
            ("缓存便宜。没有数据。", "缓存便宜。"),
            ("真的吗？是。", "真的吗？"),
            ("هل ننتقل؟ نعم.", "هل ننتقل؟"),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
