//! The records of this machine, in `anvil.local/` of Claude Code's configuration folder: which
//! debate a session owns, and which report paths the user has named here.
//!
//! A debate in its own folder runs without them. They are kept outside of the projects because a
//! state file can come from anywhere: Anvil believes its sessions and paths only as far as this
//! machine has them on record. (One folder serves all installed copies: a plugin's own data folder
//! differs between the ways to install it, and a shell has none.)

pub(crate) mod holder;
pub(crate) mod seal;

pub use holder::Holder;
pub use seal::{Key, digest, token};

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Project;
use super::file::bounds;
use super::file::read::read_file;
use super::project::any_path;
use crate::error::{Error, Result};
use crate::system::disk::{self, Disk, Flush, NewFile};
use crate::system::process::ProcessId;
use crate::system::world::World;
use crate::text::from_json;

/// A session that never reports its end is forgotten after this time.
const KEEP_RECORDS: Duration = Duration::from_hours(60 * 24);

/// The folders of the records.
const RECORDS: [&str; 5] = ["sessions", "runs", "told", "outputs", "pages"];

/// Temporary files that a killed process has left are removed after this: no writer needs as long.
const KEEP_TEMPORARY: Duration = Duration::from_mins(1);

/// Most records that are read to find the session of a shell.
const MAX_RECORDS: usize = 1_000;

/// The record of a session that owns a debate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The root of the debate's project.
    #[serde(with = "any_path")]
    pub root: PathBuf,
    /// The client of the session. `None`: unknown.
    pub client: Option<ProcessId>,
    /// The session owns the debate since then, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Claude knows that the protocol of its debate does not hold for now.
    #[serde(default, alias = "is_told")]
    pub is_informed: bool,
    /// The session has no debate any more; the next prompt tells Claude so.
    #[serde(default)]
    pub is_over: bool,
    /// The client that requested a debate between programs, in the record of such a debate's
    /// session.
    pub for_client: Option<ProcessId>,
    /// The phase whose turn ended while agents of it work on, as the time of its request in
    /// milliseconds since 1970: the client begins the next turn by itself.
    #[serde(default)]
    pub agents_work_since: Option<i64>,
    /// Another session owns the debate, and programs argue it; this session gets its news.
    pub follows: Option<FollowedNews>,
}

impl SessionRecord {
    pub fn new(root: &Path, client: Option<ProcessId>) -> Self {
        Self { root: root.to_owned(), client, ..Self::default() }
    }
}

/// The news that the user has of a debate that programs argue for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedNews {
    pub id: String,
    /// Rounds whose end the user knows.
    pub rounds: u8,
    /// The step at which the user learned that the debate pauses or has ended.
    pub told_at: Option<u32>,
    /// The turn of the last news of a round.
    pub turn: Option<String>,
    /// The process that waits to wake the session.
    pub waiter: Option<ProcessId>,
    /// The conversation had a debate before, and Claude does not know that its protocol does not
    /// hold any more.
    #[serde(default)]
    pub is_bound: bool,
    /// The session argues the debate too, and waits for a worker.
    #[serde(default)]
    pub is_shared: bool,
}

/// Most replies that are written at the same time.
pub const MAX_JOBS: u8 = 16;

/// The agents that argue a debate on this machine. The project's files do not count: they could
/// have come with the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct RunRecord {
    #[serde(with = "any_path")]
    pub root: PathBuf,
    /// For each seat the agent, as the user named it.
    pub agents: BTreeMap<String, String>,
    /// For each seat that the user has named again, the first attempt since.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub renamed: BTreeMap<String, u32>,
    /// The agents may read the project's files.
    #[serde(default)]
    pub in_project: bool,
    /// Longest time for a whole reply, in seconds.
    pub max_reply: Option<u64>,
    /// Longest time for all replies together, in seconds.
    pub max_time: Option<u64>,
    pub max_tokens: Option<u64>,
    /// In United States dollars.
    pub max_cost: Option<f64>,
    /// Those two count only what the agents tell.
    #[serde(default)]
    pub unmetered: bool,
    /// Replies that are written at the same time, if the user named a number.
    pub jobs: Option<u8>,
    /// Failures of attempts before this one don't count any more: the user has decided on the seat
    /// since.
    #[serde(default)]
    pub since: u32,
    /// Leases of other machines that existed when this machine began or joined the debate: they
    /// came with its files.
    #[serde(default)]
    pub found: Vec<String>,
    /// The user started it in Claude Code, and `/anvil:resume` goes on in the same way.
    #[serde(default)]
    pub isolated: bool,
    /// The client in which the user started it.
    pub for_client: Option<ProcessId>,
    /// The debate goes on when that client ends.
    #[serde(default)]
    pub detached: bool,
}

