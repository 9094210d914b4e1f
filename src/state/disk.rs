//! The only place that writes files.
//!
//! Invariant: a file that is replaced is at every instant its complete old or its complete new content: a temporary file
//! in the same folder, flushed, renamed over the old one, the folder flushed. Modes are kept; new files are 0600,
//! because a debate can hold confidential text.

use std::io::{self, Write as _};
use std::path::Path;

/// Begins the name of every temporary file, so that one left by a kill can be told.
const TEMP_PREFIX: &str = ".anvil-tmp-";

/// The permissions of a file that is new; an old one keeps its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewFile {
    /// 0600: for its owner.
    Private,
    /// 0644: part of an installation.
    Shared,
    /// 0755: a program.
    Program,
}

/// Makes a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    fs_err::create_dir_all(path)
}

/// Makes a folder below `root` and those in between. A link on the way is refused: a cloned repository can hold one that
/// leads out of the project.
pub(crate) fn create_folder_in(root: &Path, folder: &Path) -> io::Result<()> {
    let mut path = root.to_owned();
    for part in folder.strip_prefix(root).map_err(io::Error::other)?.components() {
        path.push(part);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(io::Error::other(format!("{} is a link or a file, not a folder", path.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => fs_err::create_dir(&path)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Replaces a file, or makes it with the permissions of its kind.
pub(crate) fn replace(path: &Path, content: &[u8], kind: NewFile) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let at = |error: io::Error| io::Error::new(error.kind(), format!("can't write {}: {error}", path.display()));
    let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(folder).map_err(at)?;
    temp.write_all(content).map_err(at)?;
    let permissions = std::fs::metadata(path).ok().map(|old| old.permissions()).or_else(|| kind.permissions());
    if let Some(permissions) = permissions {
        temp.as_file().set_permissions(permissions).map_err(at)?;
    }
    temp.as_file().sync_all().map_err(at)?;
    temp.persist(path).map_err(|error| at(error.error))?;
    sync_folder(folder).map_err(at)
}

/// Moves a file to a name that is not taken yet, in a folder of the same file system.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs_err::rename(from, to)?;
    for folder in [from.parent(), to.parent()].into_iter().flatten() {
        sync_folder(folder)?;
    }
    Ok(())
}

/// Removes the temporary files that a kill has left in a folder. Only for who holds the lock of what is written there.
pub(crate) fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Opens a file to lock it, making it if need be. Its content is nobody's business.
pub(crate) fn open_lock(path: &Path) -> io::Result<fs_err::File> {
    fs_err::OpenOptions::new().create(true).truncate(false).write(true).open(path)
}

/// Removes a folder if it is empty; says whether it is gone.
pub(crate) fn remove_empty_folder(path: &Path) -> bool {
    fs_err::remove_dir(path).is_ok()
}

/// Removes a file that may be gone already.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

impl NewFile {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
    fn permissions(self) -> Option<std::fs::Permissions> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = match self {
            Self::Private => 0o600,
            Self::Shared => 0o644,
            Self::Program => 0o755,
        };
        Some(std::fs::Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    fn permissions(self) -> Option<std::fs::Permissions> {
        None
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
