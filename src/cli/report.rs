//! `anvil report`: a debate as a document, for standard output or a file.

use clap::ValueEnum;

use super::browser;
use crate::engine::{Engine, Reported};
use crate::error::{Error, Result};
use crate::report;

/// In which form.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Md,
    Html,
    Json,
    Aif,
    Dot,
    Mermaid,
    Adr,
}

impl From<Format> for report::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Md => Self::Markdown,
            Format::Html => Self::Html,
            Format::Json => Self::Json,
            Format::Aif => Self::Aif,
            Format::Dot => Self::Dot,
            Format::Mermaid => Self::Mermaid,
            Format::Adr => Self::Adr,
        }
    }
}

pub(super) fn run(
    engine: &Engine<'_>,
    id: Option<&str>,
    format: Option<Format>,
    output: Option<&str>,
    open: bool,
) -> Result<()> {
    let format = format.or_else(|| (open && output.is_none()).then_some(Format::Html));
    if open && (output == Some("-") || (output.is_none() && !matches!(format, Some(Format::Html)))) {
        return Err(Error::usage(
            "--open needs a file, and this goes to standard output",
            "name one: --output FILE --open",
        ));
    }
    match engine.report(id, format.map(report::Format::from), output)? {
        Reported::Text(text) => super::print(text.trim_end()),
        Reported::Written(path) => {
            super::print(&path.display().to_string())?;
            if open {
                browser::open(&engine.page_meant(id)?);
            }
            Ok(())
        }
    }
}
