//! A plan of plan mode that is argued before its dialog opens.
//!
//! Claude's call of `ExitPlanMode` is refused once, and the refusal carries the first request. The
//! debate begins in its file with the first reply, so that Esc before it leaves nothing. After the
//! synthesis Claude revises the plan and calls again, and the dialog opens. Whatever fails on the way
//! opens the dialog too.

use std::path::Path;

use anvil_context::Original;
use anvil_core::debate::{Debate, PlainReason, Status};
use anvil_core::document::Document;
use anvil_core::options::{DebateOptions, SessionPlan, YesOrNo};
use anvil_core::transcript::{self, NoteKind};
use anvil_prompt::prompt::Opening;
use anvil_store::{PlanRecord, PlanStage, PlanText, Project, can_write, new_id};
use anvil_system::world::World;
use anvil_text::error::{Error, Failure, Kind, Result};
use anvil_text::{Hint, Verb, hint};
use jiff::Timestamp;

use crate::ownership::{check_owned_active, lock_any, lock_owned};
use crate::session::{begin_argued_plan, preview_plan};
use crate::{Aside, Completed, Context, LOCK_WAIT, Note, Session, Stopped, reports};

/// The name of a plan whose file is not known.
const DEFAULT_NAME: &str = "the plan of this session";

#[derive(Debug, thiserror::Error)]
enum PlanError {
    #[error("a plan that is still to be made takes no other material, typed or by default")]
    Material,
    #[error("another debate is unfinished here: {0}")]
    AnotherHere(String),
    #[error("{0} can't be written")]
    ReadOnly(String),
    #[error("Claude Code sent no plan, or one of more than 256 KiB")]
    Unread,
}

impl Failure for PlanError {
    fn kind(&self) -> Kind {
        match self {
            Self::Material => Kind::Usage,
            Self::AnotherHere(_) | Self::ReadOnly(_) | Self::Unread => Kind::Failed,
        }
    }

    fn hint(&self) -> Hint {
        match self {
            Self::Material => "press Esc when Claude asks you to approve the plan, then type this \
                               again"
                .into(),
            Self::AnotherHere(_) => {
                hint![Verb::Cancel, " ends it, ", Verb::Resume, " continues it"]
            }
            Self::ReadOnly(_) => "the debate's file has its place there".into(),
            Self::Unread => "shorten the plan".into(),
        }
    }
}

/// A call for the dialog of a plan.
#[derive(Debug)]
pub struct PlanCall {
    /// The id of the call, if the client names it.
    pub id: Option<String>,
    /// `None`: the client sent none that can be read.
    pub plan: Option<PlanText>,
}

/// The answer to a call for a plan's dialog.
#[derive(Debug)]
pub enum PlanAnswer {
    /// The dialog opens.
    Opens,
    /// The dialog opens, and shows that so many replies of all were written.
    OpensInPart { done: u32, all: u32 },
    /// The dialog opens, and shows why the plan was not argued.
    OpensUnargued(String),
    /// The dialog opens, and shows why the synthesis decides nothing.
    OpensUnrevised(String),
    /// The plan is argued first: the debate, and its first request.
    Argue(Box<Debate>, Opening),
    /// A reply is awaited, and no plan: the reply's place in words.
    Remind(String),
}

/// What Claude does after the synthesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision {
    /// It revises the plan.
    Revise,
    /// The synthesis decides nothing; the plan goes to the dialog as it is.
    Leave,
}

/// How far the beginning of a debate came.
#[derive(Debug)]
pub enum Begun {
    /// It is in its file.
    Here,
    /// It can't be: why. The reply is for nothing, and the plan goes to the dialog.
    Refused(Error),
}

/// What a call finds of its session's debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// An unfinished debate of somebody else, or of this session about something else.
    Another,
    /// The session's own debate about the plan, which waits for Claude's reply.
    Awaited,
    /// The same, and the turn has its synthesis already.
    Synthesised,
    /// None of them.
    Nothing,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Opens,
    OpensInPart,
    OpensUnargued,
    OpensUnrevised,
    OpensRevised,
    OpensInSynthesis,
    Argued,
    Reminded,
}

