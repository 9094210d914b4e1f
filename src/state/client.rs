//! The client process of a session, and whether it still runs.

use serde::{Deserialize, Serialize};

/// Most processes above this one that are looked at: a shell in a shell in an editor in a terminal has a dozen.
const MOST_ANCESTORS: usize = 64;

/// The client process of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its process id.
    pub pid: u32,
    /// When it started, in the kernel's own unit; tells a reused process id apart. 0 where the system does not say.
    #[serde(default)]
    pub started: u64,
}

impl Client {
    /// The process with this id, as it is now.
    #[must_use]
    pub fn of_pid(pid: u32) -> Self {
        Self { pid, started: start_time(pid).unwrap_or(0) }
    }

    /// True when that very process surely runs no more: its id is free, or another one's.
    #[must_use]
    pub fn is_gone(self) -> bool {
        let is_others = || start_time(self.pid).is_some_and(|started| self.started != 0 && started != self.started);
        cfg!(unix) && (!exists(self.pid) || is_dead(self.pid) || is_others())
    }

    /// True while that very process runs.
    #[must_use]
    pub fn is_alive(self) -> bool {
        let is_it = self.started == 0 || start_time(self.pid) == Some(self.started);
        exists(self.pid) && is_it && !is_dead(self.pid)
    }
}

/// The processes above this one, the nearest first, as far as `/proc` tells them. The first process of a system is the parent of every
/// orphan, so it is nobody's.
#[must_use]
pub fn ancestors() -> Vec<Client> {
    let mut found = Vec::new();
    let mut pid = std::process::id();
    while found.len() < MOST_ANCESTORS
        && let Some(parent) = parent_of(pid).filter(|parent| *parent > 1)
    {
        found.push(Client::of_pid(parent));
        pid = parent;
    }
    found
}

/// Field 4 of `/proc/PID/stat`.
fn parent_of(pid: u32) -> Option<u32> {
    stat_field(pid, 4)
}

/// Field 22 of `/proc/PID/stat`: clock ticks between boot and the process's start. `None` without a proc file system.
fn start_time(pid: u32) -> Option<u64> {
    stat_field(pid, 22)
}

/// True for a process that has ended and that its parent has not asked about yet.
fn is_dead(pid: u32) -> bool {
    stat_field::<char>(pid, 3) == Some('Z')
}

/// A field of `/proc/PID/stat`, counted as proc(5) does, from the third one on.
fn stat_field<T: std::str::FromStr>(pid: u32, number: usize) -> Option<T> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    after_name.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // EPERM: it exists and belongs to somebody else.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn exists(_: u32) -> bool {
    false
}
