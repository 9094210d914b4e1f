//! The trusted owners of folders: files of other users do not count.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::error::StoreError;
use anvil_text::error::Result;

/// Refuses a folder that is a link, that another user owns, or that others may write to.
pub fn check_own_folder(folder: &Path) -> Result<()> {
    let meta = std::fs::symlink_metadata(folder).map_err(StoreError::NoOwnFolder)?;
    if !meta.is_dir() {
        return Err(StoreError::NotAFolder(folder.to_owned()).into());
    }
    #[cfg(unix)]
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(StoreError::Foreign(folder.to_owned()).into());
    }
    #[cfg(unix)]
    if meta.mode() & 0o022 != 0 {
        return Err(StoreError::OpenToOthers(folder.to_owned()).into());
    }
    Ok(())
}

/// The owners that count above a folder: that folder's owner, and the user of this process.
pub(crate) struct Owners {
    #[cfg(unix)]
    uids: [Option<u32>; 2],
}

impl Owners {
    pub(crate) fn above(start: &Path) -> Self {
        #[cfg(unix)]
        {
            let owner = std::fs::metadata(start).ok().map(|meta| meta.uid());
            Self { uids: [owner, Some(rustix::process::geteuid().as_raw())] }
        }
        #[cfg(not(unix))]
        {
            let _ = start;
            Self {}
        }
    }

    pub(crate) fn owns(&self, meta: &std::fs::Metadata) -> bool {
        #[cfg(unix)]
        {
            self.uids.contains(&Some(meta.uid()))
        }
        #[cfg(not(unix))]
        {
            let _ = (self, meta);
            true
        }
    }

    /// True for a folder of these owners that is not shared by all users (sticky and writable for
    /// all).
    pub(crate) fn trust(&self, folder: &Path) -> bool {
        #[cfg(unix)]
        {
            const SHARED: u32 = 0o1002;
            std::fs::metadata(folder)
                .is_ok_and(|meta| self.owns(&meta) && meta.mode() & SHARED != SHARED)
        }
        #[cfg(not(unix))]
        {
            let _ = (self, folder);
            true
        }
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_can_be_made_in_a_folder_alone() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        fs_err::write(&file, "").unwrap();
        // Root too may not enter a plain file.
        assert!(can_write(temp.path()) && !can_write(&file));
        assert!(!can_write(&temp.path().join("none")));
    }
}
