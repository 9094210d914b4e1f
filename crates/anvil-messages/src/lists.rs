//! The texts that a debate can use, and the default options.

use anvil_engine::Setting;
use anvil_prompt::library::{LibraryEntry, TextKind};
use anvil_text::{clean, table, wrap};

/// The column in which a list of names begins.
const NAMES_FROM: usize = "frameworks: ".len();

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

/// The names of the same texts, a paragraph for each kind.
pub fn text_names(texts_by_kind: &[(TextKind, Vec<LibraryEntry>)], columns: usize) -> String {
    let paragraph = |(kind, entries): &(TextKind, Vec<LibraryEntry>)| {
        let names = entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
        let title = format!("{}:", kind.word());
        let lines = wrap(&names, columns.saturating_sub(NAMES_FROM));
        let gap = format!("\n{:NAMES_FROM$}", "");
        format!("{title:<NAMES_FROM$}{}", lines.join(&gap))
    };
    texts_by_kind.iter().map(paragraph).collect::<Vec<_>>().join("\n")
}

/// The output of `anvil config`: every option, its value and the source of the value.
pub fn settings(settings: &[Setting]) -> String {
    let row = |setting: &Setting| {
        [setting.name.clone(), clean(&setting.value, 60), clean(&setting.from, usize::MAX)]
    };
    table(&settings.iter().map(row).collect::<Vec<_>>(), usize::MAX)
}
