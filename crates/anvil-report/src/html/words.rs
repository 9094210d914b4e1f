//! Texts as a page shows them. The page escapes their markup when it inserts them.

use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// Removes invisible characters that entities brought.
pub(crate) fn visible_text(text: &str) -> String {
    anvil_text::visible(text).0.replace('\t', "    ")
}

/// The words of a text, on one line.
pub(crate) fn words(text: &str) -> String {
    if !anvil_text::is_bounded(text) {
        return visible_text(text);
    }
    let mut words = String::with_capacity(text.len());
    for event in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                words.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                words.push(' ');
            }
            _ => {}
        }
    }
    visible_text(words.trim_end())
}
