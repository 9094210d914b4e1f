//! Runs git, gh and tea, and never hangs with them.
//!
//! Invariants: no program asks the person anything; none runs longer than its limit or is read further than a few megabytes;
//! one that is stopped is stopped with its children.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::say;

/// Most bytes of what a program prints.
pub(crate) const MAX_OUTPUT: u64 = 8 * 1024 * 1024;

/// Most bytes of its complaints.
const MAX_COMPLAINT: u64 = 64 * 1024;

/// Longest time a program may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A program is asked that often whether it has ended.
#[cfg(unix)]
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Time for what a program that has ended has left in its pipe.
#[cfg(unix)]
const AFTERWARDS: Duration = Duration::from_millis(300);

/// The world outside of the files: the programs, and what they find in their environment.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The program, and its first arguments.
    pub(crate) git: Vec<OsString>,
    /// The program, and its first arguments.
    pub(crate) gh: Vec<OsString>,
    /// The program, and its first arguments.
    pub(crate) tea: Vec<OsString>,
    /// The host that a person has told gh of.
    pub(crate) gh_host: Option<String>,
    /// What they find in their environment beside this process's own.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Where `~/` is.
    pub(crate) home: Option<PathBuf>,
    /// Where programs keep a person's settings.
    pub(crate) settings: Option<PathBuf>,
    /// Longest time a program may take.
    pub(crate) limit: Duration,
    /// When all of them have to be done.
    pub(crate) deadline: Option<Instant>,
}

impl Tools {
    /// The programs on this machine.
    pub(crate) fn real() -> Self {
        let folder = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let home = folder("HOME");
        let settings = folder("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        let gh_host = std::env::var("GH_HOST").ok().filter(|host| !host.is_empty());
        Self {
            git: vec!["git".into()],
            gh: vec!["gh".into()],
            tea: vec!["tea".into()],
            gh_host,
            environment: Vec::new(),
            home,
            settings,
            limit: LIMIT,
            deadline: None,
        }
    }

    /// Runs git in a folder.
    pub(crate) fn git<A: AsRef<OsStr>>(&self, folder: &Path, arguments: &[A]) -> Result<Output, Trouble> {
        let first = ["--no-pager", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false"].map(OsStr::new);
        let all: Vec<&OsStr> = first.into_iter().chain(arguments.iter().map(AsRef::as_ref)).collect();
        self.run(&self.git, folder, &all, None)
    }

    /// Runs gh in a folder.
    pub(crate) fn gh(&self, folder: &Path, arguments: &[&str]) -> Result<Output, Trouble> {
        let all: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        self.run(&self.gh, folder, &all, None)
    }

    /// Runs a program in a folder, with what it is to read; without that it finds nothing there.
    pub(crate) fn run(
        &self,
        program: &[OsString],
        folder: &Path,
        arguments: &[&OsStr],
        input: Option<File>,
    ) -> Result<Output, Trouble> {
        let Some((name, first)) = program.split_first() else { return Err(Trouble::Missing) };
        if !folder.is_dir() {
            return Err(Trouble::NoFolder);
        }
        let mut command = Command::new(name);
        command.args(first).args(arguments).current_dir(folder);
        command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in [
            ("GH_PROMPT_DISABLED", "1"),
            ("GH_NO_UPDATE_NOTIFIER", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("LC_ALL", "C"),
            ("NO_COLOR", "1"),
        ] {
            command.env(name, value);
        }
        for name in ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG", "GIT_TRACE"] {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        in_own_group(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Trouble::Missing,
            _ => Trouble::Failed(error),
        })?;
        let now = Instant::now();
        let limit =
            self.deadline.map_or(self.limit, |deadline| self.limit.min(deadline.saturating_duration_since(now)));
        let end = listen(&mut child, now + limit);
        // One that has ended has given its number back.
        if end.as_ref().is_none_or(|heard| heard.is_success.is_none()) {
            kill(&mut child);
            let _ = child.wait();
        }
        let heard = end.ok_or(Trouble::TooSlow(limit))?;
        let is_success = heard.is_success.unwrap_or(heard.is_cut);
        Ok(Output { is_success, text: heard.text, is_cut: heard.is_cut, complaint: heard.complaint })
    }
}

/// What a program said.
#[derive(Debug)]
pub(crate) struct Output {
    /// It says that it did what it was asked.
    pub(crate) is_success: bool,
    /// What it printed.
    pub(crate) text: String,
    /// There was more than is read.
    pub(crate) is_cut: bool,
    /// Its complaints.
    complaint: String,
}

impl Output {
    /// What it complains of, in a line.
    pub(crate) fn complaint(&self) -> String {
        let mut lines = self.complaint.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.clone().find(|line| line.starts_with("fatal:") || line.starts_with("error:"));
        let line = first.or_else(|| lines.next()).unwrap_or("it says nothing");
        let line = line.strip_prefix("fatal:").or_else(|| line.strip_prefix("error:")).unwrap_or(line);
        say::clean(line, 200).trim_end_matches('.').to_owned()
    }

