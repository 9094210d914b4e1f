//! `anvil list`: the texts that a debate can be told to use.

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::error::Result;
use crate::library::{Entry, TextKind};
use crate::messages;

pub(super) fn run(engine: &Engine<'_>, kind: Option<&str>, as_json: bool) -> Result<()> {
    if !as_json {
        return super::print(&messages::texts(
            &engine.texts_by_kind(kind)?,
            super::screen::known_columns().unwrap_or(usize::MAX),
        ));
    }
    let to_json = |text_kind: TextKind, entry: &Entry| {
        json!({
            "kind": text_kind.singular(),
            "name": entry.name,
            "source": entry.source.word().replace(' ', "_"),
            "description": entry.description,
            "file": entry.path.as_ref().map(|path| path.display().to_string()),
        })
    };
    let texts_by_kind = engine.texts_by_kind(kind)?;
    let all: Vec<Value> = texts_by_kind
        .iter()
        .flat_map(|(text_kind, entries)| entries.iter().map(|entry| to_json(*text_kind, entry)))
        .collect();
    super::print_json(&all.into())
}
