//! What of a debate may leave the machine.

use super::model::{Files, MAX_CYCLES, Source};
use crate::debate::Debate;
use crate::text::{self, Places, without_folders};
use crate::transcript::{Note, Section};

/// A debate that can leave the machine: its texts without characters that nobody sees, and without paths of it.
pub(super) struct Scrubbed {
    pub(super) debate: Debate,
    pub(super) sections: Vec<Section>,
    pub(super) notes: Vec<Note>,
    pub(super) cycles: Vec<(u32, String)>,
    /// How many characters nobody sees.
    pub(super) unseen: usize,
}

impl Scrubbed {
    pub(super) fn of(source: &Source<'_>) -> Self {
        let unseen = std::cell::Cell::new(0);
        let text = |text: &str| {
            let (seen, count) = text::visible(text);
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
            (&mut debate.options.follow_up, ", "),
            (&mut debate.options.versus, " / "),
        ] {
            some(field);
            *field = field.take().map(|sources| without_folders(&sources, between));
        }
        for named in debate.options.voices.iter_mut().chain(&mut debate.options.framework) {
            named.name = text(&named.name);
        }
        let section = |section: &Section| Section {
            text: text(&section.text),
            voice: section.voice.as_deref().map(text),
            ..section.clone()
        };
        let note = |note: &Note| Note { text: text(&note.text), ..note.clone() };
        Self {
            debate,
            sections: source.sections.iter().map(section).collect(),
            notes: source.notes.iter().map(note).collect(),
            cycles: source.cycles.iter().take(MAX_CYCLES).map(|(cycle, said)| (*cycle, text(said))).collect(),
            unseen: unseen.get(),
        }
    }
}

/// Files as somebody elsewhere is told of them.
pub(super) fn named(files: &Files, places: &Places) -> Files {
    let named = |path: &String| without_folders(&places.without(path), "\n");
    Files { debate: named(&files.debate), reports: files.reports.iter().map(named).collect() }
}
