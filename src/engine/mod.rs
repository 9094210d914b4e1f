//! The use cases: start, file a reply, pause, resume, cancel, look, go back. Each takes typed input and gives back an outcome in
//! which every reason for doing nothing has a name.
//!
//! The only place where pure and impure meet, always in this order: load, decide, compose, commit. Everything that can
//! fail and is pure is finished before the first write.

mod brief;
mod cancel;
mod carry;
mod config;
mod file_reply;
mod filing;
mod history;
mod look;
mod output;
mod ownership;
mod past;
mod pause;
mod prune;
mod publish;
mod pull;
mod reading;
mod report;
mod resume;
mod start;
mod steer;

pub use carry::{Checked, Embedded, body_from, body_in, check, extract};
pub use config::Setting;
pub use file_reply::Outcome;
pub use filing::Completed;
pub use history::{CheckpointEntry, History, HistoryChange};
pub use look::{Found, Look};
pub use ownership::OwnerStatus;
pub use past::{FoundTexts, Hit, PastDebate, PastDebates};
pub use pause::{PromptOutcome, Released};
pub use prune::{PruneCandidate, PrunePlan};
pub use report::Reported;
pub use resume::{ResumeAction, Resumed, Resumption};
pub use start::Started;
pub use steer::Steered;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::debate::Debate;
use crate::error::{Error, Result};
use crate::state::{Change, Client, Loaded, Locked, Machine, Project, SessionRecord, StateFile, Store};
use crate::world::World;

/// How long a hook waits for the lock: longer than any other hook needs, shorter than the user's timeout.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A Stop that says nothing new so soon after the last change is the same one delivered again: two installed copies of the
/// plugin run side by side, while another reply needs a request to the API first.
const SAME_STOP: Duration = Duration::from_millis(500);

/// The same for a command: nobody types it twice in this time.
const SAME_PROMPT: Duration = Duration::from_secs(2);

/// The Claude Code session in which something happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// The turn, where the client names it (2.1.200 and later).
    pub prompt_id: Option<String>,
    /// The client process, where it can be told.
    pub client: Option<Client>,
}

/// Why nothing was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// There is no debate where this session would have one.
    NoDebate,
    /// The debate there belongs to another session, or to none.
    NotOwner,
    /// The debate is not in progress.
    NotActive,
    /// The state file can't be read, and this session is not known to own it.
    NotReadable,
    /// The model waits for agents that it started; the client will wake it.
    AgentsRunning,
    /// The debate was this session's until it was cancelled, replaced or taken over elsewhere.
    Lost,
    /// The same event was delivered before: the plugin is installed twice.
    Redelivered,
}

/// The use cases, in the world of one run.
#[derive(Debug)]
pub struct Engine<'a> {
    world: &'a World,
    machine: Machine,
    /// What happened beside what was asked for.
    notes: RefCell<Vec<String>>,
}

impl<'a> Engine<'a> {
    /// The engine for one run of the program.
    #[must_use]
    pub fn new(world: &'a World) -> Self {
        Self { world, machine: Machine::of(world), notes: RefCell::default() }
    }

    /// What the user should hear beside the outcome: that a file was mended, and how. Sentences without full stops.
    #[must_use]
    pub fn take_notes(&self) -> Vec<String> {
        self.notes.take()
    }

    /// Makes a state the project's own.
    fn commit(&self, locked: &Locked<'_>, state: &StateFile, change: &Change) -> Result<()> {
        let said = locked.commit(state, change)?;
        self.notes.borrow_mut().extend(said);
        Ok(())
    }

    /// This session's debate in progress, or why there is none. One or two looks at the disk where there is no debate.
    fn own_active(&self, session: &Session) -> Result<std::result::Result<(Store, Debate), Nothing>> {
        let own = self.own(session)?;
        Ok(own.and_then(|(store, debate)| check_own_active(&debate, session).map(|()| (store, debate))))
    }

    /// This session's debate, whatever its status, or why there is none.
    fn own(&self, session: &Session) -> Result<std::result::Result<(Store, Debate), Nothing>> {
        self.own_by(session, self.machine.read_session(&session.id))
    }

    /// The same where the session's record has been read.
    fn own_by(
        &self,
        session: &Session,
        record: std::io::Result<Option<SessionRecord>>,
    ) -> Result<std::result::Result<(Store, Debate), Nothing>> {
        let recorded = record.and_then(Self::project_of);
        let (is_recorded, is_untold) = (matches!(recorded, Ok(Some(_))), recorded.is_err());
        let recorded = recorded.unwrap_or_default();
        // Without records the session may have begun it for the whole checkout; with them, this folder is looked at and no other.
        let unrecorded = || if self.machine.can_remember() { Project::at(self.here()) } else { self.project_meant() };
        let store = Store::of(recorded.unwrap_or_else(unrecorded), self.world);
        let debate = match store.read_head() {
            Ok(debate) => debate,
            // Whose it is may be written where nothing can be read just now.
            Err(error) if is_untold => return Err(error),
            Err(_) if !is_recorded => return Ok(Err(Nothing::NotReadable)),
            // This session had a debate there: what it was is told by the rest of the file, or by its checkpoints.
            Err(_) => self.mend(&store, session)?,
        };
        let Some(debate) = debate else { return Ok(Err(Nothing::NoDebate)) };
        let is_own = debate.is_owned_by(&session.id);
        Ok(if is_own { Ok((store, debate)) } else { Err(Nothing::NotOwner) })
    }

