//! `anvil uninstall`: removes the files of an installation, and nothing else.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::error::SetupError;
use super::mcp::REGISTRATION;
use super::plugin::{MANIFEST, default_folder, has_only_temporary_files, read_manifest, sweep};
use super::{doctor, history, link, settings};
use anvil_messages::Door;
use anvil_store::Machine;
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::{Kind, Result};

/// The files to remove together with the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Purge {
    /// The records of sessions, and reports, which can be written again.
    Records,
    /// Also every debate of this user outside of the projects.
    Debates,
    /// All that Anvil wrote for this user outside of the projects.
    All,
}

pub(super) fn run(
    world: &World,
    from: Option<&Path>,
    purge: Option<Purge>,
    is_sure: bool,
    door: &Door,
) -> Result<()> {
    let Some(purge) = purge else { return super::print(&remove(world, from, door)?) };
    let machine = Machine::new(world);
    if purge == Purge::All {
        return purge_all(world, from, &machine, is_sure, door);
    }
    let removed = remove(world, from, door);
    // Purge even if the plugin was removed earlier.
    let purged = machine.purge()?;
    let purged = purged.map(|folder| anvil_messages::purge_line(&folder));
    match (removed, purged) {
        (Err(error), Some(purged)) if error.kind() == Kind::Nothing => super::print(&purged)?,
        (Err(error), None) if error.kind() == Kind::Nothing && purge == Purge::Debates => {}
        (removed, purged) => {
            super::print(&[removed?].into_iter().chain(purged).collect::<Vec<_>>().join("\n"))?;
        }
    }
    if purge == Purge::Debates { purge_debates(&machine, is_sure, door) } else { Ok(()) }
}

/// Lists the debates of this user with their sizes, and removes them if the user says so.
fn purge_debates(machine: &Machine, is_sure: bool, door: &Door) -> Result<()> {
    let debates = machine.debates();
    if debates.is_empty() {
        return super::print(anvil_messages::NO_DEBATES);
    }
    super::print(&anvil_messages::debates_to_purge(&debates))?;
    if !is_sure && !history::is_confirmed(anvil_messages::PRUNE_QUESTION)? {
        return super::print(&anvil_messages::no_purge_line("debates", door));
    }
    debates.iter().try_for_each(|debate| machine.remove_debate(debate))?;
    super::print(&anvil_messages::purge_debates_line(debates.len()))
}

/// Lists all that Anvil wrote for this user, and removes it if the user says so. The user's own
/// texts and the files in projects stay.
fn purge_all(
    world: &World,
    from: Option<&Path>,
    machine: &Machine,
    is_sure: bool,
    door: &Door,
) -> Result<()> {
    let folder = machine.folder().filter(|folder| folder.is_dir());
    let pages = world.home.as_deref().map(process::pages_of_snaps).unwrap_or_default();
    let plugin = from.map(|from| world.cwd.join(from)).or_else(|| default_folder(world).ok());
    let plugin = plugin.filter(|plugin| plugin.join(MANIFEST).is_file());
    let all = plugin.iter().map(PathBuf::as_path).chain(folder);
    let all: Vec<&Path> = all.chain(pages.iter().map(PathBuf::as_path)).collect();
    if all.is_empty() {
        return Err(SetupError::NothingHere.into());
    }
    let debates = machine.debates();
    super::print(&anvil_messages::all_to_purge(&all, &debates))?;
    if !is_sure && !history::is_confirmed(anvil_messages::PRUNE_QUESTION)? {
        return super::print(&anvil_messages::no_purge_line("all", door));
    }
    let files = machine.state_files();
    debates.iter().try_for_each(|debate| machine.remove_debate(debate))?;
    machine.remove_all()?;
    for page in &pages {
        world.disk.remove(page).map_err(SetupError::NotRemoved)?;
    }
    let removed = match remove(world, from, door) {
        Err(error) if error.kind() == Kind::Nothing => None,
        removed => Some(removed?),
    };
    let what = anvil_messages::purge_all_lines(&files);
    super::print(&removed.into_iter().chain([what]).collect::<Vec<_>>().join("\n"))
}

/// Removes the plugin, and returns the message.
fn remove(world: &World, from: Option<&Path>, door: &Door) -> Result<String> {
    let folder = match from {
        Some(folder) => world.cwd.join(folder),
        None => default_folder(world)?,
    };
    let found = match read_manifest(&folder)? {
        None if folder.is_dir() && has_only_temporary_files(&folder) => Some(Vec::new()),
        found => found,
    };
    // First remove every caller of the program.
    let links = link::remove(world, &folder)?;
    let Some(files) = found.or_else(|| (!links.is_empty()).then(Vec::new)) else {
        return Err(SetupError::NoPlugin(folder).into());
    };
    let statusline = settings::remove_statusline(world, &folder);
    // The manifest goes last, so that a half-finished removal can be repeated.
    let manifest = Path::new(MANIFEST);
    let others = files.iter().map(PathBuf::as_path).filter(|file| *file != manifest);
    for file in others.chain([manifest]) {
        world.disk.remove(&folder.join(file)).map_err(SetupError::NotRemoved)?;
    }
    sweep(world, &folder, &files);
    // Remove folders that are empty now. A folder with other files stays.
    for file in &files {
        for parent in file.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
            world.disk.remove_empty_folder(&folder.join(parent));
        }
    }
    // Measured on 2.1.330: an open session reports each hook of a plugin without its
    // folder. In an empty folder, it runs the hooks' lines without a report.
    let remains = if files.is_empty() {
        world.disk.remove_empty_folder(&folder);
        String::new()
    } else if has_only_temporary_files(&folder) {
        let folder = folder.display();
        format!(
            "\nIts folder stays, empty, so that open sessions show no error; when they are \
             closed: rmdir \"{folder}\""
        )
    } else {
        " Files that are not Anvil's are still in it.".to_owned()
    };
    let links: Vec<String> =
        links.iter().map(|link| format!("\nIts link {} is removed too.", link.display())).collect();
    let line =
        if statusline? { "\nIts status line is removed from Claude Code's settings." } else { "" };
    let is_registered = files.iter().any(|file| file == Path::new(REGISTRATION));
    let server = if is_registered { "\nIts MCP server is not registered any more." } else { "" };
    if files.is_empty() && links.is_empty() {
        return Ok(format!("{} was empty; it is removed.", folder.display()));
    }
    let removed = format!(
        "Anvil removed from {}.{remains}{}{line}{server}\nRestart Claude Code: sessions that are \
         open still call it.",
        folder.display(),
        links.concat()
    );
    Ok([vec![removed], doctor::left_behind(world, &folder, door)].concat().join("\n"))
}
