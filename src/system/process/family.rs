//! The processes that a program has started, and how all of them end.
//!
//! On Linux the wrapper of an attempt adopts every orphan below it, so that no process of an agent
//! escapes it, even if it has left its process group or dropped its environment. If the wrapper is
//! killed, the executor adopts them. Elsewhere on Unix the group is ended; a process that has left
//! it stays (docs/running-with-agents.md). On Windows all of them end with their job.

use std::collections::BTreeSet;
#[cfg(not(windows))]
use std::process::Child;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use super::id::Stat;

/// The variable in the environment of every process of an attempt; our hook is silent if it is set.
pub(crate) const CHILD: &str = "ANVIL_CHILD";

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
pub(crate) struct Left {
    pub(crate) ended: usize,
    /// They still run.
    pub(crate) running: usize,
}

impl Left {
    pub(crate) fn behind(self) -> usize {
        self.ended.saturating_add(self.running)
    }
}

/// Makes this process the parent of every orphan below it.
pub(super) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// While this lives, this process adopts the children of a wrapper that is killed.
#[derive(Debug)]
pub(crate) struct Adopting {
    /// The children that this process had before.
    before: BTreeSet<u32>,
}

impl Adopting {
    /// Begins now; the present children of this process are spared.
    pub(crate) fn begin() -> Self {
        let before = children().into_iter().collect();
        adopt_orphans();
        Self { before }
    }

    /// Kills the orphans that came since, except `spared`. A wrapper adopts the processes below it,
    /// so no orphan comes from a wrapper that lives.
    pub(crate) fn end_orphans(&self, spared: &BTreeSet<u32>) -> Left {
        end_children(&(&self.before | spared))
    }
}

impl Drop for Adopting {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(None);
    }
}

/// Sends a process group the signal to end: the group that this process leads.
#[cfg(unix)]
pub(crate) fn ask_to_end(group: u32) {
    signal_group(group, rustix::process::Signal::TERM);
}

