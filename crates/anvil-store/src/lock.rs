//! The lock: a `flock` on a file that is never deleted, so that a killed holder frees it and a
//! rename can't lose it.
//!
//! Some network and FUSE file systems have no such lock. There, a debate can only be read.

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::{StoreError, not_written};
use anvil_system::disk::{Disk, file_system};
use anvil_text::error::{Error, Result};

/// Pause between two tries for the lock. A holder needs about two milliseconds.
const POLL: Duration = Duration::from_millis(3);

/// A lock that is held until it is dropped: then the system frees it.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: fs_err::File,
}

impl Lock {
    /// Takes the lock of this file; waits until `wait` has passed since `started`.
    pub(crate) fn take(disk: &Disk, path: &Path, started: Instant, wait: Duration) -> Result<Self> {
        if fs_err::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(not_written(format!("{} is not a regular file", path.display())));
        }
        let file = disk.open_lock(path).map_err(not_written)?;
        loop {
            match disk.try_lock(&file) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if started.elapsed() < wait => {
                    std::thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    let (path, seconds) = (path.to_owned(), wait.as_secs());
                    return Err(StoreError::Held { path, seconds }.into());
                }
                Err(TryLockError::Error(error)) => return Err(no_lock(path, error)),
            }
        }
    }

    /// An error: nothing can be locked. Leaves no file.
    pub(crate) fn try_out(disk: &Disk, path: &Path, wait: Duration) -> Result<()> {
        if path.exists() {
            return Self::take(disk, path, Instant::now(), wait).map(|_| ());
        }
        let Some(folder) = path.ancestors().skip(1).find(|folder| folder.is_dir()) else {
            return Ok(());
        };
        match disk.try_lock_in(folder) {
            Err(TryLockError::Error(error)) => Err(no_lock(folder, error)),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(()),
        }
    }
}

/// The error for a file that can't be locked. It names the file system if that has no locks.
fn no_lock(path: &Path, error: io::Error) -> Error {
    if !is_unsupported(&error) {
        return StoreError::Lock(path.to_owned(), error).into();
    }
    let system = file_system(path).map_or_else(String::new, |name| format!(" ({name})"));
    StoreError::NoLocks { path: path.to_owned(), system }.into()
}

fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    use rustix::io::Errno;
    // The standard library has no error kind for NOLCK, and on some systems none for one of the
    // others.
    #[cfg(unix)]
    let codes = [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS].map(Errno::raw_os_error);
    #[cfg(not(unix))]
    let codes: [i32; 0] = [];
    error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustix::io::Errno;

    use super::*;
    use anvil_system::disk::{Fate, Operation, Probe};

    /// A file system on which `flock` fails with this error.
    #[derive(Debug)]
    struct NoLocks(i32);

    impl Probe for NoLocks {
        fn fate(&self, operation: Operation, _: &Path) -> Fate {
            if operation == Operation::Lock {
                Fate::Fails(io::Error::from_raw_os_error(self.0))
            } else {
                Fate::Made
            }
        }
    }

    fn take(disk: &Disk, path: &Path, millis: u64) -> Result<Lock> {
        Lock::take(disk, path, Instant::now(), Duration::from_millis(millis))
    }

    #[test]
    fn without_file_locks_an_error_names_the_file_system() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("lock");
        for code in [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS] {
            let disk = Disk::with_probe(Arc::new(NoLocks(code.raw_os_error())));
            let system = file_system(temp.path()).unwrap_or_default();
            for path in [&path, &temp.path().join("none/lock")] {
                let error = Lock::try_out(&disk, path, Duration::ZERO).unwrap_err().to_string();
                assert!(error.contains("has no file locks") && error.contains(&system), "{error}");
                Lock::try_out(&Disk::default(), path, Duration::ZERO).unwrap();
            }
            let error = take(&disk, &path, 0).unwrap_err().to_string();
            assert!(error.contains("has no file locks"), "{error}");
        }
        let _held = take(&Disk::default(), &path, 0).unwrap();
        assert!(Lock::try_out(&Disk::default(), &path, Duration::ZERO).is_err());
        let disk = Disk::with_probe(Arc::new(NoLocks(Errno::IO.raw_os_error())));
        let message = take(&disk, &path, 0).unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(!message.contains("has no file locks"), "{message}");
    }
}
