//! A debate as a document that can be forwarded.
//!
//! One model holds everything that a report shows. The renderings turn it into a page, Markdown,
//! a decision record, JSON or plain text. No rendering reads the debate itself, so all of them show
//! the same claims and counts. The crate is pure.

mod authored;
mod checked;
mod decision;

#[cfg(test)]
mod hostile;
mod html;
mod mark;
mod markdown;
mod model;
mod plain;
mod records;
mod signs;

pub use authored::{argues, degradation};
pub use checked::{
    contradiction, counted_claims, counts_line, document, finding, findings, ground,
    ground_and_check, move_phrase, moves_line, nothing_wrong, standing, words_of,
};
pub use decision::{AdrRecord, RecordedDecision, has_mark};
pub use html::html;
pub use mark::{Dialect, is_report};
pub use markdown::{PastVerdict, adr, block_quote, brief, card, decision_line, markdown};
pub use model::{Files, Model, ReportSource, VERSION, json};
pub use plain::{plain, summary};
pub use records::{FolderFile, RecordForm, RecordName, index_line, is_inner_text};
pub use signs::sign;

use std::path::Path;

use serde::Deserialize;
use strum::{EnumString, VariantNames};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Format {
    /// For an ADR or a pull request. On a command line it is `md`, for programs `markdown`.
    #[strum(serialize = "md")]
    Markdown,
    Html,
    /// For scripts.
    Json,
    /// A decision record.
    Adr,
}

impl Format {
    /// The form of a debate's own report, by its file name; Markdown by default.
    #[cfg_attr(doc, doc(hidden))]
    pub fn from_path(path: &Path) -> Self {
        match extension(path).as_deref() {
            Some("html" | "htm") => Self::Html,
            Some("json") => Self::Json,
            _ => Self::Markdown,
        }
    }

    /// Like `from_path`, for every form: `0012.adr.md`.
    #[cfg_attr(doc, doc(hidden))]
    pub fn from_any_path(path: &Path) -> Self {
        let inner = path.file_stem().and_then(|stem| extension(Path::new(stem)));
        match (extension(path).as_deref(), inner.as_deref()) {
            (Some("md" | "markdown"), Some("adr")) => Self::Adr,
            _ => Self::from_path(path),
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown | Self::Adr => "md",
            Self::Html => "html",
            Self::Json => "json",
        }
    }

    #[cfg_attr(doc, doc(hidden))]
    pub fn render(self, model: &Model) -> String {
        match self {
            Self::Markdown => markdown(model),
            Self::Html => html(model),
            Self::Json => json(model),
            Self::Adr => adr(model, None),
        }
    }
}

fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_decides_the_report_format() {
        for (name, format) in [
            ("a.md", Format::Markdown),
            ("a.markdown", Format::Markdown),
            ("a.HTML", Format::Html),
            ("a.b.htm", Format::Html),
            ("a.json", Format::Json),
            ("a", Format::Markdown),
            ("a.txt", Format::Markdown),
            (".html", Format::Markdown),
        ] {
            assert_eq!(Format::from_path(Path::new(name)), format, "{name}");
            assert_eq!(Format::from_any_path(Path::new(name)), format, "{name}");
        }
        for (name, format) in
            [("a.ADR.md", Format::Adr), (".adr.md", Format::Markdown), ("adr.md", Format::Markdown)]
        {
            assert_eq!(Format::from_any_path(Path::new(name)), format, "{name}");
        }
        assert_eq!(
            Format::from_path(Path::new("a.adr.md")),
            Format::Markdown,
            "a debate's own report is one of three forms"
        );
    }
}
