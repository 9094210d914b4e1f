//! `anvil install`: a complete plugin folder, also while sessions run.

use std::path::Path;

use super::plugin::{FILES, MANIFEST, PROGRAM, default_folder, written};
use crate::error::{Error, Result};
use crate::state::disk::{self, NewFile};
use crate::world::World;

pub(super) fn run(world: &World, to: Option<&Path>) -> Result<()> {
    let folder = match to {
        Some(folder) => world.cwd.join(folder),
        None => default_folder(world)?,
    };
    let upgrade = check(&folder)?;
    let program = std::env::current_exe()
        .and_then(fs_err::read)
        .map_err(|error| Error::io(&error, "run the installed or built program by its path"))?;
    let write = |name: &str, content: &[u8], kind: NewFile| {
        let path = folder.join(name);
        disk::create_folder(path.parent().unwrap_or(&folder))
            .and_then(|()| disk::replace(&path, content, kind))
            .map_err(|error| Error::io(&error, "check the folder's permissions and space; run it again to finish"))
    };
    // The manifest comes first, so that a half-finished installation can be removed or repeated.
    let mut names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    names.extend([PROGRAM, MANIFEST]);
    write(MANIFEST, (names.join("\n") + "\n").as_bytes(), NewFile::Shared)?;
    write(PROGRAM, &program, NewFile::Program)?;
    for (name, content) in FILES {
        write(name, content, NewFile::Shared)?;
    }
    super::print(&message(&folder, upgrade, to.is_none()))
}

/// Says whether the folder holds an installation already; refuses one that holds something else.
fn check(folder: &Path) -> Result<bool> {
    if written(folder)?.is_some() {
        return Ok(true);
    }
    let empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if empty {
        return Ok(false);
    }
    Err(Error::failed(
        format!("{} is not empty and not an Anvil plugin folder", folder.display()),
        "name a new folder with --to; nothing was changed",
    ))
}

fn message(folder: &Path, upgrade: bool, by_default: bool) -> String {
    let folder = folder.display();
    let version = env!("CARGO_PKG_VERSION");
    let done = if upgrade { "upgraded" } else { "installed" };
    let commands = format!("  claude plugin marketplace add \"{folder}\"\n  claude plugin install anvil@anvil");
    let next = if by_default {
        format!(
            "Claude Code 2.1.200 and later load it by themselves. Start `claude` in a project and type\n  \
             /anvil:debate Should we move to microservices?\n\
             Older versions (not newer ones, which would have it twice) need two commands, once:\n{commands}"
        )
    } else {
        format!("Use it for one session with\n  claude --plugin-dir \"{folder}\"\nor for all with\n{commands}")
    };
    format!("Anvil {version} {done} in {folder}.\n{next}")
}
