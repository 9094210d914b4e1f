//! A process that holds something, on any machine, and the proof that it is gone.

use serde::{Deserialize, Serialize};

use anvil_system::process::{BootId, ProcessId};

/// A process, and the identity of its machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Holder {
    /// The name of its machine.
    pub host: String,
    /// Distinguishes hosts of one name, if it is known.
    pub machine: Option<String>,
    /// The namespace of process ids: containers on one machine have their own.
    pub pids: Option<String>,
    pub process: ProcessId,
}

/// The form in a file, where the boot id stands next to the process.
#[derive(Serialize, Deserialize)]
struct Stored {
    host: String,
    machine: Option<String>,
    boot: Option<String>,
    pids: Option<String>,
    process: StoredProcess,
}

#[derive(Serialize, Deserialize)]
struct StoredProcess {
    pid: u32,
    #[serde(default)]
    started: u64,
}

impl From<Stored> for Holder {
    fn from(stored: Stored) -> Self {
        let Stored { host, machine, boot, pids, process } = stored;
        let StoredProcess { pid, started } = process;
        let boot = boot.and_then(|boot| BootId::parse(&boot));
        Self { host, machine, pids, process: ProcessId { pid, started, boot } }
    }
}

impl From<Holder> for Stored {
    fn from(holder: Holder) -> Self {
        let Holder { host, machine, pids, process } = holder;
        let ProcessId { pid, started, boot } = process;
        let boot = boot.map(|boot| boot.to_string());
        Self { host, machine, boot, pids, process: StoredProcess { pid, started } }
    }
}

impl Holder {
    pub fn this() -> Self {
        let machine = std::fs::read_to_string("/etc/machine-id").ok();
        let pids = std::fs::read_link("/proc/self/ns/pid").ok();
        Self {
            host: host_name(),
            machine: machine.map(|id| id.trim().to_owned()),
            pids: pids.map(|space| space.display().to_string()),
            process: ProcessId::current(),
        }
    }

    /// The user of this machine, without a process: a claim of theirs never counts as dead.
    pub fn user() -> Self {
        Self { process: ProcessId::default(), ..Self::this() }
    }

    pub fn has_process(&self) -> bool {
        self.process != ProcessId::default()
    }

    /// True only if the process is provably gone: it is of this machine, and it is of an earlier
    /// boot or no longer runs.
    pub fn is_dead(&self) -> bool {
        self.is_dead_on(&Self::this())
    }

    fn is_dead_on(&self, this: &Self) -> bool {
        let Some((boot, boot_here)) = self.process.boot.zip(this.process.boot) else {
            return false;
        };
        // No two machines share a boot id.
        if boot == boot_here {
            return is_same(self.pids.as_ref(), this.pids.as_ref()) && self.process.is_gone();
        }
        self.host == this.host && is_same(self.machine.as_ref(), this.machine.as_ref())
    }
}

/// A value that is unknown on one side proves nothing.
fn is_same(one: Option<&String>, other: Option<&String>) -> bool {
    one.is_some_and(|one| !one.is_empty()) && one == other
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_dead_only_by_values_that_both_records_have() {
        let of =
            |boot: Option<BootId>, machine: Option<&str>, pids: Option<&str>, pid: u32| Holder {
                host: "box".into(),
                machine: machine.map(str::to_owned),
                pids: pids.map(str::to_owned),
                process: ProcessId { pid, started: 0, boot },
            };
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let gone = child.id();
        let alive = std::process::id();
        let now = BootId::current();
        let id = Some("id");
        let pids = Some("pid:[1]");
        let earlier = BootId::parse("00000000-0000-4000-8000-000000000000");
        assert!(now.is_some() && earlier.is_some());
        let this = of(now, id, pids, alive);
        for (holder, this, is_dead) in [
            (of(earlier, id, pids, alive), &this, true),
            (of(None, id, pids, gone), &this, false),
            (of(now, id, pids, alive), &of(None, id, pids, alive), false),
            (of(None, id, pids, gone), &of(None, id, pids, alive), false),
            // Two hosts of one name.
            (of(earlier, None, pids, gone), &of(now, None, pids, alive), false),
            (of(earlier, Some(""), pids, gone), &of(now, Some(""), pids, alive), false),
            (of(earlier, None, pids, gone), &this, false),
            (of(earlier, Some("other"), pids, gone), &this, false),
            // One boot is one machine, whatever its name.
            (of(now, None, pids, gone), &of(now, None, pids, alive), true),
            (of(now, id, None, gone), &of(now, id, None, alive), false),
            (of(now, id, Some("pid:[2]"), gone), &this, false),
            (of(now, id, pids, alive), &this, false),
        ] {
            assert_eq!(holder.is_dead_on(this), is_dead, "{holder:?} on {this:?}");
        }
    }

    #[test]
    fn a_user_has_no_process_and_is_never_dead() {
        let [this, user] = [Holder::this(), Holder::user()];
        assert_eq!((this.has_process(), this.is_dead()), (true, false));
        assert!(!this.host.is_empty() && this.host == user.host);
        assert_eq!((user.has_process(), user.is_dead()), (false, false));
    }

    #[test]
    fn the_holder_file_keeps_its_format() {
        let boot = "0f1e2d3c-4b5a-4968-8776-655443322110";
        let process = r#""process":{"pid":7,"started":8}"#;
        let text = format!(
            r#"{{"host":"box","machine":null,"boot":"{boot}","pids":"pid:[1]",{process}}}"#
        );
        let holder: Holder = serde_json::from_str(&text).unwrap();
        assert_eq!(holder.process.boot, BootId::parse(boot));
        assert_eq!(serde_json::to_string(&holder).unwrap(), text);
        let without = text.replace(&format!("\"{boot}\""), "null");
        let holder: Holder = serde_json::from_str(&without).unwrap();
        assert_eq!((holder.process.boot, serde_json::to_string(&holder).unwrap()), (None, without));
    }
}
