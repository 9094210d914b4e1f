//! The one way to read JSON.
#![allow(clippy::disallowed_methods, reason = "here JSON is read")]

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Reads JSON as programs write it. One in JavaScript may break off within a surrogate pair and
/// print `\ud83d` alone (Claude Code, seen on 2.1.329), which `serde_json` rejects.
pub fn from_json<T: DeserializeOwned>(input: impl AsRef<[u8]>) -> serde_json::Result<T> {
    let input = input.as_ref();
    serde_json::from_slice(input).or_else(|error| match mend_surrogates(input) {
        Cow::Owned(mended) => serde_json::from_slice(&mended),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Reads JSON without a copy. Half a surrogate pair is an error where its text is read, and stays
/// in a [`RawValue`](serde_json::value::RawValue).
pub fn from_json_in_place<'a, T: Deserialize<'a>>(input: &'a str) -> serde_json::Result<T> {
    serde_json::from_str(input)
}

/// The UTF-16 unit of a `\uXXXX` here.
fn escaped_unit(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6).filter(|escape| escape.starts_with(b"\\u"))?;
    u16::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

/// JSON in which every `\uD800` to `\uDFFF` outside a pair is U+FFFD. Nothing moves.
pub fn mend_surrogates(input: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Cow::Borrowed(input);
    let mut at = 0;
    while let Some(found) = input.get(at..).and_then(|input| memchr::memchr(b'\\', input)) {
        at += found;
        at += match (escaped_unit(input, at), escaped_unit(input, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            // Skips an escaped backslash too: its second byte begins no escape.
            _ => 2,
        };
    }
    mended
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() {
        for (text, read) in [
            (r"A1 \ud83d broken", "A1 \u{FFFD} broken"),
            (r"\udc00\ud83d\ude00\ud83d", "\u{FFFD}\u{1F600}\u{FFFD}"),
            (r"\uD83D\uD83D\uDE00", "\u{FFFD}\u{1F600}"),
            (r"\\ud83d and \ud83d", "\\ud83d and \u{FFFD}"),
            (r"\\\ud83d", "\\\u{FFFD}"),
            (r"\ud83d\n", "\u{FFFD}\n"),
            (r"\ud83d\\u1234", "\u{FFFD}\\u1234"),
        ] {
            assert_eq!(from_json::<String>(format!("\"{text}\"")).unwrap(), read, "{text}");
        }
        let named = from_json::<Value>(r#"{"\ud83d":["\ud83d"]}"#).unwrap();
        assert_eq!(named["\u{FFFD}"][0], "\u{FFFD}");
        for wrong in [r#""\ud83"#, r#""\ud83d"#, r#""\ud8"""#, "\\", ""] {
            assert!(from_json::<Value>(wrong).is_err(), "{wrong}");
        }
    }
}
