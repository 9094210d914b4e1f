//! The owner and the permissions of a file, and how it is opened: the differences between systems.

use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io;
use std::path::Path;

use super::NewFile;

impl NewFile {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
    pub(crate) fn permissions(self) -> Option<Permissions> {
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
    pub(crate) fn permissions(self) -> Option<Permissions> {
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

/// True for a file that has these permissions already.
#[cfg(unix)]
pub(super) fn has_mode(file: &File, wanted: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |permissions: &Permissions| permissions.mode() & 0o7777;
    file.metadata().is_ok_and(|meta| mode(&meta.permissions()) == mode(wanted))
}

#[cfg(not(unix))]
pub(super) fn has_mode(_: &File, _: &Permissions) -> bool {
    false
}

/// True for a folder in which another user can put files.
#[cfg(unix)]
pub fn is_writable_by_others(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o022 != 0
}

#[cfg(not(unix))]
pub fn is_writable_by_others(_: &Metadata) -> bool {
    false
}

/// Makes a new file readable and writable for its owner, whatever the umask.
#[cfg(unix)]
pub(super) fn keep_for_owner(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_whole = file.metadata()?.permissions().mode() & 0o600 == 0o600;
    if is_whole { Ok(()) } else { file.set_permissions(Permissions::from_mode(0o600)) }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
pub(super) fn keep_for_owner(_: &File) -> io::Result<()> {
    Ok(())
}

/// Gives a file that root has made to the owner of another file.
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

/// If the file is new, only its owner may read it.
#[cfg(unix)]
pub(super) fn private_options() -> fs_err::OpenOptions {
    use fs_err::os::unix::fs::OpenOptionsExt as _;
    let mut options = fs_err::OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
pub(super) fn private_options() -> fs_err::OpenOptions {
    fs_err::OpenOptions::new()
}

/// The permissions of a new folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folder {
    /// Its owner alone.
    Private,
    /// Others too, as the umask allows.
    Shared,
}

/// Makes a folder. The umask takes no rights from its owner.
#[cfg(unix)]
pub(super) fn make_folder(path: &Path, kind: Folder) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.mode(match kind {
        Folder::Private => 0o700,
        Folder::Shared => 0o777,
    });
    builder.create(path)?;
    keep_folder_for_owner(path)
}

/// Makes a new folder accessible for its owner, whatever the umask.
#[cfg(unix)]
pub(super) fn keep_folder_for_owner(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777;
    if mode & 0o700 == 0o700 {
        Ok(())
    } else {
        std::fs::set_permissions(path, Permissions::from_mode(mode | 0o700))
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
pub(super) fn keep_folder_for_owner(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn make_folder(path: &Path, _: Folder) -> io::Result<()> {
    DirBuilder::new().create(path)
}

/// Opening a link is an error.
#[cfg(unix)]
pub(super) fn no_link(options: &mut fs_err::OpenOptions) {
    use fs_err::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
}

#[cfg(not(unix))]
pub(super) fn no_link(_: &mut fs_err::OpenOptions) {}
