//! A host in this process, for tests of the use cases: a folder, a clock that is set, a user,
//! conversations, a forge and agents. Nothing is started.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anvil_command::Typed;
use anvil_core::ledger::Ledger;
use anvil_core::options::DebateOptions;
use anvil_core::place::Seat;
use anvil_core::reply::{Reply, TurnOutput};
use anvil_core::tasks::SeatFilter;
use anvil_core::transcript::{self, Entry};
use anvil_engine::{
    Cancelled, Claimant, Claimed, Context, HistoryChange, Interruption, Note, PromptOutcome,
    ResumeAction, Resumed, Resumption, Session, Started, Stopped, Ticket, TurnEnd, history,
    session, tasks,
};
use anvil_store::{Holder, StateFile};
use anvil_system::disk::Disk;
use anvil_system::process::ProcessId;
use anvil_system::world::{Programs, World};
use anvil_text::error::Result;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::forge::{Forge, TestPrograms};
use crate::host::{files, synthesis, temp_folder};

/// The time between two use cases, on the clock of the world.
const STEP: SignedDuration = SignedDuration::from_secs(10);

/// A project and a home folder, and everything that a use case reads of the world.
pub struct TestWorld {
    temp: TempDir,
    /// The time of the last use case.
    pub clock: Cell<Timestamp>,
    /// How many snapshots a debate keeps.
    snapshots_kept: Option<usize>,
    /// The folder in the project in which the user works.
    pub folder: RefCell<PathBuf>,
    disk: Disk,
    programs: TestPrograms,
    notes: RefCell<Vec<Note>>,
}

impl TestWorld {
    pub fn new() -> Self {
        let temp = tempfile::tempdir_in(temp_folder()).unwrap();
        fs_err::create_dir_all(temp.path().join("project")).unwrap();
        fs_err::create_dir_all(temp.path().join("home")).unwrap();
        let clock = Cell::new(Timestamp::from_second(1_795_230_000).unwrap());
        let folder = RefCell::new(temp.path().join("project"));
        let (disk, programs, notes) = Default::default();
        Self { temp, clock, snapshots_kept: None, folder, disk, programs, notes }
    }

    /// A world that reaches this forge.
    pub fn at(forge: &Arc<Forge>) -> Self {
        let mut world = Self::new();
        world.programs.forge = Arc::clone(forge);
        world
    }

    /// The world with agents that are this closure: it takes the words of a command and a prompt,
    /// and returns an exit code and what is printed.
    #[must_use]
    pub fn with_agents(
        mut self,
        agent: impl Fn(&[String], &str) -> (i32, String) + Send + Sync + 'static,
    ) -> Self {
        self.programs.agent = Some(Arc::new(agent));
        self
    }

    /// A world in which a debate keeps so many snapshots.
    pub fn keeping(snapshots: usize) -> Self {
        Self { snapshots_kept: Some(snapshots), ..Self::new() }
    }

    pub fn root(&self) -> PathBuf {
        self.temp.path().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    /// A path in the project.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root().join(relative)
    }

    /// A path next to home and project.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// The records of this user.
    pub fn records(&self) -> PathBuf {
        self.home().join(".claude/anvil.local")
    }

    /// The folder of the debate here in the records.
    pub fn debate_folder(&self) -> PathBuf {
        self.records().join("debates").join(self.state().debate.id)
    }

    pub fn state_path(&self) -> PathBuf {
        self.path(".claude/anvil-state.local.md")
    }

    pub fn state_text(&self) -> String {
        fs_err::read_to_string(self.state_path()).unwrap()
    }

    pub fn state(&self) -> StateFile {
        StateFile::parse(&self.state_text()).unwrap()
    }

    /// Rewrites the state file by hand.
    #[track_caller]
    pub fn edit(&self, from: &str, to: &str) {
        let text = self.state_text();
        assert!(text.contains(from), "{from} is not in\n{text}");
        fs_err::write(self.state_path(), text.replace(from, to)).unwrap();
    }

    /// Every section of the debate here, notes too.
    pub fn entries(&self) -> Vec<Entry> {
        transcript::parse(&self.state().body).0
    }

    /// The text of each reply on record, in order.
    pub fn reply_texts(&self) -> Vec<String> {
        let entries = self.entries().into_iter().filter(|entry| entry.place().is_some());
        entries.map(|entry| entry.text).collect()
    }

    /// Where the debate waits, such as `critic, round 1`, and its status.
    pub fn progress(&self) -> (String, &'static str) {
        let debate = self.state().debate;
        (debate.place().to_string(), debate.status().label())
    }

    /// The texts that were put aside of all debates, by their kind.
    pub fn aside_files(&self) -> Vec<(String, Vec<u8>)> {
        let debates = self.records().join("debates");
        let found = if debates.exists() { files(&debates) } else { Vec::new() };
        let aside = |path: &Path| path.parent().is_some_and(|folder| folder.ends_with("aside"));
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let aside = found.into_iter().filter(|(path, _)| aside(path));
        aside.map(|(path, bytes)| (name(&path), bytes)).collect()
    }