/// Decides about a call. Pure. A plan is argued once, and Claude is reminded once. `is_later`: the
/// stage began in an earlier turn, which was cut off.
fn fate(stage: &PlanStage, found: Found, is_later: bool) -> Fate {
    match (stage, found) {
        (PlanStage::Armed { .. }, Found::Nothing) => Fate::Argued,
        (PlanStage::Requested { .. } | PlanStage::Passes { .. } | PlanStage::Decided { .. }, _)
            if is_later =>
        {
            Fate::Opens
        }
        (PlanStage::Requested { is_reminded: false, .. }, _)
        | (PlanStage::Argued { is_reminded: false, .. }, Found::Awaited) => Fate::Reminded,
        (PlanStage::Requested { .. }, _) | (PlanStage::Argued { .. }, Found::Awaited) => {
            Fate::OpensInPart
        }
        (PlanStage::Argued { .. }, Found::Synthesised) => Fate::OpensInSynthesis,
        (PlanStage::Passes { .. }, _) => Fate::OpensUnargued,
        (PlanStage::Decided { void: Some(_), .. }, _) => Fate::OpensUnrevised,
        (PlanStage::Decided { void: None, .. }, _) => Fate::OpensRevised,
        (PlanStage::Armed { .. } | PlanStage::Argued { .. }, _) => Fate::Opens,
    }
}

/// What the session's plan mode has asked for. It costs one look at the disk.
pub fn of_session(context: &Context<'_>, session: &Session) -> Option<PlanRecord> {
    context.machine.plan(&session.id)
}

/// Has the next plan of the session argued. `typed`: the arguments of the command. Returns the
/// debate as it would begin.
pub fn arm(
    context: &Context<'_>,
    session: &Session,
    typed: &str,
    question: &str,
    options: &DebateOptions,
) -> Result<Debate> {
    let plan = PlanText { text: "A plan.".to_owned(), file: None };
    let (preview, _) = preview_plan(context, session, question, &with_plan(options, &plan))?;
    let entries = transcript::parse(&preview.body);
    if entries.notes().any(|(kind, _)| kind != NoteKind::Document) {
        return Err(PlanError::Material.into());
    }
    if let Some(here) = unfinished_debate(context, session)? {
        return Err(PlanError::AnotherHere(here.label()).into());
    }
    let record = PlanRecord {
        typed: typed.to_owned(),
        turn: None,
        refused: None,
        stage: PlanStage::Armed { passed: None },
    };
    context.machine.keep_plan(&session.id, &record)?;
    Ok(preview.debate)
}

/// The next plan of the session is not argued. False if it was not to be.
pub fn disarm(context: &Context<'_>, session: &Session) -> bool {
    context.machine.forget_plan(&session.id)
}

/// The plan that was to be argued is argued when Claude calls for its dialog again: its turn was cut
/// off before the first reply, and the user lets Claude go on.
pub fn rearm(context: &Context<'_>, session: &Session) {
    if let Some(record) = of_session(context, session)
        && matches!(record.stage, PlanStage::Requested { .. })
        && is_later(&record, session)
    {
        let stage = PlanStage::Armed { passed: None };
        let _ = context.machine.keep_plan(&session.id, &PlanRecord { stage, ..record });
    }
}

/// True if this session has an unfinished debate.
pub fn has_unfinished_debate(context: &Context<'_>, session: &Session) -> bool {
    let here = unfinished_debate(context, session).ok().flatten();
    here.is_some_and(|debate| debate.is_owned_by(&session.id))
}

/// The user typed something else after the plan's turn was cut off. True if the protocol of the
/// debate is in the conversation, and nothing else says that it is over.
pub fn prompt_typed(context: &Context<'_>, session: &Session) -> bool {
    let record = of_session(context, session);
    let is_over = record.is_some_and(|record| {
        matches!(record.stage, PlanStage::Requested { .. }) && is_later(&record, session)
    });
    is_over && disarm(context, session)
}

/// True if the stage began in another turn than this.
fn is_later(record: &PlanRecord, session: &Session) -> bool {
    record.turn.is_some() && session.prompt_id.is_some() && record.turn != session.prompt_id
}

