//! A project: the folder of a debate, and the places of Anvil's files in it.

pub mod any_path;
pub mod defaults;
pub(crate) mod digest;
pub(crate) mod folder_id;
pub(crate) mod owners;

pub use defaults::is_same_folder;
pub use defaults::{DefaultEntry, Defaults};
pub use digest::{digest, token};
pub use folder_id::FolderId;
pub use owners::{can_write, check_own_folder};

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use owners::Owners;

use super::file::read::read_up_to;
use anvil_system::process::{Git, ProcessError, Tools};

/// Largest `.git` file that is read: a path.
const MAX_GIT_FILE: u64 = 64 * 1024;

/// Longest time to wait for git: its rules may be of any kind, and a hook waits for it.
const GIT_LIMIT: Duration = Duration::from_secs(2);

/// The folder of a debate. Its state file is `.claude/anvil-state.local.md`; nothing else of a
/// debate lies in it.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
    /// The user's working folder and home, if they are known.
    seen_from: Option<(PathBuf, Option<PathBuf>)>,
    /// The folder that stands for `.claude`: `--dir`.
    dir: Option<PathBuf>,
    /// Looked up on first use.
    identity: OnceLock<Option<FolderId>>,
}

impl Project {
    /// The project in exactly this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), seen_from: None, dir: None, identity: OnceLock::new() }
    }

    /// The project of the debate that the user means in `start`: the nearest one with a state file
    /// within [`SearchFolders`], else the place of a new one.
    pub fn search(start: &Path, home: Option<&Path>) -> Self {
        let search = SearchFolders::around(start, home);
        let found = search.folders.iter().find(|folder| search.has(folder, STATE_FILE));
        Self::at(found.cloned().unwrap_or_else(|| search.home()))
    }

    /// The project of a debate that starts in `start`: its checkout; outside of one the nearest
    /// folder within [`SearchFolders`] that looks like a project's root, or `start` itself.
    pub fn around(start: &Path, home: Option<&Path>) -> Self {
        Self::at(SearchFolders::around(start, home).home())
    }

    /// The project with its debate in a folder that stands for `.claude`.
    pub fn with_debate_in(self, dir: &Path) -> Self {
        Self { dir: Some(dir.to_owned()), identity: OnceLock::new(), ..self }
    }

    /// The project for a user in this working folder.
    pub fn seen_from(self, folder: &Path, home: Option<&Path>) -> Self {
        Self { seen_from: Some((folder.to_owned(), home.map(Path::to_owned))), ..self }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// True for a folder of `--dir`.
    pub fn is_in_dir(&self) -> bool {
        self.dir.is_some()
    }

    /// The folder by which the records know the debate: the root, or the folder of `--dir`.
    pub fn place(&self) -> &Path {
        self.dir.as_deref().unwrap_or(&self.root)
    }

    /// The identity of the place. `None`: there is no such folder.
    pub fn identity(&self) -> Option<&FolderId> {
        self.identity.get_or_init(|| FolderId::read(self.place())).as_ref()
    }

    /// The folder of the state file: that of the client's project settings, or that of `--dir`.
    pub fn claude(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| self.root.join(".claude"))
    }

    pub fn state_file(&self) -> PathBuf {
        self.claude().join(STATE_FILE_NAME)
    }

    /// The lock next to the state file; never deleted.
    pub fn lock_file(&self) -> PathBuf {
        self.claude().join(LOCK_NAME)
    }

    /// The git folder of the repository that the root is a checkout of. Its worktrees share it. It
    /// only decides which debates a list shows. `None`: no repository, or a folder of `--dir`.
    pub fn repository(&self) -> Option<PathBuf> {
        let git = self.root.join(".git");
        let meta = std::fs::symlink_metadata(&git).ok().filter(|_| self.dir.is_none())?;
        if meta.is_dir() {
            return git.canonicalize().ok();
        }
        let text = read_up_to(&git, MAX_GIT_FILE, "file of git").ok()??;
        let named = std::str::from_utf8(&text).ok()?.strip_prefix("gitdir:")?.trim();
        let folder = self.root.join(named).canonicalize().ok()?;
        let common = folder
            .parent()
            .filter(|above| above.ends_with("worktrees"))
            .and_then(Path::parent)
            .map(Path::to_owned);
        Some(common.unwrap_or(folder))
    }

    /// True if git would add the state file. Asks git itself, so that every kind of ignore rule
    /// counts. `None`: no repository is here. An error: git refuses, or can't be run.
    pub(crate) fn is_seen_by_git(&self) -> Result<Option<bool>, ProcessError> {
        if !self.root.ancestors().any(|folder| folder.join(".git").exists()) {
            return Ok(None);
        }
        let files = [self.state_file(), self.lock_file()];
        let arguments = ["check-ignore", "--no-index", "--"].map(OsStr::new);
        let paths = files.iter().map(|file| file.as_os_str());
        let arguments: Vec<&OsStr> = arguments.into_iter().chain(paths).collect();
        match (Tools { limit: GIT_LIMIT, ..Tools::real() }).git(&self.root, &arguments, "") {
            Git::Told(output) => Ok(Some(output.text.lines().count() < files.len())),
            Git::Nothing => Ok(Some(true)),
            Git::Refused(why) => Err(why),
        }
    }

    /// True if the repository has the folder of its `info/exclude`.
    pub fn has_git_info(&self) -> bool {
        let tools = Tools { limit: GIT_LIMIT, ..Tools::real() };
        match tools.git(&self.root, &["rev-parse", "--git-path", "info"], "") {
            Git::Told(output) => self.root.join(output.text.trim_end()).is_dir(),
            Git::Nothing | Git::Refused(_) => false,
        }
    }

    /// A path in the form of a project's file: relative to the root if it lies inside.
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// A path as the user reads it: relative to the user's working folder, with `~` for the home
    /// folder, or absolute.
    pub fn display(&self, path: &Path) -> String {
        let (folder, home) = match &self.seen_from {
            Some((folder, home)) => (folder, home.as_deref()),
            None => (&self.root, None),
        };
        if let Ok(inside) = path.strip_prefix(folder) {
            return inside.display().to_string();
        }
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(inside) => format!("~/{}", inside.display()),
            None => path.display().to_string(),
        }
    }
}