#[cfg(unix)]
fn pid_of(pid: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(unix)]
fn signal_group(group: u32, signal: rustix::process::Signal) {
    if let Some(group) = pid_of(group) {
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
pub(crate) fn ask_to_end(_: u32) {}

#[cfg(windows)]
type Child = Box<dyn process_wrap::std::ChildWrapper>;

/// Asks a child to end, and kills it after `grace`.
pub(super) fn end_politely(child: &mut Child, grace: Duration) {
    ask_descendants_to_end(child);
    let started = Instant::now();
    while matches!(child.try_wait(), Ok(None)) && started.elapsed() < grace {
        std::thread::sleep(POLL_INTERVAL);
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

/// Kills all processes below this one, and waits until they are gone. The agent itself has ended
/// before: these are orphans.
pub(super) fn end_descendants() -> Left {
    end_children(&BTreeSet::new())
}

/// Kills the children of this process except `spared`. Below each there may be more, which become
/// children of this process.
#[cfg(target_os = "linux")]
fn end_children(spared: &BTreeSet<u32>) -> Left {
    use rustix::process::{Signal, WaitOptions, kill_process, waitpid};
    let look = || children().into_iter().filter(|pid| !spared.contains(pid)).collect::<Vec<_>>();
    let reap = |pid| waitpid(Some(pid), WaitOptions::NOHANG).ok().flatten();
    // These ended by themselves while the agent ran.
    look().into_iter().filter_map(pid_of).for_each(|pid| _ = reap(pid));
    let end = |pid| {
        let Some(pid) = pid_of(pid) else { return false };
        let _ = kill_process(pid, Signal::KILL);
        let killed = Some(Signal::KILL.as_raw());
        reap(pid).is_some_and(|(_, status)| status.terminating_signal() == killed)
    };
    let left = end_all(LONGEST, look, end);
    if left.running == 0 {
        return left;
    }
    let below = below(&look()).into_iter().collect::<BTreeSet<u32>>().len();
    Left { running: left.running.max(below), ..left }
}

#[cfg(not(target_os = "linux"))]
fn end_children(_: &BTreeSet<u32>) -> Left {
    Left::default()
}

/// Looks for processes and ends each, until two looks find none. While a look finds others than the
/// one before, there is no pause: a process that forks and exits for ever lives for a part of a
/// millisecond. `end` returns true if it killed a process.
#[cfg(any(target_os = "linux", test))]
fn end_all(
    longest: Duration,
    mut look: impl FnMut() -> Vec<u32>,
    mut end: impl FnMut(u32) -> bool,
) -> Left {
    let began = Instant::now();
    let (mut left, mut before) = (Left::default(), Vec::new());
    let (mut empty, mut same) = (0, 0);
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

/// Kills the group that this process leads, and so itself: the last act of a wrapper that can't
/// know all processes of its agent.
pub(crate) fn end_own_group() {
    #[cfg(all(unix, not(target_os = "linux")))]
    signal_group(std::process::id(), rustix::process::Signal::KILL);
}

/// The processes below this one that are not dead.
#[cfg(target_os = "linux")]
fn descendants() -> Vec<rustix::process::Pid> {
    let own = [std::process::id()];
    below(&own).into_iter().filter(|pid| !own.contains(pid)).filter_map(pid_of).collect()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn descendants() -> Vec<rustix::process::Pid> {
    Vec::new()
}

/// These processes and all below them, except the dead.
#[cfg(target_os = "linux")]
fn below(heads: &[u32]) -> Vec<u32> {
    let all: Vec<(u32, Stat)> =
        processes().filter_map(|pid| Some((pid, Stat::read(pid)?))).collect();
    let alive = |pid: &u32| all.iter().any(|(other, stat)| other == pid && !stat.is_dead());
    let mut found: Vec<u32> = heads.iter().copied().filter(alive).collect();
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(
            all.iter()
                .filter(|(_, stat)| stat.parent == parent && !stat.is_dead())
                .map(|(pid, _)| *pid),
        );
        at += 1;
    }
    found
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The children of this process, the dead among them. The kernel lists them if it was built with
/// `CONFIG_PROC_CHILDREN`.
#[cfg(target_os = "linux")]
fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    match lists.collect::<Option<Vec<_>>>() {
        Some(lists) if !lists.is_empty() => lists
            .iter()
            .flat_map(|list| list.split_ascii_whitespace())
            .filter_map(|pid| pid.parse().ok())
            .collect(),
        _ => children_by_parent(),
    }
}

#[cfg(not(target_os = "linux"))]
fn children() -> Vec<u32> {
    Vec::new()
}

/// The children of this process, by a search of all processes.
#[cfg(target_os = "linux")]
fn children_by_parent() -> Vec<u32> {
    let own = std::process::id();
    processes().filter(|pid| Stat::read(*pid).is_some_and(|stat| stat.parent == own)).collect()
}

/// Kills every process with the token of an attempt in its environment, when the attempt's wrapper
/// and executor are gone. Finds none if the system does not show the environment of a process.
#[cfg(target_os = "linux")]
pub(crate) fn end_by_token(token: &str) -> Left {
    use rustix::process::{Signal, kill_process};
    let wanted = format!("{CHILD}={token}");
    let has_it = |pid: u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let own = std::process::id();
    let is_wanted = |pid: &u32| {
        *pid != own && has_it(*pid) && Stat::read(*pid).is_some_and(|stat| !stat.is_dead())
    };
    // Each is killed when it is found: the search of the others takes milliseconds.
    let kill = |pid: &u32| {
        if let Some(pid) = pid_of(*pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
    };
    let mut known = BTreeSet::new();
    let left = end_all(
        LONGEST,
        || processes().filter(is_wanted).inspect(kill).collect(),
        |pid| known.insert(pid),
    );
    // The running ones were counted as found.
    Left { ended: left.ended.saturating_sub(left.running), ..left }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn end_by_token(_: &str) -> Left {
    Left::default()
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

    #[test]
    #[cfg(target_os = "linux")]
    fn children_are_found_with_and_without_the_kernels_list() {
        let mut child = std::process::Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let lists = [children(), children_by_parent()];
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(lists.iter().all(|list| list.contains(&child.id())), "{lists:?}");
    }
}
