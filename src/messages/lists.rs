//! The texts that a debate can use, and the default options.

use crate::engine::Setting;
use crate::seats::library::{LibraryEntry, TextKind};
use crate::text::{clean, table};

/// The output of `anvil list`: personas, modes and frameworks.
pub fn texts(texts_by_kind: &[(TextKind, Vec<LibraryEntry>)], columns: usize) -> String {
    let row = |entry: &LibraryEntry| {
        [entry.name.clone(), entry.source.word().to_owned(), clean(&entry.description, 90)]
    };
    let listed = texts_by_kind.iter().map(|(kind, entries)| {
        let rows: Vec<[String; 3]> = entries.iter().map(row).collect();
        format!("{}\n{}", kind.word(), table(&rows, columns))
    });
    listed.collect::<Vec<_>>().join("\n\n")
}

/// The output of `anvil config`: every option, its value and the source of the value.
pub fn settings(settings: &[Setting]) -> String {
    let row = |setting: &Setting| {
        [setting.name.clone(), clean(&setting.value, 60), clean(&setting.from, usize::MAX)]
    };
    table(&settings.iter().map(row).collect::<Vec<_>>(), usize::MAX)
}
