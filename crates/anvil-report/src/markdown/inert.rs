//! Untrusted Markdown inside a Markdown report. Its raw HTML is shown as text, so that it can't
//! close an element of the report; a text that would swallow the text after it is quoted.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};

use anvil_core::transcript::quote;

/// Most passes over a text: escaping some HTML can turn other text into HTML.
const MAX_PASSES: usize = 8;

/// A text as a block quote that it can't leave.
pub(crate) fn quote_without_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    quote(text, &mut out);
    without_html(out)
}

/// The text itself if it can't affect the document around it; quoted otherwise.
pub(crate) fn plain(text: &str) -> String {
    let text = without_html(text.to_owned());
    if is_closed(&text) { text } else { quote_without_html(&text) }
}

/// Adds the text and a blank line to a document.
pub(crate) fn paragraph(text: &str, out: &mut String) {
    out.push_str(plain(text).trim_end());
    out.push_str("\n\n");
}

/// Replaces every `<` that would begin HTML by an entity. Parsers with and without tables decide.
fn without_html(mut text: String) -> String {
    for _ in 0..MAX_PASSES {
        if !text.contains('<') {
            return text;
        }
        if !anvil_text::is_bounded(&text) {
            break;
        }
        let mut html = Vec::new();
        for options in [Options::empty(), Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH] {
            html.extend(raw(&text, options));
        }
        if html.is_empty() {
            return text;
        }
        html.sort_by_key(|range| range.start);
        let mut shown = String::with_capacity(text.len() + 16);
        let mut done = 0;
        for range in html {
            let start = range.start.max(done);
            let end = range.end.max(done);
            shown.push_str(&text[done..start]);
            shown.push_str(&text[start..end].replace('<', "&lt;"));
            done = end;
        }
        shown.push_str(&text[done..]);
        text = shown;
    }
    text.replace('<', "&lt;")
}

/// The places of raw HTML.
fn raw(text: &str, options: Options) -> impl Iterator<Item = Range<usize>> {
    let events = Parser::new_ext(text, options).into_offset_iter();
    events.filter_map(|(event, range)| match event {
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => Some(range),
        _ => None,
    })
}

/// True if `text` does not swallow the text after it (no fence, comment or tag stays open), and if
/// it has no heading as high as the report's own. A parser decides.
fn is_closed(text: &str) -> bool {
    if !anvil_text::is_bounded(text) {
        return false;
    }
    let document = format!("{text}\n\n## Record\n");
    let end = document.len() - "## Record\n".len();
    let mut depth = 0_usize;
    let mut is_closed = false;
    for (event, range) in Parser::new_ext(&document, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                depth += 1;
                if let Tag::Heading { level: HeadingLevel::H1 | HeadingLevel::H2, .. } = tag {
                    if range.start != end {
                        return false;
                    }
                    is_closed = depth == 1;
                }
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    is_closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_affects_the_text_after_it_is_quoted() {
        for open in [
            "```\ncode",
            "a\n~~~~",
            "> quote\n\n```",
            "# A title",
            "Verdict\n=======",
            "Record\n---",
        ] {
            assert!(plain(open).starts_with("> "), "{open}");
        }
        for closed in [
            "**Recommendation:** yes",
            "```\ncode\n```",
            "- a\n- b",
            "> quote",
            "### A heading",
            "",
        ] {
            assert_eq!(plain(closed), closed);
        }
    }

    #[test]
    fn raw_html_is_shown_as_text_and_the_rest_is_unchanged() {
        for (text, shown) in [
            ("</details>", "&lt;/details>"),
            (
                "a <b>c</b> `<b>` <https://example.com> 1 < 2",
                "a &lt;b>c&lt;/b> `<b>` <https://example.com> 1 < 2",
            ),
            ("```\n</details>\n```", "```\n</details>\n```"),
            ("<!-- x", "&lt;!-- x"),
            // Code becomes HTML if the block before it is text.
            ("<div>\n```\n\n```\n</details>\n```", "&lt;div>\n```\n\n```\n&lt;/details>\n```"),
            ("| `a | </details>` |\n|---|---|", "| `a | &lt;/details>` |\n|---|---|"),
        ] {
            assert_eq!(without_html(text.to_owned()), shown, "{text}");
        }
        // After a quote mark a tab is narrower: the code becomes HTML.
        assert_eq!(quote_without_html("\t</details>"), "> \t&lt;/details>\n");
    }

    proptest::proptest! {
        #[test]
        fn no_text_keeps_html_in_a_quote(text in "([<>/a-c!?` \
            \t\n|-]|</details>|```|<!--|-->|\\|---\\||    |> ){0,40}") {
            for made in [quote_without_html(&text), plain(&text)] {
                for options in [Options::empty(), Options::ENABLE_TABLES] {
                    proptest::prop_assert_eq!(raw(&made, options).count(), 0, "{}", made);
                }
            }
        }
    }
}
