//! JSON values among the notices that a program prints around them.

use anvil_text::mend_surrogates;
use serde_json::{Deserializer, Value};

/// The objects that begin a line, in order, over as many lines as each has. What is none is
/// skipped. One that is cut off at the end is the last thing looked at.
#[allow(clippy::disallowed_methods, reason = "a value ends before its input, which is mended")]
pub(super) fn objects(printed: &[u8]) -> Vec<Value> {
    let printed = mend_surrogates(printed);
    let mut found = Vec::new();
    let mut rest: &[u8] = &printed;
    while !rest.is_empty() {
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        rest = &rest[blanks..];
        if rest.first() == Some(&b'{') {
            let mut values = Deserializer::from_slice(rest).into_iter::<Value>();
            match values.next() {
                Some(Ok(value)) => {
                    rest = &rest[values.byte_offset()..];
                    found.push(value);
                }
                Some(Err(error)) if error.is_eof() => break,
                _ => {}
            }
        }
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        rest = &rest[line..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_among_notices() {
        for (printed, expected) in [
            ("", "[]"),
            ("{\"a\":1}", "[{\"a\":1}]"),
            ("Warning: old\n{\n \"a\": {\n \"b\": 2 }\n}\nUpdate!\n", "[{\"a\":{\"b\":2}}]"),
            ("{ not json\n  {\"a\":1} done\n{\"b\":1}", "[{\"a\":1},{\"b\":1}]"),
            ("{\"a\":1}{\"b\":1}\n{\"c\":1}", "[{\"a\":1},{\"c\":1}]"),
            ("{\n{\"a\":1}", "[{\"a\":1}]"),
            ("said {\"a\":1}\n[1]\n{\"a\":", "[]"),
            ("{\"a\":\"\\ud83d\"}", "[{\"a\":\"\u{FFFD}\"}]"),
            ("\u{feff}x\n{\"a\":1}\r\n", "[{\"a\":1}]"),
        ] {
            let found = Value::from(objects(printed.as_bytes())).to_string();
            assert_eq!(found, expected, "{printed}");
        }
    }
}
