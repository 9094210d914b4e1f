//! Start a debate.

use super::brief::opened;
use super::estimate::estimate;
use super::{Engine, Estimate, LOCK_WAIT, Nothing, Session, Stopped};
use crate::command::DebateOptions;
use crate::debate::{DEFAULT_ROUNDS, Debate, MIN_JUDGES, Verb};
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::prompt::{self, Ask, Opening, Read, Why};
use crate::state::{Change, Default, Leaving, Loaded, Locked, Project, StateFile, Store, new_id};

/// A debate that was started.
#[derive(Debug)]
pub struct Started {
    /// The debate.
    pub debate: Debate,
    /// Where its report goes, if the user or the project named a place.
    pub report: Option<String>,
    /// What Claude gets, when a session started it.
    pub opening: Opening,
    /// Where its file lies.
    pub project: Project,
    /// What it will take.
    pub estimate: Estimate,
}

/// What the user says about the debate that lies in the place of a new one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// What they do.
    pub(super) verb: Verb,
    /// An unfinished debate may go to the archive.
    pub(super) asked: bool,
    /// Also one that another running session owns.
    pub(super) take_over: bool,
}

impl Engine<'_> {
    /// Starts a debate: in this session, or (without one, in a shell) waiting to be resumed.
    ///
    /// Refused while another one is unfinished, unless the options say to replace it; it is then archived.
    pub fn start(
        &self,
        session: Option<&Session>,
        question: &str,
        options: &DebateOptions,
    ) -> Result<Started, Stopped> {
        self.start_after(session, question, &for_conversation(options)?, |_, _| Ok(()))
    }

    /// The same; `prepare` is given its id and its project just before it is there.
    pub fn start_after(
        &self,
        session: Option<&Session>,
        question: &str,
        options: &DebateOptions,
        prepare: impl FnOnce(&str, &Project) -> Result<()>,
    ) -> Result<Started, Stopped> {
        self.start_wished(session, question, options, &[], prepare)
    }

    /// Starts a debate that a program asks for, and that waits for who joins it: its wishes count as a project's do, below the word
    /// of the user's, and it never takes the place of an unfinished one.
    pub fn start_for_program(&self, question: &str, wishes: &[Default]) -> Result<Started, Stopped> {
        let typed = DebateOptions { replace: Some(false), ..DebateOptions::default() };
        self.start_wished(None, question, &for_conversation(&typed)?, wishes, |_, _| Ok(()))
    }

    fn start_wished(
        &self,
        session: Option<&Session>,
        question: &str,
        options: &DebateOptions,
        wishes: &[Default],
        prepare: impl FnOnce(&str, &Project) -> Result<()>,
    ) -> Result<Started, Stopped> {
        if let Some(complaint) = &self.world.complaint {
            return Err(complaint.clone().into());
        }
        let now = self.world.now;
        let store = self.store_to_start_in(session);
        let project = store.project().clone();
        let mut layers = self.layers(&project)?;
        layers.project = self.wishes(wishes, &project)?.over(layers.project);
        let says_rounds = options.rounds.is_some();
        let check = layers.fact_check(options);
        let said = options.clone().over(layers.project.clone());
        // The user's word for a path, and not the project's.
        let approved = options.output.as_deref().or(layers.user.output.as_deref().filter(|_| said.output.is_none()));
        let output = approved.map(|path| self.output_at_start(path, &project)).transpose()?;
        let options = said.over(layers.user);
        let mut debate = Debate::new(String::new(), question.to_owned(), DEFAULT_ROUNDS, now);
        debate.options.house_rules = layers.house_rules;
        let material = self.brief(&mut debate, &options, says_rounds, &project)?;
        debate.options.take_fact_check(check);
        let salt = session.map_or("", |session| &session.id);
        debate.id = new_id(&debate.question, now, salt);
        let locked = store.lock(LOCK_WAIT)?;
        let old = locked.load();
        if let (Some(session), Ok(Some(old))) = (session, &old)
            && self.is_delivered_again(&old.state.debate, session, |old| {
                old.question == debate.question && old.progress.step == debate.progress.step
            })
        {
            return Err(Nothing::Redelivered.into());
        }
        debate.options.output = match output {
            Some(output) => Some(self.approve_output(&project, &debate.id, &output)?),
            None => options.output,
        };
        if let Some(session) = session {
            debate.claim(&session.id, session.prompt_id.as_deref(), now);
        }
        let mut state = opened(debate, material);
        let read = state.lines_of_material().map_or(Read::Nothing, |(line, count)| Read::Material(line, count));
        state.debate.require_read(session.is_some() && read.is_needed());
        let state_file = project.state_file();
        let cue = prompt::cue(
            &state.debate,
            &state_file,
            &Ask { why: Why::Turn, read, steering: None, ledger: &Ledger::default() },
        );
        let opening = prompt::opening(&state.debate, "", &state_file, &cue);
        state.render()?;
        let room = Room { verb: Verb::Replace, asked: options.replace.unwrap_or(false), take_over: options.take_over };
        let leaving = self.make_room(&locked, old, session, room)?;
        prepare(&state.debate.id, &project)?;
        self.commit_over(&locked, leaving, &state, &Change::Start)?;
        // Who works at it from now on, on another machine, does so after it began here.
        let _ = store.begin_here(&state.debate.id);
        if let Some(session) = session {
            self.remember_new(session, &project);
        }
        let report = self.report_to_come(&project, &state.debate);
        let estimate = estimate(&store, &state.debate);
        Ok(Started { debate: state.debate, report, opening, project, estimate })
    }

    /// Where a new debate goes: beside one that is there already, else to the checkout's root or what else is its home.
    pub(super) fn store_to_start_in(&self, session: Option<&Session>) -> Store {
        let meant = self.store_meant(session);
        if meant.project().state_file().exists() { meant } else { Store::of(self.home(), self.world) }
    }

    /// Puts what lies in the state file's place into the archive too; refuses where that would end a debate unasked.
    pub(super) fn make_room(
        &self,
        locked: &Locked<'_>,
        old: Result<Option<Loaded>>,
        session: Option<&Session>,
        Room { verb, asked: replace, take_over }: Room,
    ) -> Result<Option<Leaving>> {
        let mut old = match old {
            Ok(None) => return Ok(None),
            Ok(Some(Loaded { is_lost: true, .. })) | Err(_) if replace => {
                return locked.leave_unreadable().map(Some);
            }
            Ok(Some(Loaded { is_lost: true, .. })) => {
                return Err(Error::failed(
                    "the state file here can't be read, and nothing tells what it was",
                    "--replace moves it to the archive as it is and starts this debate",
                ));
            }
            Ok(Some(old)) => old.state,
            Err(error) => return Err(error),
        };
        if !old.debate.progress.status.is_unfinished() {
            return locked.leave_as_it_is(&old).map(Some);
        }
        if !replace {
            return Err(Error::failed(
                format!("another debate is unfinished here: {}", old.debate.label()),
                "/anvil:resume goes on with it, /anvil:cancel archives it, --replace archives it and starts this one",
            ));
        }
        self.check_may_change(verb, &old.debate, session, take_over)?;
        old.debate.cancel("replaced by another debate", self.world.now);
        locked.leave(&old).map(Some)
    }

    /// Makes a state the project's own, in the place of what leaves it.
    pub(super) fn commit_over(
        &self,
        locked: &Locked<'_>,
        leaving: Option<Leaving>,
        state: &StateFile,
        change: &Change,
    ) -> Result<()> {
        let Some(leaving) = leaving else { return self.commit(locked, state, change) };
        let said = locked.commit_over(leaving, state, change)?;
        self.add_details(said);
        Ok(())
    }
}

/// The options of a debate that one conversation argues; refuses what takes seats with contexts of their own.
pub fn for_conversation(options: &DebateOptions) -> Result<DebateOptions> {
    if options.fact_check == Some(true) {
        return Err(Error::usage(
            "--fact-check needs seats that are programs: this conversation can't check itself",
            "add --isolated, or argue in a shell: `anvil run QUESTION --fact-check`",
        ));
    }
    if let Some(judges @ MIN_JUDGES..) = options.judges {
        return Err(Error::usage(
            "--judges has no place here: in one conversation each judge has read the others",
            format!("add --isolated, or argue in a shell: `anvil run QUESTION --judges {judges}`"),
        ));
    }
    // A default is for debates between programs.
    Ok(DebateOptions { fact_check: Some(false), judges: Some(1), ..options.clone() })
}
