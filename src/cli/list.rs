//! `anvil list`: the texts that a debate can be told to use.

use serde_json::{Value, json};

use crate::engine::Engine;
use crate::error::Result;
use crate::library::{Entry, Shelf};

pub(super) fn run(engine: &Engine<'_>, kind: Option<&str>, as_json: bool) -> Result<()> {
    if !as_json {
        return super::print(&engine.list(kind)?);
    }
    let told = |shelf: Shelf, entry: &Entry| {
        json!({
            "kind": shelf.singular(),
            "name": entry.name,
            "source": entry.source.word().replace(' ', "_"),
            "description": entry.description,
            "file": entry.path.as_ref().map(|path| path.display().to_string()),
        })
    };
    let shelves = engine.shelves(kind)?;
    let all: Vec<Value> =
        shelves.iter().flat_map(|(shelf, entries)| entries.iter().map(|entry| told(*shelf, entry))).collect();
    super::print_json(&all.into())
}
