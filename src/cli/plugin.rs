//! The contents of the plugin folder. The files are embedded from this repository, their only
//! source.

use std::path::{Path, PathBuf};

use super::error::SetupError;
use anvil_system::disk;
use anvil_system::world::World;
use anvil_text::error::Result;

/// The plugin's files except the program, by their path in the folder. Its `marketplace.json` lists
/// the folder itself; the repository's lists the newest release.
pub(super) const FILES: [(&str, &[u8]); 18] = [
    (".claude-plugin/plugin.json", include_bytes!("../../.claude-plugin/plugin.json")),
    (".claude-plugin/marketplace.json", include_bytes!("marketplace.json")),
    (".claude-plugin/icon.png", include_bytes!("../../.claude-plugin/icon.png")),
    ("hooks/hooks.json", include_bytes!("../../hooks/hooks.json")),
    ("hooks/commands.json", include_bytes!("../../hooks/commands.json")),
    ("hooks/failure.json", include_bytes!("../../hooks/failure.json")),
    ("commands/debate.md", include_bytes!("../../commands/debate.md")),
    ("commands/status.md", include_bytes!("../../commands/status.md")),
    ("commands/history.md", include_bytes!("../../commands/history.md")),
    ("commands/claims.md", include_bytes!("../../commands/claims.md")),
    ("commands/resume.md", include_bytes!("../../commands/resume.md")),
    ("commands/undo.md", include_bytes!("../../commands/undo.md")),
    ("commands/steer.md", include_bytes!("../../commands/steer.md")),
    ("commands/report.md", include_bytes!("../../commands/report.md")),
    ("commands/again.md", include_bytes!("../../commands/again.md")),
    ("commands/cancel.md", include_bytes!("../../commands/cancel.md")),
    ("README.md", include_bytes!("../../README.md")),
    ("LICENSE", include_bytes!("../../LICENSE")),
];

/// The program's name in the folder. It is not in `bin/`, which Claude Code puts on its shell's
/// PATH: another tool has the name anvil.
pub(super) const PROGRAM: &str = if cfg!(windows) { "anvil.exe" } else { "anvil" };

/// Lists the written files, one path a line. It marks a folder as an installation.
pub(super) const MANIFEST: &str = "installed-files.txt";

/// Lists the links to the program by absolute path, one a line.
pub(super) const LINKS: &str = "links.txt";

/// The folder where the client finds plugins.
pub(super) fn default_folder(world: &World) -> Result<PathBuf> {
    let config = world.config_folder.as_ref().ok_or(SetupError::NoHome)?;
    Ok(config.join("skills/anvil"))
}

/// The paths in an installation's manifest. `None`: the folder has no manifest.
pub(super) fn read_manifest(folder: &Path) -> Result<Option<Vec<PathBuf>>> {
    let path = folder.join(MANIFEST);
    match fs_err::read_to_string(&path) {
        Ok(text) => {
            let mut paths: Vec<PathBuf> = text.lines().map(PathBuf::from).collect();
            // A path that leads out of the folder is ignored.
            paths.retain(|path| {
                path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
            });
            Ok(Some(paths))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SetupError::NoManifest(error).into()),
    }
}

/// Removes temporary files of a killed installation: in its folder, and next to Claude Code's
/// settings.
pub(super) fn sweep(world: &World, folder: &Path, files: &[PathBuf]) {
    let mut folders: Vec<PathBuf> = FILES
        .iter()
        .map(|(name, _)| Path::new(name))
        .chain(files.iter().map(PathBuf::as_path))
        .filter_map(|file| Some(folder.join(file.parent()?)))
        .collect();
    folders.push(folder.to_owned());
    folders.extend(world.config_folder.clone());
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        world.disk.sweep(&folder);
    }
}

/// True for an empty folder, and for an installation that was killed before its first file was
/// renamed.
pub(super) fn has_only_temporary_files(folder: &Path) -> bool {
    std::fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().all(|entry| disk::is_temporary(&entry.file_name())))
}
