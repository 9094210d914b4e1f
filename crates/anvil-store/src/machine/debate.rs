//! A debate's folder below `debates/`, its lock, and `debate.json`: the facts about a debate that
//! are not in its file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Machine, no_folder, read};
use crate::file::id::{MAX_ID_BYTES, is_safe_id};
use crate::lock::Lock;
use crate::not_written;
use crate::project::{FolderId, any_path, digest};
use anvil_core::attempt::bounds;
use anvil_system::disk::{Disk, Flush, NewFile};
use anvil_system::process::ProcessId;
use anvil_text::error::Result;

/// The version of the schema.
const SCHEMA: u32 = 1;

/// Longest wait for the lock of a debate's folder. It is held for one write.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Most recoveries of a debate that are noted.
const MAX_RECOVERED: usize = 16;

/// Most replies that are written at the same time.
pub const MAX_JOBS: u8 = 16;

/// `debate.json`. The file of the debate can come from anywhere; this record can't.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateRecord {
    schema: u32,
    /// The place of its file. `None`: not written yet.
    pub place: Option<FolderId>,
    /// The programs in the seats, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// The path of the report that the user named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<NamedPath>,
    /// The path of its decision record, as it was written last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision_record: Option<NamedPath>,
    /// The debate is complete, and not all its reports are written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_report_due: bool,
    /// Repairs of its file from a snapshot or a default, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovered: Vec<RecoveredLine>,
    /// The debate as it was last seen in an issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Published>,
}

impl Default for DebateRecord {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            place: None,
            run: None,
            output: None,
            decision_record: None,
            is_report_due: false,
            recovered: Vec::new(),
            published: None,
        }
    }
}

impl DebateRecord {
    /// The debate's file lies in this place now. The user's permissions for another place end.
    pub fn move_to(&mut self, place: FolderId) {
        if !self.place.as_ref().is_some_and(|known| known.is_same(&place)) {
            (self.run, self.output) = (None, None);
        }
        self.place = Some(place);
    }

    pub(crate) fn note_recovered(&mut self, at: Timestamp, repairs: &[String]) {
        self.recovered.push(RecoveredLine { at, what: repairs.join("; ") });
        let gone = self.recovered.len().saturating_sub(MAX_RECOVERED);
        self.recovered.drain(..gone);
    }

    pub fn is_in(&self, place: Option<&FolderId>) -> bool {
        self.place.as_ref().zip(place).is_some_and(|(known, place)| known.is_same(place))
    }
}

/// One recovery of a debate's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveredLine {
    pub at: Timestamp,
    /// Sentences without full stops, with semicolons between them.
    pub what: String,
}

impl RecoveredLine {
    /// `2026-11-26: the state file was empty: its snapshot of step 3 is back`.
    pub fn line(&self) -> String {
        format!("{:.10}: {}", self.at.to_string(), self.what)
    }
}

/// A path in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NamedPath(#[serde(with = "any_path")] pub PathBuf);

/// The agents that argue a debate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// For each seat the agent, as the user named it.
    pub agents: BTreeMap<String, String>,
    /// For each seat that the user has named again, the first attempt since.
    #[serde(default, rename = "renamed", skip_serializing_if = "BTreeMap::is_empty")]
    pub reassigned: BTreeMap<String, u32>,
    /// The agents may read the project's files.
    #[serde(default)]
    pub in_project: bool,
    #[serde(flatten)]
    pub limits: Limits,
    /// Replies that are written at the same time, if the user named a number.
    pub jobs: Option<u8>,
    /// Failures of attempts before this one don't count any more: the user has decided on the seat
    /// since.
    #[serde(default)]
    pub since: u32,
    #[serde(flatten)]
    pub handover: Handover,
}

