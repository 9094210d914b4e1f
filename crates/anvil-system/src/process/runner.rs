//! Runs a program until it ends, and never longer than its limit.

use std::fs::File;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{MAX_OUTPUT, Output, ProcessError};

/// Most bytes of its standard error.
const MAX_STDERR: u64 = 64 * 1024;

/// Time for a killed program to be gone: one that waits for a disk that does not answer stays.
const KILL_TIME: Duration = Duration::from_millis(500);

/// Pause between two checks of a running program.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Pause between two checks of a program that has closed its output, which ends at once.
#[cfg(unix)]
const CLOSED_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Time for the output that a program has left in its pipe when it ended.
#[cfg(unix)]
const PIPE_TIME: Duration = Duration::from_millis(300);

/// Runs a program to its end, with this input; without one its input is empty. A program that takes
/// longer than `limit` is stopped with its children.
pub fn run(
    mut command: Command,
    input: Option<File>,
    limit: Duration,
) -> Result<Output, ProcessError> {
    command
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    in_own_group(&mut command);
    let mut child = command.spawn().map_err(not_started)?;
    let captured = listen(&mut child, Instant::now() + limit);
    // The number of a program that has ended may belong to another one.
    if captured.as_ref().is_none_or(|(_, ended)| ended.is_none()) {
        kill(&mut child);
        let killed = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && killed.elapsed() < KILL_TIME {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
    let (output, ended) = captured.ok_or(ProcessError::TooSlow(limit))?;
    let is_success = ended.map_or(output.is_cut, |status| status.success());
    Ok(Output { is_success, code: ended.and_then(|status| status.code()), ..output })
}

/// Starts a program that outlives this one, and waits for nothing.
pub fn start(mut command: Command) -> Result<(), ProcessError> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    in_own_group(&mut command);
    command.spawn().map(|_| ()).map_err(not_started)
}

/// Replaces this program by another one, with this input and this one's screen. Returns only if it
/// can't be run, or if the system can't replace programs.
pub fn replace(mut command: Command, input: File) {
    command.stdin(input).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    #[cfg(unix)]
    let _ = std::os::unix::process::CommandExt::exec(&mut command);
}

pub(super) fn not_started(error: std::io::Error) -> ProcessError {
    match error.kind() {
        std::io::ErrorKind::NotFound => ProcessError::Missing,
        _ => ProcessError::Failed(error),
    }
}

/// The output of a program, and its exit status. `None`: it still runs, and its remaining output is
/// not read.
type Captured = (Output, Option<ExitStatus>);

fn output(mut bytes: Vec<u8>, mut stderr: Vec<u8>) -> Output {
    let is_cut = bytes.len() as u64 > MAX_OUTPUT;
    bytes.truncate(MAX_OUTPUT as usize);
    stderr.truncate(MAX_STDERR as usize);
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    let (text, not_utf8) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(error.into_bytes()))
        }
    };
    Output { is_success: false, code: None, text, not_utf8, is_cut, stderr }
}

/// Reads the output of a program until it ends. `None`: it takes too long. Uses no threads: they
/// would be the only ones in this program, and a tenth of a megabyte of it.
#[cfg(unix)]
fn listen(child: &mut Child, deadline: Instant) -> Option<Captured> {
    let mut text = Pipe::new(child.stdout.take().map(Into::into), MAX_OUTPUT)?;
    let mut stderr = Pipe::new(child.stderr.take().map(Into::into), MAX_STDERR)?;
    let mut ended = None;
    loop {
        let now = Instant::now();
        if now >= deadline {
            return None;
        }
        let is_silent = text.file.is_none() && stderr.file.is_none();
        wait_for(
            &[&text, &stderr],
            if is_silent { CLOSED_POLL_INTERVAL } else { POLL_INTERVAL }.min(deadline - now),
        );
        text.read();
        stderr.read();
        let is_cut = text.bytes.len() as u64 > MAX_OUTPUT;
        if ended.is_none() && !is_cut {
            ended = child.try_wait().ok()?.map(|status| (status, now));
        }
        // A child of an ended program may hold a pipe open for a long time.
        let is_silent = text.file.is_none() && stderr.file.is_none();
        let is_over = ended.is_some_and(|(_, when)| is_silent || now > when + PIPE_TIME);
        if is_over || is_cut {
            return Some((output(text.bytes, stderr.bytes), ended.map(|(status, _)| status)));
        }
    }
}

