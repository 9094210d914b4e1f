//! `anvil doctor`: finds faults of the installation and their repair. It changes nothing.
//!
//! [`copies`] checks the copies of the plugin, [`program`] its programs and the client, [`hooks`]
//! the hooks, [`policy`] the settings that turn them off, and [`links`] the links to the program.

mod copies;
mod hooks;
mod links;
mod policy;
mod program;

use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::settings;
use anvil_engine::{Context, defaults, history, session};
use anvil_messages::Door;
use anvil_store::{Machine, Project, Scope, can_write};
use anvil_system::world::World;
use anvil_text::error::{Kind, Result};
use anvil_text::number_of;
use anvil_text::{Exit, Hint, Verb, hint};

use copies::{Copies, Copy};
use policy::SettingsFile;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Fine,
    /// Good to know; nothing fails because of it.
    Note,
    Wrong,
}

impl Level {
    /// The sign for people, and the word for scripts.
    fn names(self) -> (char, &'static str) {
        match self {
            Self::Fine => ('✓', "ok"),
            Self::Note => ('!', "warning"),
            Self::Wrong => ('✗', "problem"),
        }
    }
}

/// A result of a check, and its repair.
#[derive(Debug)]
struct Diagnosis {
    /// The check's name, for scripts.
    check: &'static str,
    level: Level,
    text: String,
    fix: Option<Hint>,
}

impl Diagnosis {
    fn fine(check: &'static str, text: impl Into<String>) -> Self {
        Self { check, level: Level::Fine, text: text.into(), fix: None }
    }

    fn note(check: &'static str, text: impl Into<String>, fix: impl Into<Hint>) -> Self {
        Self { check, level: Level::Note, text: text.into(), fix: Some(fix.into()) }
    }

    fn wrong(check: &'static str, text: impl Into<String>, fix: impl Into<Hint>) -> Self {
        Self { level: Level::Wrong, ..Self::note(check, text, fix) }
    }

    fn lines(&self, door: &Door) -> String {
        let (sign, _) = self.level.names();
        let fix = self.fix.clone().map(|fix| anvil_text::clean(&door.text(fix), 600));
        let fix = fix.map(|fix| format!("\n    fix: {fix}"));
        format!("{sign} {}{}", anvil_text::clean(&self.text, 600), fix.unwrap_or_default())
    }

    fn json(&self, door: &Door) -> Value {
        let (_, level) = self.level.names();
        let fix = self.fix.clone().map(|fix| door.text(fix));
        json!({ "check": self.check, "level": level, "text": self.text, "fix": fix })
    }
}

pub(super) fn run(
    world: &World,
    context: &Context<'_>,
    as_json: bool,
    door: &Door,
) -> Result<ExitCode> {
    let project = session::project(context);
    let files = settings_files(world, &project);
    let mut findings = Vec::new();
    let copies = Copies::find(world, files.iter().map(|file| file.path.as_path()));
    findings.extend(copies.findings(world, door));
    findings.extend(copies.in_use().map(|copy| program::finding(world, copy, door)));
    findings.extend(copies.in_use().and_then(|copy| program::server(copy, door)));
    findings.extend(links::findings(world, &copies, door));
    findings.push(program::client(&world.cwd));
    let in_skills = copies.in_use().is_some_and(Copy::is_in_skills);
    findings.extend(policy::findings(world, &files, in_skills));
    findings.extend(copies.in_use().map(|copy| hooks::finding(world, copy, door)));
    let folders = folders(world, &project);
    // If a folder is not writable, report that instead of the lock.
    let lock = folders.is_empty().then(|| lock(context));
    findings.extend(folders);
    findings.extend(records(world, &project));
    if let Err(error) = defaults::config(context) {
        findings.push(Diagnosis::wrong("defaults", error.to_string(), error.hint()));
    }
    findings.extend(lock);
    findings.push(state(context));
    findings.extend(journal(context));
    findings.push(git(context));

    let wrong = count(&findings, Level::Wrong);
    let notes = count(&findings, Level::Note);
    super::print(&if as_json {
        let findings: Vec<Value> = findings.iter().map(|finding| finding.json(door)).collect();
        let value =
            json!({ "ok": wrong == 0, "version": env!("CARGO_PKG_VERSION"), "findings": findings });
        anvil_text::harmless_json(&format!("{value:#}"))
    } else {
        let lines: Vec<String> = findings.iter().map(|finding| finding.lines(door)).collect();
        let sum = match (wrong, notes) {
            (0, 0) => "No problems found.".to_owned(),
            (0, notes) => format!("No problems, {} above.", number_of(notes, "note", "notes")),
            (wrong, _) => format!("{} above.", number_of(wrong, "problem", "problems")),
        };
        format!("{}\n{sum}", lines.join("\n"))
    })?;
    Ok(if wrong == 0 { Exit::Done.into() } else { Exit::Failed.into() })
}

fn count(findings: &[Diagnosis], level: Level) -> usize {
    findings.iter().filter(|finding| finding.level == level).count()
}