    /// All that it complains of.
    pub(crate) fn complaints(&self) -> &str {
        &self.complaint
    }

    /// True when a word is among its complaints.
    pub(crate) fn complains_of(&self, word: &str) -> bool {
        self.complaint.contains(word)
    }
}

/// Why a program said nothing.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It is not on this machine.
    Missing,
    /// There is no folder to run it in.
    NoFolder,
    /// It took longer than it may.
    TooSlow(Duration),
    /// It can't be run.
    Failed(std::io::Error),
}

impl Trouble {
    /// The same as an error about a program, with a hint for where it is missing.
    pub(crate) fn of(&self, program: &str, install: &str) -> Error {
        match self {
            Self::Missing => Error::failed(format!("{program} is not on this machine"), install),
            Self::NoFolder => {
                Error::failed(format!("there is no folder to run {program} in"), "go to a folder that exists")
            }
            Self::TooSlow(limit) => Error::failed(
                format!("{program} took longer than {} s and was stopped", limit.as_secs()),
                format!("see what keeps {program} waiting, then try again"),
            ),
            Self::Failed(error) => Error::failed(format!("{program} can't be run: {error}"), install),
        }
    }
}

/// What was heard of a program.
struct Heard {
    text: String,
    is_cut: bool,
    complaint: String,
    /// How it ended; `None`: it still runs, because nobody listens to the rest.
    is_success: Option<bool>,
}

/// All that a program says until it ends. `None`: it takes too long. Without threads: they would be the only ones in the
/// program, and a tenth of a megabyte of it.
#[cfg(unix)]
fn listen(child: &mut Child, deadline: Instant) -> Option<Heard> {
    let mut text = Pipe::of(child.stdout.take().map(Into::into), MAX_OUTPUT)?;
    let mut complaint = Pipe::of(child.stderr.take().map(Into::into), MAX_COMPLAINT)?;
    let mut ended = None;
    loop {
        let now = Instant::now();
        if now >= deadline {
            return None;
        }
        wait_for(&[&text, &complaint], LOOK_AGAIN.min(deadline - now));
        text.read();
        complaint.read();
        let is_cut = text.bytes.len() as u64 > MAX_OUTPUT;
        if ended.is_none() && !is_cut {
            ended = child.try_wait().ok()?.map(|status| (status.success(), now));
        }
        // What a program has left behind may hold a pipe open for longer than anybody wants to wait.
        let is_silent = text.file.is_none() && complaint.file.is_none();
        let is_over = ended.is_some_and(|(_, when)| is_silent || now > when + AFTERWARDS);
        if is_over || is_cut {
            let is_success = ended.map(|(is_success, _)| is_success);
            return Some(Heard { text: text.heard(), is_cut, complaint: complaint.heard(), is_success });
        }
    }
}

/// Elsewhere there is no limit to the time.
#[cfg(not(unix))]
fn listen(child: &mut Child, _: Instant) -> Option<Heard> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    child.stdout.take()?.take(MAX_OUTPUT).read_to_end(&mut bytes).ok()?;
    let mut complaint = Vec::new();
    child.stderr.take()?.take(MAX_COMPLAINT).read_to_end(&mut complaint).ok()?;
    let is_success = child.wait().ok().map(|status| status.success());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(Heard {
        text: text(&bytes),
        is_cut: bytes.len() as u64 == MAX_OUTPUT,
        complaint: text(&complaint),
        is_success,
    })
}

