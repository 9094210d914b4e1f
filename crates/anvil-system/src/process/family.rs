//! The processes of an attempt, and how all of them end.
//!
//! The group gets the signal to end, a second, and then the kill. On Linux the wrapper of an
//! attempt is a subreaper: every orphan below it becomes its child, also one that has left the
//! group or dropped its environment. The wrapper kills its children before it records the end.
//! Elsewhere on Unix, and if the wrapper itself is killed, a process that has left the group stays
//! (docs/running-with-agents.md). On Windows all of them end with their job.

#[cfg(not(windows))]
use std::process::Child;
use std::time::{Duration, Instant};

use super::ProcessId;

/// The variable in the environment of every process of an attempt; our hook is silent if it is set.
pub const CHILD: &str = "ANVIL_CHILD";

/// Pause between two looks at processes that are about to end.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Longest time for killed processes to be gone.
#[cfg(any(target_os = "linux", test))]
const LONGEST: Duration = Duration::from_secs(10);

/// Looks in a row with the same result before there is a pause between two looks: a new process is
/// killed at once.
#[cfg(any(target_os = "linux", test))]
const BUSY_LOOKS: usize = 1_000;

/// The processes that a program has left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    pub ended: usize,
    /// They still run.
    pub running: usize,
}

impl Left {
    pub fn behind(self) -> usize {
        self.ended.saturating_add(self.running)
    }
}

/// Makes this process the parent of every orphan below it.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Sends a process group the signal to end.
pub fn ask_to_end(leader: ProcessId) {
    #[cfg(unix)]
    signal_group(leader, rustix::process::Signal::TERM);
    #[cfg(not(unix))]
    let _ = leader;
}

/// Kills the remaining processes of a group, also without its leader.
pub fn end_group(leader: ProcessId) {
    #[cfg(unix)]
    signal_group(leader, rustix::process::Signal::KILL);
    #[cfg(not(unix))]
    let _ = leader;
}

#[cfg(unix)]
fn signal_group(leader: ProcessId, signal: rustix::process::Signal) {
    use rustix::process::kill_process_group;
    if let Some(group) = pid_of(leader.pid).filter(|_| leader.may_lead()) {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(unix)]
fn pid_of(pid: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(windows)]
type Child = Box<dyn process_wrap::std::ChildWrapper>;

/// Asks a child to end, with the group of this process, and kills it after `grace`.
pub(super) fn end_politely(child: &mut Child, grace: Duration) {
    ask_to_end(ProcessId::current());
    let started = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && started.elapsed() < grace {
        std::thread::sleep(POLL_INTERVAL);
    }
    let _ = child.kill();
}

/// Kills the children of this process, and waits until they are gone. Below each there may be more,
/// which become children of this process. The agent itself has ended before: these are orphans.
#[cfg(target_os = "linux")]
pub(super) fn end_children() -> Left {
    use rustix::process::{Signal, kill_process};
    // These ended by themselves while the agent ran.
    for pid in children().into_iter().filter_map(pid_of) {
        reap(pid);
    }
    end_all(LONGEST, children, |pid| {
        let Some(pid) = pid_of(pid) else { return false };
        let _ = kill_process(pid, Signal::KILL);
        reap(pid).is_some_and(|end| end.terminating_signal() == Some(Signal::KILL.as_raw()))
    })
}

#[cfg(target_os = "linux")]
fn reap(pid: rustix::process::Pid) -> Option<rustix::process::WaitStatus> {
    use rustix::process::{WaitOptions, waitpid};
    waitpid(Some(pid), WaitOptions::NOHANG).ok().flatten().map(|(_, status)| status)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn end_children() -> Left {
    Left::default()
}

/// Looks for processes and ends each, until two looks find none. While a look finds others than the
/// one before, there is no pause: a process that forks and exits again and again lives for a part
/// of a millisecond. `end` returns true if it killed a process.
#[cfg(any(target_os = "linux", test))]
fn end_all(
    longest: Duration,
    mut look: impl FnMut() -> Vec<u32>,
    mut end: impl FnMut(u32) -> bool,
) -> Left {
    let began = Instant::now();
    let mut left = Left::default();
    let mut before = Vec::new();
    let mut empty = 0;
    let mut same = 0;
    loop {
        let found = look();
        if found.is_empty() {
            empty += 1;
            if empty == 2 {
                return left;
            }
            continue;
        }
        empty = 0;
        if began.elapsed() > longest {
            return Left { running: found.len(), ..left };
        }
        left.ended += found.iter().filter(|pid| end(**pid)).count();
        same = if found == before { same + 1 } else { 0 };
        before = found;
        if same > BUSY_LOOKS {
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// The children of this process, the dead among them. The kernel lists them if it was built with
/// `CONFIG_PROC_CHILDREN`, as those of all large distributions are.
#[cfg(target_os = "linux")]
fn children() -> Vec<u32> {
    let mut pids = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        pids.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    pids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_that_survive_a_kill_are_counted_in_bounded_time() {
        let left = end_all(Duration::from_millis(20), || vec![7, 8], |_| false);
        assert_eq!(left, Left { ended: 0, running: 2 });
        assert_eq!(left.behind(), 2);
    }

    #[test]
    fn forking_processes_are_searched_until_two_scans_find_none() {
        // The fourth look comes between two of them.
        let mut looks =
            [vec![1], vec![2], vec![3], vec![], vec![4, 5], vec![], vec![], vec![9]].into_iter();
        let left = end_all(LONGEST, || looks.next().unwrap(), |pid| pid != 3);
        assert_eq!(left, Left { ended: 4, running: 0 });
        assert_eq!(looks.count(), 1);
    }
}
