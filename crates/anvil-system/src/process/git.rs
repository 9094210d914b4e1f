//! git, called so that a repository runs nothing of its own and stays within its own folder.
//!
//! Invariants: no setting, attribute, hook or submodule of a repository runs a program, and nothing
//! is fetched; a repository is only found by its `.git`, and the folder of that is the work tree,
//! whatever the settings are; variables that name another repository do not count.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::{Output, ProcessError, Tools};
use crate::disk::Disk;

/// Longest time of one call: the client gives a hook 20 s in all.
const LIMIT: Duration = Duration::from_secs(10);

/// The oldest git that can ignore a repository which lies among the files of another one
/// (`safe.bareRepository`).
const OLDEST: (u32, u32) = (2, 38);

/// The variables of git's that only name a user's own settings, or limit the upward search for a
/// repository.
const KEPT: [&str; 6] = [
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_ATTR_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// The environment of every git, also of one that gh calls.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // A transport is a program. The second of these is for a git older than the first, 2.45 and its
    // like.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_ASKPASS", "false"),
];

/// Settings that override those of a repository.
const SETTINGS: [(&str, &str); 5] = [
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
];

/// Commands that never read a file through a filter. Any other command runs without filters, by a
/// git that is new enough.
const WITHOUT_FILTERS: [&str; 9] = [
    "config",
    "merge-base",
    "rev-parse",
    "check-attr",
    "check-ignore",
    "ls-files",
    "remote",
    "version",
    "rev-list",
];

/// Options with which a file goes through a filter or another program after all: a list of modified
/// files, a blob as in the work tree, a patch.
const WITH_FILTERS: [&str; 7] =
    ["-m", "--modified", "--filters", "--textconv", "-p", "--patch", "--ext-diff"];

/// What git answers.
#[derive(Debug)]
pub enum Git {
    /// Its output.
    Told(Output),
    /// There is nothing to tell: it exits with 1, and without an error.
    Nothing,
    /// It refuses, which is its own line, or can't be run.
    Refused(ProcessError),
}

impl Tools {
    /// Asks git in a folder; an empty `input` is none.
    pub fn git<A: AsRef<OsStr>>(&self, folder: &Path, arguments: &[A], input: &str) -> Git {
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
        let file = || Disk::default().anonymous_file(input.as_bytes());
        let input = (!input.is_empty()).then(file).transpose().map_err(ProcessError::Failed);
        match input.and_then(|input| self.safe_git(folder, arguments, input)) {
            Ok(output) if output.is_success => Git::Told(output),
            Ok(output) if output.code == Some(1) && output.stderr.trim().is_empty() => Git::Nothing,
            Ok(output) => Git::Refused(ProcessError::Refused(Box::new(output))),
            Err(error) => Git::Refused(error),
        }
    }

    fn safe_git(
        &self,
        folder: &Path,
        mut arguments: Vec<&OsStr>,
        input: Option<File>,
    ) -> Result<Output, ProcessError> {
        let command = arguments.first().and_then(|command| command.to_str()).unwrap_or_default();
        let is_filtered = arguments.iter().any(|word| WITH_FILTERS.iter().any(|with| word == with));
        if WITHOUT_FILTERS.contains(&command) && !is_filtered {
            return self.plain_git(folder, &arguments, &[], input);
        }
        self.check_git(folder)?;
        let filters = self.filters(folder)?;
        if command == "diff" {
            arguments.splice(
                1..1,
                ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"].map(OsStr::new),
            );
        }
        self.plain_git(folder, &arguments, &filters, input)
    }

    /// Runs git with settings in addition to the fixed ones.
    fn plain_git(
        &self,
        folder: &Path,
        arguments: &[&OsStr],
        settings: &[(String, String)],
        input: Option<File>,
    ) -> Result<Output, ProcessError> {
        let fixed: Vec<OsString> = SETTINGS
            .iter()
            .flat_map(|(key, value)| ["-c".into(), format!("{key}={value}").into()])
            .collect();
        let all: Vec<&OsStr> = [OsStr::new("--no-pager")]
            .into_iter()
            .chain(fixed.iter().map(OsString::as_os_str))
            .chain(arguments.iter().copied())
            .collect();
        let mut tools = Self { limit: self.limit.min(LIMIT), ..self.clone() };
        tools.environment.extend(place(folder));
        // The name of a driver may hold a `=`, which an argument can't express.
        tools.environment.extend(as_variables(settings));
        tools.run(&self.git, folder, &all, input)
    }

    /// Fails for a git that would run a repository's own programs.
    fn check_git(&self, folder: &Path) -> Result<(), ProcessError> {
        let output = self.plain_git(folder, &[OsStr::new("version")], &[], None)?;
        if version(&output.text).is_some_and(|version| version >= OLDEST) {
            return Ok(());
        }
        let word = output.text.split_whitespace().nth(2).unwrap_or("of an unknown version");
        let shown = word.chars().filter(char::is_ascii_graphic).take(40).collect();
        Err(ProcessError::TooOld(shown))
    }