/// Lists what stays after the plugin in this folder is removed: other copies, and files outside
/// every project.
pub(super) fn left_behind(world: &World, removed: &Path, door: &Door) -> Vec<String> {
    let settings = settings::file(world);
    let mut left =
        Copies::find(world, settings.as_deref().into_iter()).left_behind(world, removed, door);
    for (name, what) in [
        ("anvil.local", "Your debates stay in your projects' .claude folders; their records"),
        ("anvil.local.md", "Your defaults"),
        ("anvil", "Your own texts"),
    ] {
        let path = world.config_folder.as_ref().map(|folder| folder.join(name));
        if let Some(path) = path.filter(|path| path.exists()) {
            left.push(format!("{what} stay in {}.", short_path(world, &path)));
        }
    }
    left
}

/// The settings files that Claude Code reads in this project.
fn settings_files(world: &World, project: &Project) -> Vec<SettingsFile> {
    let claude = project.root().join(".claude");
    let own = ["settings.json", "settings.local.json"].map(|name| claude.join(name));
    let own = settings::file(world).into_iter().chain(own).map(SettingsFile::of_user);
    own.chain(SettingsFile::managed_files(Path::new(policy::FOLDER))).collect()
}

/// Reports folders that are missing or not writable.
fn folders(world: &World, project: &Project) -> Vec<Diagnosis> {
    let machine = Machine::new(world);
    let Some(records) = machine.folder().map(Path::to_owned) else {
        let fix = "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to";
        return vec![Diagnosis::wrong("folders", "there is no folder for the records", fix)];
    };
    let faults = machine.faults().into_iter();
    let mut findings: Vec<Diagnosis> =
        faults.map(|(fault, fix)| Diagnosis::wrong("folders", fault, fix)).collect();
    let records_if_sound = findings.is_empty().then(|| records.clone());
    for folder in [project.claude()].into_iter().chain(records_if_sound) {
        let Some(existing) = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok())
        else {
            continue;
        };
        let name = short_path(world, existing);
        if !existing.is_dir() {
            let text = format!("{name} is not a folder");
            findings.push(Diagnosis::wrong("folders", text, "move it away"));
        } else if !can_write(existing) {
            let fix = format!("chmod u+rwx \"{}\", or ask its owner to", existing.display());
            findings.push(Diagnosis::wrong("folders", format!("{name} can't be written to"), fix));
        }
    }
    findings
}

/// Reports the folder of the records, and a file system that may not keep them.
fn records(world: &World, project: &Project) -> Option<Diagnosis> {
    let machine = Machine::new(world);
    let name = short_path(world, machine.folder()?);
    Some(match machine.may_vanish(project) {
        None => Diagnosis::fine("records", format!("the records of debates go to {name}")),
        Some(system) => Diagnosis::note(
            "records",
            format!("the records of debates go to {name}, on {system}: they may be lost with it"),
            "set CLAUDE_CONFIG_DIR to a permanent folder",
        ),
    })
}

fn state(context: &Context<'_>) -> Diagnosis {
    match session::look(context, None) {
        Ok(look) if look.is_lost => Diagnosis::wrong(
            "state",
            "the state file can't be read, and its question is unknown",
            hint![
                "start a new debate with ",
                Verb::Start.with("QUESTION --replace"),
                ", which puts this file aside unchanged"
            ],
        ),
        Ok(look) => match &look.repair {
            None => Diagnosis::fine(
                "state",
                format!("the debate here is sound: {}", look.debate.label()),
            ),
            Some(repair) => Diagnosis::note(
                "state",
                format!("the debate's file was changed: {}", anvil_messages::repair(repair)),
                hint![
                    "no action needed; ",
                    Verb::Undo.with("--list"),
                    " lists earlier states, ",
                    Verb::Undo.with("--to N"),
                    " restores one"
                ],
            ),
        },
        Err(error) if error.kind() == Kind::Nothing => {
            Diagnosis::fine("state", "no debate in this project")
        }
        Err(error) => Diagnosis::wrong("state", error.to_string(), error.hint()),
    }
}

/// Checks that the lock can be taken.
fn lock(context: &Context<'_>) -> Diagnosis {
    match session::try_lock(context) {
        Ok(()) => Diagnosis::fine("lock", "files can be locked here"),
        Err(error) => Diagnosis::wrong("lock", error.to_string(), error.hint()),
    }
}

/// Reports a journal without a valid entry. `None`: it is fine, or does not exist.
fn journal(context: &Context<'_>) -> Option<Diagnosis> {
    let error = history::due_reviews(context, None, Scope::Repository)
        .err()
        .filter(|error| error.kind() != Kind::Nothing)?;
    Some(Diagnosis::note("journal", error.to_string(), error.hint()))
}

fn git(context: &Context<'_>) -> Diagnosis {
    match session::is_seen_by_git(context) {
        Ok(None) => Diagnosis::fine("git", "no git repository here"),
        Ok(Some(false)) => Diagnosis::fine("git", "git ignores the debate's file"),
        Ok(Some(true)) => {
            let project = session::project(context);
            let fix = anvil_messages::ignore_command(project.has_git_info());
            Diagnosis::note("git", anvil_messages::SEEN_BY_GIT, fix)
        }
        Err(why) => {
            let error = why.into_error("git", "install git, or see what `git status` says");
            let what = format!("{error}; so it is unknown whether it ignores the debate's file");
            Diagnosis::note("git", what, error.hint())
        }
    }
}

/// A path for the user, shortened with `~`.
fn short_path(world: &World, path: &Path) -> String {
    match world.home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => path.display().to_string(),
    }
}