/// Answers a call for the dialog of a plan. `options`: of the typed command. `has_synthesis`: true
/// if the turn has it already, before the call.
pub fn answer(
    context: &Context<'_>,
    session: &Session,
    record: &PlanRecord,
    call: PlanCall,
    options: impl FnOnce(&str) -> Result<(String, DebateOptions)>,
    has_synthesis: impl FnOnce(&Debate) -> bool,
) -> Result<PlanAnswer> {
    let here = unfinished_debate(context, session);
    let debate = here.as_ref().ok().and_then(Option::as_ref);
    let stage = undone(record.stage.clone(), debate);
    let of_plan = match &stage {
        PlanStage::Argued { debate: id, .. } => debate.filter(|debate| debate.id == *id),
        _ => None,
    };
    if call.id.is_some() && call.id == record.refused {
        // The other copy of a plugin that is installed twice.
        return Ok(PlanAnswer::Remind(awaited_reply(of_plan)));
    }
    let found = match (of_plan, debate) {
        (Some(debate), _) if check_owned_active(debate, session).is_ok() => {
            if has_synthesis(debate) { Found::Synthesised } else { Found::Awaited }
        }
        (None, Some(_)) => Found::Another,
        _ => Found::Nothing,
    };
    let opened = |stage| PlanRecord {
        turn: session.prompt_id.clone(),
        refused: None,
        stage,
        ..record.clone()
    };
    let refused = |stage| PlanRecord { refused: call.id.clone(), ..opened(stage) };
    let keep = |record| context.machine.keep_plan(&session.id, &record);
    Ok(match fate(&stage, found, is_later(record, session)) {
        Fate::Argued => {
            let preview = here.and_then(|_| {
                let plan = call.plan.clone().ok_or(PlanError::Unread)?;
                let (question, options) = options(&record.typed)?;
                let options = with_plan(&options, &plan);
                let (preview, opening) = preview_plan(context, session, &question, &options)?;
                Ok((plan, Box::new(preview.debate), opening))
            });
            match preview {
                Ok((plan, debate, opening)) => {
                    let at = context.world.now;
                    keep(refused(PlanStage::Requested { plan, at, is_reminded: false }))?;
                    PlanAnswer::Argue(debate, opening)
                }
                Err(error) => {
                    keep(opened(PlanStage::Armed { passed: Some(error.to_string()) }))?;
                    PlanAnswer::Opens
                }
            }
        }
        Fate::Opens => {
            match (&stage, of_plan, debate) {
                (PlanStage::Armed { .. }, _, Some(debate)) => {
                    let passed = format!("another debate is unfinished here, {}", debate.label());
                    keep(opened(PlanStage::Armed { passed: Some(passed) }))?;
                }
                // Paused, and its dialog opens; it may go on.
                (_, Some(_), _) => {}
                _ => _ = disarm(context, session),
            }
            PlanAnswer::Opens
        }
        Fate::OpensInSynthesis => {
            keep(opened(with_revised(stage, call.plan.clone())))?;
            PlanAnswer::Opens
        }
        Fate::Reminded => {
            keep(refused(with_reminder(stage.clone())))?;
            PlanAnswer::Remind(awaited_reply(of_plan))
        }
        Fate::OpensInPart => {
            disarm(context, session);
            let (done, all) = of_plan.map_or((0, 0), Debate::count_phases);
            if of_plan.is_some() {
                pause(context, session)?;
            }
            PlanAnswer::OpensInPart { done, all }
        }
        Fate::OpensUnargued | Fate::OpensUnrevised => {
            disarm(context, session);
            match stage {
                PlanStage::Passes { why } => PlanAnswer::OpensUnargued(why),
                PlanStage::Decided { void: Some(why), .. } => PlanAnswer::OpensUnrevised(why),
                _ => PlanAnswer::Opens,
            }
        }
        Fate::OpensRevised => {
            disarm(context, session);
            if let (PlanStage::Decided { debate, .. }, Some(plan)) = (stage, call.plan) {
                note_revised(context, session, &debate, &plan)?;
            }
            PlanAnswer::Opens
        }
    })
}

/// The stage, if the synthesis was taken back: its debate waits for one again.
fn undone(stage: PlanStage, debate: Option<&Debate>) -> PlanStage {
    match stage {
        PlanStage::Decided { debate: id, .. } if debate.is_some_and(|here| here.id == id) => {
            PlanStage::Argued { debate: id, is_reminded: false, revised: None }
        }
        stage => stage,
    }
}

/// The awaited reply in words.
fn awaited_reply(debate: Option<&Debate>) -> String {
    debate.map_or_else(|| "the first reply".to_owned(), Debate::place_label)
}

fn with_reminder(stage: PlanStage) -> PlanStage {
    match stage {
        PlanStage::Requested { plan, at, .. } => {
            PlanStage::Requested { plan, at, is_reminded: true }
        }
        PlanStage::Argued { debate, revised, .. } => {
            PlanStage::Argued { debate, is_reminded: true, revised }
        }
        other => other,
    }
}

