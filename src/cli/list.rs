//! `anvil list`: the personas, modes and frameworks for debates.

use anvil_engine::{Context, defaults};
use anvil_prompt::library::{LibraryEntry, TextKind};
use anvil_text::error::Result;
use serde_json::{Value, json};

pub(super) fn run(context: &Context<'_>, kind: Option<&str>, as_json: bool) -> Result<()> {
    let texts_by_kind = defaults::texts_by_kind(context, kind)?;
    if !as_json {
        let columns = super::screen::known_columns().unwrap_or(usize::MAX);
        return super::print(&anvil_messages::texts(&texts_by_kind, columns));
    }
    let all: Vec<Value> = texts_by_kind
        .iter()
        .flat_map(|(text_kind, entries)| entries.iter().map(|entry| to_json(*text_kind, entry)))
        .collect();
    super::print_json(&all.into())
}

fn to_json(text_kind: TextKind, entry: &LibraryEntry) -> Value {
    json!({
        "kind": text_kind.singular(),
        "name": entry.name,
        "source": entry.source.word().replace(' ', "_"),
        "description": entry.description,
        "file": entry.path.as_ref().map(|path| path.display().to_string()),
    })
}
