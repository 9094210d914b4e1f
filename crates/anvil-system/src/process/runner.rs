//! Runs a program until it ends, and never longer than its limit.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::{MAX_OUTPUT, Output, ProcessError};

/// Most bytes of its standard error.
const MAX_STDERR: u64 = 64 * 1024;

/// Time for a killed program to be gone: one that waits for a disk that does not answer stays.
const KILL_TIME: Duration = Duration::from_millis(500);

/// Pause between two checks of a running program.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Pause between two checks of a program that has closed its output, which ends at once.
const CLOSED_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Time for the output that a program has left in its pipe when it ended.
const PIPE_TIME: Duration = Duration::from_millis(300);

/// Bytes of one read, and how many of them may wait.
const CHUNK: usize = 64 * 1024;
const CHUNKS: usize = 16;

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

/// Reads the output of a program until it ends. `None`: it takes too long.
fn listen(child: &mut Child, deadline: Instant) -> Option<Captured> {
    let (sender, chunks) = mpsc::sync_channel(CHUNKS);
    send_chunks(child.stdout.take()?, sender.clone(), |chunk| (chunk, Vec::new()));
    send_chunks(child.stderr.take()?, sender, |chunk| (Vec::new(), chunk));
    let mut text = Vec::new();
    let mut stderr = Vec::new();
    let mut ended = None;
    loop {
        let now = Instant::now();
        if now >= deadline {
            return None;
        }
        let received = chunks.recv_timeout(POLL_INTERVAL.min(deadline - now));
        let is_silent = matches!(received, Err(RecvTimeoutError::Disconnected));
        let (more, more_stderr) = received.unwrap_or_default();
        text.extend(more);
        if stderr.len() as u64 <= MAX_STDERR {
            stderr.extend(more_stderr);
        }
        let is_cut = text.len() as u64 > MAX_OUTPUT;
        if ended.is_none() && !is_cut {
            ended = child.try_wait().ok()?.map(|status| (status, now));
        }
        // A child of an ended program may hold a pipe open for a long time.
        let is_over = ended.is_some_and(|(_, when)| is_silent || now > when + PIPE_TIME);
        if is_over || is_cut {
            return Some((output(text, stderr), ended.map(|(status, _)| status)));
        }
        if is_silent {
            std::thread::sleep(CLOSED_POLL_INTERVAL);
        }
    }
}

/// Standard output, and standard error.
type Chunk = (Vec<u8>, Vec<u8>);

/// Sends what comes from a pipe, until the pipe or the receiver ends.
fn send_chunks(
    mut pipe: impl Read + Send + 'static,
    sender: SyncSender<Chunk>,
    of: fn(Vec<u8>) -> Chunk,
) {
    std::thread::spawn(move || {
        let mut bytes = vec![0; CHUNK];
        loop {
            let read = match pipe.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(read @ 1..) => read,
                Ok(0) | Err(_) => return,
            };
            if sender.send(of(bytes[..read].to_vec())).is_err() {
                return;
            }
        }
    });
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
