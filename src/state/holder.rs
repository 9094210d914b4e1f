//! A process that holds something, on whatever machine, and whether it is provably gone.

use serde::{Deserialize, Serialize};

use super::Client;

/// A process, with what tells its machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The name of its machine.
    pub host: String,
    /// What tells it from another host of that name, where that is known.
    pub(super) machine: Option<String>,
    /// Since the machine was started, where that is known.
    pub(super) boot: Option<String>,
    /// In which space of process ids: containers on one machine have their own.
    pub(super) pids: Option<String>,
    /// The process.
    pub process: Client,
}

impl Holder {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        Self::of(Client::of_pid(std::process::id()))
    }

    /// A process of this machine.
    #[must_use]
    pub fn of(process: Client) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
        Self {
            host: host_name(),
            machine: read("/etc/machine-id"),
            boot: read("/proc/sys/kernel/random/boot_id"),
            pids: std::fs::read_link("/proc/self/ns/pid").ok().map(|space| space.display().to_string()),
            process,
        }
    }

    /// True where nothing else can be: on this machine, and before its last start or without its process.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.is_dead_on(&Self::this())
    }

    /// True for a process whose id means the same here.
    #[must_use]
    pub fn is_here(&self) -> bool {
        let this = Self::this();
        let is_same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        is_same(&self.boot, &this.boot) && is_same(&self.pids, &this.pids)
    }

    /// What one side does not know shows nothing.
    fn is_dead_on(&self, this: &Self) -> bool {
        fn both<'a>(one: Option<&'a String>, other: Option<&'a String>) -> Option<(&'a String, &'a String)> {
            one.zip(other).filter(|(one, other)| !one.is_empty() && !other.is_empty())
        }
        let is_same = |known: Option<(&String, &String)>| known.is_some_and(|(one, other)| one == other);
        let Some((boot, boot_here)) = both(self.boot.as_ref(), this.boot.as_ref()) else { return false };
        // No two machines have the same start.
        if boot == boot_here {
            return is_same(both(self.pids.as_ref(), this.pids.as_ref())) && self.process.is_gone();
        }
        self.host == this.host && is_same(both(self.machine.as_ref(), this.machine.as_ref()))
    }
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_both_sides_know_shows_that_a_holder_is_dead() {
        let of = |boot: Option<&str>, machine: Option<&str>, pids: Option<&str>, pid: u32| Holder {
            host: "box".into(),
            machine: machine.map(str::to_owned),
            boot: boot.map(str::to_owned),
            pids: pids.map(str::to_owned),
            process: Client { pid, started: 0 },
        };
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let (gone, alive) = (child.id(), std::process::id());
        let (now, id, pids) = (Some("now"), Some("id"), Some("pid:[1]"));
        let this = of(now, id, pids, alive);
        for (holder, this, is_dead) in [
            (of(Some("earlier"), id, pids, alive), &this, true),
            (of(None, id, pids, gone), &this, false),
            (of(Some(""), id, pids, gone), &this, false),
            (of(now, id, pids, alive), &of(None, id, pids, alive), false),
            (of(None, id, pids, gone), &of(None, id, pids, alive), false),
            // Two hosts of one name.
            (of(Some("earlier"), None, pids, gone), &of(now, None, pids, alive), false),
            (of(Some("earlier"), Some(""), pids, gone), &of(now, Some(""), pids, alive), false),
            (of(Some("earlier"), None, pids, gone), &this, false),
            (of(Some("earlier"), Some("other"), pids, gone), &this, false),
            // One start is one machine, whatever its name.
            (of(now, None, pids, gone), &of(now, None, pids, alive), true),
            (of(now, id, None, gone), &of(now, id, None, alive), false),
            (of(now, id, Some("pid:[2]"), gone), &this, false),
            (of(now, id, pids, alive), &this, false),
        ] {
            assert_eq!(holder.is_dead_on(this), is_dead, "{holder:?} on {this:?}");
        }
    }
}
