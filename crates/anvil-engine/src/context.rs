//! The context of a use case: clock, folders, this machine and the notes for the user. Also the
//! reasons why a use case ends early.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use super::lookup::{find, find_in_repository};
use super::note::Note;
use anvil_core::debate::{Debate, Status};
use anvil_core::journal::{self, Decision};
use anvil_prompt::library::Folders;
use anvil_store::{Machine, Project, RunId, SessionRecord, StateFile, Store};
use anvil_system::process::{ProcessError, ProcessId};
use anvil_system::world::World;
use anvil_text::Hint;
use anvil_text::Scrubber;
use anvil_text::error::{Error, Failure, Result};

/// A hook waits this long for the lock: longer than any other hook holds it, and shorter than the
/// user's timeout.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A Stop with no new text within this time after the last change is a second delivery: two
/// installed copies of the plugin run in parallel. Another reply needs a request to the API first.
pub(crate) const SAME_STOP: Duration = Duration::from_millis(500);

/// A second command within this time is a second delivery: a user does not type it twice so fast.
pub(crate) const SAME_PROMPT: Duration = Duration::from_secs(2);

/// The Claude Code session in which an event happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// The turn, if the event names it.
    pub prompt_id: Option<String>,
    /// The client process, if it is known.
    pub client: Option<ProcessId>,
    /// The client that requested the programs, if programs fill the seats.
    pub for_client: Option<ProcessId>,
    /// The client's transcript of it, if the event names it.
    pub transcript: Option<PathBuf>,
}

impl Session {
    /// The session with this id, of which nothing else is known.
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        Self { id, prompt_id: None, client: None, for_client: None, transcript: None }
    }

    /// The session of a run that this process leads.
    pub fn of_run(client: ProcessId) -> Self {
        Self { client: Some(client), ..Self::new(RunId::from(client).to_string()) }
    }
}

/// Why a use case did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// The project of this session has no debate.
    NoDebate,
    /// The debate belongs to another session, or has no owner.
    NotOwner,
    NotActive,
    /// The state file can't be read, and this machine does not know that the session owns it.
    NotReadable,
    /// The model waits for agents that it started; the client will wake it.
    AgentsRunning,
    /// This session owned the debate until another one cancelled, replaced or took it over.
    Lost,
    /// Programs argue the debate for this session. The session only follows it.
    Follows,
    /// The event came before: the plugin is installed twice.
    Redelivered,
}

#[derive(Clone, Debug)]
pub enum Stopped {
    Skipped(Skipped),
    Failed(Error),
}

impl Stopped {
    /// Fails if the use case failed. A skipped event is no failure.
    pub fn failure(self) -> Result<()> {
        match self {
            Self::Skipped(_) => Ok(()),
            Self::Failed(error) => Err(error),
        }
    }
}

impl From<Skipped> for Stopped {
    fn from(why: Skipped) -> Self {
        Self::Skipped(why)
    }
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A use case that nobody waits for any more.
#[derive(Debug, thiserror::Error)]
#[error("the call was cancelled")]
struct CancelledError;

impl Failure for CancelledError {
    fn hint(&self) -> Hint {
        "call it again".into()
    }
}

/// The world of this run of the program, and the notes for its user. Every use case has it.
#[derive(Debug)]
pub struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) machine: Machine,
    /// Notes in addition to the outcome, oldest first. They are not part of a result: a use case
    /// that fails has some too, such as that it repaired the file.
    notes: RefCell<Vec<Note>>,
    /// For a client that may write the next reply.
    is_of_seat: bool,
    /// Another thread sets it.
    is_cancelled: Option<&'a AtomicBool>,
}

impl<'a> Context<'a> {
    pub fn new(world: &'a World) -> Self {
        let machine = Machine::new(world);
        let notes = RefCell::default();
        Self { world, machine, notes, is_of_seat: false, is_cancelled: None }
    }

    /// For a client that may write the next reply: it learns no author before the debate is
    /// complete, and reads no debate of another repository.
    #[must_use]
    pub fn of_seat(self) -> Self {
        Self { is_of_seat: true, ..self }
    }

    /// A use case that looks at many debates fails soon after this is true: nobody waits for it.
    #[must_use]
    pub fn until(self, is_cancelled: &'a AtomicBool) -> Self {
        Self { is_cancelled: Some(is_cancelled), ..self }
    }

    /// Says whether the use case is cancelled, on any thread.
    pub(crate) fn cancellation(&self) -> impl Fn() -> bool + Sync + 'a + use<'a> {
        let is_cancelled = self.is_cancelled;
        move || is_cancelled.is_some_and(|is_cancelled| is_cancelled.load(Ordering::Relaxed))
    }

    pub(crate) fn check_not_cancelled(&self) -> Result<()> {
        if self.cancellation()() {
            return Err(CancelledError.into());
        }
        Ok(())
    }

    /// Cleans what leaves this machine.
    pub fn scrubber(&self, project: &Project) -> Scrubber {
        crate::reports::scrubber(project, self.world.home.as_deref())
    }

    /// The debate that a word names, if this client may read it.
    pub(crate) fn find(
        &self,
        store: &Store,
        selector: Option<&str>,
    ) -> Result<(StateFile, PathBuf)> {
        match selector.filter(|_| self.is_of_seat) {
            Some(selector) => find_in_repository(store, selector),
            None => find(store, selector),
        }
    }

    pub(crate) fn hides_authors(&self, debate: &Debate) -> bool {
        self.is_of_seat && debate.status() != Status::Completed
    }

    /// Takes the notes for the user, oldest first.
    pub fn take_notes(&self) -> Vec<Note> {
        self.notes.take()
    }

