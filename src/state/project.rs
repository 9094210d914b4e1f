//! A project: the folder a debate belongs to, and where Anvil keeps things in it.

use std::path::{Path, PathBuf};

/// The folder of a debate. The state file is `.claude/anvil-state.local.md` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project in exactly this folder.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The nearest project with a state file, from `start` upward; without one, `start` itself.
    ///
    /// The search ends at the top of a git checkout or worktree (a `.git` entry). Outside of one it ends below the home
    /// folder, and outside of that it does not leave `start`: a state file that somebody else put into a shared folder
    /// such as the system's temporary one is nobody's business here.
    #[must_use]
    pub fn search(start: &Path, home: Option<&Path>) -> Self {
        let found = within_reach(start, home).map(Self::at).find(|project| project.state_file().exists());
        found.unwrap_or_else(|| Self::at(start))
    }

    /// The nearest folder from `start` upward that looks like a project's root, as far as [`Self::search`] goes; without
    /// one, `start` itself.
    #[must_use]
    pub fn around(start: &Path, home: Option<&Path>) -> Self {
        let is_root = |folder: &&Path| folder.join(".git").exists() || folder.join(".claude").is_dir();
        Self::at(within_reach(start, home).find(is_root).unwrap_or(start))
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the client's project settings, where the state file lies.
    #[must_use]
    pub fn claude(&self) -> PathBuf {
        self.root.join(".claude")
    }

    /// The debate's file.
    #[must_use]
    pub fn state_file(&self) -> PathBuf {
        self.root.join(".claude/anvil-state.local.md")
    }

    /// Anvil's own folder in the project, ignored by git.
    #[must_use]
    pub fn local(&self) -> PathBuf {
        self.root.join(".claude/anvil.local")
    }

    /// The lock beside the state file; never deleted.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.local().join("lock")
    }

    /// Where finished, cancelled and replaced debates lie.
    #[must_use]
    pub fn archive(&self) -> PathBuf {
        self.local().join("archive")
    }

    /// The states each debate was in: a folder for each.
    #[must_use]
    pub fn checkpoints(&self) -> PathBuf {
        self.local().join("checkpoints")
    }

    /// The default place of a debate's report.
    #[must_use]
    pub fn report(&self, id: &str) -> PathBuf {
        self.local().join("reports").join(format!("{id}.md"))
    }

    /// A path of this project as a person reads it: relative to the project where it lies inside.
    #[must_use]
    pub fn display(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// The folders from `start` upward in which a person's debate can be.
fn within_reach<'a>(start: &'a Path, home: Option<&'a Path>) -> impl Iterator<Item = &'a Path> {
    let top = start.ancestors().find(|folder| folder.join(".git").exists());
    start.ancestors().take_while(move |folder| match (top, home) {
        (Some(top), _) => folder.starts_with(top),
        (None, Some(home)) => *folder == start || (folder.starts_with(home) && *folder != home),
        (None, None) => *folder == start,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_state(root: &Path) {
        fs_err::create_dir_all(root.join(".claude")).unwrap();
        fs_err::write(root.join(".claude/anvil-state.local.md"), "").unwrap();
    }

    #[test]
    fn a_subfolder_of_a_checkout_finds_the_debate_above_and_a_worktree_does_not() {
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
    fn outside_a_checkout_the_search_stays_below_the_home_folder() {
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
