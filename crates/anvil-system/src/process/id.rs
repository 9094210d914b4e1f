//! The identity of a process: the system gives its number to another one as soon as it is gone.

use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// Most ancestors of this process that are read: a shell in a shell in an editor in a terminal has
/// a dozen.
const MAX_ANCESTORS: usize = 64;

/// One process of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessId {
    pub pid: u32,
    /// The start, in clock ticks since the machine's boot. 0: unknown.
    #[serde(default)]
    pub started: u64,
    /// The boot of the machine. `None`: unknown, as in session records of versions before this
    /// field.
    #[serde(default, with = "boot_text")]
    pub boot: Option<BootId>,
}

impl ProcessId {
    /// The process that has this number now.
    pub fn from_pid(pid: u32) -> Self {
        let started = Stat::read(pid).map_or(0, |stat| stat.started);
        Self { pid, started, boot: BootId::current() }
    }

    pub fn current() -> Self {
        Self::from_pid(std::process::id())
    }

    /// True for two records of one process: no field that both know differs.
    pub fn is_same(self, other: Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started) && !self.is_of_other_boot(other.boot)
    }

    /// True if it certainly does not run any more. Not the opposite of [`Self::is_alive`]: without
    /// `/proc` both can be false.
    pub fn is_gone(self) -> bool {
        self.runs() == Some(false)
    }

    /// True while it certainly runs.
    pub fn is_alive(self) -> bool {
        self.runs() == Some(true)
    }

    /// False if the process group that it leads, or has led, may be over. A number stays taken
    /// while a group has it: another process with this number shows that the whole group is gone.
    /// Where the start of a process is unknown, only a living leader counts.
    #[cfg(unix)]
    pub(crate) fn may_lead(self) -> bool {
        let is_known = self.pid > 1 && !self.is_of_other_boot(BootId::current());
        is_known
            && match Stat::read(self.pid) {
                Some(stat) => stat.started == self.started,
                None => self.started != 0 || exists(self.pid),
            }
    }

    /// `None`: unknown.
    fn runs(self) -> Option<bool> {
        if !cfg!(unix) {
            return None;
        }
        if self.is_of_other_boot(BootId::current()) || !exists(self.pid) {
            return Some(false);
        }
        match Stat::read(self.pid) {
            Some(stat) if stat.is_dead() => Some(false),
            Some(stat) if self.started != 0 => Some(self.started == stat.started),
            None if self.started != 0 => None,
            _ => Some(true),
        }
    }

    fn is_of_other_boot(self, boot: Option<BootId>) -> bool {
        self.boot.zip(boot).is_some_and(|(one, other)| one != other)
    }
}

/// The ancestors of this process, the nearest first, as far as `/proc` shows them. Without process
/// 1, which is the parent of every orphan.
pub fn ancestors() -> Vec<ProcessId> {
    std::iter::successors(parent_of(std::process::id()), |pid| parent_of(*pid))
        .take(MAX_ANCESTORS)
        .map(ProcessId::from_pid)
        .collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    Stat::read(pid).map(|stat| stat.parent).filter(|parent| *parent > 1)
}

/// The process that started this one: its parent, or the parent of the shell that runs its command.
pub fn starter() -> Option<u32> {
    let parent = Stat::read(std::process::id())?.parent;
    let stat = Stat::read(parent)?;
    let is_shell = matches!(stat.name.as_str(), "sh" | "bash" | "dash" | "zsh");
    Some(if is_shell { stat.parent } else { parent })
}

/// One run of the machine, from a boot to the next: the kernel's random UUID for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootId(u128);

impl BootId {
    /// The boot of this process. `None` if the system has no name for it.
    pub fn current() -> Option<Self> {
        static CURRENT: OnceLock<Option<BootId>> = OnceLock::new();
        *CURRENT.get_or_init(|| {
            let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
            Self::parse(text.trim())
        })
    }

    /// Reads only the form that is written, so that a record has only one text.
    pub fn parse(text: &str) -> Option<Self> {
        let number = u128::from_str_radix(&text.replace('-', ""), 16).ok()?;
        Some(Self(number)).filter(|id| id.to_string() == text)
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:032x}", self.0);
        let (first, digits) = digits.split_at(8);
        let (second, digits) = digits.split_at(4);
        let (third, digits) = digits.split_at(4);
        let (fourth, last) = digits.split_at(4);
        write!(out, "{first}-{second}-{third}-{fourth}-{last}")
    }
}

