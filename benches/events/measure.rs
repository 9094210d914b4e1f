//! The cost of one run of a program. This module knows nothing of debates. It measures only the run
//! itself: everything is prepared before.

use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A program with its arguments, environment and input. It runs in the folder that the benchmark
/// itself is in, because a change of folder keeps the standard library from the fast way to start a
/// process.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: Vec<(&'static str, OsString)>,
    pub(crate) input: PathBuf,
}

/// The cost of one run. `None`: the system does not report it.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Option<Duration>,
    /// Pages of memory that the kernel had to hand out or map in: like instructions, they hardly
    /// vary.
    pub(crate) faults: Option<u32>,
}

impl Program {
    /// Runs the program once. Returns the cost, from before its start until its end.
    pub(crate) fn run(&self) -> Result<Cost, Box<dyn Error>> {
        let mut command = self.command(&self.path, &self.arguments)?;
        let before = used_by_children();
        let started = Instant::now();
        let status = command.status()?;
        let wall = started.elapsed();
        let used = used_by_children().zip(before);
        self.expect(status)?;
        Ok(Cost {
            wall,
            cpu: used.map(|(after, before)| after.0.saturating_sub(before.0)),
            faults: used.map(|(after, before)| after.1 - before.1),
        })
    }

    /// Runs the program once. Returns its standard output.
    pub(crate) fn answer(&self) -> Result<String, Box<dyn Error>> {
        let output = self.command(&self.path, &self.arguments)?.stdout(Stdio::piped()).output()?;
        self.expect(output.status)?;
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Instructions of one run outside of the kernel. `None`: callgrind is not installed.
    pub(crate) fn instructions(&self) -> Result<Option<u32>, Box<dyn Error>> {
        let mut arguments: Vec<OsString> =
            ["--tool=callgrind", "--callgrind-out-file=/dev/null"].map(OsString::from).to_vec();
        arguments.push(self.path.clone().into());
        arguments.extend(self.arguments.iter().cloned());
        let mut command = self.command(Path::new("valgrind"), &arguments)?;
        // Found by the benchmark's own PATH; the program gets none.
        let output = match command.stderr(Stdio::piped()).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            output => output?,
        };
        self.expect(output.status)?;
        let report = String::from_utf8_lossy(&output.stderr);
        let collected = report.lines().find_map(|line| line.split_once("Collected : "));
        Ok(collected.and_then(|(_, count)| count.trim().parse().ok()))
    }

    fn command(&self, path: &Path, arguments: &[OsString]) -> io::Result<Command> {
        let mut command = Command::new(path);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(File::open(&self.input)?).stdout(Stdio::null());
        Ok(command)
    }

    fn expect(&self, status: ExitStatus) -> Result<(), Box<dyn Error>> {
        if status.success() {
            Ok(())
        } else {
            Err(format!("{}: {status}", self.path.display()).into())
        }
    }
}

/// The value in the middle. `None`: a value could not be measured.
pub(crate) fn median<T: Ord + Copy>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let mut values: Vec<T> = values.collect::<Option<_>>()?;
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// CPU time and page faults of all children that have ended.
#[cfg(unix)]
fn used_by_children() -> Option<(Duration, u32)> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    Some((
        Duration::from_micros(micros.try_into().ok()?),
        usage.minor_page_faults().try_into().ok()?,
    ))
}

#[cfg(not(unix))]
fn used_by_children() -> Option<(Duration, u32)> {
    None
}

/// Bytes that are free in a folder's file system. `None`: the system does not report it.
#[cfg(unix)]
#[cfg_attr(
    target_os = "macos",
    expect(clippy::cast_lossless, reason = "on Linux there is nothing to widen")
)]
pub(crate) fn free_space(folder: &Path) -> Option<u64> {
    let stat = nix::sys::statvfs::statvfs(folder).ok()?;
    Some(stat.blocks_available() as u64 * stat.fragment_size() as u64)
}

#[cfg(not(unix))]
pub(crate) fn free_space(_: &Path) -> Option<u64> {
    None
}
