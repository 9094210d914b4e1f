//! The file system of a path.

use std::path::Path;

/// Its type, such as `ext4`, `nfs4` or `fuse.sshfs`. `None`: unknown, as on systems without /proc.
pub fn file_system(path: &Path) -> Option<String> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt as _;
        let device = path.ancestors().find_map(|path| path.metadata().ok())?.dev();
        let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        // `36 35 98:0 /root /mount rw,noatime shared:1 - ext4 /dev/sda rw`
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
        let mount = mounts.lines().find(|line| line.split(' ').nth(2) == Some(&device))?;
        let (_, system) = mount.split_once(" - ")?;
        system.split(' ').next().map(str::to_owned)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}