impl RunRecord {
    fn is_sane(&self) -> bool {
        self.limits.is_sane()
            && self.reassigned.values().chain([&self.since]).all(|at| *at <= bounds::MAX_NUMBER + 1)
            && self.jobs.is_none_or(|jobs| (1..=MAX_JOBS).contains(&jobs))
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Longest time for a whole reply, in seconds.
    pub max_reply: Option<u64>,
    /// Longest time for all replies together, in seconds.
    pub max_time: Option<u64>,
    pub max_tokens: Option<u64>,
    /// In United States dollars.
    pub max_cost: Option<f64>,
    /// Those two count only the numbers that the agents report.
    #[serde(default)]
    pub unmetered: bool,
}

impl Limits {
    fn is_sane(&self) -> bool {
        [self.max_reply, self.max_time]
            .into_iter()
            .flatten()
            .all(|time| bounds::seconds(time).is_some())
            && self.max_cost.is_none_or(|cost| cost.is_finite() && cost > 0.0)
    }
}

/// The client for which programs argue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Handover {
    /// The user started it in Claude Code, and `/anvil:resume` goes on in the same way.
    #[serde(default)]
    pub isolated: bool,
    /// The client in which the user started it.
    pub for_client: Option<ProcessId>,
    /// The debate goes on when that client ends.
    #[serde(default)]
    pub detached: bool,
}

/// A debate in an issue, as it was last seen and written. Digests are SHA-256.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// Such as `github.com owner/name#12`. Empty: no request to it was possible.
    pub issue: String,
    /// The issue as the user names it: `12`, `12 --repo owner/name`.
    pub named: String,
    /// The highest revision that was seen or written there.
    pub revision: u64,
    /// The digest of the block that was last seen there.
    pub seen: String,
    /// The digest of the debate here, when the two last agreed.
    pub here: String,
    /// The digest of the transcript in the block, and its length in bytes.
    pub body: String,
    pub length: usize,
    /// The digest of the block that was sent last, saved before the request: the forge may have it
    /// although its answer was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// Why it could not be written last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
}

/// The reason why an issue could not be written, and the next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    pub why: String,
    pub helps: IssueFix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueFix {
    Publish,
    Pull,
    /// The debate has no room there: its report as a comment.
    Comment,
    /// The debate has no room there, and its report is a comment already.
    Nothing,
}

/// An issue that lacks a part of the debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueLag {
    /// The issue as the user names it: `12`, `12 --repo owner/name`.
    pub named: String,
    pub why: String,
    pub helps: IssueFix,
}

impl IssueLag {
    /// The issue's number.
    pub fn number(&self) -> &str {
        self.named.split(' ').next().unwrap_or_default()
    }
}

/// Why an issue is behind for which no write has failed.
const WENT_ON: &str = "the debate has changed since";

impl Published {
    /// The digest of a transcript.
    pub fn digest_of(body: &str) -> String {
        digest(body.as_bytes())
    }

    /// True for the digest of the block that was last seen or sent.
    pub fn knows(&self, block: &str) -> bool {
        self.seen == block || self.sent.as_deref() == Some(block)
    }

    /// How the issue is behind a debate with this transcript.
    pub fn behind(&self, body: &str) -> Option<IssueLag> {
        let has_gone_on = !self.body.is_empty() && Self::digest_of(body) != self.body;
        let (why, helps) = match &self.failed {
            Some(Failed { why, helps }) => (why.clone(), *helps),
            None if has_gone_on => (WENT_ON.to_owned(), IssueFix::Publish),
            None => return None,
        };
        Some(IssueLag { named: self.named.clone(), why, helps })
    }
}

/// The folder of a debate under its lock, which every change of its files needs.
#[derive(Debug)]
pub struct DebateFolder {
    pub id: String,
    pub path: PathBuf,
    disk: Disk,
    _lock: Lock,
}

impl DebateFolder {
    /// Makes a file in the folder, or replaces it.
    pub fn put(&self, path: &Path, content: &[&[u8]], flush: Flush) -> std::io::Result<()> {
        let within = path.parent().unwrap_or(&self.path);
        self.disk.create_private_folder_in(&self.path, within)?;
        self.disk.replace_by_way_of(&self.path, path, content, NewFile::Private, flush)
    }

    pub fn record(&self) -> DebateRecord {
        record_in(&self.path).unwrap_or_default()
    }

    pub(crate) fn put_record(&self, record: &DebateRecord) -> Result<()> {
        let text = serde_json::to_vec(record).map_err(not_written)?;
        self.put(&self.path.join(RECORD), &[&text], Flush::Now).map_err(not_written)
    }
}

const RECORD: &str = "debate.json";

fn record_in(folder: &Path) -> Option<DebateRecord> {
    let record: DebateRecord = read(&folder.join(RECORD))?;
    let is_sane = record.run.as_ref().is_none_or(RunRecord::is_sane);
    Some(DebateRecord { run: record.run.filter(|_| is_sane), ..record })
        .filter(|record| record.schema == SCHEMA)
}

