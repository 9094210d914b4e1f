//! The link by which shells find the program in a plugin folder. Only such links are overwritten or
//! removed.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

use super::error::SetupError;
use super::plugin::{LINKS, PROGRAM};
use anvil_system::disk::{Flush, NewFile};
use anvil_system::process;
use anvil_system::world::World;
use anvil_text::error::Result;

/// The link's names; the second is for a system where the first belongs to another program.
const NAMES: [&str; 2] = ["anvil", "anvil-debate"];

pub(super) const DEFAULT_FOLDER: &str = "~/.local/bin";

/// The name by which this program was called, if it is a link's name.
pub(super) fn called_name() -> &'static str {
    let path = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    NAMES
        .into_iter()
        .find(|name| path.file_stem().is_some_and(|stem| stem == *name))
        .unwrap_or(NAMES[0])
}

/// The first word of a command in a shell: a name under which a shell finds this program, else its
/// path. Foundry has a program `anvil` too.
pub(super) fn in_shell() -> String {
    let Ok(program) = process::own_program() else { return NAMES[0].to_owned() };
    NAMES
        .into_iter()
        .find(|name| process::find(name).is_some_and(|found| is_copy(&found, &program)))
        .map_or_else(|| anvil_messages::in_shell(&program), str::to_owned)
}

/// True for the same file, or one with the same bytes.
fn is_copy(one: &Path, other: &Path) -> bool {
    if is_same(one, other) {
        return true;
    }
    let [one_length, other_length] =
        [one, other].map(|path| path.metadata().map(|meta| meta.len()).ok());
    one_length == other_length && std::fs::read(one).ok() == std::fs::read(other).ok()
}

pub(crate) struct LinkPlan {
    program: PathBuf,
    record: PathBuf,
    folder: PathBuf,
    name: &'static str,
    /// The reason for the second name.
    obstacle: Option<String>,
}

/// Chooses a name for a link to the plugin's program; changes nothing.
pub(super) fn plan(world: &World, plugin: &Path, folder: &Path) -> Result<LinkPlan> {
    let folder = expand_home(world, folder).ok_or(SetupError::NoLinkFolder)?;
    if folder.to_str().is_none_or(|text| text.contains('\n')) {
        return Err(SetupError::LinkFolder(folder).into());
    }
    let program = plugin.join(PROGRAM);
    let mut obstacles = Vec::new();
    for name in NAMES {
        let Some(obstacle) = obstacle(&program, &folder, name) else {
            let record = plugin.join(LINKS);
            let obstacle = obstacles.pop();
            return Ok(LinkPlan { program, record, folder, name, obstacle });
        };
        obstacles.push(obstacle);
    }
    Err(SetupError::NoLinkName(obstacles.join(", and ")).into())
}

impl LinkPlan {
    /// Lists the link in `links.txt`, then makes it. Returns the program's new name.
    pub(crate) fn make(&self, world: &World) -> Result<String> {
        let link = self.folder.join(file(self.name));
        // A link under an earlier name that shells no longer find.
        for name in NAMES.into_iter().take_while(|name| *name != self.name) {
            let old = self.folder.join(file(name));
            if leads_to(&old, &self.program) {
                world.disk.remove(&old).map_err(SetupError::OldLink)?;
            }
        }
        let noted = read_links(self.record.parent().unwrap_or(&self.record));
        let mut links: Vec<&Path> = noted.iter().map(PathBuf::as_path).collect();
        links.retain(|link| leads_to(link, &self.program));
        if !links.contains(&link.as_path()) {
            links.push(&link);
        }
        if links != noted {
            let text: String =
                links.iter().flat_map(|link| [link.to_string_lossy(), "\n".into()]).collect();
            world
                .disk
                .replace(&self.record, text.as_bytes(), NewFile::Shared, Flush::Now)
                .map_err(SetupError::LinkNotNoted)?;
        }
        if !leads_to(&link, &self.program) {
            world
                .disk
                .create_folder(&self.folder)
                .and_then(|()| world.disk.link_to(&self.program, &link))
                .map_err(SetupError::NotLinked)?;
        }
        let why =
            self.obstacle.as_ref().map(|obstacle| format!(" ({obstacle})")).unwrap_or_default();
        let name = self.name;
        let link = link.display();
        let mut message =
            vec![format!("In a shell it is called {name}{why}: {link} is a link to it.")];
        // Another program of this name that a shell would no longer find.
        let later =
            process::folders().into_iter().skip_while(|entry| !is_same(entry, &self.folder));
        if let Some(other) = other(later, &self.program, &file(self.name)) {
            message.push(format!("It comes before {} on PATH.", other.display()));
        }
        if !is_on_path(&self.folder) {
            let folder = self.folder.display();
            let how = how_to_add(&self.folder);
            message.push(format!("{folder} is not on PATH. {how}"));
        }
        Ok(message.join("\n"))
    }
}

