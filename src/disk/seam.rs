//! The seam at which a test makes a disk fail.

use std::path::Path;
use std::{fmt, io};

/// One step that changes something on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Make a folder.
    CreateFolder,
    /// Make a temporary file, or open one to lock or to append to.
    Open,
    /// Lock a file.
    Lock,
    /// Write content; it can tear.
    Write,
    /// Set the permissions of a temporary file.
    SetPermissions,
    /// Flush a file.
    Sync,
    /// Give a file a name, replacing what has it.
    Rename,
    /// Give a file a second name, or a link.
    Link,
    /// Flush a folder.
    SyncFolder,
    /// Remove a file or an empty folder.
    Remove,
}

/// What becomes of an operation under a [`Probe`].
#[derive(Debug)]
pub enum Fate {
    /// It is made.
    Made,
    /// It is not made, and fails.
    Fails(io::Error),
    /// Half of it is made, and it fails: a torn write. Any other operation is not made at all.
    Tears(io::Error),
}

/// Is asked before every operation: counts them, fails them, or has the program stop dead.
pub trait Probe: fmt::Debug + Send + Sync {
    /// Decides on one operation.
    fn fate(&self, operation: Operation, path: &Path) -> Fate;
}
