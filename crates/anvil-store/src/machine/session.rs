//! Which debate a session of Claude Code owns or follows.
//!
//! A state file can come from anywhere, so its session counts only as far as it is on record here.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{Machine, read};
use crate::file::read::read_file;
use crate::not_written;
use crate::project::any_path;
use anvil_system::disk;
use anvil_system::process::ProcessId;
use anvil_text::from_json;

/// A session that never reports its end is forgotten after this time.
const KEEP_RECORDS: Duration = Duration::from_hours(60 * 24);

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
    #[serde(default)]
    pub is_informed: bool,
    /// The session has no debate any more; Claude learns it at the next prompt.
    #[serde(default)]
    pub is_over: bool,
    /// The client that requested a debate between programs, in the record of such a debate's
    /// session.
    pub for_client: Option<ProcessId>,
    /// The turn of a phase ended while agents of it work on: the client begins the next turn by
    /// itself. The time of that phase's request, in milliseconds since 1970.
    #[serde(default)]
    pub agents_work_since: Option<i64>,
    /// The client's transcript of the session.
    #[serde(default)]
    pub transcript: Option<PathBuf>,
    /// Another session owns the debate, and programs argue it; this session gets its news.
    pub follows: Option<FollowedDebate>,
}

impl SessionRecord {
    pub fn new(root: &Path, client: Option<ProcessId>) -> Self {
        Self { root: root.to_owned(), client, ..Self::default() }
    }
}

/// A debate that programs argue for a session, and the steps that its user has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedDebate {
    /// Its id.
    pub debate: String,
    /// The last step that the user has seen. A paused debate is one step further.
    pub shown_step: u32,
    /// The process that waits to wake the session, the newest if several do.
    pub waiter: Option<ProcessId>,
}

impl Machine {
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

    /// The records of the sessions that follow this debate.
    pub fn followers(&self, debate: &str) -> Vec<FollowedDebate> {
        self.sessions()
            .filter_map(|record| record.follows)
            .filter(|follows| follows.debate == debate)
            .collect()
    }

    /// Notes that the users of all sessions that follow this debate know of this step.
    pub fn note_shown(&self, debate: &str, step: u32) {
        let is_follower = |record: &SessionRecord| {
            record.follows.as_ref().is_some_and(|follows| follows.debate == debate)
        };
        let named = self.session_files().filter_map(|path| {
            let record = read(&path).filter(is_follower);
            record.and_then(|_| path.file_name()?.to_str().map(str::to_owned))
        });
        for session_id in named {
            self.change_follower(&session_id, |record| {
                if let Some(follows) = &mut record.follows {
                    follows.shown_step = follows.shown_step.max(step);
                }
            });
        }
    }

    fn sessions(&self) -> impl Iterator<Item = SessionRecord> {
        self.session_files().filter_map(|path| read(&path))
    }

    fn session_files(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.folder.as_ref().map(|folder| folder.join("sessions"));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let entries = entries.into_iter().flatten().flatten().take(MAX_RECORDS);
        entries.map(|entry| entry.path())
    }

    /// False without a configuration folder.
    pub fn can_remember(&self) -> bool {
        self.folder.is_some()
    }

    /// Records that a session owns a debate. The caller ignores a failure: the debate is found in
    /// its own folder as well.
    pub fn remember(&self, session_id: &str, record: &SessionRecord) -> std::io::Result<()> {
        let Some(path) = self.record("sessions", session_id) else { return Ok(()) };
        let written = self.put(&path, record);
        self.forget_old("sessions");
        written
    }

    /// Changes the record of a session that follows a debate. Hooks of one session run at once:
    /// each sees what the others have changed. `None`: there is no such record.
    pub fn change_follower<T>(
        &self,
        session_id: &str,
        change: impl FnOnce(&mut SessionRecord) -> T,
    ) -> Option<T> {
        let changed = self.alone(|| {
            let known = self.session(session_id).filter(|record| record.follows.is_some());
            let (Some(mut record), Some(path)) = (known, self.record("sessions", session_id))
            else {
                return Ok(None);
            };
            let before = record.clone();
            let changed = change(&mut record);
            if record != before {
                self.put(&path, &record).map_err(not_written)?;
            }
            Ok(Some(changed))
        });
        changed.ok().flatten()
    }

    /// Forgets a session that follows a debate. True for the first of its hooks.
    pub fn forget_follower(&self, session_id: &str) -> bool {
        let forgotten = self.alone(|| {
            let is_known = self.session(session_id).is_some_and(|record| record.follows.is_some());
            if is_known {
                self.forget(session_id);
            }
            Ok(is_known)
        });
        forgotten.unwrap_or(false)
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

    /// Removes the records of sessions that never reported their end.
    pub(super) fn forget_old(&self, kind: &str) {
        let Some(folder) = self.folder.as_ref().map(|folder| folder.join(kind)) else {
            return;
        };
        if !self.is_own(&folder) {
            return;
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|meta| meta.modified());
            let age = modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            let is_temporary = disk::is_temporary(&entry.file_name());
            let longest_age = if is_temporary { KEEP_TEMPORARY } else { KEEP_RECORDS };
            if age.is_some_and(|age| age > longest_age) {
                let _ = self.disk.remove(&entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anvil_system::disk::Disk;

    #[test]
    fn a_session_that_never_ended_is_forgotten_after_60_days() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let record = SessionRecord::new(temp.path(), None);
        for (name, days) in [("new", 59), ("old", 61)] {
            machine.remember(name, &record).unwrap();
            let path = machine.record("sessions", name).unwrap();
            let at = SystemTime::now() - Duration::from_hours(24 * days);
            std::fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
        }
        machine.remember("now", &record).unwrap();
        let known = ["new", "old", "now"].map(|name| machine.session(name).is_some());
        assert_eq!(known, [true, false, true]);
    }

    #[test]
    fn the_followers_of_a_debate_are_those_of_no_other() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let follows = |debate: &str| {
            Some(FollowedDebate { debate: debate.to_owned(), ..FollowedDebate::default() })
        };
        for (name, debate) in [("one", follows("a")), ("two", follows("b")), ("three", None)] {
            let record = SessionRecord { follows: debate, ..SessionRecord::new(temp.path(), None) };
            machine.remember(name, &record).unwrap();
        }
        assert_eq!(machine.followers("a"), Vec::from_iter(follows("a")));
        assert_eq!(machine.followers("c"), []);
        // The first hook that forgets one knows it.
        let forgotten = ["one", "one", "three"].map(|name| machine.forget_follower(name));
        assert_eq!((forgotten, machine.followers("a")), ([true, false, false], vec![]));
        assert!(machine.can_remember());
        assert!(!Machine { folder: None, disk: Disk::default() }.can_remember());
    }

    #[test]
    fn hooks_of_one_session_at_once_lose_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let machine = Machine { folder: Some(temp.path().to_owned()), disk: Disk::default() };
        let follows = Some(FollowedDebate::default());
        let record = SessionRecord { follows, ..SessionRecord::new(temp.path(), None) };
        machine.remember("one", &record).unwrap();
        let shown = || {
            let show =
                |record: &mut SessionRecord| record.follows.as_mut().unwrap().shown_step += 1;
            (0..40).for_each(|_| machine.change_follower("one", show).unwrap());
        };
        std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(shown)));
        assert_eq!(machine.session("one").unwrap().follows.unwrap().shown_step, 80);
    }
}
