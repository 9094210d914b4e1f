//! Whose a file is, who may read it, and how it is opened: what differs between systems.

use std::fs::{Metadata, Permissions};

use super::NewFile;

impl NewFile {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
    pub(super) fn permissions(self) -> Option<Permissions> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = match self {
            Self::Private | Self::Another => 0o600,
            Self::Shared => 0o644,
            Self::Program => 0o755,
        };
        Some(Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "on Unix it says which")]
    pub(super) fn permissions(self) -> Option<Permissions> {
        None
    }
}

#[cfg(unix)]
pub(super) fn can_run(permissions: &Permissions) -> bool {
    std::os::unix::fs::PermissionsExt::mode(permissions) & 0o100 != 0
}

#[cfg(not(unix))]
pub(super) fn can_run(_: &Permissions) -> bool {
    true
}

#[cfg(unix)]
pub(super) fn is_private(permissions: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    permissions.mode() & 0o7777 == 0o600
}

#[cfg(not(unix))]
pub(super) fn is_private(_: &Permissions) -> bool {
    false
}

/// Gives a file to somebody's owner, where root has made it.
#[cfg(unix)]
pub(super) fn give_to(file: &std::fs::File, owner: Option<&Metadata>) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let Some((owner, made)) = owner.zip(file.metadata().ok()) else { return };
    if made.uid() == 0 && owner.uid() != 0 {
        let _ = fchown(file, Some(owner.uid()), Some(owner.gid()));
    }
}

#[cfg(not(unix))]
pub(super) fn give_to(_: &std::fs::File, _: Option<&Metadata>) {}

#[cfg(unix)]
pub(super) fn has_another_name(file: &std::fs::File) -> bool {
    file.metadata().map_or(true, |meta| std::os::unix::fs::MetadataExt::nlink(&meta) > 1)
}

#[cfg(not(unix))]
pub(super) fn has_another_name(_: &std::fs::File) -> bool {
    false
}

/// A file that is opened and may be new is for its owner.
#[cfg(unix)]
pub(super) fn private(options: &mut fs_err::OpenOptions) {
    use fs_err::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
pub(super) fn private(_: &mut fs_err::OpenOptions) {}

/// A folder that is for its owner.
#[cfg(unix)]
pub(super) fn private_folder() -> std::fs::DirBuilder {
    let mut builder = std::fs::DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(not(unix))]
pub(super) fn private_folder() -> std::fs::DirBuilder {
    std::fs::DirBuilder::new()
}

/// A link in a file's place is an error.
#[cfg(unix)]
pub(super) fn no_link(options: &mut fs_err::OpenOptions) {
    use fs_err::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
}

#[cfg(not(unix))]
pub(super) fn no_link(_: &mut fs_err::OpenOptions) {}
