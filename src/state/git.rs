//! What git thinks of a file: whether it would take it in.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::process::Tools;

/// Longest time to wait for git: it reads rules that may be of any kind, and a hook waits for it.
const LIMIT: Duration = Duration::from_secs(2);

/// True when the folder belongs to a git checkout that would take the file in. Asks git itself, so that every kind of
/// ignore rule counts; without git, nothing is known and nothing is said.
#[must_use]
pub(super) fn would_add(folder: &Path, file: &Path) -> bool {
    let arguments = ["check-ignore", "--quiet", "--no-index", "--"].map(OsStr::new);
    let arguments = [&arguments[..], &[file.as_os_str()]].concat();
    let asked = Tools { limit: LIMIT, ..Tools::real() }.git(folder, &arguments);
    // 0: ignored, 1: not ignored, 128: no repository.
    asked.is_ok_and(|asked| asked.code == Some(1))
}
