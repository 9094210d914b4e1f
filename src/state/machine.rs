//! What this machine remembers beside the projects, in `anvil.local/` of Claude Code's configuration folder:
//! which debate a session owns, and which report paths the user here has named.
//!
//! None of it is needed to run a debate in its own folder. It is kept apart from the projects because a state file can come
//! from anywhere: what it claims about sessions and paths is believed only as far as this machine has it on record.
//! (One folder for all installed copies: a plugin's own data folder differs between the ways to install it, and a
//! shell has none.)

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::read::read_file;
use super::{Client, Project, any_path, bounds};
use crate::disk::{self, Disk, Flush, NewFile};
use crate::error::{Error, Result};
use crate::world::World;

/// Records of sessions that never said goodbye are forgotten after this.
const KEEP_RECORDS: Duration = Duration::from_hours(60 * 24);

/// Temporary files that a kill has left go after this: no writer needs as long.
const KEEP_TEMPORARY: Duration = Duration::from_mins(1);

/// Most records that are read to tell whose a shell is.
const MOST_RECORDS: usize = 1_000;

/// Pages that were made for the browser go after this: it has read them.
const KEEP_PAGES: Duration = Duration::from_hours(24);

/// What is remembered of a session that owns a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The root of the project its debate is in.
    #[serde(with = "any_path")]
    pub root: PathBuf,
    /// The client it runs in, where that is known.
    pub client: Option<Client>,
    /// Since when it owns the debate, in milliseconds since 1970.
    #[serde(default)]
    pub since: Option<i64>,
    /// Claude knows that the protocol of its debate does not hold for now.
    #[serde(default, alias = "is_told")]
    pub is_informed: bool,
    /// The session has no debate any more; the next prompt tells Claude so.
    #[serde(default)]
    pub is_over: bool,
    /// For a session whose seats are filled by programs: the client in which that was asked for.
    #[serde(default)]
    pub for_client: Option<Client>,
    /// The debate is another session's, whose seats are filled by programs; this one is told how it goes.
    #[serde(default)]
    pub follows: Option<Followed>,
}

impl SessionRecord {
    /// That of a session whose debate is in this project.
    #[must_use]
    pub fn of(root: &Path, client: Option<Client>) -> Self {
        Self {
            root: root.to_owned(),
            client,
            since: None,
            is_informed: false,
            is_over: false,
            for_client: None,
            follows: None,
        }
    }
}

/// What the user was told of a debate that programs argue for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The debate.
    pub id: String,
    /// Rounds that they know to be over.
    pub rounds: u8,
    /// Where it rests or ended: the step at which they were told so.
    pub told_at: Option<u32>,
    /// The turn in which they were told of a round last.
    pub turn: Option<String>,
    /// The process that waits to wake the session.
    pub waiter: Option<Client>,
    /// It had a debate in its conversation before, and Claude does not know that the protocol of that does not hold.
    #[serde(default)]
    pub is_bound: bool,
    /// The session argues it too, and waits for a worker.
    #[serde(default)]
    pub is_shared: bool,
}

/// Who argues a debate on this machine: what the files of a project say of that could have come with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The root of its project.
    #[serde(with = "any_path")]
    pub root: PathBuf,
    /// For each seat the agent, as the user called it.
    pub agents: BTreeMap<String, String>,
    /// They may read the project's files.
    #[serde(default)]
    pub in_project: bool,
    /// Longest time for a whole reply, in seconds.
    pub max_reply: Option<u64>,
    /// The same for all of them together.
    pub max_time: Option<u64>,
    /// Most tokens.
    pub max_tokens: Option<u64>,
    /// Most United States dollars.
    pub max_cost: Option<f64>,
    /// Failures of attempts before this one don't count any more: the user has decided on the seat since.
    #[serde(default)]
    pub since: u32,
    /// Claims on its tasks that were there when this machine began or joined it, and are not its own: they came with its files.
    #[serde(default)]
    pub found: Vec<String>,
    /// It was asked for in Claude Code, and `/anvil:resume` goes on so.
    #[serde(default)]
    pub isolated: bool,
    /// The client in which that was.
    #[serde(default)]
    pub for_client: Option<Client>,
    /// It goes on when that client ends.
    #[serde(default)]
    pub detached: bool,
    /// Claude argues it, and a program writes the critic's replies: it is handed back to this session after each.
    #[serde(default)]
    pub handed_to: Option<String>,
    /// The program that does so.
    #[serde(default)]
    pub second_opinion: Option<String>,
}

impl RunRecord {
    /// One that names nobody.
    #[must_use]
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), ..Self::default() }
    }

    fn is_sane(&self) -> bool {
        let is_time = |time: Option<u64>| time.is_none_or(|time| bounds::seconds(time).is_some());
        is_time(self.max_reply)
            && is_time(self.max_time)
            && self.max_cost.is_none_or(|cost| cost.is_finite() && cost > 0.0)
            && self.since <= bounds::MAX_NUMBER + 1
    }
}

