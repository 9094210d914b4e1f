//! The records of this user: `anvil.local/` in Claude Code's configuration folder.
//!
//! A project holds a debate's file, and that file can come from anywhere. All that gives a right
//! (the owner of a debate, the agents in its seats, the replies that are paid for, the path of a
//! report) lies here, where no clone brings it. One folder serves all installed copies: a plugin's
//! own data folder differs between the ways to install it, and a shell has none.
//!
//! * `debates/ID/`: a debate's records, under its own lock ([`debate`])
//! * `places/KEY`: a folder's debates ([`place`])
//! * `sessions/SESSION`: the debate of a session ([`session`])
//! * `plans/SESSION`: the plan that a session wants argued ([`plan`])
//! * `decisions.jsonl`: what became of recommendations ([`outcomes`])

pub mod debate;
pub mod holder;
pub(crate) mod outcomes;
pub mod place;
pub mod plan;
pub mod session;

pub use debate::{
    DebateRecord, Failed, Handover, IssueFix, IssueLag, Limits, MAX_JOBS, NamedPath, Published,
    RecoveredLine, RunRecord,
};
pub use holder::Holder;
pub use place::Rechecked;
pub use plan::{PlanRecord, PlanStage, PlanText};
pub use session::{FollowedDebate, SessionRecord};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::file::read::read_file;
use super::lock::Lock;
use crate::error::{StoreError, not_written};
use crate::{Project, STATE_FILE_NAME, can_write};
use anvil_system::disk::{self, Disk, Flush, NewFile};
use anvil_system::world::World;
use anvil_text::error::{Error, Result};
use anvil_text::from_json;

/// The name of the folder.
pub const FOLDER: &str = "anvil.local";

/// Longest wait for the lock of places and decisions. It is held for one write.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// The records of this user. Without a configuration folder there are none.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) disk: Disk,
}

impl Machine {
    pub fn new(world: &World) -> Self {
        let folder = world.config_folder.as_ref().map(|folder| folder.join(FOLDER));
        Self { folder, disk: world.disk.clone() }
    }

