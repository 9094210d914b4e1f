//! The report: a debate as a document that can be forwarded. One model, several renderings. Pure.

mod adr;
mod arguments;
mod asides;
mod board;
mod calibration;
mod checked;
mod claims;
mod escape;
mod exchange;
#[cfg(test)]
mod hostile;
mod html;
mod inert;
mod judges;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/report.rs"]
pub(crate) mod linear;
mod map;
mod markdown;
mod model;
mod part;
mod plain;
mod rich;
mod scrub;
mod signs;
mod stance;

pub use adr::adr;
pub use calibration::calibration;
pub use checked::{
    about, contradicted, done, finding, findings, ground, ground_and_check, happened, outcome, undisposed,
};
pub use exchange::{Speaker, aif, dot, mermaid};
pub use html::html;
pub use markdown::{brief, markdown};
pub use model::{Model, VERSION, json};
pub use plain::{plain, summary};
pub use scrub::{Files, Source};

use std::path::Path;

/// In which form a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For an ADR or a pull request.
    Markdown,
    /// A page of its own.
    Html,
    /// For scripts.
    Json,
    /// The map of claims for argumentation tools.
    Aif,
    /// The same for Graphviz.
    Dot,
    /// The same for Mermaid.
    Mermaid,
    /// A record of the decision.
    Adr,
}

impl Format {
    /// The form of a debate's own report that the name of its file asks for; Markdown unless it says otherwise.
    #[cfg_attr(doc, doc(hidden))]
    #[must_use]
    pub fn of(path: &Path) -> Self {
        match extension(path).as_deref() {
            Some("html" | "htm") => Self::Html,
            Some("json") => Self::Json,
            _ => Self::Markdown,
        }
    }

    /// The same where every form can be asked for: `map.dot`, `map.mmd`, `map.aif.json`, `0012.adr.md`.
    #[cfg_attr(doc, doc(hidden))]
    #[must_use]
    pub fn of_any(path: &Path) -> Self {
        let inner = path.file_stem().and_then(|stem| extension(Path::new(stem)));
        match (extension(path).as_deref(), inner.as_deref()) {
            (Some("dot" | "gv"), _) => Self::Dot,
            (Some("mmd" | "mermaid"), _) => Self::Mermaid,
            (Some("aif"), _) | (Some("json"), Some("aif")) => Self::Aif,
            (Some("md" | "markdown"), Some("adr")) => Self::Adr,
            _ => Self::of(path),
        }
    }

    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown | Self::Adr => "md",
            Self::Html => "html",
            Self::Json | Self::Aif => "json",
            Self::Dot => "dot",
            Self::Mermaid => "mmd",
        }
    }

    /// Renders a debate in this form.
    #[cfg_attr(doc, doc(hidden))]
    #[must_use]
    pub fn render(self, model: &Model) -> String {
        crate::state::assert_unlocked();
        match self {
            Self::Markdown => markdown(model),
            Self::Html => html(model),
            Self::Json => json(model),
            Self::Aif => aif(&model.ledger, |section| model.speaker(section)),
            Self::Dot => dot(&model.question, &model.ledger),
            Self::Mermaid => mermaid(&model.ledger),
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
    fn the_name_of_a_file_says_in_which_form_it_is_written() {
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
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
            assert_eq!(Format::of_any(Path::new(name)), format, "{name}");
        }
        for (name, format) in [
            ("a.dot", Format::Dot),
            ("a.GV", Format::Dot),
            ("a.mmd", Format::Mermaid),
            ("a.mermaid", Format::Mermaid),
            ("a.aif", Format::Aif),
            ("a.aif.json", Format::Aif),
            ("a.ADR.md", Format::Adr),
            (".adr.md", Format::Markdown),
            ("adr.md", Format::Markdown),
            ("a.dot.md", Format::Markdown),
        ] {
            assert_eq!(Format::of_any(Path::new(name)), format, "{name}");
        }
        assert_eq!(Format::of(Path::new("a.dot")), Format::Markdown, "a debate's own report is one of three forms");
    }
}
