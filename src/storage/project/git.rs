//! Asks git whether it would add a file.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::system::process::Tools;

/// Longest time to wait for git: its rules may be of any kind, and a hook waits for it.
const LIMIT: Duration = Duration::from_secs(2);

/// True if the folder belongs to a git checkout that would add the file. Asks git itself, so that
/// every kind of ignore rule counts; without git, nothing is known and false is returned.
pub(crate) fn would_add(folder: &Path, file: &Path) -> bool {
    let arguments = ["check-ignore", "--quiet", "--no-index", "--"].map(OsStr::new);
    let arguments = [&arguments[..], &[file.as_os_str()]].concat();
    let output = Tools { limit: LIMIT, ..Tools::real() }.git(folder, &arguments);
    // 0: ignored, 1: not ignored, 128: no repository.
    output.is_ok_and(|output| output.code == Some(1))
}