    /// The folder of the records.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The faults of the folder of records and of those in it, each with its repair.
    pub fn faults(&self) -> Vec<(String, String)> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let below = ["sessions", "plans", "places", "debates"].map(|kind| folder.join(kind));
        std::iter::once(folder).chain(&below).filter_map(|folder| fault(folder)).collect()
    }

    /// The file system of the records if that may not outlive this machine's session and the
    /// project's is another kind: a container's own layer, or memory.
    pub fn may_vanish(&self, project: &Project) -> Option<String> {
        let records = disk::file_system(self.folder.as_deref()?)?;
        let is_passing = ["overlay", "tmpfs"].contains(&records.as_str());
        let is_other = disk::file_system(project.place()).is_some_and(|system| system != records);
        (is_passing && is_other).then_some(records)
    }

    /// False if the folder can't be written to, or there is no folder.
    pub fn can_write(&self) -> bool {
        self.folder
            .as_deref()
            .and_then(|folder| folder.ancestors().find(|above| above.symlink_metadata().is_ok()))
            .is_some_and(can_write)
    }

    /// True before the first debate of this user.
    pub fn is_new(&self) -> bool {
        self.folder.as_ref().is_none_or(|folder| !folder.join("places").exists())
    }

    /// The file of a record; `None` for a name that is not safe as a file name.
    fn record(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let is_safe = (1..=100).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        Some(self.folder.as_ref().filter(|_| is_safe)?.join(kind).join(name))
    }

    fn put(&self, path: &Path, record: &impl Serialize) -> std::io::Result<()> {
        let text = serde_json::to_vec(record).map_err(std::io::Error::other)?;
        self.make_folder(path.parent().unwrap_or(Path::new(".")))?;
        self.disk.replace(path, &text, NewFile::Private, Flush::Now)
    }

    /// Makes a folder of the records, and checks that none on the way is a link.
    fn make_folder(&self, folder: &Path) -> std::io::Result<()> {
        let root = self.folder.as_deref().unwrap_or(Path::new("."));
        self.disk.create_private_folder(root)?;
        self.check_own(root)?;
        self.disk.create_private_folder_in(root, folder)
    }

    /// Does this while no other process changes places or decisions. Removes the temporary files of
    /// killed processes.
    pub(crate) fn alone<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        let folder = self.folder.as_ref().ok_or_else(no_folder)?;
        self.make_folder(folder).map_err(not_written)?;
        let _lock = Lock::take(&self.disk, &folder.join("lock"), Instant::now(), LOCK_WAIT)?;
        self.disk.sweep(folder);
        self.disk.sweep(&folder.join("places"));
        act()
    }

    fn check_own(&self, folder: &Path) -> std::io::Result<()> {
        if self.is_own(folder) {
            return Ok(());
        }
        let fault = format!("{} is a link or a file, not a folder", folder.display());
        Err(std::io::Error::other(fault))
    }

    /// True if this folder of records and the folder above it are not links: the target of a link
    /// belongs to somebody else.
    fn is_own(&self, folder: &Path) -> bool {
        is_folder(folder) && self.folder.as_deref().is_some_and(is_folder)
    }

    /// Removes the records of sessions, and the reports, which can be written again. Debates stay.
    /// Returns the folder, if there was anything to remove.
    pub fn purge(&self) -> Result<Option<PathBuf>> {
        let Some(folder) = self.folder.as_ref().filter(|folder| self.is_own(folder)) else {
            return Ok(None);
        };
        let sessions = ["sessions", "plans"].map(|kind| folder.join(kind));
        let reports: Vec<PathBuf> = self
            .debates()
            .iter()
            .flat_map(|debate| REPORTS.map(|form| debate.folder.join(form)))
            .filter(|path| path.exists())
            .collect();
        if !sessions.iter().any(|folder| folder.exists()) && reports.is_empty() {
            return Ok(None);
        }
        sessions
            .iter()
            .try_for_each(|folder| self.disk.remove_folder(folder))
            .and_then(|()| reports.iter().try_for_each(|report| self.disk.remove(report)))
            .map_err(StoreError::NotPurged)?;
        Ok(Some(folder.clone()))
    }

    /// Removes the whole folder of records. A link in its place stays.
    pub fn remove_all(&self) -> Result<()> {
        match self.folder.as_ref().filter(|folder| self.is_own(folder)) {
            Some(folder) => self.disk.remove_folder(folder).map_err(not_written),
            None => Ok(()),
        }
    }

    /// The state files in all places where this user had a debate.
    pub fn state_files(&self) -> Vec<PathBuf> {
        let folders = self.places().into_iter().flat_map(|record| {
            let place = record.place.path;
            [place.join(".claude"), place]
        });
        let files = folders.map(|folder| folder.join(STATE_FILE_NAME));
        files.filter(|file| file.symlink_metadata().is_ok()).collect()
    }
}

/// The names of a debate's reports in its folder.
pub(crate) const REPORTS: [&str; 3] = ["report.md", "report.html", "report.json"];

/// The fault of a folder of records, and its repair.
fn fault(folder: &Path) -> Option<(String, String)> {
    let meta = std::fs::symlink_metadata(folder).ok()?;
    let name = folder.display();
    let why = if meta.is_symlink() {
        "is a link"
    } else if !meta.is_dir() {
        "is not a folder"
    } else if disk::is_writable_by_others(&meta) {
        let fix = format!("chmod go-w \"{name}\"");
        return Some((format!("other users can write to {name}"), fix));
    } else {
        return None;
    };
    Some((
        format!("{name} {why}: records of this machine can't be kept there"),
        "move it away".to_owned(),
    ))
}

/// True for a folder, false for a link to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

fn read<T: DeserializeOwned>(record: &Path) -> Option<T> {
    from_json(&read_file(record).ok()??).ok()
}

