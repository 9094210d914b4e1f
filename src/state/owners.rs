//! Whose files count: of what another user has put there, nothing is believed.

#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The users whose files count above a folder: that folder's owner, and who runs this.
#[cfg(unix)]
pub(super) struct Owners([Option<u32>; 2]);

#[cfg(unix)]
impl Owners {
    pub(super) fn of(start: &Path) -> Self {
        let owner = std::fs::metadata(start).ok().map(|meta| meta.uid());
        Self([owner, Some(rustix::process::geteuid().as_raw())])
    }

    pub(super) fn own(&self, meta: &std::fs::Metadata) -> bool {
        self.0.contains(&Some(meta.uid()))
    }

    /// True for a folder of theirs in which not everybody may make files.
    pub(super) fn hold(&self, folder: &Path) -> bool {
        const SHARED: u32 = 0o1002;
        let is_shared = |meta: &std::fs::Metadata| meta.mode() & SHARED == SHARED;
        std::fs::metadata(folder).is_ok_and(|meta| self.own(&meta) && !is_shared(&meta))
    }
}

#[cfg(not(unix))]
pub(super) struct Owners;

#[cfg(not(unix))]
#[expect(clippy::unused_self, reason = "on Unix it says who")]
impl Owners {
    pub(super) fn of(_: &Path) -> Self {
        Self
    }

    pub(super) fn own(&self, _: &std::fs::Metadata) -> bool {
        true
    }

    pub(super) fn hold(&self, _: &Path) -> bool {
        true
    }
}
