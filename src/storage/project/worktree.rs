//! Git's worktrees: the folders that are checkouts of one repository. Only git's own records count,
//! and only if both sides of them agree: a `.git` file can come in an archive of somebody else.

use std::fs::symlink_metadata;
use std::path::{Path, PathBuf};

use super::owners::Owners;
use crate::storage::file::read::read_up_to;

/// Anvil's own folder below the root of a checkout, ignored by git.
pub(crate) const LOCAL: &str = ".claude/anvil.local";

/// Largest file of git that is read here: a path, or a short configuration.
const MAX_BYTES: u64 = 64 * 1024;

/// Most worktrees that are listed.
const MAX_WORKTREES: usize = 1_000;

/// The main checkout of the worktree with this root, which keeps the repository's part. `None`: the
/// root is not a worktree, its records do not name each other, or the main checkout is not
/// writable. A repository that is bare, or has its folder elsewhere, has no main checkout.
pub(crate) fn main_checkout(root: &Path) -> Option<PathBuf> {
    let record = record(root)?;
    let common = record
        .parent()
        .filter(|folder| folder.file_name().is_some_and(|name| name == "worktrees"))?
        .parent()?;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"))?;
    let common_named = named_in(&record.join("commondir"), &record, "")?;
    let back = named_in(&record.join("gitdir"), &record, "")?;
    let is_named_back =
        back.file_name().is_some_and(|name| name == ".git") && real(back.parent()?)? == real(root)?;
    let is_bare = ["config", "config.worktree"].iter().any(|name| says_bare(&common.join(name)));
    let is_of_same_user = Owners::above(root).own(&symlink_metadata(common).ok()?);
    let is_shared = real(&common_named)? == common && is_named_back && !is_bare && is_of_same_user;
    (is_shared && can_keep(main)).then(|| main.to_owned())
}

/// The roots of the other checkouts of the same repository.
pub(crate) fn others(root: &Path) -> Vec<PathBuf> {
    let main = main_checkout(root);
    let common = main.as_deref().unwrap_or(root).join(".git");
    let is_folder = symlink_metadata(&common).is_ok_and(|meta| meta.is_dir());
    let records = is_folder.then(|| std::fs::read_dir(common.join("worktrees")).ok()).flatten();
    let Some(home) = real(main.as_deref().unwrap_or(root)) else { return Vec::new() };
    let own = real(root);
    let is_other = |folder: &PathBuf| {
        main_checkout(folder).is_some_and(|main| main == home) && real(folder) != own
    };
    let worktrees =
        records.into_iter().flatten().flatten().take(MAX_WORKTREES).filter_map(|record| {
            let record = record.path();
            let git = named_in(&record.join("gitdir"), &record, "")?;
            git.parent().map(Path::to_owned).filter(is_other)
        });
    main.into_iter().chain(worktrees).collect()
}

/// Git's folder for a worktree, as its `.git` file names it.
fn record(root: &Path) -> Option<PathBuf> {
    real(&named_in(&root.join(".git"), root, "gitdir:")?)
}

/// The path after a word in a file of git.
fn named_in(file: &Path, base: &Path, word: &str) -> Option<PathBuf> {
    let text = small(file)?;
    let path = text.strip_prefix(word)?.trim();
    (!path.is_empty()).then(|| base.join(path))
}

/// The text of a small plain file.
fn small(file: &Path) -> Option<String> {
    String::from_utf8(read_up_to(file, MAX_BYTES, "file of git").ok()??).ok()
}

/// Searches the whole file: a wrong match only keeps the folders separate.
fn says_bare(config: &Path) -> bool {
    let is_bare = |line: &str| {
        let line: String = line.chars().filter(|char| !char.is_whitespace()).collect();
        let line = line.to_ascii_lowercase();
        line.strip_prefix("bare")
            .is_some_and(|value| !matches!(value, "=false" | "=no" | "=off" | "=0"))
    };
    small(config).is_some_and(|text| text.lines().any(is_bare))
}

/// True if Anvil's own folder can be made and written.
fn can_keep(main: &Path) -> bool {
    let folders = [main.to_owned(), main.join(".claude"), main.join(LOCAL)];
    let existing = folders.iter().map(|folder| (folder, symlink_metadata(folder).ok()));
    let existing: Vec<_> = existing.take_while(|(_, meta)| meta.is_some()).collect();
    let are_folders =
        existing.iter().all(|(_, meta)| meta.as_ref().is_some_and(std::fs::Metadata::is_dir));
    are_folders && existing.last().is_some_and(|(folder, _)| can_write(folder))
}

/// True for a folder in which files can be made.
#[cfg(unix)]
pub(crate) fn can_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn can_write(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|meta| !meta.permissions().readonly())
}

fn real(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}
