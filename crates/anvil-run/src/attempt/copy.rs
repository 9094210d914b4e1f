//! The copy of a project's files that a fact-checker reads. The checker's quotes are compared with
//! this copy before it is removed.

use crate::error::RunError;
use anvil_core::ledger;
use anvil_core::options::FactCheck;
use anvil_system::disk::Disk;
use anvil_text::error::Result;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

const FILES: &str = "files";

/// Most bytes that are read from a file of the copy.
const MAX_READ: u64 = 8_000_000;

/// Puts a copy of the project's files into the folder of an attempt and returns the copy's folder.
pub(super) fn make_copy(disk: &Disk, fresh: &Path, project: &Path) -> Result<PathBuf> {
    let folder = fresh.join(FILES);
    disk.fresh_folder_at(&folder).map_err(RunError::NoFolder)?;
    for (path, text) in anvil_context::snapshot(project)? {
        let whole = folder.join(&path);
        disk.create_folder_in(&folder, whole.parent().unwrap_or(&folder))
            .map_err(RunError::NoFolder)?;
        disk.create_exclusively(&whole, text.as_bytes()).map_err(RunError::NoFolder)?;
    }
    Ok(folder)
}

/// The usable lines of a checker's reply. Needs the copy that the checker has read.
pub(super) fn usable_lines(check: FactCheck, reply: &str, folder: &Path) -> String {
    match check {
        FactCheck::Files => ledger::of_files(reply, |named| read(folder, named)),
        FactCheck::Web => ledger::of_web(reply),
    }
}

/// Finds a file of the copy by the name that a checker gave it. Returns its path in the project and
/// its text.
fn read(folder: &Path, named: &str) -> Option<(String, String)> {
    let named = Path::new(named.trim_start_matches("./"));
    let real = folder.canonicalize().ok()?;
    let inside = named.strip_prefix(folder).or_else(|_| named.strip_prefix(&real)).unwrap_or(named);
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    let whole = folder.join(inside).canonicalize().ok().filter(|_| is_plain)?;
    if !whole.starts_with(&real) || !whole.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(whole).ok()?.take(MAX_READ).read_to_string(&mut text).ok()?;
    Some((inside.to_string_lossy().into_owned(), text))
}
