//! Starts a debate, and previews its requests.

use std::path::{Path, PathBuf};

use super::error::{BriefError, SessionError};
use crate::defaults::with_defaults;
use crate::output::path_in_project;
use crate::ownership::{Since, check_may_change, is_argued_by_programs, remember};
use crate::programs::{self, Request, RequestOptions, request};
use crate::reports::ReportPlaces;
use crate::session::brief::brief;
use crate::session::cancel::{Ended, end};
use crate::{Context, LOCK_WAIT, Note, Session, Skipped, Stopped, expand};
use anvil_core::debate::{Debate, PlainReason, Status, UserAction};
use anvil_core::ledger::Ledger;
use anvil_core::limits::MIN_JUDGES;
use anvil_core::options::{DebateOptions, Judges, YesOrNo, is_yes};
use anvil_core::place::Place;
use anvil_prompt::prompt::{self, Ask, Opening, Read, Why};
use anvil_store::{
    Commit, DefaultEntry, Loaded, NamedPath, Project, RunRecord, StateFile, Store, Transaction,
    new_id, token,
};
use anvil_text::error::Result;

/// A debate that was started.
#[derive(Debug)]
pub struct Started {
    pub debate: Debate,
    /// The path of its future report, if the options name one.
    pub report: Option<String>,
    /// The text for Claude, if a session started the debate.
    pub opening: Opening,
    /// The project that has its file.
    pub project: Project,
    /// The time that its replies will take.
    pub estimate: anvil_prompt::Estimate,
    /// The first debate of this user in a conversation.
    pub is_first: bool,
    /// The folder of the records, at the user's first debate.
    pub records: Option<String>,
}

/// The verb that replaces a debate, and the debates that it may replace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replacement {
    pub action: UserAction,
    /// True if an unfinished debate may end.
    pub may_end_unfinished: bool,
    /// True also for a debate that another running session owns.
    pub take_over: bool,
}

/// Starts a debate in this session. Without a session, as in a shell, it waits for a resume.
///
/// Refused while another debate is unfinished, unless the options replace it: then the old
/// one ends.
pub fn start(
    context: &Context<'_>,
    session: Option<&Session>,
    question: &str,
    options: &DebateOptions,
) -> Result<Started, Stopped> {
    let options = for_conversation(options)?;
    let starter = session.map_or(Starter::Shell, Starter::Author);
    start_with_defaults(context, starter, question, &options, &[], None)
}

/// Starts a debate that programs argue, for the session that follows it if there is one. `run`: the
/// programs that the user has named, recorded before the file is written.
pub fn start_for_run(
    context: &Context<'_>,
    follower: Option<&Session>,
    question: &str,
    options: &DebateOptions,
    run: &RunRecord,
) -> Result<Started, Stopped> {
    let starter = follower.map_or(Starter::Shell, Starter::Follower);
    start_with_defaults(context, starter, question, options, &[], Some(run))
}

/// Starts a debate that a program requests, without a driver. Its wishes
/// count like a project's options, below typed ones. It never replaces an unfinished debate.
pub fn start_for_program(
    context: &Context<'_>,
    question: &str,
    wishes: &[DefaultEntry],
) -> Result<Started, Stopped> {
    let mut typed = DebateOptions::default();
    typed.own.replace = Some(YesOrNo(false).into());
    let options = for_conversation(&typed)?;
    start_with_defaults(context, Starter::Shell, question, &options, wishes, None)
}

/// Starts the debate about a session's plan, whose first reply is written.
pub(crate) fn begin_argued_plan(
    context: &Context<'_>,
    session: &Session,
    question: &str,
    options: &DebateOptions,
) -> Result<Started, Stopped> {
    let options = for_conversation(options)?;
    start_with_defaults(context, Starter::Planner(session), question, &options, &[], None)
}

/// The debate about a session's plan as it would start, and its first request.
pub(crate) fn preview_plan(
    context: &Context<'_>,
    session: &Session,
    question: &str,
    options: &DebateOptions,
) -> Result<(StateFile, Opening)> {
    if let Some(invalid_setting) = &context.world.invalid_setting {
        return Err(invalid_setting.clone());
    }
    let project = store_to_start_in(context, Some(session)).project().clone();
    let draft = with_defaults(context, &for_conversation(options)?, &[], &project)?;
    output(context, &draft.options, &project)?;
    let (mut state, _) = brief(context, question, draft, &project)?;
    let opening = opening(&mut state, &project.state_file(), Starter::Planner(session));
    Ok((state, opening))
}

