//! The identity of a folder: it is recognized when it is moved, and a copy of it is another folder.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::any_path;
use super::digest::digest;

/// The identity of a folder: device, inode and birth time. An inode is used again for another
/// folder, which has another birth time; a device can have another number after a restart. Where
/// one of them is unknown, the path counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderId {
    /// The path when it was seen last.
    #[serde(with = "any_path")]
    pub path: PathBuf,
    device: Option<u64>,
    inode: Option<u64>,
    /// In nanoseconds since 1970.
    born: Option<u64>,
}

impl FolderId {
    /// `None`: there is no such folder.
    pub fn read(folder: &Path) -> Option<Self> {
        let meta = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
        let born = meta
            .created()
            .ok()
            .and_then(|born| born.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| u64::try_from(since.as_nanos()).ok());
        #[cfg(unix)]
        let (device, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            (Some(meta.dev()), Some(meta.ino()))
        };
        #[cfg(not(unix))]
        let (device, inode) = (None, None);
        let path = if cfg!(unix) { folder.to_owned() } else { folder.canonicalize().ok()? };
        Some(Self { path, device, inode, born })
    }

    /// The name of its record.
    pub fn key(&self) -> String {
        let identity = match (self.inode, self.born) {
            (Some(inode), Some(born)) => format!("{inode} {born}"),
            (inode, _) => format!("{inode:?} {}", self.path.display()),
        };
        digest(identity.as_bytes())[..32].to_owned()
    }

    pub fn is_same(&self, other: &Self) -> bool {
        let is_path = self.path == other.path;
        let is_device = self.device == other.device;
        match (self.inode.zip(self.born), other.inode.zip(other.born)) {
            (Some(one), Some(two)) => one == two && (is_device || is_path),
            _ => (self.inode, self.born) == (other.inode, other.born) && is_device && is_path,
        }
    }

    /// True if this place provably does not exist any more, as seen from another one: nothing has
    /// its path, and its disk is there; or that other place has its path.
    pub fn is_gone(&self, seen_from: &Self) -> bool {
        if let Some(successor) = Self::read(&self.path) {
            return !successor.is_same(self) && successor.is_same(seen_from);
        }
        let above = self.path.ancestors().skip(1).find_map(Self::read);
        above.is_some_and(|above| above.device == self.device)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &Path) -> FolderId {
        fs_err::create_dir_all(path).unwrap();
        FolderId::read(path).unwrap()
    }

    #[test]
    fn a_folder_that_is_moved_is_the_same_place_and_a_copy_is_another() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        let first = folder(&at("one"));
        fs_err::os::unix::fs::symlink(at("one"), at("link")).unwrap();
        let linked = FolderId::read(&at("link")).unwrap();
        assert!(first.is_same(&linked) && first.key() == linked.key());
        let copy = folder(&at("copy"));
        assert!(!first.is_same(&copy) && first.key() != copy.key());
        fs_err::rename(at("one"), at("two")).unwrap();
        let moved = FolderId::read(&at("two")).unwrap();
        assert!(first.is_same(&moved) && first.key() == moved.key());
        // The name is used again.
        assert!(!first.is_same(&folder(&at("one"))));
        assert!(FolderId::read(&at("none")).is_none());
    }

    #[test]
    fn an_inode_or_a_device_number_alone_is_no_identity() {
        let temp = tempfile::tempdir().unwrap();
        let place = folder(temp.path());
        let other = |change: fn(&mut FolderId)| {
            let mut other = place.clone();
            change(&mut other);
            other
        };
        let reused = other(|place| place.born = place.born.map(|born| born + 1));
        assert!(!place.is_same(&reused) && place.key() != reused.key());
        let renumbered = other(|place| place.device = Some(1_000_000));
        assert!(place.is_same(&renumbered) && place.key() == renumbered.key());
        let cloned_disk = FolderId { path: "/elsewhere".into(), ..renumbered };
        assert!(!place.is_same(&cloned_disk));
        // Without a birth time the path counts.
        let undated = other(|place| place.born = None);
        let undated_elsewhere = FolderId { path: "/elsewhere".into(), ..undated.clone() };
        assert!(undated.is_same(&undated.clone()) && !undated.is_same(&undated_elsewhere));
        assert!(!undated.is_same(&place) && undated.key() != undated_elsewhere.key());
    }

    #[test]
    fn a_place_is_gone_only_if_its_disk_is_there() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        let one = folder(&at("one"));
        let two = folder(&at("two"));
        assert!(!one.is_gone(&two));
        fs_err::remove_dir(at("one")).unwrap();
        assert!(one.is_gone(&two));
        let unmounted = FolderId { device: Some(1_000_000), ..one.clone() };
        assert!(!unmounted.is_gone(&two));
        // Another folder has its path: it may have been moved.
        let new = folder(&at("one"));
        assert!(!one.is_gone(&two));
        assert!(one.is_gone(&new));
    }
}