impl Machine {
    pub(crate) fn debates_folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join("debates"))
    }

    /// The folder of a debate. `None`: there is no folder for records, or the id is not safe as a
    /// name.
    pub fn debate_folder(&self, id: &str) -> Option<PathBuf> {
        let is_name = is_safe_id(id) && id.len() <= MAX_ID_BYTES;
        Some(self.debates_folder()?.join(id)).filter(|_| is_name)
    }

    /// The record of a debate in any place.
    pub fn debate(&self, id: &str) -> Option<DebateRecord> {
        record_in(&self.debate_folder(id)?)
    }

    /// Locks the folder of a debate; makes it if necessary. Removes the temporary files of killed
    /// processes.
    pub(crate) fn lock_debate(&self, id: &str) -> Result<DebateFolder> {
        let path = self.debate_folder(id).ok_or_else(no_folder)?;
        let started = Instant::now();
        let file = path.join("lock");
        loop {
            self.make_folder(&path).map_err(not_written)?;
            let lock = Lock::take(&self.disk, &file, started, LOCK_WAIT)?;
            // The holder before may have removed the folder.
            if file.exists() {
                self.disk.sweep(&path);
                let id = id.to_owned();
                let disk = self.disk.clone();
                return Ok(DebateFolder { id, path, disk, _lock: lock });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_with_impossible_numbers_names_no_agent() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let run = RunRecord {
            limits: Limits { max_cost: Some(1.5), max_time: Some(60), ..Limits::default() },
            jobs: Some(4),
            since: 7,
            ..RunRecord::default()
        };
        let record = DebateRecord { run: Some(run), ..DebateRecord::default() };
        machine.lock_debate("one").unwrap().put_record(&record).unwrap();
        assert_eq!(machine.debate("one"), Some(record));
        let file = temp.path().join("debates/one/debate.json");
        let text = fs_err::read_to_string(&file).unwrap();
        for (own, other) in [
            ("\"max_cost\":1.5", "\"max_cost\":-1"),
            ("\"max_cost\":1.5", "\"max_cost\":0"),
            ("\"max_time\":60", "\"max_time\":18446744073709551615"),
            ("\"since\":7", "\"since\":4294967295"),
            ("\"jobs\":4", "\"jobs\":200"),
        ] {
            let changed = text.replace(own, other);
            assert_ne!(changed, text);
            fs_err::write(&file, changed).unwrap();
            assert_eq!(machine.debate("one"), Some(DebateRecord::default()), "{other}");
        }
        for other in ["", "{}", "null", &text.replace("\"schema\":1", "\"schema\":2")] {
            fs_err::write(&file, other).unwrap();
            assert_eq!(machine.debate("one"), None, "{other}");
        }
    }

    #[test]
    fn another_place_ends_what_the_user_allowed() {
        let temp = tempfile::tempdir().unwrap();
        let place = |name: &str| {
            fs_err::create_dir_all(temp.path().join(name)).unwrap();
            FolderId::read(&temp.path().join(name)).unwrap()
        };
        let allowed = DebateRecord {
            place: Some(place("one")),
            run: Some(RunRecord { in_project: true, ..RunRecord::default() }),
            output: Some(NamedPath("/x.md".into())),
            published: Some(Published::default()),
            ..DebateRecord::default()
        };
        let moved = |to: FolderId| {
            let mut record = allowed.clone();
            record.move_to(to);
            (record.run.is_some(), record.output.is_some(), record.published.is_some())
        };
        assert_eq!(moved(place("one")), (true, true, true));
        assert_eq!(moved(place("two")), (false, false, true));
    }

    #[test]
    fn a_folder_whose_name_is_no_id_is_no_debate() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let [longest, longer] = [0, 1].map(|more| "x".repeat(MAX_ID_BYTES + more));
        for name in ["one", "My notes", &longest, &longer] {
            fs_err::create_dir_all(temp.path().join("debates").join(name)).unwrap();
        }
        let listed: Vec<String> = machine.debates().into_iter().map(|debate| debate.id).collect();
        assert_eq!(listed, ["one", &longest]);
        assert_eq!(machine.debate_folder("../one"), None);
    }
}