/// A boot id, as a text that is empty if it is not known. An invalid text is not known either.
mod boot_text {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::super::id::BootId;

    #[expect(clippy::ref_option, reason = "serde gives a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        id: &Option<BootId>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&id.map(|id| id.to_string()).unwrap_or_default())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<BootId>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.and_then(|text| BootId::parse(&text)))
    }
}

/// The fields of `/proc/PID/stat`.
pub(crate) struct Stat {
    name: String,
    state: char,
    pub parent: u32,
    started: u64,
}

impl Stat {
    /// `None` without such a process, or without `/proc`.
    pub(crate) fn read(pid: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The fields as proc(5) counts them: 2 is the name, in parentheses and with any character in
    /// it, 3 the state, 4 the parent, 22 the start.
    fn parse(text: &str) -> Option<Self> {
        let (name, fields) = text.split_once('(')?.1.rsplit_once(") ")?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Self {
            name: name.to_owned(),
            state: fields.next()?.parse().ok()?,
            parent: fields.next()?.parse().ok()?,
            started: fields.nth(22 - 5)?.parse().ok()?,
        })
    }

    /// True for a process that has ended, and for which its parent has not waited yet.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    // EPERM: it exists, and belongs to another user.
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn exists(_: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_shifts_no_field() {
        let numbers = (5..=22).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        let stat = Stat::parse(&format!("7 (a) Z 1 (b) ) S 4 {numbers} 23\n")).unwrap();
        assert_eq!((stat.name.as_str(), stat.state), ("a) Z 1 (b) ", 'S'));
        assert_eq!((stat.parent, stat.started), (4, 22));
        assert!(Stat::parse("7 (a) S 4 5").is_none() && Stat::parse("").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_gone_if_its_start_or_boot_differs() {
        let this = ProcessId::current();
        assert!(this.is_alive() && !this.is_gone());
        let unsure = ProcessId { started: 0, boot: None, ..this };
        assert!(unsure.is_alive() && !unsure.is_gone());
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let zombie = ProcessId::from_pid(child.id());
        while !zombie.is_gone() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        for gone in [
            zombie,
            ProcessId { started: this.started + 1, ..this },
            ProcessId { boot: Some(BootId(1)), ..this },
            ProcessId { boot: Some(BootId(1)), ..unsure },
            ProcessId { pid: 0, ..unsure },
        ] {
            assert!(gone.is_gone() && !gone.is_alive(), "{gone:?}");
        }
    }

    #[test]
    fn a_record_without_a_boot_id_matches_one_with_it() {
        let old: ProcessId = serde_json::from_str(r#"{"pid":7,"started":8}"#).unwrap();
        let new = ProcessId { boot: Some(BootId(1)), ..old };
        assert!(old.is_same(new) && new.is_same(old) && old.boot.is_none());
        assert!(!new.is_same(ProcessId { boot: Some(BootId(2)), ..old }));
        assert!(!new.is_same(ProcessId { started: 9, ..new }));
        let text = serde_json::to_string(&old).unwrap();
        assert_eq!(text, r#"{"pid":7,"started":8,"boot":""}"#);
        assert_eq!(serde_json::from_str::<ProcessId>(&text).unwrap(), old);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_number_that_another_process_has_leads_no_group_of_the_first() {
        let own = ProcessId::current();
        assert!(own.may_lead());
        assert!(!ProcessId { started: own.started + 1, ..own }.may_lead(), "another process");
        assert!(!ProcessId { boot: Some(BootId(1)), ..own }.may_lead(), "another boot");
        assert!(!ProcessId { pid: 1, ..own }.may_lead() && !ProcessId { pid: 0, ..own }.may_lead());
        let mut child = std::process::Command::new("/bin/true").spawn().unwrap();
        let ended = ProcessId::from_pid(child.id());
        child.wait().unwrap();
        assert!(ended.may_lead(), "its children may live on");
    }

    proptest! {
        #[test]
        fn a_process_id_round_trips(pid: u32, started: u64, boot: Option<u128>) {
            let written = ProcessId { pid, started, boot: boot.map(BootId) };
            let text = serde_json::to_string(&written).unwrap();
            prop_assert_eq!(serde_json::from_str::<ProcessId>(&text).unwrap(), written);
        }

        #[test]
        fn only_the_written_form_is_a_boot_id(text in "[0-9a-fA-F+-]{0,40}") {
            if let Some(id) = BootId::parse(&text) {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }
}
