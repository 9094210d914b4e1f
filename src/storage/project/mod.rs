//! A project: the folder of a debate, and the places of Anvil's files in it.

pub(crate) mod any_path;
pub(crate) mod defaults;
pub(crate) mod owners;
pub(crate) mod worktree;

pub(crate) use defaults::is_same_folder;
pub use defaults::{DefaultEntry, Defaults, DefaultsOwner};
pub(crate) use owners::check_own_folder;
pub(crate) use worktree::can_write;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use owners::Owners;
use worktree::LOCAL;

use crate::system::process::Tools;

/// Longest time to wait for git: its rules may be of any kind, and a hook waits for it.
const GIT_LIMIT: Duration = Duration::from_secs(2);

/// The folder of a debate. Its state file is `.claude/anvil-state.local.md`.
///
/// In a git worktree the state file is the worktree's; archive, checkpoints and reports belong to
/// the repository, and lie in its main checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    /// The user's working folder, if it is known.
    seen_from: Option<PathBuf>,
    /// The main checkout, if this is another worktree of it. Computed on first use.
    main: OnceLock<Option<PathBuf>>,
    /// The folder that stands for `.claude`: `--dir`.
    dir: Option<PathBuf>,
    /// A debate is or was in this folder.
    is_known: bool,
}

