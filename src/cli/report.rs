//! `anvil report`: a debate as a document, for standard output or a file.

use clap::ValueEnum;

use crate::engine::{Engine, Reported};
use crate::error::Result;
use crate::report;

/// In which form.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    Md,
    Html,
    Json,
}

impl From<Format> for report::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Md => Self::Markdown,
            Format::Html => Self::Html,
            Format::Json => Self::Json,
        }
    }
}

pub(super) fn run(engine: &Engine<'_>, id: Option<&str>, format: Option<Format>, output: Option<&str>) -> Result<()> {
    match engine.report(id, format.map(report::Format::from), output)? {
        Reported::Text(text) => super::print(text.trim_end()),
        Reported::Written(path) => super::print(&path.display().to_string()),
    }
}
