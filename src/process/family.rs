//! The processes that a program has started, and how all of them end.
//!
//! On Linux the wrapper of an attempt adopts every orphan below it, so that nothing which an agent has started escapes it, not
//! even what has left its process group. Elsewhere on Unix the group is ended; what has left it stays
//! (docs/running-with-agents.md). On Windows all of them end with their job.

#[cfg(not(windows))]
use std::process::Child;
use std::time::{Duration, Instant};

/// The variable that every process of an attempt has in its environment, and our hook is silent for.
pub(crate) const CHILD: &str = "ANVIL_CHILD";

/// Between two looks at processes that are about to end.
const LOOKS: Duration = Duration::from_millis(5);

/// Longest time for processes that are killed to be gone.
const DYING: Duration = Duration::from_secs(2);

/// Makes this process the parent of every orphan below it.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Asks a process group to end: the one that this process leads.
#[cfg(unix)]
pub(crate) fn ask_to_end(group: u32) {
    signal_group(group, rustix::process::Signal::TERM);
}

#[cfg(unix)]
fn signal_group(group: u32, signal: rustix::process::Signal) {
    let group = i32::try_from(group).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
pub(crate) fn ask_to_end(_: u32) {}

#[cfg(windows)]
type Child = Box<dyn process_wrap::std::ChildWrapper>;

/// Ends a child: it is asked, and killed where it does not listen.
pub(super) fn end_politely(child: &mut Child, grace: Duration) {
    ask_descendants_to_end(child);
    let asked = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && asked.elapsed() < grace {
        std::thread::sleep(LOOKS);
    }
    let _ = child.kill();
}

#[cfg(unix)]
fn ask_descendants_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    for pid in descendants() {
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_descendants_to_end(_: &Child) {}

/// Kills whatever runs below this process, and waits until it is gone; gives back how many there were.
#[cfg(target_os = "linux")]
pub(super) fn end_descendants() -> usize {
    use rustix::process::{Signal, WaitOptions, kill_process, wait};
    let mut ended = std::collections::BTreeSet::new();
    let began = Instant::now();
    loop {
        // The agent itself was waited for: these are orphans.
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        let left = descendants();
        if left.is_empty() || began.elapsed() > DYING {
            return ended.len();
        }
        for pid in left {
            ended.insert(pid.as_raw_nonzero());
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(LOOKS);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_descendants() -> usize {
    let _ = DYING;
    0
}

/// Kills the group that this process leads, and so itself: the last thing that a wrapper does where it can't know all that its
/// agent has started.
pub(crate) fn end_own_group() {
    #[cfg(all(unix, not(target_os = "linux")))]
    signal_group(std::process::id(), rustix::process::Signal::KILL);
}

/// The processes below this one that are not dead.
#[cfg(target_os = "linux")]
fn descendants() -> Vec<rustix::process::Pid> {
    let mut below = vec![std::process::id()];
    let all: Vec<(u32, u32)> = processes().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = Vec::new();
    while let Some(parent) = below.pop() {
        for (pid, _) in all.iter().filter(|(_, of)| *of == parent) {
            below.push(*pid);
            found.extend(i32::try_from(*pid).ok().and_then(rustix::process::Pid::from_raw));
        }
    }
    found
}

#[cfg(all(unix, not(target_os = "linux")))]
fn descendants() -> Vec<rustix::process::Pid> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent of a process that is not dead.
#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" { None } else { fields.next()?.parse().ok() }
}

/// Kills every process of an attempt whose wrapper is gone: those with its token in their environment. Gives back how many. Where
/// the system does not tell the environment of a process, none is found.
#[cfg(target_os = "linux")]
pub(crate) fn end_orphans(token: &str) -> usize {
    use rustix::process::{Pid, Signal, kill_process};
    let wanted = format!("{CHILD}={token}");
    let has_it = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let mut ended = std::collections::BTreeSet::new();
    let began = Instant::now();
    loop {
        let own = std::process::id();
        let left: Vec<u32> =
            processes().filter(|pid| *pid != own && parent(*pid).is_some()).filter(|pid| has_it(pid)).collect();
        if left.is_empty() || began.elapsed() > DYING {
            return ended.len();
        }
        for pid in left {
            ended.insert(pid);
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        std::thread::sleep(LOOKS);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end_orphans(_: &str) -> usize {
    0
}
