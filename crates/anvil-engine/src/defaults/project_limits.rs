//! Limits for the paths in a project's defaults, which may have come with a clone: none leads out
//! of the project or into its settings.

use std::path::{Component, Path, PathBuf};

use super::error::{DefaultsError, LayerError};
use crate::Context;
use crate::session::check_earlier_result;
use anvil_core::options::{Set, Wishes};
use anvil_store::Project;
use anvil_text::error::Result;

/// Refuses paths that leave the project or lead into its settings. The others start at its root.
pub(super) fn keep_inside(
    context: &Context<'_>,
    wishes: &mut Wishes,
    project: &Project,
) -> Result<(), LayerError> {
    let personas = wishes.who.persona.iter_mut();
    let personas = personas.map(|Set { value, from }| ("persona", &mut value.0, &*from));
    let material = wishes.context.iter_mut();
    let material = material.map(|Set { value, from }| (CONTEXT, &mut value.0, &*from));
    let earlier = wishes.follow_up.iter_mut();
    let earlier = earlier.map(|Set { value, from }| (FOLLOW_UP, &mut value.0, &*from));
    for (name, path, from) in personas.chain(material).chain(earlier) {
        check_inside(name, path, project)
            .and_then(|()| match name {
                FOLLOW_UP => check_earlier_result(context, path, project),
                _ => Ok(()),
            })
            .map_err(|error| LayerError::new(name, from, error))?;
        if let Some(absolute) = from_project_root(context, path, project, name == CONTEXT) {
            *path = absolute;
        }
    }
    Ok(())
}

const CONTEXT: &str = "context";
const FOLLOW_UP: &str = "follow-up";

fn check_inside(name: &'static str, path: &str, project: &Project) -> Result<()> {
    if leads_out(path, project) {
        return Err(DefaultsError::LeadsOut { name, path: path.to_owned() }.into());
    }
    if leads_to_settings(path, project) {
        return Err(DefaultsError::LeadsToSettings { name, path: path.to_owned() }.into());
    }
    Ok(())
}

/// The path from the project's root, if the user works in another folder.
fn from_project_root(
    context: &Context<'_>,
    typed: &str,
    project: &Project,
    is_material: bool,
) -> Option<String> {
    if context.world.cwd == project.root() {
        return None;
    }
    let path = project.root().join(typed);
    // A file that exists only in the user's working folder also gets the path from the root: the
    // project does not mean that file, and nothing has checked where it leads.
    let is_file = path.exists() || context.world.cwd.join(typed).is_file();
    (is_file || is_material).then(|| path.display().to_string())
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