impl Project {
    /// The project in exactly this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        let main = OnceLock::new();
        Self { root: root.into(), seen_from: None, main, dir: None, is_known: false }
    }

    /// The project of the debate that the user means in `start`: the nearest one with a state file
    /// within [`Reach`], else the nearest one with an earlier debate, else the place of a new one.
    pub fn search(start: &Path, home: Option<&Path>) -> Self {
        let reach = Reach::around(start, home);
        let with = |name: &str| reach.folders.iter().position(|folder| reach.has(folder, name));
        let Some(found) = with(STATE_FILE).or_else(|| with(LOCAL)) else {
            return Self::at(reach.home());
        };
        let has_main = reach.worktree == Some(found);
        let main = if has_main { OnceLock::new() } else { OnceLock::from(None) };
        Self { main, is_known: true, ..Self::at(reach.folders[found].clone()) }
    }

    /// The project of a debate that starts in `start`: its checkout; outside of one the nearest
    /// folder within [`Reach`] that looks like a project's root, or `start` itself.
    pub fn around(start: &Path, home: Option<&Path>) -> Self {
        Self::at(Reach::around(start, home).home())
    }

    /// The project with its debate in a folder that stands for `.claude`. No worktree shares it.
    pub fn with_debate_in(self, dir: &Path) -> Self {
        let main = OnceLock::from(None);
        Self { dir: Some(dir.to_owned()), main, is_known: true, ..self }
    }

    /// The project for a user in this working folder.
    pub fn seen_from(self, folder: &Path) -> Self {
        Self { seen_from: Some(folder.to_owned()), ..self }
    }

    /// True if a search has found a debate, or the place of an earlier one.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The place by which the records of this machine know the debate: the root, or the folder of
    /// `--dir`. All that Anvil writes for the debate lies below it or in the main checkout.
    pub fn place(&self) -> &Path {
        self.dir.as_deref().unwrap_or(&self.root)
    }

    /// The folder of the state file: that of the client's project settings, or that of `--dir`.
    pub fn claude(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| self.root.join(".claude"))
    }

    pub fn state_file(&self) -> PathBuf {
        self.claude().join(STATE_FILE_NAME)
    }

    /// Anvil's own folder in the project, ignored by git.
    pub fn local(&self) -> PathBuf {
        self.claude().join(LOCAL_NAME)
    }

    /// The lock next to the state file; never deleted.
    pub fn lock_file(&self) -> PathBuf {
        self.local().join("lock")
    }

    /// The root of the checkout that keeps the repository's part: the place, or the main checkout.
    pub fn shared_root(&self) -> &Path {
        let main = self.main.get_or_init(|| worktree::main_checkout(&self.root));
        main.as_deref().unwrap_or(self.place())
    }

    /// True if archive, checkpoints and reports are shared by several worktrees, and lie in another
    /// one.
    pub fn is_shared(&self) -> bool {
        self.shared_root() != self.place()
    }

    /// Anvil's own folder for the repository.
    pub fn shared(&self) -> PathBuf {
        if self.is_shared() { self.shared_root().join(LOCAL) } else { self.local() }
    }

    /// Anvil's own folders, that of the repository first. Files that an earlier version has left in
    /// a worktree's own folder are still read.
    pub fn locals(&self) -> impl Iterator<Item = PathBuf> {
        [self.shared()].into_iter().chain(self.is_shared().then(|| self.local()))
    }

    /// The root of the checkout in which a path of this project lies, if Anvil keeps files in it.
    pub fn root_of(&self, path: &Path) -> Option<&Path> {
        let shared = || Some(self.shared_root()).filter(|root| path.starts_with(root));
        Some(self.root()).filter(|root| path.starts_with(root)).or_else(shared)
    }

    /// The folder for the temporary files of a write: the holder of its lock sweeps it, and it is
    /// on the same file system.
    pub fn temps_for(&self, path: &Path) -> PathBuf {
        let root = self.root_of(path).filter(|_| self.dir.is_none());
        root.map_or_else(|| self.claude(), |root| root.join(".claude"))
    }

    /// The roots of the other checkouts of the same repository.
    pub fn others(&self) -> Vec<PathBuf> {
        if self.dir.is_some() { Vec::new() } else { worktree::others(&self.root) }
    }

    /// True if git would add the state file. Asks git itself, so that every kind of ignore rule
    /// counts; without git it returns false.
    pub(super) fn is_seen_by_git(&self) -> bool {
        // No repository is here, so there is nothing to ask.
        if !self.root.ancestors().any(|folder| folder.join(".git").exists()) {
            return false;
        }
        let file = self.state_file();
        let arguments = ["check-ignore", "--quiet", "--no-index", "--"].map(OsStr::new);
        let arguments = [&arguments[..], &[file.as_os_str()]].concat();
        let output = Tools { limit: GIT_LIMIT, ..Tools::real() }.git(&self.root, &arguments);
        // 0: ignored, 1: not ignored, 128: no repository.
        output.is_ok_and(|output| output.code == Some(1))
    }

    /// True if the repository has the folder of its `info/exclude`.
    pub fn has_git_info(&self) -> bool {
        let tools = Tools { limit: GIT_LIMIT, ..Tools::real() };
        let found = tools.git(&self.root, &["rev-parse", "--git-path", "info"]);
        found.is_ok_and(|output| self.root.join(output.text.trim_end()).is_dir())
    }

    /// The folder of finished, cancelled and replaced debates.
    pub fn archive(&self) -> PathBuf {
        self.shared().join("archive")
    }

    /// Has a folder for each debate, with its states.
    pub fn checkpoints(&self) -> PathBuf {
        self.shared().join("checkpoints")
    }

    pub fn journal(&self) -> PathBuf {
        self.shared().join("outcomes.jsonl")
    }

    /// The default path of a debate's report.
    pub fn report(&self, id: &str) -> PathBuf {
        self.shared().join("reports").join(format!("{id}.md"))
    }

    /// A path in the form of a project's file: relative to the root of the checkout if it lies
    /// inside.
    pub fn relative(&self, path: &Path) -> String {
        let root = self.root_of(path).unwrap_or(&self.root);
        path.strip_prefix(root).unwrap_or(path).display().to_string()
    }

    /// A path as the user reads it: relative to the user's working folder, or absolute if it does
    /// not lie below that.
    pub fn display(&self, path: &Path) -> String {
        let base = self.seen_from.as_deref().unwrap_or(&self.root);
        path.strip_prefix(base).unwrap_or(path).display().to_string()
    }
}

pub const STATE_FILE_NAME: &str = "anvil-state.local.md";

/// The name of Anvil's own folder.
pub(crate) const LOCAL_NAME: &str = "anvil.local";

/// The path of the state file below a project's root.
pub(super) const STATE_FILE: &str = ".claude/anvil-state.local.md";

/// The folders from `start` upward in which the user's debate can be, the nearest first.
///
/// In a git checkout or worktree (a `.git` entry) they end at its top. A home folder that is a
/// checkout itself is not the checkout of the folders in it. Outside of a checkout they end below
/// the home folder and the folders above that. They never pass a folder of another user, or one
/// that all users share, such as the system's temporary folder: files that somebody else put there
/// do not count.
struct Reach {
    folders: Vec<PathBuf>,
    is_checkout: bool,
    /// The index of the folder that can be a worktree of a main checkout: its `.git` is a file.
    worktree: Option<usize>,
    owners: Owners,
}