#[derive(Serialize, Deserialize)]
struct Approval {
    #[serde(with = "any_path")]
    state_file: PathBuf,
    #[serde(with = "any_path")]
    output: PathBuf,
    /// Nobody named it here, but Anvil wrote its report there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    written: bool,
}

/// The records of this machine. Without a configuration folder it remembers nothing.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) folder: Option<PathBuf>,
    pub(super) disk: Disk,
}

impl Machine {
    /// The records below Claude Code's configuration folder.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let folder = world.config_folder.as_ref().map(|folder| folder.join("anvil.local"));
        Self { folder, disk: world.disk.clone() }
    }

    /// What is known of a session that has a debate.
    #[must_use]
    pub fn session(&self, session_id: &str) -> Option<SessionRecord> {
        self.read_session(session_id).unwrap_or_default().filter(|record| !record.is_over)
    }

    /// What is known of any session, or why it can't be told.
    pub fn read_session(&self, session_id: &str) -> std::io::Result<Option<SessionRecord>> {
        let Some(path) = self.record("sessions", session_id) else { return Ok(None) };
        let text = read_file(&path).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()))
    }

    /// The clients of all sessions that are known here.
    #[must_use]
    pub fn clients(&self) -> Vec<Client> {
        self.sessions().filter_map(|record| record.client).collect()
    }

    /// What all sessions follow that follow a debate.
    #[must_use]
    pub fn followed(&self) -> Vec<Followed> {
        self.sessions().filter_map(|record| record.follows).collect()
    }

    fn sessions(&self) -> impl Iterator<Item = SessionRecord> {
        let folder = self.folder.as_ref().map(|folder| folder.join("sessions"));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let read = |entry: std::fs::DirEntry| -> Option<SessionRecord> {
            serde_json::from_slice(&read_file(&entry.path()).ok()??).ok()
        };
        entries.take(MOST_RECORDS).filter_map(read)
    }

    /// False without a folder to remember anything in.
    #[must_use]
    pub fn can_remember(&self) -> bool {
        self.folder.is_some()
    }

    /// Remembers which debate a session owns. A failure is not one of the debate: it is found in its own folder as well.
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
            self.forget_old(&folder.join("pages"), |_| Some(KEEP_PAGES));
        }
        written
    }

    /// Writes a page for the browser. It lies with this machine's records, which no repository can have prepared, in a new file of
    /// a name that nobody can foresee; those of earlier days go.
    pub fn new_page(&self, id: &str, page: &str) -> Result<PathBuf> {
        let hint =
            "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to, or see `anvil report --format html`";
        let Some((folder, records)) = self.folder.as_ref().and_then(|records| Some((records.parent()?, records)))
        else {
            return Err(Error::failed("there is no folder for the page", hint));
        };
        let pages = records.join("pages");
        let made = self.disk.create_private_folder(folder);
        let made = made.and_then(|()| self.disk.create_private_folder_in(folder, &pages));
        made.map_err(|error| Error::io(&error, hint))?;
        self.forget_old(&pages, |_| Some(KEEP_PAGES));
        self.disk
            .make_fresh(&pages, &format!("{id}-"), ".html", page.as_bytes())
            .map_err(|error| Error::io(&error, hint))
    }

    /// The session's debate is over, and Claude is to know.
    pub fn end(&self, session_id: &str) {
        let Some(record) = self.session(session_id) else { return };
        if record.is_informed {
            self.forget(session_id);
        } else {
            // Not to know is no harm that a debate should fail for.
            let _ = self.remember(session_id, &SessionRecord { is_over: true, ..record });
        }
    }

    /// Forgets a session that ended or lost its debate.
    pub fn forget(&self, session_id: &str) {
        if let Some(path) = self.record("sessions", session_id) {
            let _ = self.disk.remove(&path);
        }
    }

    /// Who argues the debate `id`.
    #[must_use]
    pub fn run(&self, id: &str) -> Option<RunRecord> {
        let record = serde_json::from_slice(&read_file(&self.record("runs", id)?).ok()??).ok();
        record.filter(RunRecord::is_sane)
    }

    /// Remembers who argues it. Without a memory nothing is remembered, and a resume has to be told again.
    pub fn remember_run(&self, id: &str, record: &RunRecord) -> Result<()> {
        let Some(path) = self.record("runs", id) else { return Ok(()) };
        let text = serde_json::to_vec(record).unwrap_or_default();
        self.write(&path, &text)
            .map_err(|error| Error::io(&error, "set HOME or CLAUDE_CONFIG_DIR to a folder that can be written to"))
    }

    /// True when the user was told this about this project.
    #[must_use]
    pub fn was_said(&self, what: &str, project: &Project) -> bool {
        self.said_file(what, project).is_some_and(|path| path.exists())
    }

    /// Remembers that the user was told; without a memory nothing is told, or it would be every time.
    #[must_use]
    pub fn remember_said(&self, what: &str, project: &Project) -> bool {
        let path = self.said_file(what, project);
        path.is_some_and(|path| self.write(&path, project.root().as_os_str().as_encoded_bytes()).is_ok())
    }

    fn said_file(&self, what: &str, project: &Project) -> Option<PathBuf> {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hasher = DefaultHasher::new();
        project.root().hash(&mut hasher);
        self.record("told", &format!("{what}-{:016x}", hasher.finish()))
    }

    /// Remembers that the user on this machine named `output` for the debate `id` of this project.
    pub fn approve_output(&self, project: &Project, id: &str, output: &Path) -> Result<()> {
        self.remember_output(project, id, output, false).map_err(|error| {
            Error::failed(
                format!("a report outside the project can't be approved: {error}"),
                "set HOME or CLAUDE_CONFIG_DIR, or name a path inside the project",
            )
        })
    }

    /// Remembers that Anvil wrote a report of the debate `id` to `output`. A failure costs only that a later one goes elsewhere.
    pub fn remember_report(&self, project: &Project, id: &str, output: &Path) {
        let _ = self.remember_output(project, id, output, true);
    }

    fn remember_output(&self, project: &Project, id: &str, output: &Path, written: bool) -> std::io::Result<()> {
        let approval = Approval { state_file: project.state_file(), output: output.to_owned(), written };
        match (self.record("outputs", id), serde_json::to_vec(&approval)) {
            (Some(path), Ok(text)) => self.write(&path, &text),
            _ => Err(std::io::Error::other("there is no folder to remember it in")),
        }
    }

    /// True when the user on this machine named exactly this path for exactly this debate.
    #[must_use]
    pub fn is_approved(&self, project: &Project, id: &str, output: &Path) -> bool {
        self.output(project, id, output).is_some_and(|known| !known.written)
    }

    /// True when Anvil wrote a report of exactly this debate to exactly this path.
    #[must_use]
    pub fn is_own_report(&self, project: &Project, id: &str, output: &Path) -> bool {
        self.output(project, id, output).is_some_and(|known| known.written)
    }

    fn output(&self, project: &Project, id: &str, output: &Path) -> Option<Approval> {
        let known: Approval = serde_json::from_slice(&read_file(&self.record("outputs", id)?).ok()??).ok()?;
        (known.state_file == project.state_file() && known.output == output).then_some(known)
    }

    /// The file of a record; `None` for a name that is not safe as a file name.
    fn record(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let fits = (1..=100).contains(&name.len()) && name.bytes().all(safe);
        fits.then(|| self.folder.as_ref().map(|folder| folder.join(kind).join(name))).flatten()
    }

    fn write(&self, path: &Path, text: &[u8]) -> std::io::Result<()> {
        self.disk.create_private_folder(path.parent().unwrap_or(Path::new(".")))?;
        self.disk.replace(path, text, NewFile::Private, Flush::Now)
    }

    /// Removes what is older than `keep` says of its name.
    fn forget_old(&self, folder: &Path, keep: impl Fn(&OsStr) -> Option<Duration>) {
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_who_argues_whose_numbers_can_not_be_is_none() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let record = RunRecord { max_cost: Some(1.5), max_time: Some(60), since: 7, ..RunRecord::of(temp.path()) };
        machine.remember_run("one", &record).unwrap();
        assert_eq!(machine.run("one"), Some(record));
        let text = fs_err::read_to_string(temp.path().join("runs/one")).unwrap();
        for (own, other) in [
            ("\"max_cost\":1.5", "\"max_cost\":-1"),
            ("\"max_cost\":1.5", "\"max_cost\":1e999"),
            ("\"max_time\":60", "\"max_time\":18446744073709551615"),
            ("\"since\":7", "\"since\":4294967295"),
        ] {
            let changed = text.replace(own, other);
            assert_ne!(changed, text);
            fs_err::write(temp.path().join("runs/one"), changed).unwrap();
            assert_eq!(machine.run("one"), None, "{other}");
        }
    }

    #[test]
    fn a_record_that_is_not_a_plain_file_keeps_nobody_waiting() {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        for kind in ["sessions", "outputs"] {
            fs_err::create_dir_all(temp.path().join(kind)).unwrap();
            nix::unistd::mkfifo(&temp.path().join(kind).join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let (done, waits) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let read = (machine.session("pipe").is_none(), machine.read_session("pipe").is_err());
            let is_report = machine.is_own_report(&project, "pipe", Path::new("x.md"));
            done.send((read, machine.clients().is_empty(), is_report)).unwrap();
        });
        let told = waits.recv_timeout(Duration::from_secs(20)).expect("it waits for the pipe");
        assert_eq!(told, ((true, true), true, false));
    }
}