fn with_revised(stage: PlanStage, plan: Option<PlanText>) -> PlanStage {
    match stage {
        PlanStage::Argued { debate, is_reminded, .. } => {
            PlanStage::Argued { debate, is_reminded, revised: plan }
        }
        other => other,
    }
}

/// Begins the debate about a plan in its file, as of its request: its first reply is written.
/// `None`: no first reply is awaited.
pub fn begin(
    context: &Context<'_>,
    session: &Session,
    record: PlanRecord,
    options: impl FnOnce(&str) -> Result<(String, DebateOptions)>,
) -> Option<Begun> {
    let PlanStage::Requested { plan, at, .. } = &record.stage else { return None };
    if is_later(&record, session) {
        // The turn of the plan was cut off.
        disarm(context, session);
        return None;
    }
    let world = World { now: *at, ..context.world.clone() };
    let then = Context::new(&world);
    let begun = options(&record.typed).map_err(Stopped::from).and_then(|(question, options)| {
        begin_argued_plan(&then, session, &question, &with_plan(&options, plan))
    });
    let debate = match begun {
        Ok(started) => started.debate,
        // The other copy of a plugin that is installed twice was faster.
        Err(Stopped::Skipped(_)) => return Some(Begun::Here),
        Err(Stopped::Failed(error)) => match own_since(context, session, *at) {
            Some(debate) => debate,
            None => return Some(Begun::Refused(error)),
        },
    };
    context.add_notes(then.take_notes());
    let stage = PlanStage::Argued { debate: debate.id, is_reminded: false, revised: None };
    let record = PlanRecord { refused: None, stage, ..record };
    if let Err(error) = context.machine.keep_plan(&session.id, &record) {
        // The debate goes on; only its end leads to no dialog.
        context.add_details([error.to_string()]);
    }
    Some(Begun::Here)
}

/// The unfinished debate of this session that began at this time.
fn own_since(context: &Context<'_>, session: &Session, at: Timestamp) -> Option<Debate> {
    let here = unfinished_debate(context, session).ok().flatten();
    here.filter(|debate| debate.is_owned_by(&session.id) && debate.started_at() == at)
}

/// Puts a first reply aside whose debate can't begin, and lets the plan pass. `why`: for the
/// dialog's line.
pub fn put_reply_aside(
    context: &Context<'_>,
    session: &Session,
    record: PlanRecord,
    reply: &str,
    why: &Error,
) -> Result<()> {
    let record = PlanRecord { stage: PlanStage::Passes { why: why.to_string() }, ..record };
    context.machine.keep_plan(&session.id, &record)?;
    if reply.is_empty() {
        return Ok(());
    }
    let store = context.selected_store(Some(session));
    let id = new_id(DEFAULT_NAME, context.world.now, &session.id);
    let file = store.project().display(&store.put_reply_aside(&id, reply)?);
    context.add_note(Note::PutAside { why: Aside::NotBegun, file });
    Ok(())
}

/// What follows the synthesis of a debate about the session's plan. `None`: the debate is about no
/// such plan, or the same turn has put the revised plan to the dialog.
pub fn revision_after(
    context: &Context<'_>,
    session: &Session,
    completed: &Completed,
) -> Result<Option<Revision>> {
    let Some(record) = of_session(context, session) else { return Ok(None) };
    let revised = match &record.stage {
        PlanStage::Argued { debate, revised, .. } if *debate == completed.id => revised.clone(),
        PlanStage::Decided { debate, .. } if *debate == completed.id => None,
        _ => return Ok(None),
    };
    if let Some(plan) = revised {
        disarm(context, session);
        note_revised(context, session, &completed.id, &plan)?;
        return Ok(None);
    }
    let void = completed.standing.void_reason().map(str::to_owned);
    let revision = if void.is_some() { Revision::Leave } else { Revision::Revise };
    let stage = PlanStage::Decided { debate: completed.id.clone(), void };
    let turn = session.prompt_id.clone();
    context.machine.keep_plan(&session.id, &PlanRecord { stage, turn, ..record })?;
    Ok(Some(revision))
}

