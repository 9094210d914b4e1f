//! `anvil install`: writes a complete plugin folder, even while sessions run.

use std::path::{Path, PathBuf};

use super::error::SetupError;
use super::mcp::{REGISTRATION, SERVER, Server};
use super::plugin::{
    FILES, LINKS, MANIFEST, PROGRAM, default_folder, has_only_temporary_files, read_manifest, sweep,
};
use super::{link, settings};
use anvil_messages::Door;
use anvil_system::disk::{Flush, NewFile};
use anvil_system::world::World;
use anvil_text::error::Result;

/// Optional parts of an installation.
pub(crate) struct Extras {
    pub statusline: bool,
    /// The folder for a link to the program.
    pub link: Option<PathBuf>,
    pub mcp: bool,
}

pub(super) fn run(
    world: &World,
    to: Option<&Path>,
    Extras { statusline, link, mcp }: Extras,
    door: &Door,
) -> Result<()> {
    let folder = match to {
        Some(folder) => world.cwd.join(folder),
        None => default_folder(world)?,
    };
    let before = check(&folder)?;
    let server = Server::plan(mcp, before.as_deref().unwrap_or_default())?;
    let link = link.map(|link| link::plan(world, &folder, &link)).transpose()?;
    sweep(world, &folder, before.as_deref().unwrap_or_default());
    let program = std::env::current_exe().and_then(fs_err::read).map_err(SetupError::NoProgram)?;
    // Write the manifest first, so that a half-finished installation can be removed or repeated.
    let mut names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    names.extend([PROGRAM, MANIFEST]);
    names.extend(&server.names);
    if link.is_some() || folder.join(LINKS).is_file() {
        names.push(LINKS);
    }
    let done = match before {
        None => "installed",
        Some(_) if std::fs::read(folder.join(PROGRAM)).is_ok_and(|old| old == program) => {
            "installed again"
        }
        Some(_) => "upgraded",
    };
    check_names(&folder, before.as_deref().unwrap_or_default(), &names)?;
    remove_old(world, &folder, before.as_deref().unwrap_or_default(), &names)?;
    write(world, &folder.join(MANIFEST), (names.join("\n") + "\n").as_bytes(), NewFile::Shared)?;
    write(world, &folder.join(PROGRAM), &program, NewFile::Program)?;
    for (name, content) in FILES {
        write(world, &folder.join(name), content, NewFile::Shared)?;
    }
    if let Some(program) = &server.program {
        write(world, &folder.join(SERVER), program, NewFile::Program)?;
    }
    if let Some(registration) = &server.registration {
        write(world, &folder.join(REGISTRATION), registration.as_bytes(), NewFile::Shared)?;
    }
    super::print(&message(&folder, done, to.is_none()))?;
    if let Some(link) = link {
        super::print(&link.make(world)?)?;
    } else if door.program() != PROGRAM {
        let program = door.program();
        super::print(&format!(
            "In a shell it is {program}; `{program} install --link` makes a link to it."
        ))?;
    }
    if mcp {
        super::print(&Server::message(door))?;
    }
    if statusline {
        super::print(&settings::add_statusline(world, &folder)?)?;
    }
    Ok(())
}

fn write(world: &World, path: &Path, content: &[u8], kind: NewFile) -> Result<()> {
    let folder = world.disk.create_folder(path.parent().unwrap_or(path));
    let written = folder.and_then(|()| world.disk.replace(path, content, kind, Flush::Now));
    Ok(written.map_err(SetupError::NotWritten)?)
}

/// Refuses to replace a file that no installation wrote.
fn check_names(folder: &Path, before: &[PathBuf], names: &[&str]) -> Result<()> {
    let foreign = names.iter().find(|name| {
        !before.iter().any(|old| old == Path::new(name))
            && std::fs::symlink_metadata(folder.join(name)).is_ok()
    });
    match foreign {
        Some(name) => Err(SetupError::Foreign(folder.join(name)).into()),
        None => Ok(()),
    }
}

/// Removes files of an older version that this one does not have.
fn remove_old(world: &World, folder: &Path, before: &[PathBuf], names: &[&str]) -> Result<()> {
    let old = before.iter().filter(|old| !names.iter().any(|name| *old == Path::new(name)));
    for file in old {
        world.disk.remove(&folder.join(file)).map_err(SetupError::OldFile)?;
    }
    Ok(())
}

/// The files of an existing installation. Refuses a folder with other files.
fn check(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    if let Some(files) = read_manifest(folder)? {
        return Ok(Some(files));
    }
    let is_absent = std::fs::symlink_metadata(folder)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
    if has_only_temporary_files(folder) || is_absent {
        return Ok(None);
    }
    Err(SetupError::NotEmpty(folder.to_owned()).into())
}

fn message(folder: &Path, done: &str, by_default: bool) -> String {
    let folder = folder.display();
    let version = env!("CARGO_PKG_VERSION");
    let next = if by_default {
        "Start `claude` in a project and type\n  /anvil:debate Should we move to microservices?"
            .to_owned()
    } else {
        format!(
            "Use it for one session with\n  claude --plugin-dir \"{folder}\"\nor for all \
             with\n  claude plugin marketplace add \"{folder}\"\n  \
             claude plugin install anvil@anvil"
        )
    };
    format!("Anvil {version} {done} in {folder}.\n{next}")
}
