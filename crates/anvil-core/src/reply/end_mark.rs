//! The line with which a seat ends the argument.

use pulldown_cmark::{Event, Options, Parser, Tag};

use anvil_text::is_bounded;

/// Ends the argument early. It counts only alone on the last line that is not blank, outside of
/// quotes, lists, code and sentences. Then it is not saved.
pub(crate) const END_MARK: &str = "<anvil-complete/>";

/// The text before the mark that ends the argument. `None`: no mark ends it.
pub(super) fn before_end_mark(text: &str) -> Option<&str> {
    let before = text.trim_end().strip_suffix(END_MARK)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    // Most replies that name the mark do so in a sentence.
    if before[line..].bytes().any(|byte| byte != b' ') || !is_bounded(text) {
        return None;
    }
    let above = before.trim_end();
    match block_of_mark(text, before.len())? {
        MarkBlock::Alone => !introduces(above),
        MarkBlock::Paragraph => !introduces(above) && !is_open(above),
    }
    .then_some(above)
}

/// The block of Markdown in which the mark is.
enum MarkBlock {
    /// The mark alone.
    Alone,
    /// A paragraph that ends with the mark.
    Paragraph,
}

/// The block of the mark at this position. `None`: it is in a quote, a list, a table or code.
fn block_of_mark(text: &str, at: usize) -> Option<MarkBlock> {
    let mut open = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(tag) => open.push((tag, range)),
            Event::End(_) => {
                open.pop();
            }
            event if range.end > at => {
                return match open.as_slice() {
                    // A line of HTML may begin with spaces.
                    [(Tag::HtmlBlock, block)] => {
                        text[block.start..at].trim_start().is_empty().then_some(MarkBlock::Alone)
                    }
                    [(Tag::Paragraph, _)] => {
                        matches!(event, Event::InlineHtml(_)).then_some(MarkBlock::Paragraph)
                    }
                    _ => None,
                };
            }
            _ => {}
        }
    }
    None
}

/// True for a text that ends in `I do not write this:`.
fn introduces(text: &str) -> bool {
    text.ends_with([':', ',', '：', '，', '、', '–', '—'])
}

/// True for a text that ends in `so I do not end with`.
fn is_open(text: &str) -> bool {
    text.trim_end_matches(['*', '_'])
        .ends_with(|char: char| char.is_alphanumeric() || matches!(char, ';' | '；' | '-' | '('))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_mark_counts_only_alone_on_the_last_line() {
        for (text, before) in [
            ("<anvil-complete/>", ""),
            ("C9. Done.\n\n  <anvil-complete/>  \n \n", "C9. Done."),
            ("C9. Done.\n<anvil-complete/>", "C9. Done."),
            ("C9. It is so [reasoning]\n<anvil-complete/>", "C9. It is so [reasoning]"),
            ("**C9. Done.**\n<anvil-complete/>", "**C9. Done.**"),
            ("C9。没有别的了。\n<anvil-complete/>", "C9。没有别的了。"),
            ("### No more\n<anvil-complete/>", "### No more"),
            ("- C9. Done\n\n<anvil-complete/>", "- C9. Done"),
            ("> C9. Done\n\n<anvil-complete/>", "> C9. Done"),
            ("```\ncode\n```\n<anvil-complete/>", "```\ncode\n```"),
            ("```b``` is.\n<anvil-complete/>", "```b``` is."),
        ] {
            assert_eq!(before_end_mark(text), Some(before), "{text:?}");
        }
        for text in [
            // In a sentence.
            "This needs judgment, so I don't end with <anvil-complete/>",
            "C9. Done. <anvil-complete/>",
            "This needs judgment, so I do not end with\n<anvil-complete/>",
            "I do not write this:\n\n<anvil-complete/>",
            "It ends with `<anvil-complete/>`",
            "`one\n<anvil-complete/>",
            "<!-- I do not write\n<anvil-complete/>",
            // Not last.
            "<anvil-complete/>\nC9. Done.",
            "C9. One.\n\n<anvil-complete/>\n\nC10. Two.",
            "C9. One.\n\n<anvil-complete/>\n\n<!-- -->",
            // In a quote, a list, a table.
            "> <anvil-complete/>",
            "> I do not write it.\n<anvil-complete/>",
            "- one\n- <anvil-complete/>",
            "- one.\n<anvil-complete/>",
            "- one\n\n  <anvil-complete/>",
            "1. one\n\n   <anvil-complete/>",
            "| a |\n|---|\n<anvil-complete/>",
            // In code.
            "Like this.\n\n    <anvil-complete/>",
            "Like this.\n\n\t<anvil-complete/>",
            "```\n<anvil-complete/>\n```",
            "An open one.\n\n```\n<anvil-complete/>",
            "~~~text\n```\n<anvil-complete/>\n~~~",
            "````md\n```\n<anvil-complete/>",
        ] {
            assert_eq!(before_end_mark(text), None, "{text:?}");
        }
    }
}
