//! The flat dialect of YAML that a state file's head is written in: a `gray_matter` engine for `key: scalar` lines and
//! flow lists of scalars.
//!
//! Full YAML is an attack surface: 343 bytes of aliases cost 24 s and 4.4 GB, ten thousand `- ` overflow the stack
//! (`gray_matter` 0.3.2). This engine walks yaml-rust2's iterative event parser and refuses anchors, aliases, tags, depth
//! beyond one list and a second document before anything is built.

use std::collections::HashMap;

use gray_matter::engine::Engine;
use gray_matter::{Error, Pod, Result};
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

/// Longest key, in bytes: YAML takes one of 1,024 characters, and each can be escaped to ten.
const MAX_KEY_BYTES: usize = 100;

/// The engine: `Matter::<Flat>`.
pub(crate) struct Flat;

impl Engine for Flat {
    fn parse(content: &str) -> Result<Pod> {
        if let Some(head) = as_written(content) {
            return Ok(Pod::Hash(head));
        }
        parsed(content)
    }
}

/// The lines as YAML.
fn parsed(content: &str) -> Result<Pod> {
    let mut events = Events { parser: Parser::new_from_str(content) };
    events.expect(&Event::StreamStart, "the start")?;
    events.expect(&Event::DocumentStart, "one document")?;
    let mut head = HashMap::new();
    match events.next()? {
        Event::MappingStart(0, None) => {}
        _ => return refuse("it is not a list of `key: value` lines"),
    }
    loop {
        let key = match events.next()? {
            Event::MappingEnd => break,
            Event::Scalar(key, _, 0, None) => key,
            _ => return refuse("a key is not plain text"),
        };
        if key.len() > MAX_KEY_BYTES {
            return refuse("a key is longer than it can be written");
        }
        if head.contains_key(&key) {
            return refuse(&format!("the key {key:?} was given more than once"));
        }
        let value = match events.next()? {
            Event::Scalar(text, style, 0, None) => scalar(text, style),
            Event::SequenceStart(0, None) => events.list()?,
            _ => return refuse(&format!("the value of {key:?} is neither a scalar nor a list of scalars")),
        };
        head.insert(key, value);
    }
    events.expect(&Event::DocumentEnd, "the end of the document")?;
    events.expect(&Event::StreamEnd, "the end")?;
    Ok(Pod::Hash(head))
}

/// The lines as Anvil writes them: plain keys; JSON strings, words and numbers. Read without the parser, which costs ten times
/// as much at every stop. `None`: some line looks different, and the parser decides.
fn as_written(content: &str) -> Option<HashMap<String, Pod>> {
    let mut head = HashMap::with_capacity(24);
    for line in content.lines() {
        let (key, value) = line.split_once(": ")?;
        if key.is_empty() || key.len() > MAX_KEY_BYTES || !key.bytes().all(is_word) {
            return None;
        }
        let value = if value.starts_with('"') {
            Pod::String(serde_json::from_str(value).ok()?)
        } else if !value.is_empty() && value.bytes().all(is_word) {
            scalar(value.to_owned(), TScalarStyle::Plain)
        } else {
            return None;
        };
        if head.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    (!head.is_empty()).then_some(head)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

struct Events<'a> {
    parser: Parser<std::str::Chars<'a>>,
}

impl Events<'_> {
    fn next(&mut self) -> Result<Event> {
        match self.parser.next_token() {
            Ok((event, _)) => Ok(event),
            Err(error) => refuse(&error.to_string()),
        }
    }

    fn expect(&mut self, wanted: &Event, name: &str) -> Result<()> {
        if self.next()? == *wanted { Ok(()) } else { refuse(&format!("{name} was expected")) }
    }

    fn list(&mut self) -> Result<Pod> {
        let mut list = Pod::new_array();
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(list),
                Event::Scalar(text, style, 0, None) => list.push(scalar(text, style))?,
                _ => return refuse("a list holds something other than scalars"),
            }
        }
    }
}

/// Plain `true`, `false` and decimal integers are what they look like; everything else is text.
fn scalar(text: String, style: TScalarStyle) -> Pod {
    if style == TScalarStyle::Plain {
        match text.as_str() {
            "true" => return Pod::Boolean(true),
            "false" => return Pod::Boolean(false),
            "" | "~" | "null" => return Pod::Null,
            _ => {}
        }
        // `007` is no number: the user's own key would be rewritten as another one.
        if let Ok(number) = text.parse::<i64>()
            && number.to_string() == text
        {
            return Pod::Integer(number);
        }
    }
    Pod::String(text)
}

fn refuse<T>(why: &str) -> Result<T> {
    Err(Error::deserialize_error(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_as_anvil_writes_them_are_the_same_without_the_parser(
            texts in prop::collection::vec(any::<String>(), 0..4),
            words in prop::collection::vec("[a-z0-9_]{1,6}|true|false|null|[0-9]{1,20}", 1..4),
        ) {
            let mut head = String::new();
            for (at, text) in texts.into_iter().enumerate() {
                crate::state::frontmatter::write(&mut head, &format!("text_{at}"), &crate::state::frontmatter::Value::Text(text));
            }
            for (at, word) in words.iter().enumerate() {
                head.extend(["word_", &at.to_string(), ": ", word, "\n"]);
            }
            match as_written(&head) {
                Some(fast) => prop_assert_eq!(Pod::Hash(fast), parsed(&head).expect("it is YAML")),
                // Escapes of eight digits are YAML's own.
                None => prop_assert!(head.contains("\\U")),
            }
        }
    }

    #[test]
    fn lines_that_look_different_are_for_the_parser() {
        for other in
            ["", "a: [b]", "a: 'b'", "a:", "a: b c", "A: b", "a: b\na: b", "a: \"b\" # c", "- a", "a: *b", "a: -1"]
        {
            assert!(as_written(other).is_none(), "{other}");
        }
    }
}
