//! The program that shows a page.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ProcessError, runner};
use crate::disk::{Disk, Flush, NewFile};
use anvil_text::Hint;
use anvil_text::error::{Failure, Kind, Result};

/// Longest time for the name of the browser.
const NAME_LIMIT: Duration = Duration::from_secs(1);

/// The page in a snap's own folder: each one takes the place of the last one.
const PAGE_OF_SNAP: &str = "anvil-report.html";

#[derive(Debug, thiserror::Error)]
enum BrowserError {
    #[error(
        "the page was not opened: there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
    )]
    NoScreen,
    #[error("the page was not opened: {program} {why}")]
    NotRun {
        program: &'static str,
        #[source]
        why: ProcessError,
    },
}

impl Failure for BrowserError {
    fn kind(&self) -> Kind {
        Kind::Nothing
    }

    fn hint(&self) -> Hint {
        "open the page of this path yourself".into()
    }
}

/// Opens a page that Anvil has just made in the system's browser, and waits for nothing.
pub fn open_in_browser(disk: &Disk, home: Option<&Path>, page: &Path) -> Result<()> {
    // Not `start` on Windows: its shell would read the path.
    let (program, has_screen) = if cfg!(target_os = "macos") {
        ("open", true)
    } else if cfg!(windows) {
        ("explorer", true)
    } else {
        let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
            .into_iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        ("xdg-open", has_screen)
    };
    if !has_screen {
        return Err(BrowserError::NoScreen.into());
    }
    let not_run = |why| BrowserError::NotRun { program, why };
    let mut command = super::command(program).map_err(not_run)?;
    let copy = home.and_then(|home| copy_for_snap(disk, home, page));
    let page = copy.as_deref().unwrap_or(page);
    command.arg(page);
    // The page's folder has no file of a repository.
    if let Some(folder) = page.parent() {
        command.current_dir(folder);
    }
    Ok(super::start(command).map_err(not_run)?)
}

/// The pages that [`open_in_browser`] copied for browsers in snaps.
pub fn pages_of_snaps(home: &Path) -> Vec<PathBuf> {
    let snaps = std::fs::read_dir(home.join("snap")).into_iter().flatten().flatten();
    let pages = snaps.map(|snap| snap.path().join("common").join(PAGE_OF_SNAP));
    pages.filter(|page| page.is_file()).collect()
}

/// A copy of the page that a browser in a snap can read: snaps see no hidden folder of the home
/// directory. `None`: the browser is in no snap, or sees the page.
fn copy_for_snap(disk: &Disk, home: &Path, page: &Path) -> Option<PathBuf> {
    let is_hidden =
        page.strip_prefix(home).ok()?.iter().any(|part| part.as_encoded_bytes().starts_with(b"."));
    if !cfg!(target_os = "linux") || !is_hidden {
        return None;
    }
    let mut query = super::command("xdg-settings").ok()?;
    query.args(["get", "default-web-browser"]).current_dir(page.parent()?);
    // `firefox_firefox.desktop`: the snap, and its program.
    let browser = runner::run(query, None, NAME_LIMIT).ok()?.text;
    let (snap, _) = browser.trim().split_once('_')?;
    let is_name =
        !snap.is_empty() && snap.chars().all(|char| char.is_ascii_alphanumeric() || char == '-');
    let snap_folder = home.join("snap").join(snap).join("common");
    if !is_name || !snap_folder.is_dir() {
        return None;
    }
    let copy = snap_folder.join(PAGE_OF_SNAP);
    let content = std::fs::read(page).ok()?;
    disk.replace(&copy, &content, NewFile::Private, Flush::Later).ok()?;
    Some(copy)
}