/// The reader's end of a pipe, and what came out of it.
#[cfg(unix)]
struct Pipe {
    /// `None`: it has ended.
    file: Option<File>,
    bytes: Vec<u8>,
    most: u64,
}

#[cfg(unix)]
impl Pipe {
    fn of(pipe: Option<std::os::fd::OwnedFd>, most: u64) -> Option<Self> {
        let pipe = pipe?;
        rustix::io::ioctl_fionbio(&pipe, true).ok()?;
        Some(Self { file: Some(pipe.into()), bytes: Vec::new(), most })
    }

    /// Reads what there is, up to one byte more than is taken; what is behind it is thrown away.
    fn read(&mut self) {
        use std::io::{ErrorKind, Read as _};
        let Some(file) = &mut self.file else { return };
        let room = (self.most + 1).saturating_sub(self.bytes.len() as u64);
        let read = if room > 0 { file.take(room).read_to_end(&mut self.bytes) } else { file.read(&mut [0; 4096]) };
        let is_open = match read {
            Ok(count) => count > 0,
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        if !is_open {
            self.file = None;
        }
    }

    fn heard(&self) -> String {
        let most = self.bytes.len().min(self.most as usize);
        String::from_utf8_lossy(&self.bytes[..most]).into_owned()
    }
}

/// Waits until one of the pipes has something to say or has ended, but not for long.
#[cfg(unix)]
fn wait_for(pipes: &[&Pipe], most: Duration) {
    use rustix::event::{PollFd, PollFlags, poll};
    let open = pipes.iter().filter_map(|pipe| pipe.file.as_ref());
    let mut open: Vec<PollFd<'_>> = open.map(|file| PollFd::new(file, PollFlags::IN)).collect();
    let _ = poll(&mut open, rustix::event::Timespec::try_from(most).ok().as_ref());
}

/// Puts the child at the head of a group of its own: what ends this program's, such as Ctrl-C, does not end it.
#[cfg(unix)]
pub(crate) fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(crate) fn in_own_group(_: &mut Command) {}

/// Ends a child that leads its own group, and what it has started.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

#[cfg(not(unix))]
pub(crate) fn kill(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Output, Trouble> {
        let gh = vec!["sh".into(), "-c".into(), script.into()];
        Tools { gh, limit, ..Tools::real() }.gh(Path::new("/"), &[])
    }

    #[test]
    fn what_a_program_says_is_heard() {
        let output = shell("echo \"$GH_PROMPT_DISABLED\"; cat; echo fatal: no. >&2; exit 3", LIMIT).unwrap();
        assert_eq!((&*output.text, output.is_success, &*output.complaint()), ("1\n", false, "no"));
        assert!(shell("true", LIMIT).unwrap().is_success);
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_its_children() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("pid");
        let script = format!("sleep 300 & echo $! > {}; wait", file.display());
        let began = Instant::now();
        assert!(matches!(shell(&script, Duration::from_millis(500)), Err(Trouble::TooSlow(_))));
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
    fn what_a_program_leaves_behind_is_not_waited_for() {
        let began = Instant::now();
        let output = shell("sleep 20 & echo done; echo $! >&2", LIMIT).unwrap();
        assert_eq!((&*output.text, output.is_success), ("done\n", true));
        assert!(began.elapsed() < Duration::from_secs(15));
        let left = output.complaint().parse().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(left).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
    }

    #[test]
    fn many_complaints_keep_no_program_waiting() {
        let output = shell("yes no | head -c 1000000 >&2; echo done", LIMIT).unwrap();
        assert_eq!((&*output.text, &*output.complaint()), ("done\n", "no"));
    }

    #[test]
    fn a_program_that_never_ends_its_output_is_cut() {
        let output = shell("yes", LIMIT).unwrap();
        assert!(output.is_cut && output.is_success);
        assert_eq!(output.text.len() as u64, MAX_OUTPUT);
    }

    #[test]
    fn a_program_that_is_missing_is_told() {
        let tools = Tools { gh: vec!["/no/such/program".into()], ..Tools::real() };
        assert!(matches!(tools.gh(Path::new("/"), &[]), Err(Trouble::Missing)));
        assert!(matches!(tools.gh(Path::new("/no/such/folder"), &[]), Err(Trouble::NoFolder)));
    }
}