impl RunRecord {
    /// A record without agents.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), ..Self::default() }
    }

    fn is_sane(&self) -> bool {
        let is_time = |time: Option<u64>| time.is_none_or(|time| bounds::seconds(time).is_some());
        is_time(self.max_reply)
            && is_time(self.max_time)
            && self.max_cost.is_none_or(|cost| cost.is_finite() && cost > 0.0)
            && self.renamed.values().chain([&self.since]).all(|at| *at <= bounds::MAX_NUMBER + 1)
            && self.jobs.is_none_or(|jobs| (1..=MAX_JOBS).contains(&jobs))
    }
}

#[derive(Serialize, Deserialize)]
struct Approval {
    #[serde(with = "any_path")]
    state_file: PathBuf,
    #[serde(with = "any_path")]
    output: PathBuf,
}

/// The records of this machine. Without a configuration folder it keeps none.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) folder: Option<PathBuf>,
    pub(super) disk: Disk,
}

impl Machine {
    pub fn new(world: &World) -> Self {
        let folder = world.config_folder.as_ref().map(|folder| folder.join("anvil.local"));
        Self { folder, disk: world.disk.clone() }
    }

    /// What is wrong with the folder of records or one in it, and its repair.
    pub fn faults(&self) -> Vec<(String, String)> {
        let folders = self.folder.iter().flat_map(|folder| {
            let kinds = ["sessions", "outputs", "told", "runs"].map(|kind| folder.join(kind));
            std::iter::once(folder.clone()).chain(kinds)
        });
        let fault = |folder: PathBuf| {
            let meta = std::fs::symlink_metadata(&folder).ok()?;
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
        };
        folders.filter_map(fault).collect()
    }

    /// The record of a session that has a debate.
    pub fn session(&self, session_id: &str) -> Option<SessionRecord> {
        self.read_session(session_id).unwrap_or_default().filter(|record| !record.is_over)
    }

    /// The record of any session, or why it can't be read.
    pub fn read_session(&self, session_id: &str) -> std::io::Result<Option<SessionRecord>> {
        let Some(path) = self.record("sessions", session_id) else { return Ok(None) };
        let text = read_file(&path).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(text.and_then(|text| from_json(&text).ok()))
    }

    /// The clients of all sessions on record.
    pub fn clients(&self) -> Vec<ProcessId> {
        self.sessions().filter_map(|record| record.client).collect()
    }

    /// The news of all sessions that follow a debate.
    pub fn followed(&self) -> Vec<FollowedNews> {
        self.sessions().filter_map(|record| record.follows).collect()
    }

    fn sessions(&self) -> impl Iterator<Item = SessionRecord> {
        let folder = self.folder.as_ref().map(|folder| folder.join("sessions"));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let entries = entries.into_iter().flatten().flatten();
        entries.take(MAX_RECORDS).filter_map(|entry| read(&entry.path()))
    }

    /// False without a configuration folder.
    pub fn can_remember(&self) -> bool {
        self.folder.is_some()
    }

