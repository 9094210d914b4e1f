//! A running program: it is started, watched, and ended at its time limit.
//!
//! Invariants:
//! * Every program has a hard time limit, and dropping it kills its whole process group.
//! * A pipe that a left-over process keeps open blocks nobody.

use std::io::{Read, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

/// A whole debate takes about 10 s; a program that takes longer than this hangs.
const TIME_LIMIT: Duration = Duration::from_mins(2);

/// How long the pipes may still deliver after a program's end.
const AFTERMATH: Duration = Duration::from_secs(5);

/// A started program.
pub(crate) struct Running {
    child: Child,
    out: Collected,
    err: Collected,
}

impl Running {
    /// Starts it in its own process group, without input.
    pub(crate) fn start(command: Command) -> Self {
        Self::reading(command, Stdio::null())
    }

    /// Starts it with this input.
    pub(crate) fn reading(mut command: Command, stdin: Stdio) -> Self {
        command.process_group(0).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        let (out, err) =
            (Collected::from(child.stdout.take()), Collected::from(child.stderr.take()));
        Self { child, out, err }
    }

    /// Waits for its end, at most for [`TIME_LIMIT`].
    pub(crate) fn wait(mut self) -> Finished {
        let deadline = Instant::now() + TIME_LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return self.finished(status);
            }
            if Instant::now() > deadline {
                self.end();
                let status = self.child.wait().expect("the child is ours");
                panic!(
                    "the program did not end within {TIME_LIMIT:?}: {:#?}",
                    self.finished(status)
                );
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// `kill -9`, as a closed terminal or a crash would.
    pub(crate) fn kill(mut self) -> Finished {
        self.end();
        let status = self.child.wait().expect("the child is ours");
        assert_eq!(status.signal(), Some(9), "the program was still alive when it was killed");
        self.finished(status)
    }

    /// Writes a line to its standard input, which stays open.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("its input is a pipe");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the program reads");
    }

    /// Ends its standard input.
    pub(crate) fn end_input(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Its standard output so far.
    pub(crate) fn so_far(&self) -> String {
        self.out.now()
    }

    /// Sends this signal to the program only.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        kill_process(pid, signal).expect("the program is alive");
    }

    /// Whether it still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("the child is ours").is_none()
    }

    fn end(&self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The group is gone if the program has ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    fn finished(&self, status: ExitStatus) -> Finished {
        Finished { status, stdout: self.out.text(), stderr: self.err.text() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Not after the wait: its number may belong to another process by then.
        if self.is_alive() {
            self.end();
            let _ = self.child.wait();
        }
    }
}

/// The output of a pipe.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl Collected {
    fn from(pipe: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let Some(mut pipe) = pipe else { return };
            let mut buffer = vec![0; 16 * 1024];
            // A broken pipe counts as ended: the output before it still counts.
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                into.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .extend_from_slice(&buffer[..count]);
            }
        });
        Self { bytes, reader }
    }

    fn text(&self) -> String {
        let deadline = Instant::now() + AFTERMATH;
        while !self.reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        self.now()
    }

    fn now(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }
}

/// The results of a program.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Its exit status.
    pub(crate) status: ExitStatus,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

impl Finished {
    /// Its standard output, after a check that it succeeded.
    pub(crate) fn ok(self) -> Self {
        assert!(self.status.success(), "the program failed: {self:#?}");
        self
    }

    /// The lines that the plugin's hooks showed to the user, in order; only if it was
    /// [told to](crate::client::Client::telling). A hook's message at the start of a session is not
    /// among them.
    pub(crate) fn notices(&self) -> Vec<String> {
        let events = self.stdout.lines().filter_map(|line| serde_json::from_str(line).ok());
        notices(&events.collect::<Vec<Value>>())
    }
}

/// The lines that hooks showed to the user, among these events.
pub(crate) fn notices(events: &[Value]) -> Vec<String> {
    let notices = events.iter().filter(|event| event["subtype"] == "informational");
    notices.filter_map(|event| Some(event["content"].as_str()?.to_owned())).collect()
}
