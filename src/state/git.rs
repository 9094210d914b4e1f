//! What git thinks of a file.

use std::path::Path;
use std::process::{Command, Stdio};

/// True when the folder belongs to a git checkout that would take the file in. Asks git itself, so that every kind of
/// ignore rule counts; without git, nothing is known and nothing is said. No program of the repository's own is run.
#[must_use]
pub(super) fn would_add(folder: &Path, file: &Path) -> bool {
    let asked = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "check-ignore", "--quiet", "--no-index", "--"])
        .arg(file)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // 0: ignored, 1: not ignored, 128: no repository.
    asked.is_ok_and(|status| status.code() == Some(1))
}