    /// Records that a session owns a debate. The caller ignores a failure: the debate is found in
    /// its own folder as well.
    pub fn remember(&self, session_id: &str, record: &SessionRecord) -> std::io::Result<()> {
        let Some(path) = self.record("sessions", session_id) else { return Ok(()) };
        let text = serde_json::to_vec(record).map_err(std::io::Error::other)?;
        let written = self.write(&path, &text);
        let is_old = |name: &OsStr| (!disk::is_temporary(name)).then_some(KEEP_RECORDS);
        let is_left = |name: &OsStr| disk::is_temporary(name).then_some(KEEP_TEMPORARY);
        if let Some(folder) = &self.folder {
            self.forget_old(&folder.join("sessions"), is_old);
            for kind in ["", "sessions", "outputs", "told", "runs"] {
                self.forget_old(&folder.join(kind), is_left);
            }
        }
        written
    }

    /// Records that the session's debate is over, so that Claude learns it.
    pub fn end(&self, session_id: &str) {
        let Some(record) = self.session(session_id) else { return };
        if record.is_informed {
            self.forget(session_id);
        } else {
            // A debate need not fail because Claude does not learn of its end.
            let _ = self.remember(session_id, &SessionRecord { is_over: true, ..record });
        }
    }

    /// Forgets a session that ended or lost its debate.
    pub fn forget(&self, session_id: &str) {
        if let Some(path) = self.record("sessions", session_id) {
            let _ = self.disk.remove(&path);
        }
    }

    pub fn run(&self, id: &str) -> Option<RunRecord> {
        read(&self.record("runs", id)?).filter(RunRecord::is_sane)
    }

    /// Without a configuration folder nothing is kept, and a resume has to name the agents again.
    pub fn remember_run(&self, id: &str, record: &RunRecord) -> Result<()> {
        let Some(path) = self.record("runs", id) else { return Ok(()) };
        let text = serde_json::to_vec(record).unwrap_or_default();
        let hint = "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to";
        self.write(&path, &text).map_err(|error| Error::io(&error, hint))
    }

    /// True if the user has read this note about this project.
    pub fn has_shown(&self, what: &str, project: &Project) -> bool {
        self.said_file(what, project).is_some_and(|path| path.exists())
    }

    /// Records that the user has read a note. Without a configuration folder no note is shown: it
    /// would be shown every time.
    pub fn remember_shown(&self, what: &str, project: &Project) -> bool {
        let path = self.said_file(what, project);
        path.is_some_and(|path| {
            self.write(&path, project.root().as_os_str().as_encoded_bytes()).is_ok()
        })
    }

    /// True once for this user, and recorded. Without a configuration folder it is never true.
    pub fn is_first_time(&self, what: &str) -> bool {
        let path = self.record("told", what).filter(|path| !path.exists());
        path.is_some_and(|path| self.write(&path, b"").is_ok())
    }

    fn said_file(&self, what: &str, project: &Project) -> Option<PathBuf> {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        project.root().hash(&mut hasher);
        self.record("told", &format!("{what}-{:016x}", hasher.finish()))
    }

    /// Records that the user on this machine named `output` for the debate `id` of this project.
    pub fn approve_output(&self, project: &Project, id: &str, output: &Path) -> Result<()> {
        let approval = Approval { state_file: project.state_file(), output: output.to_owned() };
        let written = match (self.record("outputs", id), serde_json::to_vec(&approval)) {
            (Some(path), Ok(text)) => self.write(&path, &text),
            _ => Err(std::io::Error::other("there is no folder to remember it in")),
        };
        written.map_err(|error| {
            Error::failed(
                format!("the path of the report can't be remembered: {error}"),
                "set HOME or CLAUDE_CONFIG_DIR, or leave --output out",
            )
        })
    }

    /// True if the user on this machine named exactly this path for exactly this debate.
    pub fn is_approved(&self, project: &Project, id: &str, output: &Path) -> bool {
        let known: Option<Approval> = self.record("outputs", id).and_then(|path| read(&path));
        known
            .is_some_and(|known| known.state_file == project.state_file() && known.output == output)
    }

    /// The file of a record; `None` for a name that is not safe as a file name.
    fn record(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let fits = (1..=100).contains(&name.len()) && name.bytes().all(safe);
        fits.then(|| self.folder.as_ref().map(|folder| folder.join(kind).join(name))).flatten()
    }

