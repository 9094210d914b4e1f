//! The source of a report, and the parts of it that may leave the machine.

use std::cell::Cell;

use serde::Serialize;

use anvil_core::debate::Debate;
use anvil_core::transcript::Entries;
use anvil_text::{Scrubber, without_folders};

/// The paths of files, as the user reads them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Files {
    /// The debate's own file.
    pub debate: String,
    /// Its reports.
    pub reports: Vec<String>,
}

/// The data that a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct ReportSource<'a> {
    pub debate: &'a Debate,
    /// The parts of its transcript.
    pub entries: &'a Entries,
    /// Cleans its texts.
    pub scrubber: &'a Scrubber,
}

/// A debate that may leave the machine: its texts as a reader sees them, without secrets and
/// without paths of the machine.
pub(crate) struct Scrubbed {
    pub debate: Debate,
    pub entries: Entries,
    /// The number of invisible characters.
    pub unseen: usize,
}

impl Scrubbed {
    pub(crate) fn from_source(source: &ReportSource<'_>) -> Self {
        let unseen = Cell::new(0);
        let change = |text: &str| {
            let (text, count) = source.scrubber.scrub_and_count(text);
            unseen.set(unseen.get() + count);
            text
        };
        let debate = source.debate.clone().with_texts(&change);
        let entries = source.entries.0.iter().map(|entry| entry.with_texts(&change)).collect();
        Self { debate, entries: Entries(entries), unseen: unseen.get() }
    }
}

/// A text that may leave the machine.
pub(crate) fn scrub(source: &ReportSource<'_>, text: &str) -> String {
    source.scrubber.scrub(text)
}

/// The files, as a reader on another machine may see them.
pub(crate) fn scrubbed_files(files: &Files, scrubber: &Scrubber) -> Files {
    let scrub = |path: &String| without_folders(&scrubber.scrub(path), "\n");
    Files { debate: scrub(&files.debate), reports: files.reports.iter().map(scrub).collect() }
}
