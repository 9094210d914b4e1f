//! The flat dialect of YAML of a state file's head: a `gray_matter` engine for `key: scalar` lines
//! and flow lists of scalars.
//!
//! Full YAML is an attack surface: 343 bytes of aliases cost 24 s and 4.4 GB, ten thousand `- `
//! overflow the stack (`gray_matter` 0.3.2). This engine walks yaml-rust2's iterative event parser
//! and refuses anchors, aliases, tags, depth beyond one list and a second document before anything
//! is built.

use std::collections::HashMap;

use gray_matter::engine::Engine;
use gray_matter::{Error, Pod, Result};
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::TScalarStyle;

/// Longest key, in bytes: YAML takes one of 1,024 characters, and each can be escaped to ten.
const MAX_KEY_BYTES: usize = 100;

/// The engine: `Matter::<Flat>`. `gray_matter`'s own YAML engine loses the user's spelling of a
/// scalar, such as `1.10`, `0x1F` and `007`.
pub struct Flat;

impl Engine for Flat {
    fn parse(content: &str) -> Result<Pod> {
        let mut events = Events { parser: Parser::new_from_str(content) };
        events.expect(&Event::StreamStart, "the start")?;
        match events.next()? {
            Event::DocumentStart => {}
            // Only comments.
            Event::StreamEnd => return Ok(Pod::Null),
            _ => return refuse("one document was expected"),
        }
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
                _ => {
                    return refuse(&format!(
                        "the value of {key:?} is neither a scalar nor a list of scalars"
                    ));
                }
            };
            head.insert(key, value);
        }
        events.expect(&Event::DocumentEnd, "the end of the document")?;
        events.expect(&Event::StreamEnd, "the end")?;
        Ok(Pod::Hash(head))
    }
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

    fn expect(&mut self, event: &Event, name: &str) -> Result<()> {
        if self.next()? == *event { Ok(()) } else { refuse(&format!("{name} was expected")) }
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

fn scalar(text: String, style: TScalarStyle) -> Pod {
    if style == TScalarStyle::Plain { plain(text) } else { Pod::String(text) }
}

/// Plain `true`, `false` and decimal integers keep their type; everything else is text.
fn plain(text: String) -> Pod {
    match text.as_str() {
        "true" => return Pod::Boolean(true),
        "false" => return Pod::Boolean(false),
        "" | "~" | "null" => return Pod::Null,
        _ => {}
    }
    // `007` is not a number: the user's own key would be rewritten as another one.
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => Pod::Integer(number),
        _ => Pod::String(text),
    }
}

fn refuse<T>(why: &str) -> Result<T> {
    Err(Error::deserialize_error(why))
}