pub const STATE_FILE_NAME: &str = "anvil-state.local.md";

/// The name of the lock next to it.
pub const LOCK_NAME: &str = "anvil-state.lock.local.md";

/// The path of the state file below a project's root.
pub(super) const STATE_FILE: &str = ".claude/anvil-state.local.md";

/// The folders from `start` upward in which the user's debate can be, the nearest first.
///
/// In a git checkout or worktree (a `.git` entry) they end at its top. A home folder that is a
/// checkout itself is not the checkout of the folders in it. Outside of a checkout they end below
/// the home folder and the folders above that. They never pass a folder of another user, or one
/// that all users share, such as the system's temporary folder: the files of other users there do
/// not count.
struct SearchFolders {
    folders: Vec<PathBuf>,
    is_checkout: bool,
    owners: Owners,
}

/// The path without links. `None` on Windows, where it would have another form.
fn real_path(path: &Path) -> Option<PathBuf> {
    fs_err::canonicalize(path).ok().filter(|_| cfg!(unix))
}

impl SearchFolders {
    fn around(start: &Path, home: Option<&Path>) -> Self {
        // A link is followed: the folders above its target are not the folders above its name.
        let real_start = real_path(start).filter(|real| real != start);
        let real_home = real_start.as_ref().and_then(|_| real_path(home?));
        let mut search =
            Self::upward(real_start.as_deref().unwrap_or(start), real_home.as_deref().or(home));
        if real_start.is_some() {
            // Keeps the path by which the user came here, if it leads to the same folder.
            for (folder, named) in search.folders.iter_mut().zip(start.ancestors()) {
                if real_path(named).as_ref() == Some(folder) {
                    named.clone_into(folder);
                }
            }
        }
        search
    }

