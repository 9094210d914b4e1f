//! Lists the options with their values in this project, and the texts that a debate can use.

use std::path::Path;

use super::error::DefaultsError;
use super::options::options_of;
use super::seats::{SeatDefaults, seat_defaults};
use crate::{Context, Note};
use anvil_core::options::{DebateOptions, Layer as _, Origin, is_yes};
use anvil_prompt::library::{self, LibraryEntry, MAX_DESCRIPTION, TextKind, TextOwner};
use anvil_store::Defaults;
use anvil_text::error::Result;

/// One option with its value in this project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub name: String,
    /// Empty if the option has no value.
    pub value: String,
    /// Its source: a file with the line, or `built in`.
    pub from: String,
}

/// The value of every option in this project, in the order of the help.
pub fn config(context: &Context<'_>) -> Result<Vec<Setting>> {
    let project = context.project_for_new_debate();
    let files = Defaults::read(&project, context.world)?;
    let mut options = DebateOptions::default();
    for file in &files {
        options = options.over(options_of(context, file, &project)?);
    }
    let SeatDefaults { seats, isolation, .. } = seat_defaults(context)?;
    let place = |path: &Path, line: usize| format!("{}:{line}", project.display(path));
    // A quick debate has one round, whatever a farther file says.
    let quick = options.wishes.quick.clone();
    let quick = quick.as_ref().filter(|_| is_yes(&options.wishes.quick)).map(|quick| &quick.from);
    let mut settings = Vec::new();
    let DebateOptions { wishes, leader, own, .. } = options;
    ((wishes, leader, own), seats, isolation).each(&mut |name, field, default| {
        let (value, from) = match (field.origin(), quick) {
            (Some(Origin::File { path, line, words }), _) => (words.as_str(), place(path, *line)),
            (None, Some(Origin::File { path, line, .. })) if name == "rounds" => {
                ("1", place(path, *line))
            }
            _ => (default, BUILT_IN.to_owned()),
        };
        settings.push(Setting { name: name.to_owned(), value: value.to_owned(), from });
    });
    for file in files.iter().filter(|file| !file.rules.is_empty()) {
        let value = anvil_context::masked_line(&file.rules, 60);
        let from = project.display(&file.path);
        settings.push(Setting { name: "house rules".to_owned(), value, from });
    }
    Ok(settings)
}

const BUILT_IN: &str = "built in";

/// The personas, modes and frameworks that a debate can use here, or one kind of them by its
/// word. A note names each file that can't be used.
pub fn texts_by_kind(
    context: &Context<'_>,
    word: Option<&str>,
) -> Result<Vec<(TextKind, Vec<LibraryEntry>)>> {
    let folders = context.folders(&context.project_for_new_debate());
    let mut texts = Vec::new();
    for kind in TextKind::ALL.into_iter().filter(|kind| word.is_none_or(|word| kind.word() == word))
    {
        let (mut entries, unusable) = library::list(kind, &folders);
        for entry in entries.iter_mut().filter(|entry| entry.source == TextOwner::Project) {
            entry.description = anvil_context::masked_line(&entry.description, MAX_DESCRIPTION);
        }
        context.add_notes(unusable.into_iter().map(Note::Unusable));
        texts.push((kind, entries));
    }
    if texts.is_empty() {
        return Err(DefaultsError::NoList(word.unwrap_or_default().to_owned()).into());
    }
    Ok(texts)
}
