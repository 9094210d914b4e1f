//! Lists the options with their values in this project, and the texts that a debate can use.

use super::options::{known_names, options_of};
use super::seats::seat_defaults;
use crate::{Context, Note};
use anvil_core::options::{DebateOption, DebateOptions, ISOLATED, OneChoice, SeatOptions};
use anvil_prompt::library::{self, LibraryEntry, MAX_DESCRIPTION, TextKind, TextOwner};
use anvil_store::{Defaults, DefaultsOwner};
use anvil_text::error::{Error, Result};

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
    let is_quick = options.is(DebateOption::Quick);
    seat_defaults(context)?;
    let mut settings = Vec::new();
    for name in known_names().chain(SeatOptions::NAMES).chain([ISOLATED]) {
        let entry =
            files.iter().filter(|file| !is_overridden(file, &files, name)).find_map(|file| {
                let entry = |name: &str| file.entries.iter().find(|entry| entry.key == name);
                let written = entry(name).map(|entry| (file, entry, entry.values.join(", ")));
                // A quick debate has one round, whatever a farther file says.
                let is_rounds = name == DebateOption::Rounds.name() && is_quick;
                let quick = entry(DebateOption::Quick.name()).filter(|_| is_rounds);
                written.or_else(|| Some((file, quick?, "1".to_owned())))
            });
        let (value, from) = match entry {
            Some((file, entry, value)) => {
                (value, format!("{}:{}", project.display(&file.path), entry.line))
            }
            None => (built_in(name), "built in".to_owned()),
        };
        settings.push(Setting { name: name.to_owned(), value, from });
    }
    for file in files.iter().filter(|file| !file.rules.is_empty()) {
        let value = anvil_context::masked_line(&file.rules, 60);
        let from = project.display(&file.path);
        settings.push(Setting { name: "house rules".to_owned(), value, from });
    }
    Ok(settings)
}

/// True for an option in the user's file if the project's file makes the same choice.
fn is_overridden(file: &Defaults, files: &[Defaults], name: &str) -> bool {
    let choice = choice_of(name);
    choice.is_some()
        && file.owner == DefaultsOwner::User
        && files
            .iter()
            .filter(|other| other.owner == DefaultsOwner::Project)
            .any(|other| other.entries.iter().any(|entry| choice_of(&entry.key) == choice))
}

fn choice_of(name: &str) -> Option<OneChoice> {
    DebateOption::named(name)?.choice()
}

fn built_in(name: &str) -> String {
    match (DebateOption::named(name), name) {
        (Some(option), _) => option.default_value().to_owned(),
        (None, "agent") => "claude".to_owned(),
        (None, ISOLATED) => "no".to_owned(),
        (None, _) => String::new(),
    }
}

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
        return Err(Error::usage(
            format!("there is no list of {:?}", anvil_text::clean(word.unwrap_or_default(), 40)),
            "there are personas, modes and frameworks",
        ));
    }
    Ok(texts)
}
