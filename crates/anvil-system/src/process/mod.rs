//! Runs programs, and never hangs with them.
//!
//! Invariants: a program is only found in an absolute folder of PATH; none asks the user anything;
//! none runs longer than its limit, and at most a few megabytes of its output are read; one that is
//! stopped is stopped with its children.

pub(crate) mod attempt;
pub(crate) mod background;
pub(crate) mod browser;
pub(crate) mod family;
pub(crate) mod find;
pub(crate) mod git;
pub(crate) mod id;
pub(crate) mod runner;
pub(crate) mod signals;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anvil_text::error::{Error, Failure};
use anvil_text::{Hint, clean};

pub use attempt::{AttemptEnd, Bounds, Cut, Streams, Wrapper, agent, attend};
pub use background::{Background, begin_session};
pub use browser::{open_in_browser, pages_of_snaps};
pub use family::{CHILD, Left, ask_to_end, end_group};
pub use find::{clean_path, find, folders, is_program};
pub use git::Git;
pub use id::{BootId, ProcessId};
pub use id::{ancestors, starter};
pub use runner::{replace, run, start};
pub use signals::{Signals, outlive_file_limit, with_enough_stack};

/// Most bytes of a program's output.
pub const MAX_OUTPUT: u64 = 8 * 1024 * 1024;

/// Longest time for a program.
const LIMIT: Duration = Duration::from_secs(30);

/// The programs, and their environment.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The program, and its first arguments.
    pub git: Vec<OsString>,
    /// The program, and its first arguments.
    pub gh: Vec<OsString>,
    /// The host that the user has set for gh.
    pub gh_host: Option<String>,
    /// The repository that the user has set for gh.
    pub gh_repo: Option<String>,
    /// The folder of gh's settings and logins.
    pub gh_settings: Option<PathBuf>,
    /// Variables for the programs, in addition to this process's own.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder `~/`.
    pub home: Option<PathBuf>,
    /// Longest time for a program.
    pub limit: Duration,
    /// The end for all of them together.
    pub deadline: Option<Instant>,
}

impl Tools {
    /// The programs on this machine.
    pub fn real() -> Self {
        let home = folder_of_variable("HOME");
        // Follows gh's own lookup; a relative path would be a repository's.
        let gh_settings = folder_of_variable("GH_CONFIG_DIR")
            .or_else(|| Some(folder_of_variable("XDG_CONFIG_HOME")?.join("gh")))
            .or_else(|| {
                let folder = folder_of_variable("AppData").filter(|_| cfg!(windows))?;
                Some(folder.join("GitHub CLI"))
            })
            .or_else(|| Some(home.as_ref()?.join(".config/gh")))
            .filter(|folder| folder.is_absolute());
        let of_gh = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self {
            git: vec!["git".into()],
            gh: vec!["gh".into()],
            gh_host: of_gh("GH_HOST"),
            gh_repo: of_gh("GH_REPO"),
            gh_settings,
            environment: Vec::new(),
            home,
            limit: LIMIT,
            deadline: None,
        }
    }

    pub fn gh(&self, folder: &Path, arguments: &[&str]) -> Result<Output, ProcessError> {
        let all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        self.run(&self.gh, folder, &all, None)
    }

    /// Runs a program in a folder, with this input; without one its input is empty.
    pub fn run(
        &self,
        program: &[OsString],
        folder: &Path,
        arguments: &[&OsStr],
        input: Option<File>,
    ) -> Result<Output, ProcessError> {
        let Some((name, first)) = program.split_first() else { return Err(ProcessError::Missing) };
        if !folder.is_dir() {
            return Err(ProcessError::NoFolder);
        }
        let mut command = command(name)?;
        command.args(first).args(arguments).current_dir(folder);
        for (name, _) in std::env::vars_os().filter(|(name, _)| git::is_dropped(name)) {
            command.env_remove(name);
        }
        for name in ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"] {
            command.env_remove(name);
        }
        command.envs(git::environment());
        command.envs([
            ("GH_PROMPT_DISABLED", "1"),
            ("GH_NO_UPDATE_NOTIFIER", "1"),
            ("LC_ALL", "C"),
            ("NO_COLOR", "1"),
        ]);
        command.envs(self.environment.iter().cloned());
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        run(command, input, left.map_or(self.limit, |left| self.limit.min(left)))
    }
}

