//! `strace`: the system calls of a program.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use testkit::host::Host;

/// A system call of the program, by its name and its number among the calls of that name.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) call: String,
    pub(crate) nth: usize,
    /// It may change the disk.
    pub(crate) changes: bool,
}

/// Calls that change nothing, with any arguments.
const READING: [&str; 14] = [
    "read",
    "pread64",
    "lseek",
    "statx",
    "stat",
    "lstat",
    "fstat",
    "newfstatat",
    "access",
    "faccessat",
    "readlink",
    "getdents64",
    "getcwd",
    "fcntl",
];

/// The calls in a trace, without those of the runtime's start.
pub(crate) fn points(trace: &str) -> Vec<Point> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    let mut is_own = false;
    for (call, rest) in trace.lines().filter_map(|line| line.split_once('(')) {
        let nth = seen.entry(call).or_default();
        *nth += 1;
        is_own |= call == "getcwd" || (call == "read" && rest.starts_with("0,"));
        // Memory is not a file.
        if is_own && !rest.contains("MAP_ANONYMOUS") {
            let only_reads =
                READING.contains(&call) || (call == "openat" && rest.contains("O_RDONLY"));
            found.push(Point { call: call.to_owned(), nth: *nth, changes: !only_reads });
        }
    }
    found
}

pub(crate) fn under(options: &[&str], traced: &Command) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-qq", "-s", "0", "-e", "signal=none"]).args(options);
    strace.arg(traced.get_program()).args(traced.get_args());
    strace.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    strace.envs(traced.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(traced.get_current_dir().unwrap());
    strace
}

/// The system calls of the hook for an event, one a line, with whole paths.
pub(crate) fn of_event(host: &Host, event: &[u8]) -> String {
    let traced = host.command(&["hook"], host.root());
    let trace = host.outside("trace");
    let mut command = under(&["-o", &trace.to_string_lossy()], &traced);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event).unwrap();
    assert!(child.wait().unwrap().success());
    fs_err::read_to_string(trace).unwrap()
}

/// Fails if tracing is impossible: a missing test must be visible.
pub(crate) fn can_trace() {
    let host = Host::new();
    let traced = under(&["-o", "/dev/null"], &host.command(&["--version"], host.root())).output();
    let why = match traced {
        Ok(output) if output.status.success() => return,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    panic!(
        "NO KILL POINT WAS TRIED: strace can't trace here (is it installed, is ptrace permitted?): {why}"
    );
}
