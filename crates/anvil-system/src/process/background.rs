//! A program that goes on when this one has ended.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{ProcessError, runner};

/// Pause between two checks of the running program.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A started program, while this one still watches it.
#[derive(Debug)]
pub struct Background(Child);

impl Background {
    /// Starts a program in a folder, with these variables, or without those that have no value. Its
    /// output goes to a file.
    pub fn start(
        program: &Path,
        arguments: &[impl AsRef<OsStr>],
        folder: &Path,
        variables: &[(&str, Option<&OsStr>)],
        log: File,
    ) -> Result<Self, ProcessError> {
        let stderr = log.try_clone().map_err(|_| ProcessError::NoFolder)?;
        let mut command = super::command(program)?;
        command.args(arguments).current_dir(folder);
        command.stdin(Stdio::null()).stdout(log).stderr(stderr);
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.spawn().map(Self).map_err(runner::not_started)
    }

    /// Sends each the signal to end, and waits at most `grace` for the end of all.
    pub fn end_all(all: &mut [Self], grace: Duration) {
        #[cfg(unix)]
        for running in all.iter_mut().filter_map(|one| (!one.is_over()).then_some(&one.0)) {
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_child(running),
                rustix::process::Signal::TERM,
            );
        }
        let started = Instant::now();
        while !all.iter_mut().all(Self::is_over) && started.elapsed() < grace {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    pub fn is_over(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

/// Takes this process out of its session and from its terminal: the end of those does not end this
/// process.
#[cfg(unix)]
pub fn begin_session() {
    // Fails only for the leader of a group, which the end of another group can't reach.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
pub fn begin_session() {}