fn folder_of_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Finds a program as [`find`] does; the program finds others the same way. `Missing`: it is not on
/// this machine.
pub fn command(name: impl AsRef<OsStr>) -> Result<Command, ProcessError> {
    let program = find::program(name.as_ref(), find::path()).ok_or(ProcessError::Missing)?;
    let mut command = Command::new(program);
    command.env("PATH", clean_path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// The path of this program, also if another version has taken its place meanwhile.
pub fn own_program() -> Result<PathBuf, ProcessError> {
    let program = std::env::current_exe().map_err(ProcessError::Failed)?;
    // Linux appends " (deleted)" in /proc if the program was replaced while it runs.
    let name = program.file_name().and_then(|name| name.to_str()?.strip_suffix(" (deleted)"));
    Ok(name.map_or_else(|| program.clone(), |name| program.with_file_name(name)))
}

/// A program's output.
#[derive(Debug)]
pub struct Output {
    /// The program exited with success.
    pub is_success: bool,
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// Its standard output.
    pub text: String,
    /// The bytes of that, if they are not UTF-8.
    pub(crate) not_utf8: Option<Vec<u8>>,
    /// The output was longer than the limit.
    pub is_cut: bool,
    pub stderr: String,
}

impl Output {
    /// The output of a program that is a value.
    pub(crate) fn of(printed: Result<String, String>) -> Self {
        let is_success = printed.is_ok();
        let (text, stderr) = match printed {
            Ok(text) => (text, String::new()),
            Err(stderr) => (String::new(), stderr),
        };
        Self { is_success, code: None, text, not_utf8: None, is_cut: false, stderr }
    }

    /// The bytes of its standard output.
    pub fn bytes(&self) -> &[u8] {
        self.not_utf8.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// True if this is git's refusal of a folder outside of every repository.
    pub fn is_no_repository(&self) -> bool {
        self.stderr.contains("not a git repository")
    }

    /// Its standard error in one line, in its own words.
    pub fn stderr_line(&self) -> String {
        let mut lines = self.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let first =
            lines.clone().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let line = first.or_else(|| lines.next()).unwrap_or("it printed nothing");
        let line =
            line.strip_prefix("fatal:").or_else(|| line.strip_prefix("error:")).unwrap_or(line);
        line.trim().trim_end_matches('.').to_owned()
    }

    /// Its refusal in one line, with git's remedy for a repository of another user.
    pub fn refusal(&self) -> String {
        let line = self.stderr_line();
        let mut lines = self.stderr.lines().map(str::trim);
        match lines.find(|line| line.starts_with("git config ") && line.contains("safe.directory"))
        {
            Some(remedy) => format!("{line} (`{remedy}` allows it)"),
            None => line,
        }
    }
}

/// Why a program gave no output.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program is not on this machine.
    #[error("is not on this machine")]
    Missing,
    /// The folder to run it in does not exist.
    #[error("has no folder to run in")]
    NoFolder,
    /// The program took longer than this limit.
    #[error("took longer than {} s and was stopped", .0.as_secs())]
    TooSlow(Duration),
    /// The program would run a repository's own programs; its version.
    #[error("{0} is too old: it can't be kept from running the repository's own programs")]
    TooOld(String),
    /// The program can't be run.
    #[error("can't be run: {0}")]
    Failed(#[source] std::io::Error),
    /// The program exited with an error; its own line says which.
    #[error("refuses: {}", clean(&.0.refusal(), 400))]
    Refused(Box<Output>),
}

impl ProcessError {
    /// An error about a program, with a hint if it is missing.
    pub fn into_error(self, program: &'static str, install: &'static str) -> Error {
        ProgramError { program, why: self, install }.into()
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{program} {why}")]
struct ProgramError {
    program: &'static str,
    #[source]
    why: ProcessError,
    install: &'static str,
}

impl Failure for ProgramError {
    fn hint(&self) -> Hint {
        let program = self.program;
        match self.why {
            ProcessError::NoFolder => "go to a folder that exists".into(),
            ProcessError::TooSlow(_) => {
                format!("see what keeps {program} waiting, then try again").into()
            }
            ProcessError::TooOld(_) => format!("update {program} to 2.38 or later").into(),
            ProcessError::Refused(_) => format!("see what `{program} status` says").into(),
            ProcessError::Missing | ProcessError::Failed(_) => self.install.into(),
        }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Output, ProcessError> {
        let gh = vec!["sh".into(), "-c".into(), script.into()];
        Tools { gh, limit, ..Tools::real() }.gh(Path::new("/"), &[])
    }

    #[test]
    fn the_output_of_a_program_is_captured() {
        let output =
            shell("echo \"$GH_PROMPT_DISABLED\"; cat; echo fatal: no. >&2; exit 3", LIMIT).unwrap();
        assert_eq!(
            (&*output.text, output.is_success, &*output.stderr_line()),
            ("1\n", false, "no")
        );
        assert!(shell("true", LIMIT).unwrap().is_success);
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_its_children() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("pid");
        let script = format!("sleep 300 & echo $! > {}; wait", file.display());
        let began = Instant::now();
        assert!(matches!(
            shell(&script, Duration::from_millis(500)),
            Err(ProcessError::TooSlow(_))
        ));
        assert!(began.elapsed() < Duration::from_secs(20));
        let pid = fs_err::read_to_string(&file).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        while cfg!(target_os = "linux") && !is_gone() {
            assert!(began.elapsed() < Duration::from_secs(20), "{stat}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn children_of_an_ended_program_do_not_delay_the_caller() {
        let began = Instant::now();
        let output = shell("sleep 20 & echo done; echo $! >&2", LIMIT).unwrap();
        assert_eq!((&*output.text, output.is_success), ("done\n", true));
        assert!(began.elapsed() < Duration::from_secs(15));
        let left = output.stderr_line().parse().unwrap();
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(left).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }

    #[test]
    fn much_stderr_does_not_block_a_program() {
        let output = shell("yes no | head -c 1000000 >&2; echo done", LIMIT).unwrap();
        assert_eq!((&*output.text, &*output.stderr_line()), ("done\n", "no"));
    }

    #[test]
    fn endless_output_is_cut() {
        let output = shell("yes", LIMIT).unwrap();
        assert!(output.is_cut && output.is_success);
        assert_eq!(output.text.len() as u64, MAX_OUTPUT);
    }

    #[test]
    fn a_missing_program_is_reported() {
        let tools = Tools { gh: vec!["/no/such/program".into()], ..Tools::real() };
        assert!(matches!(tools.gh(Path::new("/"), &[]), Err(ProcessError::Missing)));
        assert!(matches!(tools.gh(Path::new("/no/such/folder"), &[]), Err(ProcessError::NoFolder)));
    }
}
