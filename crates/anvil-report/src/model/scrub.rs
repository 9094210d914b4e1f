//! The source of a report, and the parts of it that may leave the machine.

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
        let unseen = std::cell::Cell::new(0);
        let text = |text: &str| {
            let (seen, count) = anvil_text::visible(text);
            unseen.set(unseen.get() + count);
            source.places.without(&seen)
        };
        let some = |field: &mut Option<String>| *field = field.as_deref().map(text);
        let mut debate = source.debate.clone();
        debate.question = text(&debate.question);
        for field in [&mut debate.options.position, &mut debate.options.focus] {
            some(field);
        }
        for (field, between) in [
            (&mut debate.options.context_source, ", "),
            (&mut debate.options.plan, ", "),
            (&mut debate.options.follow_up, ", "),
        ] {
            some(field);
            *field = field.take().map(|sources| without_folders(&sources, between));
        }
        for named in debate.options.voices.iter_mut().chain(&mut debate.options.framework) {
            named.name = text(&named.name);
        }
        let entry = |entry: &Entry| {
            let Entry { what, cycle, task, at, beginning_missing, begins, .. } = *entry;
            let voice = entry.voice.as_deref().map(text);
            let author = entry.author.as_ref().map(|author| author.map(text));
            let text = text(&entry.text);
            Entry { what, cycle, voice, task, at, author, beginning_missing, text, begins }
        };
        let entries = Entries(source.entries.0.iter().map(entry).collect());
        Self { debate, entries, unseen: unseen.get() }
    }
}

/// The files, as a reader on another machine may see them.
pub(crate) fn named(files: &Files, places: &Places) -> Files {
    let named = |path: &String| without_folders(&places.without(path), "\n");
    Files { debate: named(&files.debate), reports: files.reports.iter().map(named).collect() }
}
