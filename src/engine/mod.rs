//! The use cases: start, file a reply, pause, resume, cancel, look, go back. Each takes plain data and gives back an
//! outcome, or [`Stopped`]: every reason for doing nothing has a name.
//!
//! What comes from a session's events goes through its [`Turn`]. Nothing here calls back into a door.
//!
//! The only place where pure and impure meet, always in this order: load, decide, compose, commit. Everything that can
//! fail and is pure is finished before the first write.

mod agents;
mod attempts;
mod brief;
mod cancel;
mod carry;
mod claims;
mod config;
mod estimate;
mod fact_check;
mod file_reply;
mod filing;
mod follow;
mod gather;
mod history;
mod issue_work;
mod judging;
mod leading;
mod look;
mod note;
mod outcomes;
mod output;
mod ownership;
mod past;
mod pause;
mod preview;
mod prune;
mod publish;
mod pull;
mod reading;
mod report;
mod request;
mod resume;
mod run;
mod side;
mod start;
mod steer;
mod task_replies;
mod tasks;
mod turn;
mod worker;

pub use agents::{SeatDefaults, duration};
pub(crate) use brief::{check_course, described, focus, voice_of};
pub use carry::{Checked, Embedded, body_from, body_in, check, extract};
pub use claims::Claims;
pub(crate) use claims::places;
pub use config::Setting;
pub use estimate::{Estimate, Pace};
pub use fact_check::CheckFiled;
pub use file_reply::Outcome;
pub use filing::Completed;
pub use follow::{Conclusion, Followed, News, Runs};
pub use history::{CheckpointEntry, History, HistoryChange, Part};
pub use issue_work::{IssueNext, IssuePosted, IssueTicket, IssueWorker};
pub use leading::{HeldTask, LeaderNext};
pub use look::{Found, Look};
pub use note::{Aside, Document, Note, Place};
pub use outcomes::{Calibrated, DueReviews, ListChange};
pub use ownership::{OwnerStatus, RUN};
pub use past::{FoundTexts, Hit, PastDebate, PastDebates, View};
pub use pause::{Interruption, PromptOutcome, Released};
pub use prune::{PruneCandidate, PrunePlan};
pub use publish::Publication;
pub use pull::{Pulled, Taken};
pub use report::Reported;
pub use request::Request;
pub(crate) use request::{Answered, Asked, answer, generation_of, request};
pub use resume::{Resumed, Resumption};
pub use run::{Judged, Submitted, TakenUp};
pub use side::Side;
pub use start::{Started, for_conversation};
pub use steer::{ResumeAction, Steered};
pub(crate) use steer::{give_steering, skip_to_synthesis};
pub use task_replies::TaskSubmitted;
pub use tasks::{Board, NextTask, Waiting};
pub use turn::Turn;
pub use worker::{SIGN_OF_LIFE, Ticket, Worker};

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::debate::Debate;
use crate::error::{Error, Result};
use crate::state::{Change, Client, Locked, Machine, Project, SessionRecord, StateFile, Store};
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
    /// The client process, where it is known.
    pub client: Option<Client>,
    /// Where programs fill the seats: the client in which that was asked for.
    pub for_client: Option<Client>,
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
    /// Programs argue the debate for this session: there is news of it, or none.
    Follows,
    /// The same event was delivered before: the plugin is installed twice.
    Redelivered,
}

/// Why a use case ended early.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// There was nothing to do.
    Nothing(Nothing),
    /// Something did not work.
    Failed(Error),
}

impl Stopped {
    /// What went wrong; that there was nothing to do is no failure.
    pub fn failure(self) -> Result<()> {
        match self {
            Self::Nothing(_) => Ok(()),
            Self::Failed(error) => Err(error),
        }
    }
}

impl From<Nothing> for Stopped {
    fn from(why: Nothing) -> Self {
        Self::Nothing(why)
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The use cases, in the world of one run.
#[derive(Debug)]
pub struct Engine<'a> {
    world: &'a World,
    machine: Machine,
    /// What happened beside what was asked for.
    notes: RefCell<Vec<Note>>,
}

impl<'a> Engine<'a> {
    /// The engine for one run of the program.
    #[must_use]
    pub fn new(world: &'a World) -> Self {
        Self { world, machine: Machine::of(world), notes: RefCell::default() }
    }

    /// What the user should know beside the outcome, in the order in which it happened.
    #[must_use]
    pub fn take_notes(&self) -> Vec<Note> {
        self.notes.take()
    }

    fn add_note(&self, note: Note) {
        self.notes.borrow_mut().push(note);
    }

    /// What the rooms below say.
    fn add_details(&self, said: impl IntoIterator<Item = String>) {
        self.notes.borrow_mut().extend(said.into_iter().map(Note::Detail));
    }

    /// Makes a state the project's own.
    fn commit(&self, locked: &Locked<'_>, state: &StateFile, change: &Change) -> Result<()> {
        let said = locked.commit(state, change)?;
        self.add_details(said);
        Ok(())
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
        self.machine.read_session(&session.id).and_then(Self::project_of).unwrap_or_default()
    }

    fn project_of(record: Option<SessionRecord>) -> std::io::Result<Option<Project>> {
        let Some(record) = record.filter(|record| !record.is_over) else { return Ok(None) };
        let project = Project::at(record.root);
        let exists = project.state_file().try_exists()?;
        Ok(exists.then_some(project))
    }

    /// The folder in which the user works.
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

/// There is no debate; what was here once may be brought back.
fn no_debate(store: &Store) -> Error {
    Error::nothing(
        "there is no debate here",
        if store.newest_debate().is_some() {
            "/anvil:debate QUESTION starts one, or `anvil start QUESTION`; `anvil history` lists earlier ones, and `anvil checkpoints` what can be brought back of the last"
        } else {
            "/anvil:debate QUESTION starts one, or `anvil start QUESTION` in a shell"
        },
    )
}

/// A path as the user wrote it, from `base`; a leading `~/` is the home folder.
fn expand(path: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => base.join(path),
    }
}