    fn upward(start: &Path, home: Option<&Path>) -> Self {
        let owners = Owners::above(start);
        let mut folders: Vec<&Path> = start
            .ancestors()
            .take_while(|folder| *folder == start || owners.trust(folder))
            .collect();
        let is_above_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
        let top = folders
            .iter()
            .position(|folder| {
                std::fs::symlink_metadata(folder.join(".git"))
                    .is_ok_and(|git| *folder == start || owners.owns(&git))
            })
            .filter(|top| *top == 0 || !is_above_home(folders[*top]));
        let count = match top {
            Some(top) => top + 1,
            None => folders
                .iter()
                .position(|folder| {
                    let has_home = home.is_some_and(|home| cfg!(unix) || folder.starts_with(home));
                    *folder != start && (!has_home || is_above_home(folder))
                })
                .unwrap_or(folders.len()),
        };
        folders.truncate(count);
        let folders = folders.into_iter().map(Path::to_owned).collect();
        Self { folders, is_checkout: top.is_some(), owners }
    }

    /// The folder in which a debate begins.
    fn home(&self) -> PathBuf {
        let top = self.folders.last().filter(|_| self.is_checkout);
        top.or_else(|| self.folders.iter().find(|folder| self.has(folder, ".claude/")))
            .or_else(|| self.folders.first())
            .cloned()
            .unwrap_or_default()
    }

    /// True if a folder has this entry and it is the user's; in `start` itself any owner counts.
    fn has(&self, folder: &PathBuf, name: &str) -> bool {
        let is_start = self.folders.first() == Some(folder);
        std::fs::metadata(folder.join(name)).is_ok_and(|meta| is_start || self.owners.owns(&meta))
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
    fn a_path_is_relative_below_the_root_and_another_debate_folder_is_another_place() {
        let temp = tempfile::tempdir().unwrap();
        let [root, other] = ["repo", "other"].map(|name| temp.path().join(name));
        fs_err::create_dir_all(&root).unwrap();
        fs_err::create_dir_all(&other).unwrap();
        let project = Project::around(&root, None);
        assert_eq!(project.relative(&root.join("docs/a.md")), "docs/a.md");
        assert_eq!(project.relative(&other), other.display().to_string());
        let here = project.identity().cloned();
        let there = project.with_debate_in(&other);
        assert!(here.is_some() && there.identity() != here.as_ref());
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

    #[cfg(unix)]
    #[test]
    fn a_debate_of_another_user_counts_only_in_the_working_folder() {
        let temp = tempfile::tempdir().unwrap();
        let [above, start] = ["above", "above/start"].map(|name| temp.path().join(name));
        for folder in [&above.join(".claude"), &start] {
            fs_err::create_dir_all(folder).unwrap();
        }
        fs_err::write(above.join(STATE_FILE), "").unwrap();
        let found = |folder: &Path| Project::search(folder, Some(temp.path())).root().to_owned();
        assert_eq!(found(&start), above);
        // Only root can give a file away.
        for name in [STATE_FILE, ".claude"] {
            if fs_err::os::unix::fs::chown(above.join(name), Some(4_242), None).is_err() {
                return;
            }
        }
        assert_eq!((found(&start), found(&above)), (start, above));
    }

    #[cfg(unix)]
    #[test]
    fn a_checkout_of_another_user_counts_only_in_the_working_folder() {
        let temp = tempfile::tempdir().unwrap();
        let [above, start] = ["above", "above/start"].map(|name| temp.path().join(name));
        let [around, own] = [&above, &start].map(|folder| folder.join(".git"));
        for folder in [&around, &own] {
            fs_err::create_dir_all(folder).unwrap();
        }
        let give = |git: &Path, to: u32| fs_err::os::unix::fs::chown(git, Some(to), None);
        // Only root can give a folder away.
        if give(&own, 4_242).is_err() {
            return;
        }
        assert_eq!(Project::search(&start, None).root(), start, "its own");
        fs_err::remove_dir(&own).unwrap();
        assert_eq!(Project::search(&start, None).root(), above);
        give(&around, 4_242).unwrap();
        assert_eq!(Project::search(&start, None).root(), start, "none");
    }
}
