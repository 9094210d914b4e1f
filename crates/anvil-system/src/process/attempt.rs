//! One attempt of a program that writes a reply: it runs in parallel with this program, which
//! watches it until it has ended.
//!
//! Two processes take part. The executor starts a wrapper, which is this program again, as the
//! leader of a new process group ([`Wrapper`]). The wrapper runs the agent in that group and
//! [`attend`]s it: it learns the agent's end even if the executor is gone.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Left, ProcessError, family, runner};

/// Time for a program to end by itself after the signal, before it is killed.
const GRACE: Duration = Duration::from_secs(1);

/// Pause between two checks of a running program: short at first, because a scripted one ends at
/// once.
const FIRST_POLL_INTERVAL: Duration = Duration::from_millis(2);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Bounds of an attempt. `None`: unlimited.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Longest time in all.
    pub whole: Duration,
    /// Longest time until the first byte.
    pub first_byte: Option<Duration>,
    /// Longest time between two bytes.
    pub silence: Option<Duration>,
    /// Most bytes of output.
    pub bytes: u64,
}

/// Why an attempt was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A whole reply took too long.
    Whole,
    /// The first byte did not come in time.
    FirstByte,
    Silence,
    /// Too many bytes of output.
    Bytes,
    /// The debate was stopped.
    Stopped,
}

#[derive(Clone, Copy, Debug)]
pub struct AttemptEnd {
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    pub cut: Option<Cut>,
    pub took: Duration,
    /// Bytes of standard output.
    pub bytes: u64,
    /// The processes that it left behind.
    pub left: Left,
}

/// The three files of an attempt.
#[derive(Debug)]
pub struct Streams {
    /// Standard input.
    pub input: File,
    /// Standard output.
    pub output: File,
    /// Standard error.
    pub stderr: File,
}

/// Runs an agent in this process's group until it and all its processes have ended.
pub fn attend(
    mut command: Command,
    streams: Streams,
    bounds: Bounds,
    is_stopped: impl Fn() -> bool,
) -> Result<AttemptEnd, ProcessError> {
    family::adopt_orphans();
    let output = streams.output.try_clone();
    let stderr = streams.stderr.try_clone();
    let (Ok(output), Ok(stderr)) = (output, stderr) else {
        return Err(ProcessError::NoFolder);
    };
    command.stdin(streams.input).stdout(streams.output).stderr(streams.stderr);
    let mut child = spawn(command)?;
    let began = Instant::now();
    let mut printed = 0;
    let mut last_printed = began;
    let cut = loop {
        if !matches!(child.try_wait(), Ok(None)) {
            break None;
        }
        let now = Instant::now();
        let bytes = size(&output);
        let all = size(&output) + size(&stderr);
        if all != printed {
            (printed, last_printed) = (all, now);
        }
        let age = now.duration_since(began);
        let silence = now.duration_since(last_printed);
        if is_stopped() {
            break Some(Cut::Stopped);
        } else if age > bounds.whole {
            break Some(Cut::Whole);
        } else if bytes > bounds.bytes || all > bounds.bytes * 2 {
            break Some(Cut::Bytes);
        } else if printed == 0 && bounds.first_byte.is_some_and(|limit| age > limit) {
            break Some(Cut::FirstByte);
        } else if printed > 0 && bounds.silence.is_some_and(|limit| silence > limit) {
            break Some(Cut::Silence);
        }
        let is_young = age < Duration::from_millis(200);
        std::thread::sleep(if is_young { FIRST_POLL_INTERVAL } else { POLL_INTERVAL });
    };
    let took = began.elapsed();
    if cut.is_some() {
        family::end_politely(&mut child, GRACE);
    }
    let status = child.wait().ok();
    let left = family::end_children();
    let bytes = size(&output);
    // Bytes beyond the bound are not part of a reply.
    for file in [&output, &stderr] {
        if size(file) > bounds.bytes {
            let _ = file.set_len(bounds.bytes);
        }
    }
    let signal = status.and_then(signal_of);
    Ok(AttemptEnd { code: status.and_then(|status| status.code()), signal, cut, took, bytes, left })
}

fn size(file: &File) -> u64 {
    file.metadata().map_or(0, |meta| meta.len())
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}

#[cfg(not(windows))]
fn spawn(mut command: Command) -> Result<Child, ProcessError> {
    command.spawn().map_err(runner::not_started)
}

/// On Windows all processes of a program belong to its job, and end with it.
#[cfg(windows)]
fn spawn(command: Command) -> Result<Box<dyn process_wrap::std::ChildWrapper>, ProcessError> {
    use process_wrap::std::{CommandWrap, JobObject};
    CommandWrap::from(command).wrap(JobObject).spawn().map_err(runner::not_started)
}

/// The wrapper of an attempt, for its executor.
#[derive(Debug)]
pub struct Wrapper(Child);

impl Wrapper {
    /// Starts a wrapper as the leader of a new process group. It waits for its orders.
    pub fn start(mut command: Command) -> Result<Self, ProcessError> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        runner::in_own_group(&mut command);
        command.spawn().map(Self).map_err(runner::not_started)
    }

    /// Also the id of its process group.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends the orders; then the wrapper begins.
    pub fn order(&mut self, orders: &[u8]) -> std::io::Result<()> {
        let pipe = self.0.stdin.take();
        pipe.map_or(Ok(()), |mut pipe| pipe.write_all(orders))
    }

    pub fn is_over(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }

    /// Ends it and its group at once.
    pub fn kill(&mut self) {
        runner::kill(&mut self.0);
        let _ = self.0.wait();
    }
}

/// The command of an agent, found like any other program.
pub fn agent(command: &[OsString], folder: &Path) -> Result<Command, ProcessError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(ProcessError::Missing);
    };
    let mut command = super::command(program)?;
    command.args(arguments).current_dir(folder);
    Ok(command)
}
