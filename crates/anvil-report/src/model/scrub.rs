//! The source of a report, and the parts of it that may leave the machine.

use std::cell::Cell;

use serde::Serialize;

use anvil_core::debate::Debate;
use anvil_core::transcript::{Entries, Entry};
use anvil_text::{Places, without_folders};

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
    /// Folders of this machine.
    pub places: &'a Places,
}

/// A debate that may leave the machine: its texts without invisible characters and without paths of
/// the machine.
pub(crate) struct Scrubbed {
    pub debate: Debate,
    pub entries: Entries,
    /// The number of invisible characters.
    pub unseen: usize,
}

impl Scrubbed {
    pub(crate) fn from_source(source: &ReportSource<'_>) -> Self {
        let scrubber = Scrubber { places: source.places, unseen: Cell::new(0) };
        let mut debate = source.debate.clone();
        debate.question = scrubber.text(&debate.question);
        let options = &mut debate.options;
        for field in [&mut options.position, &mut options.focus] {
            scrubber.field(field);
        }
        for field in [&mut options.context_source, &mut options.plan, &mut options.follow_up] {
            scrubber.field(field);
            *field = field.take().map(|sources| without_folders(&sources, ", "));
        }
        for named in options.voices.iter_mut().chain(&mut options.framework) {
            named.name = scrubber.text(&named.name);
        }
        let entries = Entries(source.entries.0.iter().map(|entry| scrubber.entry(entry)).collect());
        Self { debate, entries, unseen: scrubber.unseen.get() }
    }
}

/// A text that may leave the machine.
pub(crate) fn scrub(source: &ReportSource<'_>, text: &str) -> String {
    source.places.without(&anvil_text::visible(text).0)
}

/// Scrubs texts, and counts the invisible characters in them.
struct Scrubber<'a> {
    places: &'a Places,
    unseen: Cell<usize>,
}

impl Scrubber<'_> {
    fn text(&self, text: &str) -> String {
        let (seen, count) = anvil_text::visible(text);
        self.unseen.set(self.unseen.get() + count);
        self.places.without(&seen)
    }

    fn field(&self, field: &mut Option<String>) {
        *field = field.as_deref().map(|text| self.text(text));
    }

    fn entry(&self, entry: &Entry) -> Entry {
        let Entry { what, cycle, task, at, beginning_missing, begins, .. } = *entry;
        let voice = entry.voice.as_deref().map(|voice| self.text(voice));
        let author = entry.author.as_ref().map(|author| author.map(|name| self.text(name)));
        let text = self.text(&entry.text);
        Entry { what, cycle, voice, task, at, author, beginning_missing, text, begins }
    }
}

/// The files, as a reader on another machine may see them.
pub(crate) fn scrubbed_files(files: &Files, places: &Places) -> Files {
    let scrub = |path: &String| without_folders(&places.without(path), "\n");
    Files { debate: scrub(&files.debate), reports: files.reports.iter().map(scrub).collect() }
}
