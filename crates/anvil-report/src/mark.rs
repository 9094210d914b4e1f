//! The marks of Anvil's own reports. A new report replaces only such a file. A file with text
//! before or after the report belongs to the user.

use std::path::Path;

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

/// That line in MDX.
const LAST_LINE_OF_MDX: &str = "{/* anvil-report */}";

/// The kind of Markdown in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    Markdown,
    /// Its comments are JavaScript's.
    Mdx,
}

impl Dialect {
    /// By the extension of the file.
    pub(crate) fn of_file(file: &Path) -> Self {
        let is_mdx =
            file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mdx"));
        if is_mdx { Self::Mdx } else { Self::Markdown }
    }

    fn last_line(self) -> &'static str {
        match self {
            Self::Markdown => LAST_LINE,
            Self::Mdx => LAST_LINE_OF_MDX,
        }
    }
}

/// A report in Markdown with its last line.
pub(crate) fn mark(markdown: &str) -> String {
    mark_with(markdown, None, Dialect::Markdown)
}

/// A report in Markdown with a comment, if it has one, and its last line.
pub(crate) fn mark_with(markdown: &str, comment: Option<&str>, dialect: Dialect) -> String {
    let comment = comment.map(|comment| format!("{comment}\n")).unwrap_or_default();
    format!("{}\n\n{comment}{}\n", markdown.trim_end(), dialect.last_line())
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
    let last = text.strip_suffix(LAST_LINE).or_else(|| text.strip_suffix(LAST_LINE_OF_MDX));
    let Some(text) = last else { return false };
    let mut lines = text.lines().filter(|line| !line.is_empty());
    match lines.next() {
        // A person may write the key in another way.
        Some("---") => {
            let key = lines.next().and_then(|line| line.split_once(':'));
            key.is_some_and(|(key, _)| key.trim_matches(['"', ' ']).eq_ignore_ascii_case("status"))
        }
        Some(title) if title.starts_with("# ") => {
            lines.find(|line| !line.starts_with('>')).is_some_and(|line| line.starts_with(BYLINE))
        }
        _ => false,
    }
}
