//! Reads a state file like a foreign program: by its lines. It shares no code with the product, so
//! that a fault in the product's own reading and writing cannot hide.
//!
//! Invariant: a heading counts only at the start of a line; text after `> ` is somebody's words.

use serde_json::Value;

/// The text of a state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateFile(pub(crate) String);

/// One place of the transcript with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its name: `Round 2 / Advocate`, `Stakeholder 1: sales`, `Synthesis`; for a note, its kind:
    /// `Context`, `Steering`.
    pub(crate) place: String,
    /// Its cycle; 1 unless the debate was reopened above it.
    pub(crate) cycle: u32,
    /// Its invisible line, without `<!-- anvil ` and ` -->`.
    pub(crate) marker: String,
    /// The reply, without the quote marks.
    pub(crate) text: String,
}

impl StateFile {
    /// The lines between the first two `---`.
    fn head(&self) -> impl Iterator<Item = &str> {
        let mut lines = self.0.lines();
        assert_eq!(lines.next(), Some("---"), "a state file opens with its frontmatter");
        lines.take_while(|line| *line != "---")
    }

    /// The value of a key as a string; a JSON string is unwrapped. Empty if the key is missing.
    pub(crate) fn field(&self, key: &str) -> String {
        let prefix = format!("{key}: ");
        let Some(value) = self.head().find_map(|line| line.strip_prefix(&prefix)) else {
            return String::new();
        };
        match serde_json::from_str::<Value>(value) {
            Ok(Value::String(text)) => text,
            _ => value.trim().to_owned(),
        }
    }

    /// The replies in their order.
    pub(crate) fn sections(&self) -> Vec<Section> {
        self.everything().into_iter().filter(|section| !is_note(&section.place)).collect()
    }

    /// The notes with this name: `Context`, `Steering`, `Cycle 2`.
    pub(crate) fn notes(&self, name: &str) -> Vec<Section> {
        assert!(is_note(name), "{name}");
        self.everything().into_iter().filter(|section| section.place == name).collect()
    }

    /// The replies and the notes between them, in order.
    pub(crate) fn everything(&self) -> Vec<Section> {
        let body = self.0.splitn(3, "---\n").nth(2).unwrap_or_default();
        let (mut cycle, mut round, mut place) = (1, String::new(), None);
        let mut sections: Vec<Section> = Vec::new();
        for line in body.lines() {
            if let Some(marker) = line.strip_prefix("<!-- anvil ") {
                let place =
                    place.take().unwrap_or_else(|| panic!("a marker without a heading: {line}"));
                let marker =
                    marker.strip_suffix(" -->").expect("the marker ends on its line").to_owned();
                sections.push(Section { place, cycle, marker, text: String::new() });
            } else if let Some(title) = line.strip_prefix("### ") {
                place = Some(if is_note(title) {
                    title.to_owned()
                } else {
                    format!("{round} / {title}")
                });
            } else if let Some(title) = line.strip_prefix("## ") {
                title.clone_into(&mut round);
                cycle = title
                    .strip_prefix("Cycle ")
                    .map_or(cycle, |number| number.parse().expect("a cycle's number"));
                place = Some(title.to_owned());
            } else if let Some(quoted) = line.strip_prefix('>') {
                // The question is before the first section if it is longer than a title can be.
                let Some(section) = sections.last_mut() else { continue };
                section.text.push_str(quoted.strip_prefix(' ').unwrap_or(quoted));
                section.text.push('\n');
            }
        }
        for section in &mut sections {
            section.text.truncate(section.text.trim_end_matches('\n').len());
        }
        sections
    }
}

/// Whether a section of a transcript is a note and not a reply.
fn is_note(title: &str) -> bool {
    const NOTES: [&str; 7] = [
        "Context",
        "Document",
        "Prior Analysis",
        "Steering",
        "User Answer",
        "Evidence Check",
        "Verdict Block",
    ];
    NOTES.contains(&title) || title.starts_with("Cycle ")
}