    /// Every file below the project and in the records, with its content.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        files(self.temp.path())
    }

    /// Moves the clock.
    pub fn wait(&self, seconds: i64) {
        self.clock.set(self.clock.get() + SignedDuration::from_secs(seconds));
    }

    /// The world of the next use case.
    pub fn next(&self) -> World {
        self.clock.set(self.clock.get() + STEP);
        let (home, project) = (self.home(), self.root());
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "USER" => Some("ada".into()),
            "CLAUDE_PROJECT_DIR" => Some(project.clone().into_os_string()),
            "ANVIL_NOW" => Some(self.clock.get().to_string().into()),
            _ => None,
        };
        let (snapshots_kept, disk) = (self.snapshots_kept, self.disk.clone());
        let cwd = self.folder.borrow().clone();
        let programs: Option<Arc<dyn Programs>> = Some(Arc::new(self.programs.clone()));
        World { cwd, disk, snapshots_kept, programs, ..World::gather(variable).unwrap() }
    }

    /// Runs a use case, and keeps its notes.
    pub fn run<T>(&self, act: impl FnOnce(&Context<'_>) -> T) -> T {
        let world = self.next();
        let context = Context::new(&world);
        let outcome = act(&context);
        self.notes.replace(context.take_notes());
        outcome
    }

    /// The notes of the last use case.
    pub fn notes(&self) -> Vec<Note> {
        self.notes.borrow().clone()
    }

    /// A conversation whose client is not known, as one that has ended.
    pub fn conversation(&self, id: &str) -> Conversation<'_> {
        let session = Session::new(id);
        Conversation { world: self, session }
    }

    /// A conversation that argues this, typed as `QUESTION OPTIONS`.
    #[track_caller]
    pub fn debating(&self, typed: &str) -> Conversation<'_> {
        let conversation = self.conversation("one");
        conversation.start(typed).unwrap();
        conversation
    }

    /// Prepares a debate that nobody argues yet, typed as `QUESTION OPTIONS`.
    #[track_caller]
    pub fn prepare(&self, typed: &str) {
        let (question, options) = parse_debate(typed);
        self.run(|context| session::start(context, None, &question, &options)).unwrap();
    }

    /// Claims the next task for somebody.
    pub fn claim(&self, name: &str) -> Result<Claimed, Stopped> {
        let id = self.state().debate.id;
        let (name, holder) = (name.to_owned(), Holder::user());
        let claimant = Claimant { name, holder, reopens: true };
        self.run(|context| tasks::claim(context, &id, &claimant, SeatFilter::Any, |_| 100_000))
    }

    /// Claims the next task, which is free.
    #[track_caller]
    pub fn ticket(&self, name: &str) -> Ticket {
        match self.claim(name) {
            Ok(Claimed::Task(ticket, _)) => ticket,
            other => panic!("{other:?}"),
        }
    }

    /// The claims of the debate here, and what the synthesis made of them.
    pub fn ledger(&self) -> Ledger {
        let state = self.state();
        Ledger::of_entries(&transcript::parse(&state.body), &state.debate.alternatives())
    }

    /// A whole synthesis for the debate here. `text`: lines of the block, then prose after a blank
    /// line.
    pub fn synthesis(&self, text: &str) -> String {
        let motion = self.state().debate.alternatives().motion;
        let claims = self.ledger().claims;
        let ids: Vec<String> = claims.iter().map(|claim| claim.id.to_string()).collect();
        synthesis(text, &ids, motion.as_deref())
    }
}

/// Question and options of a line that begins a debate.
#[track_caller]
pub fn parse_debate(line: &str) -> (String, DebateOptions) {
    match Typed::parse("debate", line) {
        Some(Ok(Typed::Debate { question, options, .. })) => (question, *options),
        other => panic!("{line}: {other:?}"),
    }
}

/// A conversation of Claude Code.
pub struct Conversation<'w> {
    pub world: &'w TestWorld,
    pub session: Session,
}

