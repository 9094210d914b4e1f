//! What holds when nobody says otherwise: a person's defaults, the project's before the user's before Anvil's own.

use std::path::{Component, Path};

use super::Engine;
use crate::command::{self, DEFAULT_CONTEXT_BUDGET, DebateOptions};
use crate::debate::{DEFAULT_ROUNDS, MAX_OWN_CHARS};
use crate::error::{Error, Result};
use crate::library::{self, Entry, Folders, Shelf};
use crate::state::{Default, Defaults, Project, Whose};

/// Options whose values name something on the disk.
const PATHS: [&str; 5] = ["output", "context", "persona", "follow-up", "versus"];

/// One option with what holds for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value; empty where there is none.
    pub value: String,
    /// Where it comes from: a file with its line, or `built in`.
    pub from: String,
}

/// What the defaults files say.
#[derive(Debug, std::default::Default)]
pub(super) struct Layers {
    pub(super) project: DebateOptions,
    pub(super) user: DebateOptions,
    pub(super) house_rules: Option<String>,
}

impl Engine<'_> {
    /// What holds in this project for every option, in the order of the help.
    pub fn config(&self) -> Result<Vec<Setting>> {
        let project = Project::around(self.here(), self.world.home.as_deref());
        let files = Defaults::read(&project, self.world)?;
        for file in &files {
            options(file)?;
        }
        let setting = |name: String| {
            let found =
                files.iter().find_map(|file| Some((file, file.entries.iter().find(|entry| entry.key == name)?)));
            let (value, from) = match found {
                Some((file, entry)) => {
                    (entry.values.join(", "), format!("{}:{}", project.display(&file.path), entry.line))
                }
                None => (built_in(&name), "built in".to_owned()),
            };
            Setting { name, value, from }
        };
        let mut settings: Vec<Setting> = command::option_names().into_iter().map(setting).collect();
        for file in files.iter().filter(|file| !file.rules.is_empty()) {
            let value = crate::say::clean(&file.rules, 60);
            settings.push(Setting { name: "house rules".to_owned(), value, from: project.display(&file.path) });
        }
        Ok(settings)
    }

    /// The texts of a shelf that a debate can use here, and those that can't be used.
    #[must_use]
    pub fn list(&self, kind: Shelf) -> (Vec<Entry>, Vec<String>) {
        let project = Project::around(self.here(), self.world.home.as_deref());
        let folders = Folders { project: project.root().to_owned(), user: self.world.config_folder.clone() };
        library::list(kind, &folders)
    }

    /// What the defaults files of a project and of this person say.
    pub(super) fn layers(&self, project: &Project) -> Result<Layers> {
        let mut layers = Layers::default();
        let mut rules = Vec::new();
        for file in Defaults::read(project, self.world)? {
            let options = options(&file)?;
            match file.whose {
                Whose::Project => layers.project = options,
                Whose::User => layers.user = options,
            }
            if file.rules.chars().count() > MAX_OWN_CHARS {
                return Err(Error::usage(
                    format!("the house rules in {} have more than {MAX_OWN_CHARS} characters", file.path.display()),
                    "shorten what stands below its frontmatter",
                ));
            }
            rules.extend((!file.rules.is_empty()).then_some(file.rules));
        }
        rules.reverse();
        layers.house_rules = Some(rules.join("\n\n")).filter(|rules| !rules.is_empty());
        Ok(layers)
    }
}

fn built_in(name: &str) -> String {
    match name {
        "rounds" => DEFAULT_ROUNDS.to_string(),
        "mode" => "analyst".to_owned(),
        "context-budget" => DEFAULT_CONTEXT_BUDGET.to_string(),
        "blind" | "research" | "interactive" | "replace" => "no".to_owned(),
        _ => String::new(),
    }
}

/// The options that a file sets. A wrong one is named with its line.
fn options(file: &Defaults) -> Result<DebateOptions> {
    let known = command::option_names();
    let mut all = Vec::new();
    for entry in &file.entries {
        let at = |error: &Error| {
            Error::usage(format!("{}, line {}: {error}", file.path.display(), entry.line), error.hint().to_owned())
        };
        if !known.contains(&entry.key) {
            let near = known.iter().min_by_key(|known| strsim::damerau_levenshtein(known, &entry.key));
            let near = near.filter(|near| strsim::damerau_levenshtein(near, &entry.key) <= 2);
            let hint = near.map_or_else(
                || "`anvil config` lists what there is".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return Err(at(&Error::usage(format!("there is no option {}", entry.key), hint)));
        }
        if file.whose == Whose::Project
            && PATHS.contains(&entry.key.as_str())
            && let Some(path) = entry.values.iter().find(|value| leads_out(value))
        {
            return Err(at(&Error::usage(
                format!("{} leads out of the project: {path}", entry.key),
                "a project's defaults stay inside of it; name it in your own defaults, or type it",
            )));
        }
        let words = words(entry);
        command::defaults(words.clone()).map_err(|error| at(&error))?;
        all.extend(words);
    }
    command::defaults(all)
}

/// An option as it would be typed.
fn words(entry: &Default) -> Vec<String> {
    match (entry.key.as_str(), entry.values.as_slice()) {
        ("versus", values) => [vec!["--versus".to_owned()], values.to_vec()].concat(),
        ("stakeholders", values) => vec![format!("--stakeholders={}", values.join(", "))],
        // `diff: true` is the option alone.
        ("diff", [yes]) if yes == "true" => vec!["--diff=".to_owned()],
        ("diff", [no]) if no == "false" => Vec::new(),
        (key, values) => values.iter().map(|value| format!("--{key}={value}")).collect(),
    }
}

fn leads_out(path: &str) -> bool {
    let path = Path::new(path);
    let mut parts = path.components();
    path.starts_with("~") || parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}