/// The variant with threads, for systems on which pipes can't be waited for together.
#[cfg(not(unix))]
fn listen(child: &mut Child, deadline: Instant) -> Option<Captured> {
    use std::io::Read;
    use std::sync::mpsc;
    fn reader(pipe: impl Read + Send + 'static, most: u64) -> mpsc::Receiver<Vec<u8>> {
        let (done, is_done) = mpsc::channel();
        // The thread ends with the program, or with this one.
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut pipe = pipe;
            let _ = pipe.by_ref().take(most + 1).read_to_end(&mut bytes);
            let is_cut = bytes.len() as u64 > most;
            let _ = done.send(bytes);
            if !is_cut {
                return;
            }
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        });
        is_done
    }
    let text = reader(child.stdout.take()?, MAX_OUTPUT);
    let stderr = reader(child.stderr.take()?, MAX_STDERR);
    let left = || deadline.saturating_duration_since(Instant::now());
    let text = text.recv_timeout(left()).ok()?;
    let is_cut = text.len() as u64 > MAX_OUTPUT;
    let mut ended = None;
    while !is_cut && ended.is_none() {
        if left().is_zero() {
            return None;
        }
        ended = child.try_wait().ok()?;
        std::thread::sleep(POLL_INTERVAL);
    }
    let stderr = if is_cut { Vec::new() } else { stderr.recv_timeout(left()).unwrap_or_default() };
    Some((output(text, stderr), ended))
}

/// The reader's end of a pipe, and its output so far.
#[cfg(unix)]
struct Pipe {
    /// `None`: it has ended.
    file: Option<File>,
    bytes: Vec<u8>,
    most: u64,
}

#[cfg(unix)]
impl Pipe {
    fn new(pipe: Option<std::os::fd::OwnedFd>, most: u64) -> Option<Self> {
        let pipe = pipe?;
        rustix::io::ioctl_fionbio(&pipe, true).ok()?;
        Some(Self { file: Some(pipe.into()), bytes: Vec::new(), most })
    }

    /// Reads the available output, up to one byte more than the limit; throws further output away.
    fn read(&mut self) {
        use std::io::{ErrorKind, Read as _};
        let Some(file) = &mut self.file else { return };
        let room = (self.most + 1).saturating_sub(self.bytes.len() as u64);
        let read = if room > 0 {
            file.take(room).read_to_end(&mut self.bytes)
        } else {
            file.read(&mut [0; 4096])
        };
        let is_open = match read {
            Ok(count) => count > 0,
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        if !is_open {
            self.file = None;
        }
    }
}

/// Waits until one of the pipes has output or has ended, for at most `most`.
#[cfg(unix)]
fn wait_for(pipes: &[&Pipe], most: Duration) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut open: Vec<PollFd<'_>> = pipes
        .iter()
        .filter_map(|pipe| pipe.file.as_ref())
        .map(|file| PollFd::new(file, PollFlags::IN))
        .collect();
    let _ = poll(&mut open, rustix::event::Timespec::try_from(most).ok().as_ref());
}

/// Makes the child the leader of a new process group: a signal to this program's group, such as
/// that of Ctrl-C, does not end it.
#[cfg(unix)]
pub(super) fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(super) fn in_own_group(_: &mut Command) {}

/// Ends a child that leads its own group, and the processes in that group.
#[cfg(unix)]
pub(super) fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

#[cfg(not(unix))]
pub(super) fn kill(child: &mut Child) {
    let _ = child.kill();
}
