//! What a debate can be told to use, and what holds when nothing is said.

use crate::engine::Setting;
use crate::library::{Entry, TextKind};
use crate::text::{clean, table};

/// What `anvil list` shows: personas, modes and frameworks.
#[must_use]
pub fn texts(texts_by_kind: &[(TextKind, Vec<Entry>)], columns: usize) -> String {
    let row = |entry: &Entry| [entry.name.clone(), entry.source.word().to_owned(), clean(&entry.description, 90)];
    let listed = texts_by_kind.iter().map(|(kind, entries)| {
        let rows: Vec<[String; 3]> = entries.iter().map(row).collect();
        format!("{}\n{}", kind.word(), table(&rows, columns))
    });
    listed.collect::<Vec<_>>().join("\n\n")
}

/// What `anvil config` shows: every option, its value and where that is from.
#[must_use]
pub fn settings(settings: &[Setting]) -> String {
    let row = |setting: &Setting| [setting.name.clone(), clean(&setting.value, 60), clean(&setting.from, usize::MAX)];
    table(&settings.iter().map(row).collect::<Vec<_>>(), usize::MAX)
}