    /// The settings that turn off every filter that is defined anywhere.
    fn filters(&self, folder: &Path) -> Result<Vec<(String, String)>, ProcessError> {
        let arguments =
            ["config", "--null", "--name-only", "--get-regexp", r"^filter\."].map(OsStr::new);
        let listed = self.plain_git(folder, &arguments, &[], None)?;
        // A name that differs from the one in the file would not turn off its driver.
        if listed.is_cut || listed.text.contains('\u{FFFD}') {
            return Err(ProcessError::Failed(std::io::Error::other(
                "the filters in git's settings can't be listed",
            )));
        }
        let mut drivers: Vec<&str> = listed
            .text
            .split('\0')
            .filter_map(|key| {
                key.get("filter.".len()..)?.rsplit_once('.').map(|(driver, _)| driver)
            })
            .collect();
        drivers.sort_unstable();
        drivers.dedup();
        let off = [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];
        let settings = drivers.into_iter().flat_map(|driver| {
            off.iter()
                .map(move |(key, value)| (format!("filter.{driver}.{key}"), (*value).to_owned()))
        });
        Ok(settings.collect())
    }
}

/// True for a variable of git's that is not the user's own choice.
pub(super) fn is_dropped(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    (name.starts_with("GIT_") && !KEPT.contains(&name.as_str())) || name == "SSH_ASKPASS"
}

/// The environment of a program that calls git by itself.
pub(super) fn environment() -> Vec<(OsString, OsString)> {
    let settings = SETTINGS.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let fixed = ENVIRONMENT.iter().map(|(name, value)| (name.into(), value.into()));
    fixed.chain(as_variables(&settings)).collect()
}

fn as_variables(settings: &[(String, String)]) -> Vec<(OsString, OsString)> {
    let mut variables = vec![("GIT_CONFIG_COUNT".into(), settings.len().to_string().into())];
    for (at, (key, value)) in settings.iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{at}").into(), key.into()));
        variables.push((format!("GIT_CONFIG_VALUE_{at}").into(), value.into()));
    }
    variables
}

/// Sets the repository of a folder: the nearest `.git`; its folder is the work tree.
/// `core.worktree` could name any other folder of the machine, and a bare repository may lie among
/// the files of a clone.
fn place(folder: &Path) -> Vec<(OsString, OsString)> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let is_repository = |folder: &Path| {
        let git = folder.join(".git");
        git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
    };
    let Some(up) = real.ancestors().position(is_repository) else {
        return vec![("GIT_DIR".into(), ".git".into())];
    };
    let work_tree = if up == 0 { ".".to_owned() } else { vec![".."; up].join("/") };
    let mut variables: Vec<(OsString, OsString)> = vec![("GIT_WORK_TREE".into(), work_tree.into())];
    let above = real.ancestors().nth(up + 1).filter(|_| cfg!(unix));
    variables.extend(above.map(|above| ("GIT_CEILING_DIRECTORIES".into(), above.into())));
    variables
}

/// Major and minor number in `git version 2.39.5 (Apple Git-154)`.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("git version ")?.split(|char: char| !char.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_locate_user_settings_are_kept() {
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_EXTERNAL_DIFF",
            "git_dir",
            "GIT_CONFIG_COUNT",
            "GIT_NEW",
            "SSH_ASKPASS",
        ] {
            assert!(is_dropped(OsStr::new(name)), "{name}");
        }
        for name in [
            "GIT_CONFIG_GLOBAL",
            "GIT_CEILING_DIRECTORIES",
            "HOME",
            "PATH",
            "GITHUB_TOKEN",
            "GH_HOST",
        ] {
            assert!(!is_dropped(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_version_of_every_git_is_read() {
        for (text, expected) in [
            ("git version 2.47.3\n", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)\n", Some((2, 39))),
            ("git version 2.45.1.windows.1\n", Some((2, 45))),
            ("git version 2.50.0-rc1", Some((2, 50))),
            ("git version 2", None),
            ("gitversion 2.47", None),
            ("", None),
        ] {
            assert_eq!(version(text), expected, "{text}");
        }
    }

    #[test]
    fn reading_endless_settings_is_abandoned() {
        let temp = tempfile::tempdir().unwrap();
        let tools = Tools { limit: Duration::from_millis(300), ..Tools::real() };
        for arguments in [&["init", "-q"][..], &["config", "include.path", "../pipe"]] {
            let done =
                std::process::Command::new("git").args(arguments).current_dir(temp.path()).status();
            assert!(done.unwrap().success());
        }
        let pipe = temp.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        for arguments in
            [["config", "x.y"], ["diff", "--"], ["ls-files", "-co"], ["check-ignore", "x"]]
        {
            assert!(
                matches!(
                    tools.git(temp.path(), &arguments, ""),
                    Git::Refused(ProcessError::TooSlow(_))
                ),
                "{arguments:?}"
            );
        }
    }

    #[test]
    fn git_tells_or_has_nothing_or_refuses_with_its_own_line() {
        let temp = tempfile::tempdir().unwrap();
        let ask = |script: &str| {
            let git = vec!["sh".into(), "-c".into(), script.into()];
            Tools { git, ..Tools::real() }.git(temp.path(), &["rev-parse", "HEAD"], "")
        };
        assert!(matches!(ask("echo one"), Git::Told(output) if output.text == "one\n"));
        assert!(matches!(ask("exit 1"), Git::Nothing));
        for (script, line) in [
            (
                "echo 'fatal: detected dubious ownership' >&2; exit 128",
                "detected dubious ownership",
            ),
            ("echo 'error: no such remote' >&2; exit 1", "no such remote"),
            ("kill -9 $$", "it printed nothing"),
        ] {
            let Git::Refused(why) = ask(script) else { panic!("{script}") };
            assert_eq!(why.to_string(), format!("refuses: {line}"), "{script}");
        }
        let Git::Refused(why) = Tools { git: vec!["/no/git".into()], ..Tools::real() }.git(
            temp.path(),
            &["version"],
            "",
        ) else {
            panic!("there is no such program")
        };
        assert_eq!(why.to_string(), "is not on this machine");
    }
}