impl Reach {
    fn around(start: &Path, home: Option<&Path>) -> Self {
        // A link is followed: the folders above its target are not the folders above its name.
        let real = |path: &Path| fs_err::canonicalize(path).ok().filter(|_| cfg!(unix));
        let real_start = real(start).filter(|real| real != start);
        let real_home = real_start.as_ref().and_then(|_| real(home?));
        let mut reach =
            Self::upward(real_start.as_deref().unwrap_or(start), real_home.as_deref().or(home));
        if real_start.is_some() {
            // Keeps the path by which the user came here, if it leads to the same folder.
            let named = |(up, folder): (usize, &PathBuf)| {
                let named =
                    start.ancestors().nth(up).filter(|named| real(named).as_ref() == Some(folder));
                named.map_or_else(|| folder.clone(), Path::to_owned)
            };
            reach.folders = reach.folders.iter().enumerate().map(named).collect();
        }
        reach
    }

    fn upward(start: &Path, home: Option<&Path>) -> Self {
        let owners = Owners::above(start);
        let trusted =
            start.ancestors().take_while(|folder| *folder == start || owners.hold(folder));
        let trusted: Vec<&Path> = trusted.collect();
        let has_git = |(at, folder): (usize, &&Path)| {
            let git = std::fs::symlink_metadata(folder.join(".git")).ok();
            let git = git.filter(|git| *folder == start || owners.own(git))?;
            Some((at, git.is_file()))
        };
        let is_above_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
        let git = trusted.iter().enumerate().find_map(has_git);
        let git = git.filter(|(top, _)| *top == 0 || !is_above_home(trusted[*top]));
        let top = git.map(|(top, _)| top);
        let is_users = |folder: &Path| {
            let has_home = home.is_some_and(|home| cfg!(unix) || folder.starts_with(home));
            has_home && !is_above_home(folder)
        };
        let is_within = |(up, folder): &(usize, &Path)| {
            top.map_or_else(|| *up == 0 || is_users(folder), |top| *up <= top)
        };
        let folders = trusted.iter().copied().enumerate().take_while(is_within);
        let folders = folders.map(|(_, folder)| folder.to_owned());
        let worktree = git.filter(|(_, is_file)| *is_file).map(|(top, _)| top);
        Self { folders: folders.collect(), is_checkout: top.is_some(), worktree, owners }
    }

    /// The folder in which a debate begins.
    fn home(&self) -> PathBuf {
        let has_claude = |folder: &&PathBuf| self.has(folder, ".claude/");
        let top = || self.folders.last().filter(|_| self.is_checkout);
        let found =
            top().or_else(|| self.folders.iter().find(has_claude)).or_else(|| self.folders.first());
        found.cloned().unwrap_or_default()
    }

    /// True if a folder has this entry and it is the user's; in `start` itself any owner counts.
    fn has(&self, folder: &PathBuf, name: &str) -> bool {
        let is_start = self.folders.first() == Some(folder);
        std::fs::metadata(folder.join(name)).is_ok_and(|meta| is_start || self.owners.own(&meta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_state(root: &Path) {
        fs_err::create_dir_all(root.join(".claude")).unwrap();
        fs_err::write(root.join(".claude/anvil-state.local.md"), "").unwrap();
    }

    #[test]
    fn a_subfolder_finds_the_checkouts_debate_and_a_worktree_does_not() {
        let temp = tempfile::tempdir().unwrap();
        let repo = temp.path().join("repo");
        fs_err::create_dir_all(repo.join(".git")).unwrap();
        fs_err::create_dir_all(repo.join("src/deep")).unwrap();
        let worktree = repo.join("trees/feature");
        fs_err::create_dir_all(&worktree).unwrap();
        fs_err::write(worktree.join(".git"), "gitdir: elsewhere").unwrap();
        with_state(&repo);
        assert_eq!(Project::search(&repo.join("src/deep"), None).root(), repo);
        assert_eq!(Project::search(&worktree, None).root(), worktree);
    }

    #[test]
    fn outside_a_checkout_the_search_stops_below_the_home_folder() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().join("home");
        let sub = home.join("notes/today");
        fs_err::create_dir_all(&sub).unwrap();
        with_state(&home.join("notes"));
        with_state(temp.path());
        assert_eq!(Project::search(&sub, Some(&home)).root(), home.join("notes"));
        assert_eq!(Project::search(&sub, None).root(), sub);
        let outside = temp.path().join("shared");
        fs_err::create_dir_all(&outside).unwrap();
        assert_eq!(Project::search(&outside, Some(&home)).root(), outside);
    }
}
