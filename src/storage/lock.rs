//! The lock: a `flock` on a file that is never deleted, so that a killed holder frees it and a
//! rename can't lose it.
//!
//! Some network and FUSE file systems have no such lock. There, a second file is made exclusively
//! and names its holder. If the holder is provably dead, the file is removed.

use std::cell::Cell;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::file::read::read_file;
use super::machine::holder::Holder;
use super::not_written;
use crate::error::{Error, Result};
use crate::system::disk::Disk;
use crate::text::from_json;

/// Pause between two tries for the lock. A holder needs about two milliseconds.
const POLL: Duration = Duration::from_millis(3);

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub(super) enum Lock {
    /// The system frees it.
    File { _file: fs_err::File },
    /// This program removes the file.
    Holder { disk: Disk, path: PathBuf },
}

impl Lock {
    /// Takes the lock of this file; waits until `wait` has passed since `started`.
    pub(super) fn take(disk: &Disk, path: &Path, started: Instant, wait: Duration) -> Result<Self> {
        if fs_err::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(not_written(format!("{} is not a plain file", path.display())));
        }
        let file = disk.open_lock(path).map_err(not_written)?;
        loop {
            match disk.try_lock(&file) {
                Ok(()) => return Ok(Self::File { _file: file }),
                Err(TryLockError::WouldBlock) if started.elapsed() < wait => {
                    std::thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    let (path, seconds) = (path.display(), wait.as_secs());
                    return Err(Error::failed(
                        format!("another Anvil has held {path} for {seconds} s"),
                        "look for a hanging `anvil` process; then `anvil resume` goes on, with \
                         what Claude wrote",
                    ));
                }
                Err(TryLockError::Error(error)) if is_unsupported(&error) => {
                    let file = path.with_extension("holder");
                    return Self::take_by_file(disk, &file, started, wait);
                }
                Err(TryLockError::Error(error)) => {
                    return Err(not_written(format!("can't lock {}: {error}", path.display())));
                }
            }
        }
    }

    fn take_by_file(disk: &Disk, path: &Path, started: Instant, wait: Duration) -> Result<Self> {
        let own = serde_json::to_vec(&Holder::this()).map_err(not_written)?;
        loop {
            match disk.create_exclusively(path, &own) {
                Ok(()) => return Ok(Self::Holder { disk: disk.clone(), path: path.to_owned() }),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    let path = path.display();
                    return Err(not_written(format!("can't make the lock file {path}: {error}")));
                }
                Err(_) if started.elapsed() < wait => {
                    if !is_dead(path) || !take_away(disk, path) {
                        std::thread::sleep(POLL);
                    }
                }
                Err(_) => return Err(held(path, wait)),
            }
        }
    }

    /// True if the file system has its own locks. An error: nothing can be locked. Leaves no file.
    pub(super) fn try_out(disk: &Disk, path: &Path, wait: Duration) -> Result<bool> {
        if path.exists() {
            return Self::take(disk, path, Instant::now(), wait)
                .map(|lock| matches!(lock, Self::File { .. }));
        }
        let Some(folder) = path.ancestors().skip(1).find(|folder| folder.is_dir()) else {
            return Ok(true);
        };
        match disk.try_lock_in(folder) {
            Err(TryLockError::Error(error)) if is_unsupported(&error) => Ok(false),
            Err(TryLockError::Error(error)) => Err(Error::io_at(
                "can't lock a file in",
                folder,
                &error,
                "check its permissions and the space",
            )),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(true),
        }
    }
}

