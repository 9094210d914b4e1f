//! A plan of plan mode that is argued before its dialog opens.
//!
//! Claude's call of `ExitPlanMode` is refused once, and the refusal carries the first request. The
//! debate begins in its file with the first reply, so that Esc before it leaves nothing. After the
//! synthesis Claude revises the plan and calls again, and the dialog opens.

use std::path::Path;

use anvil_context::Original;
use anvil_core::debate::{Debate, PlainReason, Status};
use anvil_core::document::Document;
use anvil_core::options::{DebateOptions, SessionPlan, is_yes};
use anvil_core::transcript::{self, NoteKind};
use anvil_prompt::prompt::Opening;
use anvil_store::{AsideKind, PlanRecord, PlanStage, PlanText, Store, new_id};
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
    #[error("a plan that is still to be made takes no other material")]
    Material,
    #[error("another debate is unfinished here: {0}")]
    AnotherHere(String),
}

impl Failure for PlanError {
    fn kind(&self) -> Kind {
        match self {
            Self::Material => Kind::Usage,
            Self::AnotherHere(_) => Kind::Failed,
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
        }
    }
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
    /// None of both.
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

/// Decides about a call. Pure. A plan is argued once, and Claude is reminded once.
fn fate(stage: &PlanStage, found: Found) -> Fate {
    match (stage, found) {
        (PlanStage::Armed { .. }, Found::Nothing) => Fate::Argued,
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
    let options = with_plan(options, &plan);
    let (preview, _) = preview_plan(context, session, question, &options)?;
    let entries = transcript::parse(&preview.body);
    if entries.notes().any(|(kind, _)| kind != NoteKind::Document) {
        return Err(PlanError::Material.into());
    }
    let is_replaced = is_yes(&options.own.replace);
    if let Some(here) = unfinished(context, session).filter(|_| !is_replaced) {
        return Err(PlanError::AnotherHere(here.label()).into());
    }
    let stage = PlanStage::Armed { passed: None };
    keep(context, session, typed.to_owned(), stage)?;
    Ok(preview.debate)
}

fn keep(context: &Context<'_>, session: &Session, typed: String, stage: PlanStage) -> Result<()> {
    context.machine.keep_plan(&session.id, &PlanRecord { typed, stage })
}

/// The next plan of the session is not argued. False if it was not to be.
pub fn disarm(context: &Context<'_>, session: &Session) -> bool {
    context.machine.forget_plan(&session.id)
}

/// True if this session has an unfinished debate.
pub fn has_unfinished_debate(context: &Context<'_>, session: &Session) -> bool {
    unfinished(context, session).is_some_and(|debate| debate.is_owned_by(&session.id))
}

/// The user typed something instead of waiting for the debate about a plan. True if its protocol is
/// in the conversation, and nothing else says that it is over.
pub fn prompt_typed(context: &Context<'_>, session: &Session) -> bool {
    match of_session(context, session).map(|record| record.stage) {
        None | Some(PlanStage::Armed { .. } | PlanStage::Argued { .. }) => false,
        Some(PlanStage::Requested { prompt_id, .. })
            if prompt_id.is_some() && prompt_id == session.prompt_id =>
        {
            false
        }
        Some(stage) => {
            disarm(context, session);
            matches!(stage, PlanStage::Requested { .. })
        }
    }
}

/// Answers a call for the dialog of `plan`. `options`: of the typed command. `has_synthesis`: true
/// if the turn has it already, before the call, since the request at this time.
pub fn answer(
    context: &Context<'_>,
    session: &Session,
    record: PlanRecord,
    plan: PlanText,
    options: impl FnOnce(&str) -> Result<(String, DebateOptions)>,
    has_synthesis: impl FnOnce(&Debate) -> bool,
) -> Result<PlanAnswer> {
    let debate = unfinished(context, session);
    let of_plan = match &record.stage {
        PlanStage::Argued { debate: id, .. } => debate.as_ref().filter(|debate| debate.id == *id),
        _ => None,
    };
    let found = match (of_plan, &debate) {
        (Some(debate), _) if check_owned_active(debate, session).is_ok() => {
            if has_synthesis(debate) { Found::Synthesised } else { Found::Awaited }
        }
        (None, Some(_)) => Found::Another,
        _ => Found::Nothing,
    };
    let PlanRecord { typed, stage } = record;
    Ok(match fate(&stage, found) {
        Fate::Argued => return argue(context, session, typed, plan, options),
        Fate::Opens => {
            match (&stage, of_plan, debate.as_ref()) {
                (PlanStage::Armed { .. }, _, Some(debate)) => {
                    let passed = Some(format!("another debate was here, {}", debate.label()));
                    let stage = PlanStage::Armed { passed };
                    keep(context, session, typed, stage)?;
                }
                // Paused, and its dialog opens; it may go on.
                (_, Some(_), _) => {}
                _ => _ = disarm(context, session),
            }
            PlanAnswer::Opens
        }
        Fate::OpensInSynthesis => {
            if let PlanStage::Argued { debate, is_reminded, .. } = stage {
                let stage = PlanStage::Argued { debate, is_reminded, revised: Some(plan) };
                keep(context, session, typed, stage)?;
            }
            PlanAnswer::Opens
        }
        Fate::Reminded => {
            let place = of_plan.map_or_else(|| "the first reply".to_owned(), Debate::place_label);
            let stage = reminded(stage);
            keep(context, session, typed, stage)?;
            PlanAnswer::Remind(place)
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
            if let PlanStage::Decided { debate, .. } = stage {
                note_revised(context, session, &debate, &plan)?;
            }
            PlanAnswer::Opens
        }
    })
}

/// Requests the first reply. If the debate can't begin, the plan goes to its dialog, and the
/// session's status says why.
fn argue(
    context: &Context<'_>,
    session: &Session,
    typed: String,
    plan: PlanText,
    options: impl FnOnce(&str) -> Result<(String, DebateOptions)>,
) -> Result<PlanAnswer> {
    let preview = options(&typed).and_then(|(question, options)| {
        preview_plan(context, session, &question, &with_plan(&options, &plan))
    });
    let (preview, opening) = match preview {
        Ok(preview) => preview,
        Err(error) => {
            let stage = PlanStage::Armed { passed: Some(error.to_string()) };
            keep(context, session, typed, stage)?;
            return Ok(PlanAnswer::Opens);
        }
    };
    let stage = PlanStage::Requested {
        plan,
        at: context.world.now,
        prompt_id: session.prompt_id.clone(),
        is_reminded: false,
    };
    keep(context, session, typed, stage)?;
    Ok(PlanAnswer::Argue(Box::new(preview.debate), opening))
}

fn reminded(stage: PlanStage) -> PlanStage {
    match stage {
        PlanStage::Requested { plan, at, prompt_id, .. } => {
            PlanStage::Requested { plan, at, prompt_id, is_reminded: true }
        }
        PlanStage::Argued { debate, revised, .. } => {
            PlanStage::Argued { debate, is_reminded: true, revised }
        }
        other => other,
    }
}

/// Begins the debate about a plan in its file: its first reply is written. `at`: the time of its
/// request.
pub fn begin(
    context: &Context<'_>,
    session: &Session,
    typed: &str,
    (question, options): &(String, DebateOptions),
    plan: &PlanText,
    at: Timestamp,
) -> Result<Begun> {
    let world = World { now: at, ..context.world.clone() };
    let then = Context::new(&world);
    let begun = begin_argued_plan(&then, session, question, &with_plan(options, plan));
    context.add_notes(then.take_notes());
    let debate = match begun {
        Ok(started) => Some(started.debate),
        // The other copy of a plugin that is installed twice was faster.
        Err(Stopped::Skipped(_)) => None,
        Err(Stopped::Failed(error)) => {
            let own = unfinished(context, session)
                .filter(|debate| debate.is_owned_by(&session.id) && debate.started_at() == at);
            if own.is_none() {
                return Ok(Begun::Refused(error));
            }
            own
        }
    };
    if let Some(debate) = debate {
        let stage = PlanStage::Argued { debate: debate.id, is_reminded: false, revised: None };
        keep(context, session, typed.to_owned(), stage)?;
    }
    Ok(Begun::Here)
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
    let stage = PlanStage::Passes { why: why.to_string() };
    keep(context, session, record.typed, stage)?;
    if reply.is_empty() {
        return Ok(());
    }
    let mut store = context.selected_store(Some(session));
    let id = new_id(DEFAULT_NAME, context.world.now, &session.id);
    let mut locked = store.lock(LOCK_WAIT)?;
    let path = locked.put_aside(&id, AsideKind::Unplaced, reply.as_bytes())?;
    let file = locked.project().display(&path);
    context.add_note(Note::PutAside { why: Aside::NotBegun, file });
    Ok(())
}

/// What follows the synthesis of a debate about the session's plan. `None`: the debate is about no
/// such plan, or the same turn has put the revised plan to the dialog.
pub fn decided(
    context: &Context<'_>,
    session: &Session,
    completed: &Completed,
) -> Result<Option<Revision>> {
    let Some(PlanRecord { typed, stage: PlanStage::Argued { debate, revised, .. } }) =
        of_session(context, session)
    else {
        return Ok(None);
    };
    if debate != completed.id {
        return Ok(None);
    }
    if let Some(plan) = revised {
        disarm(context, session);
        note_revised(context, session, &debate, &plan)?;
        return Ok(None);
    }
    let void = completed.standing.void_reason().map(str::to_owned);
    let revision = if void.is_some() { Revision::Leave } else { Revision::Revise };
    let stage = PlanStage::Decided { debate, void };
    keep(context, session, typed, stage)?;
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
    let note = Document { name, sha256: None, text: original.shown() }.note();
    transcript::append_note(&mut held.state.body, NoteKind::RevisedPlan, context.world.now, &note);
    held.transaction.note_reports_due(id);
    let held = held.commit()?;
    let state = held.state.clone();
    let store: &mut Store = held.transaction.release();
    reports::write_again(context, store, &state);
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

/// The unfinished debate in the place of this session.
fn unfinished(context: &Context<'_>, session: &Session) -> Option<Debate> {
    let debate = context.selected_store(Some(session)).read_head().ok().flatten();
    debate.filter(|debate| debate.status().is_unfinished())
}

fn with_plan(options: &DebateOptions, plan: &PlanText) -> DebateOptions {
    let session_plan = SessionPlan { name: name_of(plan), bytes: plan.text.clone().into_bytes() };
    DebateOptions { session_plan: Some(session_plan), ..options.clone() }
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

        let plan = || PlanText { text: "A plan.".to_owned(), file: None };
        let requested = |is_reminded| PlanStage::Requested {
            plan: plan(),
            at: Timestamp::UNIX_EPOCH,
            prompt_id: None,
            is_reminded,
        };
        let argued =
            |is_reminded| PlanStage::Argued { debate: "id".to_owned(), is_reminded, revised: None };
        let decided = |void: Option<&str>| PlanStage::Decided {
            debate: "id".to_owned(),
            void: void.map(str::to_owned),
        };
        // Nothing unfinished is here; another debate is; the plan's debate waits for a reply; the
        // turn has its synthesis. Only a debate in its file waits for anything.
        for (stage, fates) in [
            (PlanStage::Armed { passed: None }, [Argued, Opens, Opens, Opens]),
            (requested(false), [Reminded; 4]),
            (requested(true), [OpensInPart; 4]),
            (argued(false), [Opens, Opens, Reminded, OpensInSynthesis]),
            (argued(true), [Opens, Opens, OpensInPart, OpensInSynthesis]),
            (decided(None), [OpensRevised; 4]),
            (decided(Some("it has no verdict")), [OpensUnrevised; 4]),
            (PlanStage::Passes { why: String::new() }, [OpensUnargued; 4]),
        ] {
            let found = [Found::Nothing, Found::Another, Found::Awaited, Found::Synthesised];
            assert_eq!(found.map(|found| fate(&stage, found)), fates, "{stage:?}");
        }
    }
}
