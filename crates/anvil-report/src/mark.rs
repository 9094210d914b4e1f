//! The marks of Anvil's own reports. A new report replaces only such a file. A file with text
//! before or after the report belongs to the user.

use serde::Deserialize;

use anvil_text::from_json;

/// The name in the generator of a page and of JSON.
pub(crate) const GENERATOR: &str = "Anvil";

/// The generator of a page, as its head has it.
const IN_HEAD: &str = r#"<meta name="generator" content="Anvil "#;

/// A page has its generator within this many bytes.
const MAX_HEAD: usize = 1_000;

/// Begins the line below the question.
pub(crate) const BYLINE: &str = "*A structured debate by Anvil, ";

/// The last line of a report in Markdown; readers do not see it.
const LAST_LINE: &str = "<!-- anvil-report -->";

/// A report in Markdown with its last line.
pub(crate) fn marked(markdown: &str) -> String {
    marked_with(markdown, None)
}

/// A report in Markdown with a comment, if it has one, and its last line.
pub(crate) fn marked_with(markdown: &str, comment: Option<&str>) -> String {
    let comment = comment.map(|comment| format!("{comment}\n")).unwrap_or_default();
    format!("{}\n\n{comment}{LAST_LINE}\n", markdown.trim_end())
}

/// True for the content of a report in any form.
pub fn is_report(content: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(content) else { return false };
    // Git may change line ends.
    let text = text.replace("\r\n", "\n");
    let text = text.trim_end();
    is_page(text) || is_json(text) || is_markdown(text)
}

fn is_page(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(MAX_HEAD)];
    text.starts_with("<!doctype html>")
        && head.windows(IN_HEAD.len()).any(|part| part == IN_HEAD.as_bytes())
        && text.ends_with("</html>")
}

fn is_json(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Generated {
        generator: String,
    }
    text.starts_with('{')
        && from_json::<Generated>(text).is_ok_and(|made| made.generator == GENERATOR)
}

/// A decision record begins with its status. Any other report begins with the question, perhaps a
/// second time as a quote.
fn is_markdown(text: &str) -> bool {
    let Some(text) = text.strip_suffix(LAST_LINE) else { return false };
    let mut lines = text.lines().filter(|line| !line.is_empty());
    match lines.next() {
        Some("---") => lines.next().is_some_and(|line| line.starts_with("status: ")),
        Some(title) if title.starts_with("# ") => {
            lines.find(|line| !line.starts_with('>')).is_some_and(|line| line.starts_with(BYLINE))
        }
        _ => false,
    }
}
