//! The store: a project's state file, read by anyone, changed only by who holds the lock.
//!
//! The lock is a type: methods that change something exist on [`Locked`] alone. It is a `flock` on a file of its own that
//! is never deleted, so a killed holder frees it and a rename can't lose it.

use std::fs::TryLockError;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Project;
use super::disk::{self, NewFile};
use super::file::StateFile;
use super::frontmatter::MAX_HEAD_BYTES;
use crate::debate::Debate;
use crate::error::{Error, Result};

/// Largest state file that is read, in bytes: hundreds of debates of the longest kind.
pub(super) const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// First read of a head: enough for all but the longest questions.
const HEAD_CHUNK: usize = 8 * 1024;

/// Between two tries for the lock. A holder needs about two milliseconds.
const LOCK_POLL: Duration = Duration::from_millis(3);

/// A project's state, for reading.
#[derive(Clone, Debug)]
pub struct Store {
    project: Project,
}

impl Store {
    /// The store of a project. Touches nothing.
    #[must_use]
    pub fn of(project: Project) -> Self {
        Self { project }
    }

    /// Whose state this is.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The debate without its transcript: one read of the file's beginning. `None`: there is no state file.
    pub fn read_head(&self) -> Result<Option<Debate>> {
        let path = self.project.state_file();
        let Some(mut file) = open(&path)? else { return Ok(None) };
        let mut start = Vec::with_capacity(HEAD_CHUNK);
        for limit in [HEAD_CHUNK, MAX_HEAD_BYTES + 8] {
            let more = (limit - start.len()) as u64;
            file.by_ref().take(more).read_to_end(&mut start).map_err(|error| unreadable(&error))?;
            // A chunk may end within a character; the head itself is whole.
            let text = match std::str::from_utf8(&start) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
            };
            let whole = start.len() < limit || limit > HEAD_CHUNK;
            match StateFile::parse_head(text) {
                Err(_) if !whole => {}
                parsed => return parsed.map(Some),
            }
        }
        Ok(None)
    }

    /// The whole state. `None`: there is no state file.
    pub fn read(&self) -> Result<Option<StateFile>> {
        self.read_text()?.map(|text| StateFile::parse(&text)).transpose()
    }

    fn read_text(&self) -> Result<Option<String>> {
        let path = self.project.state_file();
        let Some(mut file) = open(&path)? else { return Ok(None) };
        let size = file.metadata().map_err(|error| unreadable(&error))?.len();
        if size > MAX_STATE_BYTES {
            return Err(Error::failed(
                format!("{} has {size} bytes, more than the {MAX_STATE_BYTES} a debate can have", path.display()),
                "move it away; it is left untouched",
            ));
        }
        let mut text = String::with_capacity(size as usize + 1);
        file.read_to_string(&mut text).map_err(|error| unreadable(&error))?;
        Ok(Some(text))
    }

    /// Takes the lock, waiting at most `wait`.
    pub fn lock(&self, wait: Duration) -> Result<Locked<'_>> {
        let local = self.project.local();
        let made = disk::create_folder_in(self.project.root(), &local).and_then(|()| {
            let ignore = local.join(".gitignore");
            if ignore.exists() { Ok(()) } else { disk::replace(&ignore, b"*\n", NewFile::Private) }
        });
        made.map_err(|error| not_written(&error))?;
        let path = self.project.lock_file();
        if fs_err::symlink_metadata(&path).is_ok_and(|meta| !meta.is_file()) {
            return Err(not_written(&io::Error::other(format!("{} is not a plain file", path.display()))));
        }
        let file = disk::open_lock(&path).map_err(|error| not_written(&error))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => {
                    disk::sweep(&self.project.root().join(".claude"));
                    return Ok(Locked { store: self, _lock: file });
                }
                Err(TryLockError::WouldBlock) if started.elapsed() < wait => std::thread::sleep(LOCK_POLL),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::failed(
                        format!("another Anvil has held {} for {} s", path.display(), wait.as_secs()),
                        "look for a hanging `anvil` process; nothing was changed",
                    ));
                }
                Err(TryLockError::Error(error)) => return Err(not_written(&error)),
            }
        }
    }
}

/// A project's state, held: only here it can change.
#[derive(Debug)]
pub struct Locked<'a> {
    store: &'a Store,
    _lock: fs_err::File,
}

impl Locked<'_> {
    /// Whose state this is.
    #[must_use]
    pub fn project(&self) -> &Project {
        &self.store.project
    }

    /// The whole state, as it stands now that nobody else can change it.
    pub fn read(&self) -> Result<Option<StateFile>> {
        self.store.read()
    }

    /// Swaps the state file for this one.
    pub fn commit(&self, state: &StateFile) -> Result<()> {
        let path = self.store.project.state_file();
        let text = state.render()?;
        disk::replace(&path, text.as_bytes(), NewFile::Private).map_err(|error| not_written(&error))
    }

    /// Moves the state file into the archive, as `<name>.md`, and says where it lies now.
    pub fn archive(&self, name: &str) -> Result<PathBuf> {
        let project = &self.store.project;
        disk::create_folder_in(project.root(), &project.archive()).map_err(|error| not_written(&error))?;
        let mut target = project.archive().join(format!("{name}.md"));
        let mut number = 1;
        while target.exists() {
            number += 1;
            target = project.archive().join(format!("{name}-{number}.md"));
        }
        disk::rename(&project.state_file(), &target).map_err(|error| not_written(&error))?;
        Ok(target)
    }

    /// Writes a report.
    pub fn write_report(&self, path: &Path, text: &str) -> Result<()> {
        let root = self.store.project.root();
        let folder = path.parent().unwrap_or(root);
        // A path outside of the project was named by a person, and its folder was there.
        let made = if folder.starts_with(root) { disk::create_folder_in(root, folder) } else { Ok(()) };
        made.and_then(|()| disk::replace(path, text.as_bytes(), NewFile::Private))
            .map_err(|error| Error::io(&error, "the debate itself is safe in the state file"))
    }
}

/// Opens a state file, if there is one and it is a plain file.
fn open(path: &Path) -> Result<Option<fs_err::File>> {
    match fs_err::symlink_metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => {
            return Err(Error::failed(
                format!("{} is not a plain file", path.display()),
                "Anvil follows no link there; move it away",
            ));
        }
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    }
    match fs_err::File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(error: &io::Error) -> Error {
    Error::io(error, "check that the file is readable text; it is left untouched")
}

fn not_written(error: &io::Error) -> Error {
    Error::io(error, "check the path, its permissions and the space; the debate is as it was before")
}