    /// A recorded session's file whose head can't be read. Where nothing tells whose it is any more, it is this session's, and
    /// waits for the user; that is written down at once.
    fn mend(&self, store: &Store, session: &Session) -> Result<Option<Debate>> {
        let is_nobodys =
            |loaded: &Loaded| loaded.repair.is_some() && loaded.state.debate.ownership.session_id.is_none();
        let Some(loaded) = store.load()? else { return Ok(None) };
        if !is_nobodys(&loaded) {
            return Ok(Some(loaded.state.debate));
        }
        let locked = store.lock(LOCK_WAIT)?;
        let Some(mut loaded) = locked.load()? else { return Ok(None) };
        if is_nobodys(&loaded) {
            loaded.state.debate.assign_to(Some(session.id.clone()));
            if loaded.state.debate.progress.status.is_unfinished() && !loaded.is_lost {
                loaded.state.debate.pause("the file does not record its owner".to_owned(), self.world.now);
            }
            let change = if loaded.is_lost { Change::Fail } else { Change::Pause };
            self.commit(&locked, &loaded.state, &change)?;
            self.notes.borrow_mut().push(if loaded.is_lost {
                "nothing can go on from here: /anvil:debate QUESTION --replace starts anew".to_owned()
            } else {
                "the debate waits: /anvil:resume goes on".to_owned()
            });
        }
        Ok(Some(loaded.state.debate))
    }

    /// The debate that the user means who speaks of "the debate" here.
    fn store_meant(&self, session: Option<&Session>) -> Store {
        let own = session.and_then(|session| self.recorded_project(session));
        Store::of(own.unwrap_or_else(|| self.project_meant()), self.world)
    }

    fn project_meant(&self) -> Project {
        Project::search(self.here(), self.world.home.as_deref())
    }

    /// The project in which a new debate begins here.
    fn home(&self) -> Project {
        Project::around(self.here(), self.world.home.as_deref()).seen_from(&self.world.cwd)
    }

    /// The project of the debate that this session started or resumed, whatever the current folder is now.
    fn recorded_project(&self, session: &Session) -> Option<Project> {
        self.read_recorded_project(session).unwrap_or_default()
    }

    /// The same, or why it can't be told.
    fn read_recorded_project(&self, session: &Session) -> std::io::Result<Option<Project>> {
        self.machine.read_session(&session.id).and_then(Self::project_of)
    }

    fn project_of(record: Option<SessionRecord>) -> std::io::Result<Option<Project>> {
        let Some(record) = record.filter(|record| !record.is_over) else { return Ok(None) };
        let project = Project::at(record.root);
        let exists = project.state_file().try_exists()?;
        Ok(exists.then_some(project))
    }

    /// The folder in which the person works.
    fn here(&self) -> &Path {
        self.world.project_folder.as_deref().unwrap_or(&self.world.cwd)
    }

    /// True when this session's prompt has just done this to the debate: a plugin that is installed twice delivers it again.
    fn is_delivered_again(&self, debate: &Debate, session: &Session, same: impl FnOnce(&Debate) -> bool) -> bool {
        debate.is_active()
            && debate.is_owned_by(&session.id)
            && debate.ownership.prompt_id == session.prompt_id
            && self.is_within(SAME_PROMPT, debate.progress.updated_at)
            && same(debate)
    }

    /// True when it is no longer than this since the last change. Side by side, the later of two may have begun first.
    fn is_within(&self, window: Duration, last_change: Timestamp) -> bool {
        self.world.now.duration_since(last_change).unsigned_abs() < window
    }

    /// The debate of this session is over, if it was this session's.
    fn forget_own(&self, session: Option<&Session>, debate: &Debate) {
        if let Some(session) = session.filter(|session| debate.ownership.session_id.as_deref() == Some(&session.id)) {
            self.machine.end(&session.id);
        }
    }
}

/// The state under the lock, if it still is this session's debate in progress.
fn load_own_active(locked: &Locked<'_>, session: &Session) -> Result<std::result::Result<Loaded, Nothing>> {
    let Some(loaded) = locked.load()? else { return Ok(Err(Nothing::NoDebate)) };
    let is_damaged = loaded.repair.as_ref().is_some_and(|repair| repair.damaged);
    if is_damaged && loaded.state.debate.ownership.session_id.is_none() {
        // It was this session's a moment ago.
        return Err(Error::failed(
            "the state file is damaged, and what told whose it is can't be read any more",
            "type /anvil:resume to go on, with what Claude wrote",
        ));
    }
    Ok(check_own_active(&loaded.state.debate, session).map(|()| loaded))
}

fn check_own_active(debate: &Debate, session: &Session) -> std::result::Result<(), Nothing> {
    if !debate.is_owned_by(&session.id) {
        Err(Nothing::NotOwner)
    } else if debate.is_active() {
        Ok(())
    } else {
        Err(Nothing::NotActive)
    }
}

/// There is no debate; what was here once may be brought back.
fn no_debate(store: &Store) -> Error {
    Error::nothing(
        "there is no debate here",
        if store.newest_debate().is_some() {
            "/anvil:debate QUESTION starts one; `anvil history` lists earlier ones, and `anvil checkpoints` what can be brought back of the last"
        } else {
            "/anvil:debate QUESTION starts one"
        },
    )
}

/// A path as the person wrote it, from `base`; a leading `~/` is the home folder.
fn expand(path: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => base.join(path),
    }
}