thread_local! {
    /// Locks of projects that this thread holds.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Counts the project locks of this thread.
#[derive(Debug)]
pub(super) struct HeldCount(());

impl HeldCount {
    pub(super) fn count() -> Self {
        HELD.set(HELD.get() + 1);
        Self(())
    }
}

impl Drop for HeldCount {
    fn drop(&mut self) {
        HELD.set(HELD.get() - 1);
    }
}

/// Panics in a build for tests if this thread holds a project's lock. A function that renders a
/// whole text calls it first: others would wait as long as that takes.
pub fn assert_unlocked() {
    debug_assert_eq!(HELD.get(), 0, "a text is rendered while the project is locked");
}

/// A lock of the file system that is tried out, on a separate file.
#[derive(Debug)]
pub struct LockProbe {
    _file: fs_err::File,
}

impl LockProbe {
    /// `None`: another process has the lock.
    pub fn take(disk: &Disk, path: &Path) -> Result<Option<Self>> {
        let file = disk.open_lock(path).map_err(not_written)?;
        match disk.try_lock(&file) {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(not_written(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Self::Holder { disk, path } = self {
            let _ = disk.remove(path);
        }
    }
}

fn read_holder(path: &Path) -> Option<Holder> {
    from_json(&read_file(path).ok().flatten()?).ok()
}

fn is_dead(path: &Path) -> bool {
    read_holder(path).is_some_and(|holder| holder.is_dead())
}

/// Removes the lock file of a dead holder. Only one process at a time may do so, and it checks the
/// holder again: otherwise a second process would remove the new lock file of the first one.
fn take_away(disk: &Disk, path: &Path) -> bool {
    let breaking = path.with_extension("breaking");
    if disk.create_exclusively(&breaking, &[]).is_err() {
        return false;
    }
    let taken = is_dead(path) && disk.remove(path).is_ok();
    let _ = disk.remove(&breaking);
    taken
}

/// The error for a lock file if its holder is not provably dead.
fn held(path: &Path, wait: Duration) -> Error {
    let shown = path.display();
    let seconds = wait.as_secs();
    match read_holder(path) {
        Some(holder) if holder.is_dead() => {
            let breaking = path.with_extension("breaking");
            let breaking = breaking.display();
            Error::failed(
                format!(
                    "{shown} is of a dead process, and {breaking} keeps it from being taken away"
                ),
                format!("remove {breaking}; then `anvil resume` goes on, with what Claude wrote"),
            )
        }
        Some(holder) => {
            let (host, pid) = (&holder.host, holder.process.pid);
            Error::failed(
                format!("process {pid} on {host} has held {shown} for {seconds} s"),
                "if no `anvil` runs there any more, remove that file; then `anvil resume` goes on, \
                 with what Claude wrote",
            )
        }
        None => Error::failed(
            format!("{shown} has been there for {seconds} s, and does not say who holds it"),
            "if no other `anvil` runs here, remove that file; then `anvil resume` goes on, with \
             what Claude wrote",
        ),
    }
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
    #[cfg(target_os = "linux")]
    use std::sync::atomic::Ordering::SeqCst;

    use rustix::io::Errno;

    use super::*;
    use crate::system::disk::{Fate, Operation, Probe};
    use crate::system::process::BootId;

    #[test]
    #[should_panic(expected = "while the project is locked")]
    fn a_text_that_is_rendered_under_the_lock_fails_a_test() {
        let _held = HeldCount::count();
        assert_unlocked();
    }

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

    fn disk() -> Disk {
        Disk::probed(Arc::new(NoLocks(Errno::NOLCK.raw_os_error())))
    }

    fn take(disk: &Disk, path: &Path, millis: u64) -> Result<Lock> {
        Lock::take(disk, path, Instant::now(), Duration::from_millis(millis))
    }

    #[test]
    fn without_file_locks_a_lock_file_is_used_and_removed() {
        let temp = tempfile::tempdir().unwrap();
        let (path, holder) = (temp.path().join("lock"), temp.path().join("lock.holder"));
        for code in [Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOSYS] {
            let disk = Disk::probed(Arc::new(NoLocks(code.raw_os_error())));
            let lock = take(&disk, &path, 0).unwrap();
            assert!(holder.exists());
            let error = take(&disk, &path, 10).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(&holder.display().to_string()), "{message}");
            assert!(
                message.contains(&std::process::id().to_string())
                    && error.hint(crate::text::door::Door::Shell).contains("remove that file"),
                "{message}"
            );
            drop(lock);
            assert!(!holder.exists());
            for path in [&path, &temp.path().join("none/lock")] {
                assert!(!Lock::try_out(&disk, path, Duration::ZERO).unwrap());
                assert!(Lock::try_out(&Disk::default(), path, Duration::ZERO).unwrap());
            }
        }
        let _held = take(&Disk::default(), &path, 0).unwrap();
        assert!(Lock::try_out(&Disk::default(), &path, Duration::ZERO).is_err());
        let disk = Disk::probed(Arc::new(NoLocks(Errno::IO.raw_os_error())));
        let message = take(&disk, &path, 0).unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
    }

    type HolderChange = fn(&mut Holder, u32);

    /// A file of another holder; `change` makes it differ from this process.
    fn left(path: &Path, change: impl FnOnce(&mut Holder)) {
        let mut holder = Holder::this();
        change(&mut holder);
        fs_err::write(path, serde_json::to_vec(&holder).unwrap()).unwrap();
    }

    #[test]
    fn only_a_provably_dead_holder_loses_the_lock() {
        let temp = tempfile::tempdir().unwrap();
        let (path, holder) = (temp.path().join("lock"), temp.path().join("lock.holder"));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let gone = child.id();
        let cases: [(&str, HolderChange, bool); 5] = [
            ("itself", |_, _| {}, false),
            (
                "a process that is gone",
                |holder, gone| holder.process.pid = gone,
                cfg!(target_os = "linux"),
            ),
            (
                "another process with its id",
                |holder, _| holder.process.started += 1,
                cfg!(target_os = "linux"),
            ),
            (
                "another host",
                |holder, gone| {
                    holder.process.boot = BootId::parse("00000000-0000-4000-8000-000000000000");
                    (holder.host, holder.process.pid) = ("y".into(), gone);
                },
                false,
            ),
            (
                "another container",
                |holder, gone| (holder.pids, holder.process.pid) = (Some("pid:[1]".into()), gone),
                false,
            ),
        ];
        for (who, change, loses) in cases {
            left(&holder, |holder| change(holder, gone));
            let taken = take(&disk(), &path, 30);
            assert_eq!(taken.is_ok(), loses, "{who}: {taken:?}");
            drop(taken);
            assert_eq!(holder.exists(), !loses, "{who}");
            let _ = std::fs::remove_file(&holder);
        }
        for text in ["", "{}", "no JSON"] {
            fs_err::write(&holder, text).unwrap();
            let message = take(&disk(), &path, 10).unwrap_err().to_string();
            assert!(
                message.contains(&holder.display().to_string()) && message.contains("does not say"),
                "{message}"
            );
        }
        left(&holder, |holder| holder.process.pid = gone);
        fs_err::write(temp.path().join("lock.breaking"), "").unwrap();
        let error = take(&disk(), &path, 10).unwrap_err();
        assert!(
            error.hint(crate::text::door::Door::Shell).contains("lock.breaking")
                || cfg!(not(target_os = "linux")),
            "{error}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn processes_take_a_dead_holders_lock_in_turn() {
        let temp = tempfile::tempdir().unwrap();
        let (path, holder) = (temp.path().join("lock"), temp.path().join("lock.holder"));
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        for _ in 0..20 {
            left(&holder, |holder| holder.process.pid = child.id());
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let lock = take(&disk(), &path, 10_000).unwrap();
                        assert_eq!(inside.fetch_add(1, SeqCst), 0);
                        std::thread::yield_now();
                        assert_eq!(inside.fetch_sub(1, SeqCst), 1);
                        drop(lock);
                    });
                }
            });
            assert!(!holder.exists());
        }
    }
}
