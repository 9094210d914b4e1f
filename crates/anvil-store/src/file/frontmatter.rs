//! The head of a state file: YAML frontmatter to keys and values, and back.
//!
//! Reading goes through `gray_matter` with the flat engine; writing gives one `key: value` line
//! each, every text as a JSON string, which is valid YAML and is read back unchanged. This module
//! does not know what the keys mean.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gray_matter::{Matter, Pod};
use serde::Serialize;

use super::error::OR_REPLACE;
use super::yaml::Flat;
use anvil_text::Hint;
use anvil_text::error::Failure;

/// Longest head, in bytes. The longest question (8,000 characters, each escaped to 10 bytes) and
/// position fit.
pub(crate) const MAX_HEAD_BYTES: usize = 128 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<Value>),
    Empty,
    /// A word of Anvil's own, such as a status. Written without quotes, and read back as text.
    Word(&'static str),
}

impl Value {
    /// Changes each text in it.
    pub(crate) fn with_texts(&mut self, change: &dyn Fn(&str) -> String) {
        match self {
            Self::Text(text) => *text = change(text),
            Self::List(values) => values.iter_mut().for_each(|value| value.with_texts(change)),
            Self::Flag(_) | Self::Number(_) | Self::Empty | Self::Word(_) => {}
        }
    }
}

impl From<Pod> for Value {
    fn from(pod: Pod) -> Self {
        match pod {
            Pod::Boolean(flag) => Self::Flag(flag),
            Pod::Integer(number) => Self::Number(number),
            Pod::String(text) => Self::Text(text),
            Pod::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            // The engine makes no fractions, and no mappings within a value.
            Pod::Null | Pod::Float(_) | Pod::Hash(_) => Self::Empty,
        }
    }
}

pub type Frontmatter = BTreeMap<String, Value>;

/// Splits a state file into its head (with both fences) and its body. `None`: the file does not
/// begin with a closed head.
pub fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let first = text.find('\n')? + 1;
    if text[..first].trim_end() != "---" {
        return None;
    }
    let mut at = first;
    for line in text[first..].split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return Some((&text[..at], &text[at..]));
        }
        // A heading: the closing fence is gone, and the transcript begins.
        if at > MAX_HEAD_BYTES || line.starts_with("## ") || line.starts_with("### ") {
            return None;
        }
    }
    None
}

/// Why a head can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("the state file's frontmatter can't be read: it is empty")]
    Empty,
    /// The fault, as a phrase.
    #[error("the state file's frontmatter can't be read: {0}")]
    Wrong(String),
}

impl Failure for Damage {
    fn hint(&self) -> Hint {
        format!("repair the lines between the two --- by hand, {OR_REPLACE}").into()
    }
}

/// The line of a key in a head with its fences, counted from 1.
pub fn line_of(head: &str, key: &str) -> usize {
    head.lines()
        .position(|line| {
            line.trim_start_matches(['"', '\''])
                .strip_prefix(key)
                .is_some_and(|after| after.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        })
        .map_or(1, |line| line + 1)
}

/// Reads a head that [`split`] has cut off.
pub fn read(head: &str) -> Result<Frontmatter, Damage> {
    if head.contains('\0') {
        return Err(Damage::Wrong("it holds a NUL character".to_owned()));
    }
    match Matter::<Flat>::new().parse::<Pod>(head) {
        Ok(entity) => match entity.data {
            Some(Pod::Hash(head)) => {
                Ok(head.into_iter().map(|(key, value)| (key, value.into())).collect())
            }
            _ => Err(Damage::Empty),
        },
        Err(gray_matter::Error::DeserializeError(why)) => Err(Damage::Wrong(why)),
        Err(other) => Err(Damage::Wrong(other.to_string())),
    }
}

/// The `description` in the head of any text, and the text without its head. A head that can't be
/// read has none: other tools may read it.
pub fn description(text: &str) -> (Option<String>, &str) {
    let Some((head, body)) = split(text) else { return (None, text) };
    match read(head).ok().and_then(|mut head| head.remove("description")) {
        Some(Value::Text(text)) => (Some(text), body),
        _ => (None, body),
    }
}

pub fn write(out: &mut String, key: &str, value: &Value) {
    if key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && !key.starts_with('-')
    {
        out.push_str(key);
    } else {
        write_text(out, key);
    }
    out.push_str(": ");
    write_value(out, value);
    out.push('\n');
}

/// Appends a value in the form of a head.
pub(crate) fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Flag(flag) => out.push_str(&flag.to_string()),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::Text(text) => write_text(out, text),
        Value::List(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Empty => out.push_str("null"),
        Value::Word(word) => out.push_str(word),
    }
}

