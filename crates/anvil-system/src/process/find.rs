//! The paths of programs: only in the absolute folders of PATH, never in the folder in which this
//! program happens to run.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The PATH of the C library for an environment without one.
#[cfg(unix)]
const WITHOUT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";
#[cfg(not(unix))]
const WITHOUT_PATH: &str = "";

/// The path of a program of this name. `None`: it is not installed.
pub fn find(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    program(name.as_ref(), path()).filter(|place| place.is_file())
}

/// The folders of PATH in which programs are searched.
pub fn folders() -> Vec<PathBuf> {
    absolute(path())
}

/// The PATH in which another program finds its own programs.
pub fn clean_path() -> OsString {
    join_absolute(path())
}

pub(super) fn path() -> Option<OsString> {
    std::env::var_os("PATH")
}

/// Like [`find`], in this PATH; an absolute name is not checked.
pub(super) fn program(name: &OsStr, path: Option<OsString>) -> Option<PathBuf> {
    let typed = Path::new(name);
    if typed.is_absolute() {
        return Some(typed.to_owned());
    }
    if name.is_empty() || typed.file_name() != Some(name) {
        return None;
    }
    let mut file = name.to_owned();
    if typed.extension().is_none() {
        file.push(EXE_SUFFIX);
    }
    absolute(path).into_iter().map(|folder| folder.join(&file)).find(|path| is_program(path))
}

/// An empty or relative entry means the current folder, which is a repository's.
fn absolute(path: Option<OsString>) -> Vec<PathBuf> {
    let path = path.unwrap_or(WITHOUT_PATH.into());
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

fn join_absolute(path: Option<OsString>) -> OsString {
    std::env::join_paths(absolute(path)).unwrap_or_default()
}

/// True for a file that the user can run.
pub fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    let may_run = true;
    path.is_file() && may_run
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_absolute_path_entries_count() {
        let temp = tempfile::tempdir().unwrap();
        let first = temp.path().join("first");
        let second = temp.path().join("second");
        for folder in [&first, &second] {
            fs_err::create_dir(folder).unwrap();
            fs_err::write(folder.join("tool"), "").unwrap();
        }
        fs_err::set_permissions(second.join("tool"), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        fs_err::create_dir(first.join("sh")).unwrap();
        let found = |name: &str, path: &str| program(OsStr::new(name), Some(path.into()));
        let path = format!("{}:{}", first.display(), second.display());
        assert_eq!(found("tool", &path), Some(second.join("tool")), "the first is not executable");
        assert_eq!(
            found("sh", &format!("{path}:/bin")),
            Some("/bin/sh".into()),
            "a folder is not a program"
        );
        // An empty or relative entry would be looked up from the current folder.
        for path in ["", ":", ".", "..", "bin:./x", "../../../../../../../../../bin"] {
            assert_eq!(found("sh", path), None, "{path:?}");
        }
        assert_eq!(found("sh", ":.:/bin"), Some("/bin/sh".into()));
        for name in ["", ".", "..", "./sh", "bin/sh", "../bin/sh", "sh/"] {
            assert_eq!(found(name, "/bin:/"), None, "{name:?}");
        }
        assert_eq!(
            found("/no/such/tool", ""),
            Some("/no/such/tool".into()),
            "it is looked for where it is said to be"
        );
        assert!(program(OsStr::new("sh"), None).is_some());
        assert_eq!(join_absolute(Some(":.:/bin:x:/usr/bin:".into())), "/bin:/usr/bin");
    }
}
