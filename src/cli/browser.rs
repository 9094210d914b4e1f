//! The program that shows a page.

use std::path::Path;

use crate::process;

/// Hands a page that Anvil has just made to whatever shows pages on this system, and waits for nothing. Where there is no screen or
/// no such program, that the path was printed is all.
pub(super) fn open(page: &Path) {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Not `start` on Windows, whose shell would read the path.
    let (program, has_screen) = if cfg!(target_os = "macos") {
        ("open", true)
    } else if cfg!(windows) {
        ("explorer", true)
    } else {
        ("xdg-open", is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
    };
    if has_screen && let Ok(mut command) = process::command(program) {
        command.arg(page);
        // Nothing of a repository is near.
        if let Some(folder) = page.parent() {
            command.current_dir(folder);
        }
        let _ = process::start(command);
    }
}