/// The error of a write without a folder for records.
pub(crate) fn no_folder() -> Error {
    StoreError::NoFolder.into()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_neither_written_nor_removed_through_a_link() {
        let temp = tempfile::tempdir().unwrap();
        for linked in ["anvil.local/sessions", "anvil.local"] {
            let home = temp.path().join(linked.replace('/', "-"));
            let outside = home.join("outside");
            let old = outside.join("old");
            fs_err::create_dir_all(&outside).unwrap();
            fs_err::create_dir_all(outside.join("sessions")).unwrap();
            fs_err::write(&old, "precious").unwrap();
            let long_ago = std::time::SystemTime::now() - Duration::from_hours(24 * 365);
            std::fs::File::options()
                .write(true)
                .open(&old)
                .unwrap()
                .set_modified(long_ago)
                .unwrap();
            fs_err::create_dir_all(home.join(linked).parent().unwrap()).unwrap();
            fs_err::os::unix::fs::symlink(&outside, home.join(linked)).unwrap();
            let machine = Machine { folder: Some(home.join("anvil.local")), disk: Disk::default() };
            let record = SessionRecord::new(temp.path(), None);
            let error = machine.remember("one", &record).unwrap_err();
            assert!(error.to_string().contains("is a link"), "{linked}: {error}");
            assert!(old.exists() && !outside.join("one").exists(), "{linked}");
            assert!(!outside.join("sessions/one").exists(), "{linked}");
        }
    }

    #[test]
    fn without_a_folder_nothing_can_be_written() {
        let temp = tempfile::tempdir().unwrap();
        let machine = |folder| Machine { folder, disk: Disk::default() };
        assert!(machine(Some(temp.path().join("deep/er"))).can_write());
        assert!(!machine(None).can_write());
    }

    #[test]
    fn a_record_that_is_not_a_plain_file_does_not_block() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        let place = crate::FolderId::read(temp.path()).unwrap().key();
        for pipe in ["sessions/pipe", &format!("places/{place}"), "debates/pipe/debate.json"] {
            let pipe = temp.path().join(pipe);
            fs_err::create_dir_all(pipe.parent().unwrap()).unwrap();
            nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let (done, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let read = (machine.session("pipe").is_none(), machine.read_session("pipe").is_err());
            let is_known = machine.debate("pipe").is_some() || machine.place(&project).is_some();
            done.send((read, machine.clients().is_empty(), is_known)).unwrap();
        });
        let results = waits.recv_timeout(Duration::from_secs(20)).expect("it waits for the pipe");
        assert_eq!(results, ((true, true), true, false));
    }

    #[test]
    fn a_record_is_a_file_in_the_folder_of_its_kind() {
        let machine = Machine { folder: Some("/records".into()), disk: Disk::default() };
        let [longest, longer] = [100, 101].map(|count| "a".repeat(count));
        for (name, is_safe) in [
            ("a_b-1", true),
            (&longest, true),
            (&longer, false),
            ("", false),
            ("../x", false),
            ("a/b", false),
        ] {
            let expected = is_safe.then(|| Path::new("/records/sessions").join(name));
            assert_eq!(machine.record("sessions", name), expected, "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn records_in_memory_may_vanish_before_the_project() {
        let [memory, disk] = ["/dev/shm", env!("CARGO_MANIFEST_DIR")].map(Path::new);
        let system = |folder: &Path| disk::file_system(folder).unwrap_or_default();
        if system(memory) != "tmpfs" || ["tmpfs", "overlay"].contains(&&*system(disk)) {
            return;
        }
        for (records, project, may_vanish) in
            [(memory, disk, Some("tmpfs".to_owned())), (memory, memory, None), (disk, memory, None)]
        {
            let machine = Machine { folder: Some(records.to_owned()), disk: Disk::default() };
            assert_eq!(machine.may_vanish(&Project::at(project)), may_vanish, "{records:?}");
        }
    }
}