/// Adds the revised plan to the finished debate, and writes its reports again.
fn note_revised(context: &Context<'_>, session: &Session, id: &str, plan: &PlanText) -> Result<()> {
    let mut store = context.selected_store(Some(session));
    let Some(mut held) = lock_any(context, &mut store, LOCK_WAIT)? else { return Ok(()) };
    let debate = &held.state.debate;
    if debate.id != id || debate.status() != Status::Completed {
        return Ok(());
    }
    let name = debate.options.plan.clone().unwrap_or_else(|| name_of(plan));
    let original = Original::of_bytes(plan.text.as_bytes(), &name)?;
    context.add_details(original.masked_note(&name));
    let note = Document { name, sha256: None, text: original.text_for_seats() }.note();
    transcript::append_note(&mut held.state.body, NoteKind::RevisedPlan, context.world.now, &note);
    held.transaction.note_reports_due(id);
    let held = held.commit()?;
    let state = held.state.clone();
    reports::write_again(context, held.transaction.release(), &state);
    Ok(())
}

/// Pauses the session's debate: its plan went to the dialog.
fn pause(context: &Context<'_>, session: &Session) -> Result<()> {
    let mut store = context.selected_store(Some(session));
    match lock_owned(context, &mut store, session) {
        Ok(held) => held.pause(PlainReason::PlanPassed).map(|_| ()),
        Err(Stopped::Skipped(_)) => Ok(()),
        Err(Stopped::Failed(error)) => Err(error),
    }
}

/// The unfinished debate in the place of this session. Fails where no debate can be.
fn unfinished_debate(context: &Context<'_>, session: &Session) -> Result<Option<Debate>> {
    let store = context.selected_store(Some(session));
    check_writable(store.project())?;
    Ok(store.read_head()?.filter(|debate| debate.status().is_unfinished()))
}

fn check_writable(project: &Project) -> Result<()> {
    let claude = project.claude();
    let folder = claude.ancestors().find(|folder| folder.exists());
    match folder.filter(|folder| !can_write(folder)) {
        Some(folder) => Err(PlanError::ReadOnly(project.display(folder)).into()),
        None => Ok(()),
    }
}

/// The options of the debate about this plan. It replaces no debate.
fn with_plan(options: &DebateOptions, plan: &PlanText) -> DebateOptions {
    let session_plan = SessionPlan { name: name_of(plan), bytes: plan.text.clone().into_bytes() };
    let mut options = DebateOptions { session_plan: Some(session_plan), ..options.clone() };
    options.own.replace = Some(YesOrNo(false).into());
    options
}

fn name_of(plan: &PlanText) -> String {
    let name = plan.file.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    name.unwrap_or(DEFAULT_NAME).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_a_call() {
        use Fate::{
            Argued, Opens, OpensInPart, OpensInSynthesis, OpensRevised, OpensUnargued,
            OpensUnrevised, Reminded,
        };
        let requested = |is_reminded| PlanStage::Requested {
            plan: PlanText { text: "A plan.".to_owned(), file: None },
            at: Timestamp::UNIX_EPOCH,
            is_reminded,
        };
        let argued =
            |is_reminded| PlanStage::Argued { debate: "id".to_owned(), is_reminded, revised: None };
        let decided = |void: Option<&str>| PlanStage::Decided {
            debate: "id".to_owned(),
            void: void.map(str::to_owned),
        };
        let passes = PlanStage::Passes { why: String::new() };
        let all = [Found::Nothing, Found::Another, Found::Awaited, Found::Synthesised];
        // Nothing unfinished is here; another debate is; the plan's debate waits for a reply; the
        // turn has its synthesis. Only a debate in its file waits for anything. Then a later turn.
        for (stage, now, later) in [
            (
                PlanStage::Armed { passed: None },
                [Argued, Opens, Opens, Opens],
                [Argued, Opens, Opens, Opens],
            ),
            (requested(false), [Reminded; 4], [Opens; 4]),
            (requested(true), [OpensInPart; 4], [Opens; 4]),
            (
                argued(false),
                [Opens, Opens, Reminded, OpensInSynthesis],
                [Opens, Opens, Reminded, OpensInSynthesis],
            ),
            (
                argued(true),
                [Opens, Opens, OpensInPart, OpensInSynthesis],
                [Opens, Opens, OpensInPart, OpensInSynthesis],
            ),
            (decided(None), [OpensRevised; 4], [Opens; 4]),
            (decided(Some("it has no verdict")), [OpensUnrevised; 4], [Opens; 4]),
            (passes, [OpensUnargued; 4], [Opens; 4]),
        ] {
            assert_eq!(all.map(|found| fate(&stage, found, false)), now, "{stage:?}");
            assert_eq!(all.map(|found| fate(&stage, found, true)), later, "{stage:?}, later");
        }
    }
}
