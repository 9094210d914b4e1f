//! The program that shows a page.

use std::path::Path;

/// Opens a page that Anvil has just made in the system's browser, and waits for nothing. False: there
/// is no screen or no browser.
pub(crate) fn open_in_browser(page: &Path) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    // Not `start` on Windows: its shell would read the path.
    let (program, has_screen) = if cfg!(target_os = "macos") {
        ("open", true)
    } else if cfg!(windows) {
        ("explorer", true)
    } else {
        ("xdg-open", is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
    };
    let Some(mut command) = has_screen.then(|| super::command(program).ok()).flatten() else {
        return false;
    };
    command.arg(page);
    // The page's folder has no file of a repository.
    if let Some(folder) = page.parent() {
        command.current_dir(folder);
    }
    super::start(command).is_ok()
}
