//! The trusted owners of folders: files of other users do not count.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anvil_text::error::{Error, Result};

/// Refuses a folder that is a link, that another user owns, or that others may write to.
pub fn check_own_folder(folder: &Path) -> Result<()> {
    let meta = std::fs::symlink_metadata(folder).map_err(|error| Error::io(error, OWN))?;
    if !meta.is_dir() {
        return refuse(folder, "is a link or a file, not a folder", OWN);
    }
    #[cfg(unix)]
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return refuse(folder, "belongs to somebody else", OWN);
    }
    #[cfg(unix)]
    if meta.mode() & 0o022 != 0 {
        let hint = "take that right from them: chmod go-w FOLDER";
        return refuse(folder, "can be written by others", hint);
    }
    Ok(())
}

fn refuse(folder: &Path, fault: &str, hint: &str) -> Result<()> {
    Err(Error::failed(format!("{} {fault}", folder.display()), hint))
}

const OWN: &str = "name a folder of your own";

/// The owners that count above a folder: that folder's owner, and the user of this process.
#[cfg(unix)]
pub(crate) struct Owners([Option<u32>; 2]);

#[cfg(unix)]
impl Owners {
    pub(crate) fn above(start: &Path) -> Self {
        let owner = std::fs::metadata(start).ok().map(|meta| meta.uid());
        Self([owner, Some(rustix::process::geteuid().as_raw())])
    }

    pub(crate) fn owns(&self, meta: &std::fs::Metadata) -> bool {
        self.0.contains(&Some(meta.uid()))
    }

    /// True for a folder of these owners that is not shared by all users (sticky and writable for
    /// all).
    pub(crate) fn trust(&self, folder: &Path) -> bool {
        const SHARED: u32 = 0o1002;
        std::fs::metadata(folder)
            .is_ok_and(|meta| self.owns(&meta) && meta.mode() & SHARED != SHARED)
    }
}

#[cfg(not(unix))]
pub(crate) struct Owners;

#[cfg(not(unix))]
#[expect(clippy::unused_self, reason = "on Unix it has the owners")]
impl Owners {
    pub(crate) fn above(_: &Path) -> Self {
        Self
    }

    pub(crate) fn owns(&self, _: &std::fs::Metadata) -> bool {
        true
    }

    pub(crate) fn trust(&self, _: &Path) -> bool {
        true
    }
}

/// True for a folder in which files can be made.
#[cfg(unix)]
pub fn can_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
pub fn can_write(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}
