//! Save and load. Only this part of the library touches files; it also reads the clock.

use anvil_core::debate::PlainReason;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::debate::to_the_millisecond;
use super::{Debate, Error, ErrorKind, Result, Status};
use anvil_store::{
    AttemptRecord, Attempts, Commit, Loaded, Project, STATE_FILE_NAME, StateFile, Store, read_file,
};
use anvil_system::disk::{Disk, Flush, NewFile};
use anvil_system::world::World;
use anvil_text::clean;

/// Longest wait for a program that changes the same file.
const LOCK_WAIT: Duration = Duration::from_secs(5);

impl Debate {
    /// Saves the whole debate in the program's format (`docs/state-file.md`), or nothing.
    ///
    /// If the path is `.claude/anvil-state.local.md` of a folder, the program finds it: `anvil
    /// status` shows it, and `anvil run --resume` or `/anvil:resume` continue it. Such a file is
    /// saved under the program's lock and with a snapshot; a finished debate in its place
    /// stays in its records. Any other path is replaced without a lock.
    ///
    /// [`ErrorKind::Conflict`]: the file holds a text that this debate has not read or written and
    /// does not continue, or a session argues it. Then nothing is written.
    ///
    /// An unusable reply is not part of the file.
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let mut state = self.state.clone();
        if self.status() == Status::InProgress {
            state.debate.pause(PlainReason::Saved, self.state.debate.updated_at());
        }
        let text =
            state.render().map_err(|error| Error::with_its_hint(ErrorKind::Invalid, &error))?;
        if let Some(root) = root_of(path) {
            self.save_in(&root, &state)?;
        } else {
            self.check_may_replace(path)?;
            let replaced =
                Disk::default().replace(path, text.as_bytes(), NewFile::Private, Flush::Now);
            replaced.map_err(|error| {
                Error::new(ErrorKind::Io, error.to_string(), "check the path and the space")
            })?;
        }
        self.last_seen = Some(hash_of(text.as_bytes()));
        Ok(())
    }

    /// Saves as the debate of a folder.
    fn save_in(&self, root: &Path, state: &StateFile) -> Result<()> {
        let world = World::gather(|name| std::env::var_os(name)).map_err(|error| io(&error))?;
        let mut store = Store::new(Project::at(root), &World { now: self.now, ..world });
        let (transaction, current) = store.lock(LOCK_WAIT).map_err(|error| io(&error))?.load();
        let current = current.map_err(|error| Error::with_its_hint(ErrorKind::Conflict, &error))?;
        let saved = match current {
            Some(Loaded { state: old, is_lost: false, .. })
                if old.debate.id != state.debate.id && !old.debate.status().is_unfinished() =>
            {
                transaction.leave(old).and_then(|leaving| leaving.commit(state, Commit::Change))
            }
            _ => {
                self.check_may_replace(&transaction.project().state_file())?;
                transaction.commit(state, Commit::Change)
            }
        };
        saved.map(drop).map_err(|error| io(&error))
    }

    /// Refuses to overwrite a text that would be lost.
    fn check_may_replace(&self, path: &Path) -> Result<()> {
        let Some(bytes) = read_file(path).map_err(|error| io(&error))? else { return Ok(()) };
        let old = std::str::from_utf8(&bytes).ok().and_then(|text| StateFile::parse(text).ok());
        if old
            .as_ref()
            .is_some_and(|old| old.debate.is_active() && old.debate.session_id().is_some())
        {
            let message = format!("{} is argued by a session", path.display());
            let hint = "wait until it is paused, then load it";
            return Err(Error::new(ErrorKind::Conflict, message, hint));
        }
        let is_continued = old.is_some_and(|old| {
            old.debate.id == self.state.debate.id && self.state.body.starts_with(&old.body)
        });
        if self.last_seen == Some(hash_of(&bytes)) || is_continued {
            return Ok(());
        }
        let message =
            format!("{} holds content that this debate does not continue", path.display());
        let hint = "save it to another path, or load that file";
        Err(Error::new(ErrorKind::Conflict, message, hint))
    }

    /// Loads a debate that the library or the program has saved. The file stays unchanged.
    ///
    /// Reads the clock. A paused or failed debate is in progress again; it does not stop between
    /// rounds and checks no facts, whatever its options say. A waiting direction goes to the next
    /// seat.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let Some(bytes) = read_file(path).map_err(|error| io(&error))? else {
            let message = format!("there is no file {}", path.display());
            return Err(Error::new(ErrorKind::Io, message, "check the path"));
        };
        let text =
            std::str::from_utf8(&bytes).map_err(|_| damaged_error(path, "it is not UTF-8"))?;
        let mut state =
            StateFile::parse(text).map_err(|error| damaged_error(path, &error.to_string()))?;
        if state.is_newer() {
            let message = format!("{} was written by a newer Anvil", path.display());
            return Err(Error::new(ErrorKind::Newer, message, "upgrade this one"));
        }
        if !state.is_orderly_by_itself() {
            return Err(damaged_error(path, "its frontmatter and its sections disagree"));
        }
        let now = to_the_millisecond(Timestamp::now());
        if state.debate.status().is_unfinished() {
            state.debate.take_up();
            anvil_engine::give_steering(&mut state, now);
        }
        let mut debate = Self::holding(state, now);
        debate.last_seen = Some(hash_of(&bytes));
        Ok(debate)
    }
}

/// Reads the attempts of a debate, by its id and the user's folder of records:
/// `~/.claude/anvil.local`, or `anvil.local` in `CLAUDE_CONFIG_DIR`. Changes nothing.
///
/// [`ErrorKind::Io`]: the folder has no such debate, or a file can't be read.
pub fn load_attempts(folder: impl AsRef<Path>, id: &str) -> Result<Attempts> {
    let folder = folder.as_ref();
    AttemptRecord::find(folder, id).map_or_else(
        || {
            let message = format!("there is no debate {} in {}", clean(id, 100), folder.display());
            Err(Error::new(ErrorKind::Io, message, "`anvil history --json` has the ids"))
        },
        |record| record.read().map_err(|error| io(&error)),
    )
}

/// The project folder, if the path is that of a project's debate.
fn root_of(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let claude =
        path.parent().filter(|_| path.file_name().is_some_and(|name| name == STATE_FILE_NAME))?;
    let is_claude = claude.file_name().is_some_and(|name| name == ".claude");
    claude.parent().filter(|_| is_claude).map(Path::to_owned)
}

fn damaged_error(path: &Path, what: &str) -> Error {
    let message = format!("{} is not a sound debate: {what}", path.display());
    let hint = "`anvil status` repairs what can be repaired of a project's debate";
    Error::new(ErrorKind::Damaged, message, hint)
}

fn io(error: &anvil_text::error::Error) -> Error {
    Error::with_its_hint(ErrorKind::Io, error)
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_or_absolute_path_names_the_debate_of_its_folder() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(root_of(Path::new(".claude/anvil-state.local.md")).as_ref(), Some(&here));
        assert_eq!(root_of(&here.join("x/.claude/anvil-state.local.md")), Some(here.join("x")));
        for other in ["anvil-state.local.md", ".claude/other.md", ".claude/x/anvil-state.local.md"]
        {
            assert_eq!(root_of(Path::new(other)), None, "{other}");
        }
    }
}
