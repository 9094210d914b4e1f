//! The only place that writes files, and the seam at which a test makes a disk fail.
//!
//! Invariant: a replaced file has at every instant its complete old or its complete new content. A
//! temporary file is flushed and renamed over the old one; then the folder is flushed. Modes are
//! kept; new files are 0600, because a debate can hold confidential text. The umask takes no rights
//! from the owner of a new file, and gives others none in a folder of this machine's records.
//! Before every step a [`Probe`] decides on its [`Operation`].

pub(crate) mod folders;
pub(crate) mod modes;
pub(crate) mod mount;
pub(crate) mod seam;

use std::fs::{Metadata, Permissions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;

pub use modes::is_writable_by_others;
use modes::{
    can_run, give_to, has_another_name, has_mode, keep_for_owner, no_link, private_options,
};
pub use mount::file_system;
pub use seam::{Fate, Operation, Probe};

/// Begins the name of every temporary file, so that one of a killed process is recognized.
const TEMP_PREFIX: &str = ".anvil-tmp-";

/// Largest file, in bytes, that can be a report of Anvil.
const MAX_REPLACED: u64 = 128 * 1024 * 1024;

#[derive(Clone, Debug, Default)]
pub struct Disk {
    probe: Option<Arc<dyn Probe>>,
}

/// The permissions of a new file; an old file keeps its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewFile {
    /// 0600: for its owner.
    Private,
    /// 0600, even if it replaces a file of another user.
    Another,
    /// 0644: part of an installation.
    Shared,
    /// 0755: a program.
    Program,
}

/// The durability of a file if the power fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// File and folder are flushed before the call returns.
    Now,
    /// The system decides when: for copies.
    Later,
}

impl Disk {
    /// A disk on which `probe` decides.
    pub fn with_probe(probe: Arc<dyn Probe>) -> Self {
        Self { probe: Some(probe) }
    }