/// Removes every known link to the plugin's program, and returns their paths.
pub(super) fn remove(world: &World, plugin: &Path) -> Result<Vec<PathBuf>> {
    let program = plugin.join(PROGRAM);
    let links: Vec<PathBuf> =
        known_links(world, plugin).into_iter().filter(|link| leads_to(link, &program)).collect();
    for link in &links {
        world.disk.remove(link).map_err(SetupError::LinkStays)?;
    }
    Ok(links)
}

/// The fault of a link.
pub(crate) enum Flaw {
    /// Its place is empty or holds something else.
    Gone,
    /// The program does not exist.
    Dangling,
    /// Its folder is not on `PATH`.
    NotOnPath,
    /// A shell finds this other program first.
    Hidden(PathBuf),
}

/// The known links to the plugin's program, and the fault of each.
pub(super) fn look(world: &World, plugin: &Path) -> Vec<(PathBuf, Option<Flaw>)> {
    let program = plugin.join(PROGRAM);
    known_links(world, plugin)
        .into_iter()
        .map(|link| {
            let flaw = flaw(&link, &program);
            (link, flaw)
        })
        .collect()
}

fn flaw(link: &Path, program: &Path) -> Option<Flaw> {
    let folder = link.parent()?;
    let name = link.file_name()?.to_str()?;
    if !leads_to(link, program) {
        Some(Flaw::Gone)
    } else if !program.exists() {
        Some(Flaw::Dangling)
    } else if !is_on_path(folder) {
        Some(Flaw::NotOnPath)
    } else {
        first_other(program, folder, name).map(Flaw::Hidden)
    }
}

/// The command that adds a folder to `PATH`.
pub(super) fn how_to_add(folder: &Path) -> String {
    if cfg!(windows) {
        return "Add it in the settings of your account's environment variables".to_owned();
    }
    let folder = folder.display().to_string().replace('\'', r"'\''");
    format!("Add this line to the startup file of your shell:\n  export PATH='{folder}':\"$PATH\"")
}

/// The listed links, and those in the default folder.
fn known_links(world: &World, plugin: &Path) -> Vec<PathBuf> {
    let mut links = read_links(plugin);
    let program = plugin.join(PROGRAM);
    let usual = expand_home(world, Path::new(DEFAULT_FOLDER))
        .into_iter()
        .flat_map(|folder| NAMES.map(|name| folder.join(file(name))));
    for link in usual.filter(|link| leads_to(link, &program)) {
        if !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

fn read_links(plugin: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(plugin.join(LINKS)).unwrap_or_default();
    text.lines().map(PathBuf::from).filter(|link| link.is_absolute()).collect()
}

/// Expands `~`, which no shell does after `=`.
fn expand_home(world: &World, folder: &Path) -> Option<PathBuf> {
    match folder.strip_prefix("~") {
        Ok(inside) => world.home.as_ref().map(|home| home.join(inside)),
        Err(_) => Some(world.cwd.join(folder)),
    }
}

fn file(name: &str) -> String {
    format!("{name}{EXE_SUFFIX}")
}

/// The reason why a link can't have this name.
fn obstacle(program: &Path, folder: &Path, name: &str) -> Option<String> {
    let link = folder.join(file(name));
    if link.symlink_metadata().is_ok() && !leads_to(&link, program) {
        return Some(format!("{} is there already", link.display()));
    }
    let other = first_other(program, folder, &file(name))?;
    Some(format!("{} comes first on PATH", other.display()))
}

/// Another program of this name that a shell finds before this folder.
fn first_other(program: &Path, folder: &Path, file: &str) -> Option<PathBuf> {
    other(process::folders().into_iter().take_while(|entry| !is_same(entry, folder)), program, file)
}

fn other(folders: impl Iterator<Item = PathBuf>, program: &Path, file: &str) -> Option<PathBuf> {
    folders
        .map(|folder| folder.join(file))
        .find(|path| process::is_program(path) && !is_same(path, program))
}

fn is_on_path(folder: &Path) -> bool {
    process::folders().iter().any(|entry| is_same(entry, folder))
}

fn leads_to(link: &Path, program: &Path) -> bool {
    std::fs::read_link(link).is_ok_and(|target| target == program)
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || real(one) == real(other)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