    pub(crate) fn add_note(&self, note: Note) {
        self.notes.borrow_mut().push(note);
    }

    pub(crate) fn add_notes(&self, notes: impl IntoIterator<Item = Note>) {
        self.notes.borrow_mut().extend(notes);
    }

    /// Adds the sentences of the layers below.
    pub(crate) fn add_details(&self, details: impl IntoIterator<Item = String>) {
        self.notes.borrow_mut().extend(details.into_iter().map(Note::Detail));
    }

    /// The folders with the texts of this project and of the user.
    pub(crate) fn folders(&self, project: &Project) -> Folders {
        Folders { project: project.root().to_owned(), user: self.world.config_folder.clone() }
    }

    /// The store of the debate that the user means in this folder.
    pub(crate) fn selected_store(&self, session: Option<&Session>) -> Store {
        let session = session.filter(|_| self.world.debate_folder.is_none());
        let project = session.and_then(|session| self.project_of_session(session));
        Store::new(project.unwrap_or_else(|| self.selected_project()), self.world)
    }

    /// The project of the debate that the user means in this folder, whatever the session.
    pub(crate) fn selected_project(&self) -> Project {
        match self.world.debate_folder {
            Some(_) => self.project_for_new_debate(),
            None => Project::search(self.here(), self.world.home.as_deref()),
        }
    }

    /// The project of a new debate that starts in this folder.
    pub(crate) fn project_for_new_debate(&self) -> Project {
        let home = self.world.home.as_deref();
        let project = Project::around(self.here(), home).seen_from(&self.world.cwd, home);
        match &self.world.debate_folder {
            Some(dir) => project.with_debate_in(dir),
            None => project,
        }
    }

    /// The project of the debate that this session started or resumed. The current folder does not
    /// matter.
    pub(crate) fn project_of_session(&self, session: &Session) -> Option<Project> {
        self.machine.read_session(&session.id).and_then(Self::project_of_record).unwrap_or_default()
    }

    pub(crate) fn project_of_record(
        record: Option<SessionRecord>,
    ) -> std::io::Result<Option<Project>> {
        let Some(record) = record.filter(|record| !record.is_over) else { return Ok(None) };
        let project = Project::at(record.root);
        let exists = project.state_file().try_exists()?;
        Ok(exists.then_some(project))
    }

    /// The folder in which the user works.
    pub(crate) fn here(&self) -> &Path {
        self.world.project_folder.as_deref().unwrap_or(&self.world.cwd)
    }

    /// True if this session's prompt has just done this to the debate. A plugin that is installed
    /// twice delivers each prompt twice.
    pub(crate) fn is_delivered_again(
        &self,
        debate: &Debate,
        session: &Session,
        same: impl FnOnce(&Debate) -> bool,
    ) -> bool {
        debate.is_active()
            && debate.is_owned_by(&session.id)
            && debate.prompt_id() == session.prompt_id.as_deref()
            && self.is_within(SAME_PROMPT, debate.updated_at())
            && same(debate)
    }

    /// True if the last change is at most this old. It may also be newer than `now`: with two
    /// parallel runs, the later change may come from the run that began first.
    pub(crate) fn is_within(&self, window: Duration, last_change: Timestamp) -> bool {
        self.world.now.duration_since(last_change).unsigned_abs() < window
    }

    /// Notes that git would add the debate's file, or that it refuses to say so, once for each
    /// project.
    pub(crate) fn note_seen_by_git(&self, store: &Store) {
        let project = store.project();
        // A folder of --dir is the user's own choice.
        if project.is_in_dir() {
            return;
        }
        match store.is_seen_by_git() {
            Ok(Some(true)) if self.is_shown_first("git", project) => {
                self.add_note(Note::SeenByGit { has_info: project.has_git_info() });
            }
            Err(why @ ProcessError::Refused(_)) if self.is_shown_first("git-refuses", project) => {
                self.add_note(Note::GitRefuses(why.to_string()));
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// Warns once if the records of a project may not stay where they go, and if an earlier version
    /// has left its own. Returns their folder at the user's first debate.
    pub(crate) fn note_records(&self, store: &Store, is_new_user: bool) -> Option<String> {
        let project = store.project();
        let folder = self.machine.folder()?;
        let shown = project.display(folder);
        if let Some(system) = self.machine.may_vanish(project)
            && self.is_shown_first("records", project)
        {
            self.add_note(Note::RecordsMayVanish { folder: shown.clone(), system });
        }
        let earlier = project.claude().join("anvil.local");
        if folder != earlier && earlier.is_dir() && self.is_shown_first("earlier", project) {
            self.add_note(Note::EarlierRecords(project.display(&earlier)));
        }
        is_new_user.then_some(shown)
    }

    /// True once for a note about this project, and recorded.
    pub(crate) fn is_shown_first(&self, note: &str, project: &Project) -> bool {
        !self.machine.has_shown(note, project) && self.machine.remember_shown(note, project)
    }

    /// The decisions of a project's repository; none if they can't be read.
    pub(crate) fn decisions(store: &Store) -> Vec<Decision> {
        store.decisions().map(journal::decisions).unwrap_or_default()
    }

    /// Ends this session's record if the session owned the debate.
    pub(crate) fn forget_owned(&self, session: Option<&Session>, debate: &Debate) {
        if let Some(session) = session.filter(|session| debate.is_owned_by(&session.id)) {
            self.machine.end(&session.id);
        }
    }
}

/// A path as the user wrote it, from `base`. A leading `~/` is the home folder.
pub(crate) fn expand(path: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(remaining), Some(home)) if remaining.starts_with('/') => {
            home.join(remaining.trim_start_matches('/'))
        }
        _ => base.join(path),
    }
}
