//! The owner and the permissions of a file, and how it is opened: the differences between systems.

use std::fs::{DirBuilder, File, Metadata, Permissions};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

#[cfg(unix)]
use fs_err::os::unix::fs::OpenOptionsExt as _;

use super::NewFile;

impl NewFile {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no such permissions")]
    pub(crate) fn permissions(self) -> Option<Permissions> {
        let mode = match self {
            Self::Private | Self::Another => 0o600,
            Self::Shared => 0o644,
            Self::Program => 0o755,
        };
        Some(Permissions::from_mode(mode))
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "on Unix it has the mode")]
    pub(crate) fn permissions(self) -> Option<Permissions> {
        None
    }
}

pub(super) fn can_run(permissions: &Permissions) -> bool {
    #[cfg(unix)]
    {
        permissions.mode() & 0o100 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = permissions;
        true
    }
}

/// True for a file that has these permissions already.
pub(super) fn has_mode(file: &File, permissions: &Permissions) -> bool {
    #[cfg(unix)]
    {
        let mode = permissions.mode() & 0o7777;
        file.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o7777 == mode)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, permissions);
        false
    }
}

/// True for a folder in which another user can put files.
pub fn is_writable_by_others(meta: &Metadata) -> bool {
    #[cfg(unix)]
    {
        meta.permissions().mode() & 0o022 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

/// Makes a new file readable and writable for its owner, whatever the umask.
#[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, reason = "as on Unix"))]
pub(super) fn keep_for_owner(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    if file.metadata()?.permissions().mode() & 0o600 != 0o600 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Gives a file that root has made to the owner of another file.
pub(super) fn give_to(file: &File, owner: Option<&Metadata>) {
    #[cfg(unix)]
    if let Some((owner, made)) = owner.zip(file.metadata().ok())
        && made.uid() == 0
        && owner.uid() != 0
    {
        let _ = std::os::unix::fs::fchown(file, Some(owner.uid()), Some(owner.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, owner);
}

pub(super) fn has_another_name(file: &File) -> bool {
    #[cfg(unix)]
    {
        file.metadata().map_or(true, |meta| meta.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// If the file is new, only its owner may read it.
pub(super) fn private_options() -> fs_err::OpenOptions {
    #[cfg(unix)]
    {
        let mut options = fs_err::OpenOptions::new();
        options.mode(0o600);
        options
    }
    #[cfg(not(unix))]
    {
        fs_err::OpenOptions::new()
    }
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
pub(super) fn make_folder(path: &Path, kind: Folder) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut builder = DirBuilder::new();
        builder.mode(match kind {
            Folder::Private => 0o700,
            Folder::Shared => 0o777,
        });
        builder.create(path)?;
        keep_folder_for_owner(path)
    }
    #[cfg(not(unix))]
    {
        let _ = kind;
        DirBuilder::new().create(path)
    }
}

/// Makes a new folder accessible for its owner, whatever the umask.
#[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, reason = "as on Unix"))]
pub(super) fn keep_folder_for_owner(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mode = std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777;
        if mode & 0o700 != 0o700 {
            std::fs::set_permissions(path, Permissions::from_mode(mode | 0o700))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Opening a link is an error.
pub(super) fn no_link(options: &mut fs_err::OpenOptions) {
    #[cfg(unix)]
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    #[cfg(not(unix))]
    let _ = options;
}
