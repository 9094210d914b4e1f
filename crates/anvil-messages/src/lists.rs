//! The texts that a debate can use, and the default options.

use anvil_engine::Setting;
use anvil_prompt::library::{LibraryEntry, TextKind};
use anvil_text::{clean, table, wrap};

/// The column in which a list of names begins.
const NAMES_FROM: usize = "frameworks: ".len();

/// The output of `anvil list`: personas, modes and frameworks.
pub fn texts(texts_by_kind: &[(TextKind, Vec<LibraryEntry>)], columns: usize) -> String {
    let mut lists = Vec::new();
    for (kind, entries) in texts_by_kind {
        let rows: Vec<[String; 3]> = entries
            .iter()
            .map(|entry| {
                let source = entry.source.word().to_owned();
                [entry.name.clone(), source, clean(&entry.description, 90)]
            })
            .collect();
        lists.push(format!("{}\n{}", kind.word(), table(&rows, columns)));
    }
    lists.join("\n\n")
}

/// The names of the texts, a paragraph for each kind.
pub fn text_names(texts_by_kind: &[(TextKind, Vec<LibraryEntry>)], columns: usize) -> String {
    let mut paragraphs = Vec::new();
    for (kind, entries) in texts_by_kind {
        let names = entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>().join(", ");
        let title = format!("{}:", kind.word());
        let lines = wrap(&names, columns.saturating_sub(NAMES_FROM));
        let gap = format!("\n{:NAMES_FROM$}", "");
        paragraphs.push(format!("{title:<NAMES_FROM$}{}", lines.join(&gap)));
    }
    paragraphs.join("\n")
}

/// The output of `anvil config`: every option, its value and the source of the value.
pub fn settings(settings: &[Setting]) -> String {
    let rows: Vec<[String; 3]> = settings
        .iter()
        .map(|one| [one.name.clone(), clean(&one.value, 60), clean(&one.from, usize::MAX)])
        .collect();
    table(&rows, usize::MAX)
}