/// A JSON string in which everything that YAML does not take literally is escaped too (measured
/// against yaml-rust2 0.10.4 and `PyYAML` in 20,000 random cases).
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{1F}'
            | '\u{7F}'..='\u{A0}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{FEFF}'
            | '\u{FFFE}'
            | '\u{FFFF}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            // Non-characters beyond the basic plane end in FFFE or FFFF; YAML has an eight-digit
            // escape for them.
            _ if u32::from(char) & 0xFFFE == 0xFFFE => {
                let _ = write!(out, "\\U{:08x}", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head(lines: &str) -> String {
        format!("---\n{lines}---\n")
    }

    fn round_trip(key: &str, value: &Value) -> Frontmatter {
        let mut out = String::new();
        write(&mut out, key, value);
        read(&head(&out)).expect("what is written can be read")
    }

    proptest! {
        #[test]
        fn every_text_is_read_back_unchanged(text in any::<String>()) {
            let value = Value::Text(text);
            prop_assert_eq!(round_trip("question", &value).remove("question"), Some(value));
        }

        #[test]
        fn every_list_and_number_is_read_back_unchanged(
            list in prop::collection::vec(any::<String>(), 0..5),
            number: i64,
        ) {
            let list = Value::List(list.into_iter().map(Value::Text).collect());
            prop_assert_eq!(round_trip("a", &list).remove("a"), Some(list));
            let number = Value::Number(number);
            prop_assert_eq!(round_trip("a b: c", &number).remove("a b: c"), Some(number));
        }
    }

    #[test]
    fn a_head_without_its_closing_fence_is_none() {
        for heading in ["## Round 1", "### Advocate"] {
            assert_eq!(split(&format!("---\na: 1\n{heading}\n\n---\n")), None, "{heading}");
        }
        let (head, body) = ("---\na: 1\n---\n", "## Round 1\n");
        assert_eq!(split(&format!("{head}{body}")), Some((head, body)));
    }

    #[test]
    fn non_characters_are_written_as_escapes() {
        for (char, escape) in
            [('\u{FFFE}', r"\ufffe"), ('\u{1FFFE}', r"\U0001fffe"), ('\u{10FFFF}', r"\U0010ffff")]
        {
            let mut out = String::new();
            write(&mut out, "a", &Value::Text(char.into()));
            assert_eq!(out, format!("a: \"{escape}\"\n"));
        }
    }

    #[test]
    fn a_key_has_at_most_100_bytes() {
        let longest = "k".repeat(100);
        assert_eq!(round_trip(&longest, &Value::Number(1)), [(longest, Value::Number(1))].into());
        let longer = format!("{}: 1\n", "k".repeat(101));
        assert!(matches!(read(&head(&longer)), Err(Damage::Wrong(why)) if why.contains("longer")));
    }

    #[test]
    fn an_empty_head_differs_from_a_wrong_head() {
        for nothing in ["", "\n", "# only\n  # comments\n"] {
            assert_eq!(read(&head(nothing)), Err(Damage::Empty), "{nothing:?}");
        }
        assert_eq!(
            read(&head("a: 1\na: 2\n")),
            Err(Damage::Wrong("the key \"a\" was given more than once".to_owned()))
        );
    }

    #[test]
    fn numbers_and_booleans_keep_their_type_and_the_rest_is_text() {
        let read = read(&head(
            "a: true\nb: 7\nc: yes\nd: 0x1F\ne: 1_000\nf: 2026-11-21\ng:\nh: [x, 2]\ni: 1.5\nj: 007\n",
        ))
        .unwrap();
        let text = |text: &str| Value::Text(text.into());
        assert_eq!(read["a"], Value::Flag(true));
        assert_eq!(read["b"], Value::Number(7));
        assert_eq!(read["c"], text("yes"));
        assert_eq!(read["d"], text("0x1F"));
        assert_eq!(read["e"], text("1_000"));
        assert_eq!(read["f"], text("2026-11-21"));
        assert_eq!(read["g"], Value::Empty);
        assert_eq!(read["h"], Value::List(vec![text("x"), Value::Number(2)]));
        assert_eq!(read["i"], text("1.5"));
        assert_eq!(read["j"], text("007"));
    }

    #[test]
    fn nested_yaml_is_refused_immediately() {
        let aliases = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n";
        let deep = "- ".repeat(10_000);
        for hostile in [
            aliases,
            &deep,
            "a: {b: c}\n",
            "a: [[b]]\n",
            "a: !!str b\n",
            "a: 1\na: 2\n",
            "a\n",
            "a: \"b\n",
        ] {
            let cut = head(hostile);
            assert!(read(&cut).is_err(), "{hostile:.40}");
        }
    }

    #[test]
    fn a_file_is_divided_only_at_its_second_fence() {
        assert_eq!(split("---\na: 1\n---\n# Q\n---\n"), Some(("---\na: 1\n---\n", "# Q\n---\n")));
        assert_eq!(
            split("\u{FEFF}---\r\na: 1\r\n---\r\nbody"),
            Some(("---\r\na: 1\r\n---\r\n", "body"))
        );
        assert_eq!(split("---\na: 1\n---"), Some(("---\na: 1\n---", "")));
        for open in ["", "---", "---\na: 1\n", "\n---\na: 1\n---\n", "----\na\n---\n", "# Q\n"] {
            assert_eq!(split(open), None, "{open:?}");
        }
        assert!(split(&format!("---\n{}---\n", "a: b\n".repeat(40_000))).is_none());
    }
}
