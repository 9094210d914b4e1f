//! A program that goes on when this one is over.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::{ProcessError, runner};

/// Between two looks at whether it has ended.
const LOOKS: Duration = Duration::from_millis(20);

/// One that was started, while this program still looks at it.
#[derive(Debug)]
pub(crate) struct Background(Child);

impl Background {
    /// Starts a program in a folder, without these variables, and gives it a short input. What it says goes to a file.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        folder: &Path,
        hidden: &[&str],
        log: File,
        input: Option<&str>,
    ) -> Result<Self, ProcessError> {
        let complaints = log.try_clone().map_err(|_| ProcessError::NoFolder)?;
        let mut command = super::command(program)?;
        command.args(arguments).current_dir(folder).stdout(log).stderr(complaints);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        for name in hidden {
            command.env_remove(name);
        }
        let mut child = command.spawn().map_err(runner::not_started)?;
        if let Some((mut pipe, input)) = child.stdin.take().zip(input) {
            // A pipe holds all of it, and one that is gone already needs none.
            let _ = pipe.write_all(input.as_bytes());
        }
        Ok(Self(child))
    }

    /// Asks it to end, and waits for that no longer than `grace`.
    pub(crate) fn end(&mut self, grace: Duration) {
        #[cfg(unix)]
        if !self.is_over() {
            let _ =
                rustix::process::kill_process(rustix::process::Pid::from_child(&self.0), rustix::process::Signal::TERM);
        }
        let asked = Instant::now();
        while !self.is_over() && asked.elapsed() < grace {
            std::thread::sleep(LOOKS);
        }
    }

    /// True when it is over.
    pub(crate) fn is_over(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

/// Takes this process out of the session in which it was started, and of its terminal: what ends that does not end this.
#[cfg(unix)]
pub(crate) fn begin_session() {
    // It fails for the head of a group alone, which nobody else's end can reach.
    let _ = rustix::process::setsid();
}

#[cfg(not(unix))]
pub(crate) fn begin_session() {}
