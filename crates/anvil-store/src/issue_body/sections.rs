//! The transcript as the entries of a block, and back, byte for byte.
//!
//! An entry has its kind and its text. Text that the user wrote into the transcript in a form of
//! their own travels as Markdown.

use serde_json::{Value, json};

use crate::StateFile;
use anvil_core::place::{phase_word, place_of};
use anvil_core::transcript::{self, Author, Entry, EntryKind, LastRound, NoteKind, count_words};

/// The kind of an entry that is not in Anvil's form.
const MARKDOWN: &str = "markdown";
const CYCLE: &str = "cycle";

/// An entry as it was read. Its other fields are for readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadEntry {
    kind: String,
    pub text: String,
    at: Option<String>,
    round: Option<u8>,
    cycle: Option<u32>,
    voice: Option<String>,
    author: Option<Author>,
    beginning_missing: bool,
}

/// A transcript for a block.
pub(crate) struct Sections {
    /// The transcript begins with the question as its title, which then has no entry.
    pub is_titled: bool,
    pub entries: Vec<Value>,
}

impl Sections {
    /// Splits a transcript. Each entry is rebuilt at once: one that would differ travels as
    /// Markdown.
    pub(crate) fn from_state(state: &StateFile) -> Self {
        let body = state.body.as_str();
        let question = state.debate.question.as_str();
        let found = transcript::parse(body).0;
        let cut = |index: usize| found.get(index).map_or(body.len(), |entry| start_of(body, entry));
        let mut entries = Vec::new();
        let mut rebuilt = transcript::open(question);
        let is_titled = body[..cut(0)].starts_with(&rebuilt);
        if !is_titled {
            rebuilt.clear();
        }
        append_markdown(&mut entries, &mut rebuilt, &body[..cut(0)]);
        let mut last = LastRound::default();
        for (index, entry) in found.iter().enumerate() {
            let before = rebuilt.len();
            let end = cut(index + 1);
            entry.append_after(&mut rebuilt, &mut last);
            if rebuilt.len() > before && body[before..end].starts_with(&rebuilt[before..]) {
                entries.push(write(entry));
            } else {
                rebuilt.truncate(before);
            }
            append_markdown(&mut entries, &mut rebuilt, &body[..end]);
        }
        Self { is_titled, entries }
    }
}

/// The start of an entry. The empty line above its heading belongs to it.
fn start_of(body: &str, entry: &Entry) -> usize {
    let begins = entry.begins;
    if body[..begins].ends_with("\n\n") { begins - 1 } else { begins }
}

/// Appends the part of `original` that is not rebuilt yet, as it is.
fn append_markdown(entries: &mut Vec<Value>, rebuilt: &mut String, original: &str) {
    if rebuilt.len() < original.len() {
        let raw = &original[rebuilt.len()..];
        entries.push(json!({ "kind": MARKDOWN, "text": raw }));
        rebuilt.push_str(raw);
    }
}

/// Joins a transcript. `Err` names the invalid entry.
pub(super) fn body_of(
    is_titled: bool,
    entries: &[ReadEntry],
    question: &str,
) -> Result<String, String> {
    let mut body = if is_titled { transcript::open(question) } else { String::new() };
    let mut last = LastRound::default();
    for (index, entry) in entries.iter().enumerate() {
        if entry.kind == MARKDOWN {
            body.push_str(&entry.text);
        } else {
            entry
                .to_entry()
                .ok_or_else(|| format!("section {} is invalid", index + 1))?
                .append_after(&mut body, &mut last);
        }
    }
    Ok(body)
}

fn write(entry: &Entry) -> Value {
    let mut value = json!({ "text": entry.text, "words": count_words(&entry.text) });
    match entry.what {
        EntryKind::Reply(place) => {
            value["kind"] = json!(phase_word(place.seat, entry.task));
            value["round"] = json!(place.number());
            value["cycle"] = json!(entry.cycle);
            if let Some(voice) = &entry.voice {
                value["voice"] = json!(voice);
            }
            if entry.beginning_missing {
                value["beginning_missing"] = json!(true);
            }
        }
        EntryKind::Note(kind) => value["kind"] = json!(kind.word()),
        EntryKind::Cycle => {
            value["kind"] = json!(CYCLE);
            value["cycle"] = json!(entry.cycle);
        }
    }
    if let Some(author) = &entry.author {
        value["author"] = json!(author);
    }
    value["at"] = json!(entry.at.map(|at| format!("{at:.0}")));
    value
}

impl ReadEntry {
    /// `None`: not a section.
    pub(crate) fn parse(section: &Value) -> Option<Self> {
        let text = |name: &str| section[name].as_str().map(str::to_owned);
        Some(Self {
            kind: text("kind")?,
            text: text("text")?,
            at: text("at"),
            round: section["round"].as_u64().and_then(|round| round.try_into().ok()),
            cycle: section["cycle"].as_u64().and_then(|cycle| cycle.try_into().ok()),
            voice: text("voice"),
            author: serde_json::from_value(section["author"].clone()).ok(),
            beginning_missing: section["beginning_missing"] == true,
        })
    }

    fn to_entry(&self) -> Option<Entry> {
        let (what, task) = if let Ok(note) = self.kind.parse::<NoteKind>() {
            (EntryKind::Note(note), None)
        } else if self.kind == CYCLE && self.cycle.is_some() {
            (EntryKind::Cycle, None)
        } else {
            let (place, task) = place_of(&self.kind, self.round?)?;
            (EntryKind::Reply(place), task)
        };
        Some(Entry {
            what,
            cycle: self.cycle.unwrap_or(1),
            voice: self.voice.clone(),
            task,
            author: self.author.clone(),
            at: Some(self.at.as_ref()?.parse().ok()?),
            beginning_missing: self.beginning_missing,
            text: self.text.clone(),
            begins: 0,
        })
    }
}
