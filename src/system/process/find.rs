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

/// The path of the program with this name. `None`: it is not installed.
pub(super) fn program(name: &OsStr, path: Option<&OsStr>) -> Option<PathBuf> {
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
    folders(path).into_iter().map(|folder| folder.join(&file)).find(|path| is_program(path))
}

/// The folders in which programs are searched. An empty or relative entry means the current folder,
/// which is a repository's.
pub(super) fn folders(path: Option<&OsStr>) -> Vec<PathBuf> {
    let path = path.unwrap_or(OsStr::new(WITHOUT_PATH));
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

/// The PATH for a program, which searches its own programs in it.
pub(super) fn clean_path(path: Option<&OsStr>) -> OsString {
    std::env::join_paths(folders(path)).unwrap_or_default()
}

#[cfg(unix)]
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn only_absolute_entries_of_the_path_count() {
        let temp = tempfile::tempdir().unwrap();
        let (first, second) = (temp.path().join("first"), temp.path().join("second"));
        for folder in [&first, &second] {
            fs_err::create_dir(folder).unwrap();
            fs_err::write(folder.join("tool"), "").unwrap();
        }
        fs_err::set_permissions(second.join("tool"), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        fs_err::create_dir(first.join("sh")).unwrap();
        let found = |name: &str, path: &str| program(OsStr::new(name), Some(OsStr::new(path)));
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
        assert_eq!(clean_path(Some(OsStr::new(":.:/bin:x:/usr/bin:"))), "/bin:/usr/bin");
    }
}