/// The starter of a debate.
#[derive(Clone, Copy)]
enum Starter<'a> {
    /// A session that argues it.
    Author(&'a Session),
    /// A session whose plan it is about. Claude has the plan in its conversation, and has written
    /// the first reply.
    Planner(&'a Session),
    /// A session that follows what programs argue.
    Follower(&'a Session),
    /// A shell, or a program.
    Shell,
}

impl<'a> Starter<'a> {
    fn author(self) -> Option<&'a Session> {
        match self {
            Self::Author(session) | Self::Planner(session) => Some(session),
            Self::Follower(_) | Self::Shell => None,
        }
    }

    /// True if the other copy of a plugin that is installed twice has just started this debate.
    fn has_started(self, context: &Context<'_>, old: &Debate, new: &Debate) -> bool {
        old.question == new.question
            && match self {
                Self::Author(session) | Self::Planner(session) => {
                    context.is_delivered_again(old, session, |old| old.step() == new.step())
                }
                Self::Follower(session) => programs::has_just_begun(context, session, old),
                Self::Shell => false,
            }
    }
}

fn start_with_defaults(
    context: &Context<'_>,
    starter: Starter<'_>,
    question: &str,
    options: &DebateOptions,
    wishes: &[DefaultEntry],
    run: Option<&RunRecord>,
) -> Result<Started, Stopped> {
    if let Some(invalid_setting) = &context.world.invalid_setting {
        return Err(invalid_setting.clone().into());
    }
    let now = context.world.now;
    let session = starter.author();
    let mut store = store_to_start_in(context, session);
    let project = store.project().clone();
    let draft = with_defaults(context, options, wishes, &project)?;
    let output = output(context, &draft.options, &project)?;
    let replacement = Replacement {
        action: UserAction::Replace,
        may_end_unfinished: is_yes(&draft.options.own.replace),
        take_over: draft.options.take_over,
    };
    let (mut state, original) = brief(context, question, draft, &project)?;
    let debate = &mut state.debate;
    // Several debates of one question may start at once.
    let dir = context.world.debate_folder.as_deref().and_then(Path::to_str);
    let salt = session.map_or(dir.unwrap_or_default(), |session| &session.id);
    debate.id = new_id(&debate.question, now, salt);
    let is_new_user = context.machine.is_new();
    let (transaction, old) = store.lock(LOCK_WAIT)?.load();
    if matches!(&old, Ok(Some(old)) if starter.has_started(context, &old.state.debate, debate)) {
        return Err(Skipped::Redelivered.into());
    }
    let output = output.map(|path| path_in_project(&path, &project)).transpose()?;
    debate.options.output = output.as_ref().map(|path| path.display().to_string());
    if let Some(session) = session {
        debate.claim(&session.id, session.prompt_id.as_deref(), now);
    }
    let opening = opening(&mut state, &project.state_file(), starter);
    state.render()?;
    let id = &state.debate.id;
    let mut transaction = make_room(context, transaction, old, id, session, replacement)?;
    // The file does not choose the programs, or the path of the report.
    if run.is_some() || output.is_some() {
        transaction.change_record(id, |record| {
            record.run = run.cloned();
            record.output = output.map(NamedPath);
        })?;
    }
    if let Some(original) = original {
        transaction.keep_original(id, &original)?;
    }
    let (transaction, details) = transaction.commit(&state, Commit::Change)?;
    context.add_details(details);
    // Under the lock: the other copy of the prompt sees it.
    if let Starter::Follower(session) = starter {
        programs::follow(context, session, &project, &state.debate);
    }
    drop(transaction);
    context.note_seen_by_git(&store);
    let records = context.note_records(&store, is_new_user);
    for (fault, fix) in context.machine.faults() {
        context.add_note(Note::Detail(format!("{fault}; {fix}")));
    }
    if let Some(session) = session {
        remember(context, session, &project, Since::Now);
    }
    let report = report_to_come(context, &store, &state.debate);
    let left = state.debate.schedule().phases_left(state.debate.place());
    let reply = context.reply_time(&state.debate.id, []);
    let estimate = anvil_prompt::Estimate::new(&state.debate, left, reply);
    let is_first = session.is_some() && is_new_user;
    Ok(Started { debate: state.debate, report, opening, project, estimate, is_first, records })
}

/// The path of the future report, as the user reads it. `None`: the user named none.
pub(super) fn report_to_come(
    context: &Context<'_>,
    store: &Store,
    debate: &Debate,
) -> Option<String> {
    debate.options.output.as_ref()?;
    let places = ReportPlaces::of(context, store, debate).ok()?;
    Some(store.project().display(&places.named))
}

/// The path of the report, if the user named one that a report may take.
fn output(
    context: &Context<'_>,
    options: &DebateOptions,
    project: &Project,
) -> Result<Option<PathBuf>> {
    let Some(output) = &options.own.output else { return Ok(None) };
    let world = context.world;
    let document = options.document().map(|typed| expand(typed, &world.cwd, world.home.as_deref()));
    context.report_output(&output.0, project, document.as_deref()).map(Some)
}

/// A debate as it would start.
pub fn preview(context: &Context<'_>, question: &str, options: &DebateOptions) -> Result<Preview> {
    let project = store_to_start_in(context, None).project().clone();
    let draft = with_defaults(context, options, &[], &project)?;
    output(context, &draft.options, &project)?;
    let (mut state, _) = brief(context, question, draft, &project)?;
    "preview".clone_into(&mut state.debate.id);
    Ok(Preview { state, file: project.state_file() })
}

/// The store for a new debate: that of the debate here, else the checkout's root or another
/// home.
pub(crate) fn store_to_start_in(context: &Context<'_>, session: Option<&Session>) -> Store {
    let mut store = context.selected_store(session);
    let here = store.read_head().ok().flatten();
    if here.is_some_and(|here| here.status() == Status::Cancelled) {
        // It is no longer the session's.
        store = context.selected_store(None);
    }
    if store.project().state_file().exists() {
        store
    } else {
        Store::new(context.project_for_new_debate(), context.world)
    }
}

/// Makes room for the debate `id`: the old one leaves its place. Refuses to end an unfinished
/// debate without the user's request.
pub(crate) fn make_room<'s>(
    context: &Context<'_>,
    mut transaction: Transaction<'s>,
    old: Result<Option<Loaded>>,
    id: &str,
    session: Option<&Session>,
    Replacement { action, may_end_unfinished, take_over }: Replacement,
) -> Result<Transaction<'s>> {
    let old = match old {
        Ok(None) => return Ok(transaction),
        Ok(Some(Loaded { is_lost: true, .. })) | Err(_) if may_end_unfinished => {
            let aside = transaction.put_unreadable_aside(id)?;
            let aside = transaction.project().display(&aside);
            context
                .add_details([format!("what was here could not be read; it is saved in {aside}")]);
            return Ok(transaction);
        }
        Ok(Some(Loaded { is_lost: true, .. })) => {
            return Err(SessionError::Unknown.into());
        }
        Ok(Some(old)) => old.state,
        Err(error) => return Err(error),
    };
    if !old.debate.status().is_unfinished() {
        return transaction.leave(old);
    }
    if !may_end_unfinished {
        let is_refused = check_may_change(context, action, &old.debate, session, false).is_err();
        let here = old.debate.label();
        return Err(if is_refused {
            SessionError::RunsElsewhere(here)
        } else {
            SessionError::AnotherHere { here, is_run: is_argued_by_programs(&old.debate) }
        }
        .into());
    }
    check_may_change(context, action, &old.debate, session, take_over)?;
    let step = old.debate.step();
    match end(context, &mut transaction, old, Some(PlainReason::Replaced.into()))? {
        Ended::Cancelled(state) => transaction.leave(state),
        Ended::Finished { mut state, aside } => {
            // The file is still at this step: if this process dies, the debate just goes on.
            if state.debate.step() < step {
                state.debate.take_step_after(step - 1);
            }
            let aside = transaction.project().display(&aside);
            context.add_details([format!(
                "the debate that was here is finished as before; what came since is in {aside}"
            )]);
            transaction.leave(state)
        }
    }
}

