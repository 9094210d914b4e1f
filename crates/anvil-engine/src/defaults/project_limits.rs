//! Limits for the defaults of a project, which may have come with a clone: options that only the
//! user may set, and paths that lead out of the project or into its settings.

use std::path::{Component, Path, PathBuf};

use crate::Context;
use anvil_core::options::DebateOption;
use anvil_store::{DefaultEntry, Project};
use anvil_text::error::{Error, Result};

/// Refuses options that only the user may set.
pub(super) fn check_allowed_in_project(entry: &DefaultEntry, project: &Project) -> Result<()> {
    let key = entry.key.as_str();
    let option = DebateOption::named(key);
    let is_path = takes_paths(option);
    if is_path && let Some(path) = entry.values.iter().find(|value| leads_out(value, project)) {
        return Err(Error::usage(
            format!("{key} leads out of the project: {path}"),
            "a project's defaults stay inside of it; name it in your own defaults, or type it",
        ));
    }
    if matches!(option, Some(DebateOption::Diff | DebateOption::Pr)) {
        return Err(Error::usage(
            format!("a project can't ask for {key} by itself"),
            format!("type --{key} yourself, or put it into your own defaults"),
        ));
    }
    if is_path
        && let Some(path) = entry.values.iter().find(|value| leads_to_settings(value, project))
    {
        return Err(Error::usage(
            format!("{key} leads into .git or .claude: {path}"),
            "a project's defaults take nothing from there; type it, or name it in your own \
             defaults",
        ));
    }
    let action = match option {
        Some(DebateOption::Output) => "choose where the report goes",
        Some(DebateOption::Replace) => "end what the user argues",
        Some(DebateOption::FactCheck) => "have a program read its files or the web",
        _ => return Ok(()),
    };
    Err(Error::usage(
        format!("a project can't {action}"),
        format!("type --{key} yourself, or put it into your own defaults"),
    ))
}

fn takes_paths(option: Option<DebateOption>) -> bool {
    option.is_some_and(DebateOption::takes_paths)
}

/// A project's paths start at its root. This makes them absolute if the user works in another
/// folder.
pub(super) fn from_project_root(
    context: &Context<'_>,
    entry: &DefaultEntry,
    project: &Project,
) -> DefaultEntry {
    let mut entry = entry.clone();
    let option = DebateOption::named(&entry.key);
    if !takes_paths(option) || context.world.cwd == project.root() {
        return entry;
    }
    for value in &mut entry.values {
        let path = project.root().join(&*value);
        let is_inside = !leads_out(value, project);
        // A file that exists only in the user's working folder also gets the path from the
        // root: the project does not mean that file, and nothing has checked where it leads.
        let is_file = path.exists() || context.world.cwd.join(&*value).is_file();
        if is_inside && (is_file || option == Some(DebateOption::Context)) {
            *value = path.display().to_string();
        }
    }
    entry
}

/// True for a path that leads out of the project, also through a link that came with the project.
fn leads_out(path: &str, project: &Project) -> bool {
    let typed = Path::new(path);
    let mut parts = typed.components();
    if typed.starts_with("~")
        || parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return true;
    }
    real_place(typed, project).is_some_and(|(root, target)| !target.starts_with(root))
}

/// True for a path into `.git` or `.claude`, in any folder of the project and also through a link.
fn leads_to_settings(path: &str, project: &Project) -> bool {
    let typed = Path::new(path);
    has_settings_folder(typed)
        || real_place(typed, project)
            .is_some_and(|(root, target)| target.strip_prefix(root).is_ok_and(has_settings_folder))
}

fn has_settings_folder(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        // Some file systems ignore case, and spaces or full stops at the end of a name.
        let name = name.trim_end_matches([' ', '.']);
        [".git", ".claude"].iter().any(|settings| name.eq_ignore_ascii_case(settings))
    })
}

/// The real paths of the project and of a path in it. A pattern counts as the folder that it begins
/// with, if no file has the pattern as its name.
fn real_place(typed: &Path, project: &Project) -> Option<(PathBuf, PathBuf)> {
    let plain: PathBuf = typed
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']))
        .collect();
    let whole = project.root().join(typed).canonicalize();
    let real = whole.or_else(|_| project.root().join(plain).canonicalize()).ok()?;
    Some((project.root().canonicalize().ok()?, real))
}
