//! Text in a page that is nothing but text.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

use crate::text;

/// Writes a text so that it is nothing but text, without characters that nobody sees: an entity can have brought some.
pub(super) fn escape(text: &str, out: &mut String) {
    for char in text::visible(text).0.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\u{A0}' => out.push_str("&nbsp;"),
            '\t' => out.push_str("    "),
            '\n' => out.push('\n'),
            char => out.push(char),
        }
    }
}

/// The same as a value.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

/// The words of a text alone, on a line.
pub(super) fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                words.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => words.push(' '),
            _ => {}
        }
    }
    words.truncate(words.trim_end().len());
    words
}