    fn write(&self, path: &Path, text: &[u8]) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        self.disk.create_private_folder(folder)?;
        self.check_own(folder)?;
        self.disk.replace(path, text, NewFile::Private, Flush::Now)
    }

    fn check_own(&self, folder: &Path) -> std::io::Result<()> {
        let foreign = || format!("{} is a link or a file, not a folder", folder.display());
        if self.is_own(folder) { Ok(()) } else { Err(std::io::Error::other(foreign())) }
    }

    /// True if this folder of records and the folder above it are not links: the target of a link
    /// belongs to somebody else.
    fn is_own(&self, folder: &Path) -> bool {
        let is_real =
            |folder: &Path| std::fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir());
        is_real(folder) && self.folder.as_deref().is_some_and(is_real)
    }

    /// Removes all records of this machine and its key; returns their folder. In a home that is a
    /// project, too, the project's debates lie in the same folder and stay.
    pub fn purge(&self) -> Result<Option<PathBuf>> {
        let Some(folder) = self.folder.as_ref().filter(|folder| self.is_own(folder)) else {
            return Ok(None);
        };
        let hint = "check the folder's permissions; run it again to finish";
        let failed = |error: std::io::Error| Error::io(&error, hint);
        for name in RECORDS {
            self.disk.remove_folder(&folder.join(name)).map_err(failed)?;
        }
        self.disk.remove(&folder.join("key")).map_err(failed)?;
        self.disk.sweep(folder);
        self.disk.remove_empty_folder(folder);
        Ok(Some(folder.clone()))
    }

    /// Removes the files that are older than the limit that `keep` gives for their name.
    fn forget_old(&self, folder: &Path, keep: impl Fn(&OsStr) -> Option<Duration>) {
        if !self.is_own(folder) {
            return;
        }
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|meta| meta.modified());
            let age = modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            if keep(&entry.file_name()).zip(age).is_some_and(|(keep, age)| age > keep) {
                let _ = self.disk.remove(&entry.path());
            }
        }
    }
}

fn read<T: DeserializeOwned>(record: &Path) -> Option<T> {
    from_json(&read_file(record).ok()??).ok()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_record_with_impossible_numbers_is_ignored() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let record = RunRecord {
            max_cost: Some(1.5),
            max_time: Some(60),
            jobs: Some(4),
            since: 7,
            ..RunRecord::new(temp.path())
        };
        machine.remember_run("one", &record).unwrap();
        assert_eq!(machine.run("one"), Some(record));
        let text = fs_err::read_to_string(temp.path().join("runs/one")).unwrap();
        for (own, other) in [
            ("\"max_cost\":1.5", "\"max_cost\":-1"),
            ("\"max_cost\":1.5", "\"max_cost\":1e999"),
            ("\"max_time\":60", "\"max_time\":18446744073709551615"),
            ("\"since\":7", "\"since\":4294967295"),
            ("\"jobs\":4", "\"jobs\":200"),
        ] {
            let changed = text.replace(own, other);
            assert_ne!(changed, text);
            fs_err::write(temp.path().join("runs/one"), changed).unwrap();
            assert_eq!(machine.run("one"), None, "{other}");
        }
    }

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
            let month_ago = SystemTime::now() - 2 * KEEP_RECORDS;
            std::fs::File::options()
                .write(true)
                .open(&old)
                .unwrap()
                .set_modified(month_ago)
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
    fn a_record_that_is_not_a_plain_file_does_not_block() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        for kind in ["sessions", "outputs"] {
            fs_err::create_dir_all(temp.path().join(kind)).unwrap();
            nix::unistd::mkfifo(
                &temp.path().join(kind).join("pipe"),
                nix::sys::stat::Mode::S_IRWXU,
            )
            .unwrap();
        }
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let (done, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let read = (machine.session("pipe").is_none(), machine.read_session("pipe").is_err());
            let is_report = machine.is_approved(&project, "pipe", Path::new("x.md"));
            done.send((read, machine.clients().is_empty(), is_report)).unwrap();
        });
        let results = waits.recv_timeout(Duration::from_secs(20)).expect("it waits for the pipe");
        assert_eq!(results, ((true, true), true, false));
    }
}
