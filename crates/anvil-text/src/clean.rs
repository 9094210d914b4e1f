//! Makes text safe for a terminal and for JSON.

use std::fmt::Write as _;

use super::unseen::{is_unseen, visible};

/// One line of at most `most` characters, without invisible characters such as controls and
/// direction marks.
pub fn clean(text: &str, most: usize) -> String {
    if text.len() <= most && is_clean(text) {
        return text.to_owned();
    }
    if let Some(cleaned) = clean_ascii(text, most) {
        return cleaned;
    }
    let (text, _) = visible(text);
    let mut out = String::with_capacity(text.len().min(most.saturating_mul(4)));
    let mut count = 0;
    for word in text.split_whitespace() {
        let space = usize::from(count > 0);
        let chars = word.chars().count();
        let room = most.saturating_sub(count + space);
        if space == 1 && room > 0 {
            out.push(' ');
        }
        if chars > room {
            out.extend(word.chars().take(room));
            out.push('…');
            break;
        }
        out.push_str(word);
        count += space + chars;
    }
    out
}

/// The quick check for most text: one line of ASCII with single spaces between its words.
fn is_clean(text: &str) -> bool {
    let mut before = b' ';
    for &byte in text.as_bytes() {
        // Most bytes are letters.
        let is_next = if byte > b' ' { byte <= b'~' } else { byte == b' ' && before != b' ' };
        if !is_next {
            return false;
        }
        before = byte;
    }
    text.is_empty() || before != b' '
}

/// [`clean`] for a text of ASCII. `None`: another character is in the part that would be shown.
fn clean_ascii(text: &str, most: usize) -> Option<String> {
    let mut out = String::with_capacity(text.len().min(most.saturating_add('…'.len_utf8())));
    let mut has_space = false;
    for &byte in text.as_bytes() {
        match byte {
            b' ' | b'\n' | b'\t' => has_space = !out.is_empty(),
            b'!'..=b'~' => {
                if out.len() + usize::from(has_space) >= most {
                    out.push('…');
                    return Some(out);
                }
                if std::mem::take(&mut has_space) {
                    out.push(' ');
                }
                out.push(char::from(byte));
            }
            _ => return None,
        }
    }
    Some(out)
}

/// Several lines without control characters other than line breaks.
pub fn clean_lines(text: &str) -> String {
    visible(text).0.lines().map(|line| clean(line, usize::MAX)).collect::<Vec<_>>().join("\n")
}

/// True for a character that a terminal or a page shows rather than obeys.
pub fn is_shown(char: char) -> bool {
    !is_unseen(char) && !char.is_control()
}

/// The escape sequences around a bold text.
const BOLD: [&str; 2] = ["\u{1B}[1m", "\u{1B}[0m"];

/// A line in bold, for a terminal.
pub fn bold(line: &str) -> String {
    let [begin, end] = BOLD;
    format!("{begin}{line}{end}")
}

/// Like [`without_controls`], but what [`bold`] made bold stays so.
pub fn without_controls_but_bold(text: &str) -> String {
    let [begin, end] = BOLD;
    let parts = text.split(begin).map(|part| {
        let parts: Vec<String> = part.split(end).map(without_controls).collect();
        parts.join(end)
    });
    parts.collect::<Vec<_>>().join(begin)
}

/// The text without the characters that control a terminal. Line breaks stay.
pub fn without_controls(text: &str) -> String {
    visible(text).0.replace('\t', "    ")
}

/// The JSON with its invisible characters escaped.
pub fn harmless_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        if !is_shown(char) && char != '\n' {
            escape_in_json(char, &mut out);
        } else {
            out.push(char);
        }
    }
    out
}

/// JSON on one line that can stand in an HTML comment. Its strings can't end the comment, mention a
/// user or an issue, or steer a screen. The escaped characters occur only in strings, where an
/// escape has the same meaning.
pub fn json_in_comment(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut last = '\0';
    for char in json.chars() {
        let is_second_hyphen = char == '-' && last == '-';
        let is_escaped = matches!(char, '<' | '>' | '@' | '#');
        if is_escaped || is_second_hyphen || !is_shown(char) {
            escape_in_json(char, &mut out);
        } else {
            out.push(char);
        }
        last = char;
    }
    out
}

/// Appends a character as a JSON escape.
pub(crate) fn escape_in_json(char: char, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn only_bold_of_all_escape_sequences_is_kept(text in "([a-c\n]|\u{1B}\\[(1|0|31)m|\u{9B}1m){0,12}") {
            let first = bold("x");
            let kept = without_controls_but_bold(&format!("{first}{text}"));
            let without = kept.replace(BOLD[0], "").replace(BOLD[1], "");
            let has_others = without.chars().any(|char| char.is_control() && char != '\n');
            prop_assert!(kept.starts_with(&first) && !has_others);
        }

        #[test]
        fn ascii_is_cleaned_like_all_text(text in "[a-c \n\t]{0,20}", most in 0_usize..12) {
            // A joiner that joins nothing is not shown.
            let other = format!("{text}\u{200D}");
            prop_assert_eq!(clean(&text, most), clean(&other, most));
        }

        #[test]
        fn armoured_json_keeps_its_meaning_and_closes_no_comment(
            text in any::<String>(),
            marks in "[-<>!@#\\\\\"\n\u{202e}a]{0,30}",
        ) {
            for text in [text, marks] {
                let escaped = json_in_comment(&serde_json::to_string(&text).unwrap());
                prop_assert_eq!(crate::from_json::<String>(&escaped).unwrap(), text);
                prop_assert!(!escaped.contains(['<', '>', '@', '#', '\n', '\r']));
                prop_assert!(!escaped.contains("--"));
            }
        }
    }

    #[test]
    fn no_terminal_control_reaches_the_screen() {
        assert_eq!(clean("a\u{1B}[31mb\u{7}\n\tc\u{202E}d\u{9B}e", 100), "a[31mb cde");
        assert_eq!(clean("  one   two  ", 100), "one two");
        assert_eq!(clean("abcdef", 3), "abc…");
        assert_eq!(clean("abc", 3), "abc");
        assert_eq!(clean("abc  ", 3), "abc");
        assert_eq!(clean("ab cdef", 4), "ab c…");
        assert_eq!(clean("ab cdef", 3), "ab…");
        assert_eq!(clean("abc\u{200B}", 3), "abc");
        assert_eq!(clean_lines("a\u{1B}\nb"), "a\nb");
    }
}
