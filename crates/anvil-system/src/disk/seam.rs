//! The seam at which a test makes a disk fail.

use std::path::Path;
use std::{fmt, io};

/// One step that changes something on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    CreateFolder,
    /// Makes a temporary file, or opens one to lock or to append to.
    Open,
    Lock,
    /// Writes content; it can tear.
    Write,
    /// Sets the permissions of a temporary file.
    SetPermissions,
    /// Flushes a file.
    Sync,
    /// Gives a file a name; replaces a file of that name.
    Rename,
    /// Gives a file a second name, or a link.
    Link,
    SyncFolder,
    /// Removes a file or an empty folder.
    Remove,
}

/// The result of an operation under a [`Probe`].
#[derive(Debug)]
pub enum Fate {
    /// The operation is done.
    Made,
    /// The operation is not done, and fails.
    Fails(io::Error),
    /// Half of a write is done, and it fails: a torn write. Any other operation is not done at all.
    Tears(io::Error),
}

/// Decides on every operation: counts them, fails them, or stops the program dead.
pub trait Probe: fmt::Debug + Send + Sync {
    fn fate(&self, operation: Operation, path: &Path) -> Fate;
}