impl Conversation<'_> {
    /// The conversation in the process of this client.
    #[must_use]
    pub fn of_client(mut self, pid: u32) -> Self {
        self.session.client = Some(ProcessId::from_pid(pid));
        self
    }

    /// The conversation in a turn with this id.
    #[must_use]
    pub fn in_turn(&self, turn: &str) -> Self {
        let session = Session { prompt_id: Some(turn.to_owned()), ..self.session.clone() };
        Self { world: self.world, session }
    }

    /// Starts a debate, typed as `QUESTION OPTIONS`.
    pub fn start(&self, typed: &str) -> Result<Started, Stopped> {
        let (question, options) = parse_debate(typed);
        self.world.run(|context| session::start(context, Some(&self.session), &question, &options))
    }

    /// Ends a turn with this reply. A reply without numbers is sent again on request, and one that
    /// begins with `recommendation: ` becomes a whole synthesis.
    pub fn stop(&self, reply: &str) -> Result<TurnEnd, Stopped> {
        let whole;
        let reply = if reply.starts_with("recommendation: ") {
            whole = self.world.synthesis(reply);
            &whole
        } else {
            reply
        };
        let end = self.stop_once(reply)?;
        match end {
            TurnEnd::GoesOn(_) if self.world.state().debate.form_retry() => self.stop_once(reply),
            end => Ok(end),
        }
    }

    /// Ends a turn with exactly these words.
    pub fn stop_once(&self, reply: &str) -> Result<TurnEnd, Stopped> {
        self.world.run(|context| {
            let turn = session::stop_turn(context, &self.session)?;
            let reply = Self::reply(turn.phase_began(), reply);
            turn.record(Some(reply))
        })
    }

    fn reply(phase_began: Timestamp, text: &str) -> Reply {
        let texts = vec![text.to_owned()];
        Reply { phase_began, texts, ..Reply::default() }
    }

    /// Saves each of these replies; the debate goes on after each.
    #[track_caller]
    pub fn argue(&self, replies: &[&str]) {
        for reply in replies {
            let end = self.stop(reply);
            let is_saved = self.world.reply_texts().last().is_some_and(|last| last == reply);
            assert!(is_saved, "{reply}: {end:?}");
        }
    }

    /// Types words that are no command; `unsaved` is a reply that no Stop has saved.
    pub fn type_words(&self, words: &str, unsaved: Option<&str>) -> Result<Typing, Stopped> {
        self.world.run(|context| {
            Ok(match session::prompt_typed(context, &self.session, words)? {
                PromptOutcome::Interrupts(turn) => {
                    let began = turn.phase_began();
                    let unsaved = unsaved.map(|text| TurnOutput::Reply(Self::reply(began, text)));
                    Typing::Interrupts(turn.interrupt(unsaved)?)
                }
                PromptOutcome::GoesOn => Typing::GoesOn,
                PromptOutcome::Steered(steered) => Typing::Steered(steered),
                PromptOutcome::Stopped(debate) => Typing::Stopped(debate),
                PromptOutcome::Released(why) => Typing::Released(why),
                PromptOutcome::Fresh => Typing::Fresh,
            })
        })
    }

    pub fn resume(&self) -> Result<Resumption, Stopped> {
        self.resume_with(ResumeAction::AsItIs, false)
    }

    pub fn resume_with(
        &self,
        action: ResumeAction<'_>,
        take_over: bool,
    ) -> Result<Resumption, Stopped> {
        self.world.run(|context| session::resume(context, &self.session, take_over, action, None))
    }

    pub fn again(&self, text: &str) -> Result<Resumed, Stopped> {
        self.world.run(|context| session::again(context, Some(&self.session), text, false))
    }

    pub fn cancel(&self) -> Result<Cancelled> {
        self.world.run(|context| session::cancel(context, Some(&self.session), false))
    }

    pub fn undo(&self, phases: usize) -> Result<HistoryChange> {
        self.world.run(|context| history::undo(context, Some(&self.session), phases, false))
    }

    pub fn redo(&self) -> Result<HistoryChange> {
        self.world.run(|context| history::redo(context, Some(&self.session), false))
    }

    /// The session ends.
    pub fn end(&self) -> Result<Interruption, Stopped> {
        self.world.run(|context| session::session_ends(context, &self.session)?.end_session(None))
    }

    /// True if it owns the debate here.
    pub fn owns(&self) -> bool {
        self.world.state().debate.is_owned_by(&self.session.id)
    }

    /// The place that Claude is asked to write next, if this end asks for one.
    pub fn seat(&self) -> Seat {
        self.world.state().debate.place().seat
    }
}

/// The effect of words that the user typed.
#[derive(Debug)]
pub enum Typing {
    GoesOn,
    Steered(Box<anvil_engine::Steered>),
    Stopped(Box<anvil_core::debate::Debate>),
    Released(anvil_engine::Released),
    Fresh,
    Interrupts(Interruption),
}

/// A process of another client, until this is dropped.
pub struct Client(std::process::Child);

impl Client {
    pub fn start() -> Self {
        Self(std::process::Command::new("sleep").arg("600").spawn().unwrap())
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Ends it.
    pub fn end(self) {}
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The name of a failure, such as `NoDirection`: the variant of its error.
#[track_caller]
pub fn failure(stopped: impl Into<Stopped>) -> String {
    let Stopped::Failed(error) = stopped.into() else { panic!("the use case was skipped") };
    let text = format!("{error:?}");
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
