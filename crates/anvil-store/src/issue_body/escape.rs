//! The length of a body, and the repair of JSON that gh prints.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Most characters of a body or comment on GitHub.
pub const MAX_UNITS: usize = 65_536;

/// Longer texts are deflated: the additions of other tools and of people still fit.
pub(super) const MAX_PLAIN_UNITS: usize = 60_000;

/// The length of a body, counted so that no forge counts more characters: UTF-16 units, a line
/// break as two.
pub fn units(text: &str) -> usize {
    let mut units = 0;
    let mut last = '\0';
    for char in text.chars() {
        units += char.len_utf16() + usize::from(char == '\n' && last != '\r');
        last = char;
    }
    units
}

/// Undoes what gh does to escaped JSON: gh prints `\u003e` as `\>` (2.23), and `\u001b` as `\^[`
/// (2.23 and later). Both are invalid JSON, so they have no other meaning.
pub(super) fn unescape(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        at += found;
        let mut after = json[at + 1..].chars();
        let marked = after.next();
        let code = match (marked, after.next()) {
            (Some('^'), Some(caret @ '@'..='_')) => Some((u32::from(caret) - u32::from('@'), 3)),
            (Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u'), _) => None,
            (Some(char), _) if char.is_ascii() && !char.is_ascii_alphanumeric() => {
                Some((u32::from(char), 2))
            }
            _ => None,
        };
        let Some((code, length)) = code else {
            at += 1 + marked.map_or(0, char::len_utf8);
            continue;
        };
        out.push_str(&json[done..at]);
        let _ = write!(out, "\\u{code:04x}");
        at += length;
        done = at;
    }
    if done == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(&json[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use anvil_text::json_in_comment;

    /// A text in JSON as gh 2.23 prints it.
    fn as_gh_prints(text: &str) -> String {
        let mut out = String::new();
        let mut remaining = text;
        while let Some(at) = remaining.find("\\u00") {
            let code = u8::from_str_radix(&remaining[at + 4..at + 6], 16).unwrap();
            out += &remaining[..=at];
            match code {
                0..=31 => out.extend(['^', char::from(code + b'@')]),
                code => out.push(char::from(code)),
            }
            remaining = &remaining[at + 6..];
        }
        out + remaining
    }

    proptest! {
        #[test]
        fn json_changed_by_gh_is_repaired(
            text in "(\\PC|[\u{1}-\u{1f}<>@#\\\\\"/^-]){0,60}",
        ) {
            let escaped = json_in_comment(&serde_json::to_string(&text).unwrap());
            prop_assert_eq!(&*unescape(&escaped), &escaped);
            let printed = as_gh_prints(&escaped);
            prop_assert_eq!(&*unescape(&printed), &escaped);
        }

        #[test]
        fn any_text_can_be_repaired(text in any::<String>(), marks in "[\\\\^@é>\"u0]{0,12}") {
            let _ = (unescape(&text), unescape(&marks));
        }
    }

    #[test]
    fn the_estimated_length_is_never_too_low() {
        for text in ["", "abc", "é", "😀", "a\nb", "a\r\nb", "a\rb\n\n"] {
            assert!(
                units(text) >= text.chars().count() && units(text) >= text.encode_utf16().count()
            );
            assert!(
                units(text)
                    >= text.replace("\r\n", "\n").replace('\n', "\r\n").encode_utf16().count()
            );
        }
        assert_eq!(units("a\nb😀\r\n"), 8);
    }
}