/// A debate that is not started.
#[derive(Debug)]
pub struct Preview {
    state: StateFile,
    file: PathBuf,
}

impl Preview {
    pub fn debate(&self) -> &Debate {
        &self.state.debate
    }

    /// The debate, to be argued without a file. It gets an id of its own.
    pub fn into_state(mut self) -> StateFile {
        let debate = &mut self.state.debate;
        debate.id = new_id(&debate.question, debate.updated_at(), &token());
        self.state
    }

    /// The request to a place as if the debate had no replies yet.
    pub fn request(&self, place: Place, in_project: bool, most_tokens: usize) -> Result<Request> {
        let mut state = self.state.clone();
        state.debate.enter(place);
        let options = RequestOptions { in_project, ..RequestOptions::default() };
        request(&state, &self.file, options, |_| most_tokens)
    }
}

/// Protocol and first cue of a new debate.
fn opening(state: &mut StateFile, state_file: &Path, starter: Starter<'_>) -> Opening {
    let read = match (starter, state.lines_of_material()) {
        (Starter::Planner(_), _) | (_, None) => Read::Nothing,
        (_, Some((line, count))) => Read::Material(line, count),
    };
    state.debate.require_read(starter.author().is_some() && read.is_needed());
    let ask = Ask { why: Why::Turn, read, steering: None, ledger: &Ledger::default() };
    let cue = prompt::cue(&state.debate, state_file, &ask);
    prompt::opening(&state.debate, "", state_file, &cue)
}

/// The options of a debate that one conversation argues. Refuses options that need seats with
/// separate contexts.
fn for_conversation(options: &DebateOptions) -> Result<DebateOptions> {
    if is_yes(&options.own.fact_check) {
        return Err(BriefError::FactCheckHere.into());
    }
    if let Some(Judges(judges @ MIN_JUDGES..)) = options.leader.judges.as_deref() {
        return Err(BriefError::JudgesHere(*judges).into());
    }
    // The defaults for these two options apply only to debates between programs.
    let mut options = options.clone();
    options.own.fact_check = Some(YesOrNo(false).into());
    options.leader.judges = Some(Judges(1).into());
    Ok(options)
}