    /// Replaces a file, or makes it with the permissions of its kind; its temporary file lies in
    /// the same folder.
    pub fn replace(
        &self,
        path: &Path,
        content: &[u8],
        new: NewFile,
        flush: Flush,
    ) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        self.replace_by_way_of(folder, path, &[content], new, flush)
    }

    /// Like [`Self::replace`], with the temporary file in a folder that is swept; in the file's own
    /// folder if that is on another file system. The content comes in parts.
    pub fn replace_by_way_of(
        &self,
        temps: &Path,
        path: &Path,
        content: &[&[u8]],
        new: NewFile,
        flush: Flush,
    ) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let old = (new != NewFile::Another).then(|| std::fs::metadata(path).ok()).flatten();
        let kept = old.as_ref().map(std::fs::Metadata::permissions);
        // The permissions of a program that is not executable are not kept.
        let kind = kept
            .filter(|old| new != NewFile::Program || can_run(old))
            .or_else(|| new.permissions());
        // A new file gets the owner of its folder: root leaves no file that the folder's owner
        // can't read.
        let owner = old.or_else(|| std::fs::metadata(folder).ok());
        let permissions = (kind, owner);
        let written = match self.replace_in(temps, path, content, &permissions, flush) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices && temps != folder => {
                self.replace_in(folder, path, content, &permissions, flush)
            }
            written => written,
        };
        written.map_err(|error| failed_to("write", path, &error))
    }

    /// Makes a file at a path of the user, or replaces one if `may_replace` allows its content;
    /// any other is [`io::ErrorKind::AlreadyExists`]. An equal file is not written.
    pub fn replace_only(
        &self,
        temps: &Path,
        path: &Path,
        content: &[u8],
        may_replace: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        match read_plain(path)? {
            Some(old) if old == content => return Ok(()),
            Some(old) if !may_replace(&old) => return Err(not_ours(path)),
            Some(_) | None => {}
        }
        self.replace_by_way_of(temps, path, &[content], NewFile::Private, Flush::Now)
    }

    fn replace_in(
        &self,
        temps: &Path,
        path: &Path,
        content: &[&[u8]],
        permissions: &(Option<Permissions>, Option<Metadata>),
        flush: Flush,
    ) -> io::Result<()> {
        self.probe_result(Operation::Open, temps)?;
        let temp = tempfile::Builder::new()
            .prefix(TEMP_PREFIX)
            .disable_cleanup(true)
            .tempfile_in(temps)?;
        let (mut file, temp) = temp.into_parts();
        let written = self
            .fill(&mut file, &temp, content, permissions, flush)
            .and_then(|()| self.probe_result(Operation::Rename, path))
            .and_then(|()| std::fs::rename(&temp, path));
        // Closed before the folder is opened: a process may have only one file descriptor left.
        drop(file);
        if written.is_err() {
            let _ = self.remove(&temp);
        }
        written?;
        if flush == Flush::Now {
            self.sync_folder(path.parent().unwrap_or(Path::new(".")))
        } else {
            Ok(())
        }
    }

    /// Fills a new temporary file, and gives it its permissions and its owner.
    fn fill(
        &self,
        file: &mut std::fs::File,
        path: &Path,
        content: &[&[u8]],
        (permissions, owner): &(Option<Permissions>, Option<Metadata>),
        flush: Flush,
    ) -> io::Result<()> {
        for part in content {
            self.write_all(file, path, part)?;
        }
        // A temporary file is made with 0600, as far as the umask allows.
        if let Some(permissions) = permissions
            && !has_mode(file, permissions)
        {
            self.probe_result(Operation::SetPermissions, path)?;
            file.set_permissions(permissions.clone())?;
        }
        give_to(file, owner.as_ref());
        if flush == Flush::Now {
            self.probe_result(Operation::Sync, path)?;
            file.sync_all()?;
        }
        Ok(())
    }

    /// Appends lines to a file; makes it if necessary. A torn last line ends before them. A link is
    /// not followed. A file with a second name is not changed: its content and the lines become a
    /// new file.
    pub fn append_lines(
        &self,
        path: &Path,
        lines: &[u8],
        temps: &Path,
        flush: Flush,
    ) -> io::Result<()> {
        self.probe_result(Operation::Open, path)?;
        let mut options = private_options();
        options.append(true).read(true).create(true);
        no_link(&mut options);
        let mut file = open_or_make(&options, path)?;
        if has_another_name(file.file()) {
            let mut content = Vec::new();
            file.read_to_end(&mut content)?;
            let torn: &[u8] =
                if content.last().is_none_or(|last| *last == b'\n') { b"" } else { b"\n" };
            let whole = [&content, torn, lines];
            return self.replace_by_way_of(temps, path, &whole, NewFile::Another, flush);
        }
        let mut last = [b'\n'];
        if file.seek(SeekFrom::End(-1)).is_ok() {
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            self.write_all(file.file_mut(), path, b"\n")?;
        }
        self.write_all(file.file_mut(), path, lines)?;
        if flush == Flush::Now {
            self.probe_result(Operation::Sync, path)?;
            file.sync_all()?;
            // As above: closed before the folder is opened.
            drop(file);
            self.sync_folder(path.parent().unwrap_or(Path::new(".")))?;
        }
        Ok(())
    }

    /// Moves a file to a free name; to another file system by a copy.
    pub fn move_to(&self, from: &Path, to: &Path, temps: &Path) -> io::Result<()> {
        self.probe_result(Operation::Rename, to)?;
        match std::fs::rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let content = fs_err::read(from)?;
                self.replace_by_way_of(temps, to, &[&content], NewFile::Private, Flush::Now)?;
                self.remove(from)?;
            }
            moved => moved.map_err(|error| failed_to("make", to, &error))?,
        }
        for folder in [from.parent(), to.parent()].into_iter().flatten() {
            self.sync_folder(folder)?;
        }
        Ok(())
    }

    /// Makes a symbolic link of this name to a file. A taken name is an error.
    pub fn link_to(&self, file: &Path, name: &Path) -> io::Result<()> {
        self.probe_result(Operation::Link, name)?;
        #[cfg(unix)]
        let made = fs_err::os::unix::fs::symlink(file, name);
        #[cfg(windows)]
        let made = fs_err::os::windows::fs::symlink_file(file, name);
        made
    }

    /// An unlinked file for another program to read; freed on close.
    pub fn anonymous_file(&self, content: &[u8]) -> io::Result<std::fs::File> {
        let folder = std::env::temp_dir();
        self.probe_result(Operation::Open, &folder)?;
        let mut file = tempfile::tempfile_in(&folder)?;
        self.write_all(&mut file, &folder, content)?;
        file.rewind()?;
        Ok(file)
    }

    /// Removes the temporary files that killed processes have left in a folder. Only for the holder
    /// of the folder's lock.
    pub fn sweep(&self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            if is_temporary(&entry.file_name()) {
                let _ = self.remove(&entry.path());
            }
        }
    }

    /// Makes a file for another program's output, for its owner alone; replaces an old file of that
    /// name.
    pub fn open_for_output(&self, path: &Path) -> io::Result<std::fs::File> {
        self.remove(path)?;
        self.probe_result(Operation::Open, path)?;
        let mut options = private_options();
        let file = options.create_new(true).read(true).append(true).open(path)?.into_parts().0;
        keep_for_owner(&file)?;
        Ok(file)
    }

    /// Opens a file to lock it; makes it if necessary. Its content does not matter.
    pub fn open_lock(&self, path: &Path) -> io::Result<fs_err::File> {
        self.probe_result(Operation::Open, path)?;
        open_or_make(private_options().create(true).truncate(false).write(true), path)
    }

    /// Locks an open file, if no other process has locked it.
    pub fn try_lock(&self, file: &fs_err::File) -> Result<(), TryLockError> {
        self.probe_result(Operation::Lock, file.path()).map_err(TryLockError::Error)?;
        file.try_lock()
    }

    /// Tries to lock an unlinked file in this folder; leaves nothing there.
    pub fn try_lock_in(&self, folder: &Path) -> Result<(), TryLockError> {
        self.probe_result(Operation::Open, folder).map_err(TryLockError::Error)?;
        let file = tempfile::tempfile_in(folder).map_err(TryLockError::Error)?;
        self.try_lock(&fs_err::File::from_parts(file, folder))
    }

    /// Makes a file with this content, and fails if the name is taken.
    pub fn create_exclusively(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.probe_result(Operation::Open, path)?;
        let mut file = private_options().create_new(true).write(true).open(path)?;
        let kept = keep_for_owner(file.file());
        kept.and_then(|()| self.write_all(file.file_mut(), path, content)).inspect_err(|_| {
            let _ = self.remove(path);
        })
    }

    /// Removes a file, if it still exists.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        if std::fs::symlink_metadata(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        {
            return Ok(());
        }
        self.probe_result(Operation::Remove, path)?;
        match fs_err::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Flushes a folder, so that new and removed names are lasting.
    #[cfg(unix)]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.probe_result(Operation::SyncFolder, folder)?;
        fs_err::File::open(folder)?.sync_all()
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.probe_result(Operation::SyncFolder, folder)
    }

    fn write_all(&self, file: &mut std::fs::File, path: &Path, content: &[u8]) -> io::Result<()> {
        match self.fate(Operation::Write, path) {
            Fate::Made => file.write_all(content),
            Fate::Fails(error) => Err(error),
            Fate::Tears(error) => file.write_all(&content[..content.len() / 2]).and(Err(error)),
        }
    }

    fn probe_result(&self, operation: Operation, path: &Path) -> io::Result<()> {
        match self.fate(operation, path) {
            Fate::Made => Ok(()),
            Fate::Fails(error) | Fate::Tears(error) => Err(error),
        }
    }

    fn fate(&self, operation: Operation, path: &Path) -> Fate {
        self.probe.as_ref().map_or(Fate::Made, |probe| probe.fate(operation, path))
    }
}

/// The content of a plain file that could be one of Anvil's by its size. `None`: the name is free.
pub fn read_plain(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return Ok(None) };
    if !meta.is_file() || meta.len() > MAX_REPLACED {
        return Err(not_ours(path));
    }
    std::fs::read(path).map(Some).map_err(|_| not_ours(path))
}

fn not_ours(path: &Path) -> io::Error {
    let what = format!("{} was not written by Anvil", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}

/// An error that names its path.
fn failed_to(act: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("can't {act} {}: {error}", path.display()))
}

/// Opens a file; a new one is for its owner.
fn open_or_make(options: &fs_err::OpenOptions, path: &Path) -> io::Result<fs_err::File> {
    let is_new = std::fs::symlink_metadata(path).is_err();
    let file = options.open(path)?;
    if is_new {
        keep_for_owner(file.file())?;
    }
    Ok(file)
}

/// True for the name of a temporary file.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes())
}
