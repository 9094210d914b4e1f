//! The trusted owners of folders: files of other users do not count.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The owners that count above a folder: that folder's owner, and the user of this process.
#[cfg(unix)]
pub(crate) struct Owners([Option<u32>; 2]);

#[cfg(unix)]
impl Owners {
    pub(crate) fn above(start: &Path) -> Self {
        let owner = std::fs::metadata(start).ok().map(|meta| meta.uid());
        Self([owner, Some(rustix::process::geteuid().as_raw())])
    }

    pub(crate) fn own(&self, meta: &std::fs::Metadata) -> bool {
        self.0.contains(&Some(meta.uid()))
    }

    /// True for a folder of these owners that is not shared by all users (sticky and writable for
    /// all).
    pub(crate) fn hold(&self, folder: &Path) -> bool {
        const SHARED: u32 = 0o1002;
        let is_shared = |meta: &std::fs::Metadata| meta.mode() & SHARED == SHARED;
        std::fs::metadata(folder).is_ok_and(|meta| self.own(&meta) && !is_shared(&meta))
    }
}

#[cfg(not(unix))]
pub(crate) struct Owners;

#[cfg(not(unix))]
#[expect(clippy::unused_self, reason = "on Unix it says who")]
impl Owners {
    pub(crate) fn above(_: &Path) -> Self {
        Self
    }

    pub(crate) fn own(&self, _: &std::fs::Metadata) -> bool {
        true
    }

    pub(crate) fn hold(&self, _: &Path) -> bool {
        true
    }
}
