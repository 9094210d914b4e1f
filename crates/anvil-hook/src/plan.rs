//! `/anvil:debate --plan`: the plan that the user has just rejected is argued at once; else the
//! next plan of the session is argued before its dialog opens.

use std::path::Path;

use super::error::HookError;
use super::read_reply::{has_synthesis, read_reply};
use super::wire::{Answer, ToolInput};
use super::{Call, client_process};
use anvil_command::{Action, Typed};
use anvil_core::options::{DebateOptions, SessionPlan};
use anvil_engine::plans::{self, Begun, PlanAnswer, PlanCall, Revision};
use anvil_engine::{Completed, Session, Stopped};
use anvil_prompt::prompt;
use anvil_store::client::{PlanCall as RejectedPlan, rejected_plan};
use anvil_store::{PlanStage, PlanText};
use anvil_system::world::Surface;
use anvil_text::error::Result;

/// The name of a plan if no file is known to belong to the session.
const DEFAULT_NAME: &str = "the plan of this session";

/// The tool by which Claude asks for the approval of its plan.
pub(super) const TOOL: &str = "ExitPlanMode";

/// The permission mode in which Claude plans.
const PLAN_MODE: &str = "plan";

/// The typed command, with the session's plan if it argues about one that waits. `Err`: the answer
/// to a command about the next plan.
pub(super) fn with_plan(
    mut typed: Typed,
    call: Call<'_>,
) -> Result<std::result::Result<Typed, Answer>> {
    let Typed::Debate { question, options, isolated } = &mut typed else { return Ok(Ok(typed)) };
    if options.plan.plan.as_ref().is_none_or(|plan| !plan.0.is_empty()) {
        return Ok(Ok(typed));
    }
    let transcript = call.event.transcript_path.as_deref();
    if let Some(plan) = transcript.and_then(|path| rejected_plan(path, &call.session.id)) {
        options.session_plan = Some(session_plan(plan, call));
        return Ok(Ok(typed));
    }
    // No plan is offered to anybody there.
    if call.world.surface == Surface::Print {
        return Err(HookError::NoPlan.into());
    }
    if isolated.is_wanted(false)? {
        return Err(HookError::NoPlanApart.into());
    }
    let arguments = call.event.command().map(|(_, arguments)| arguments).unwrap_or_default();
    let debate = plans::arm(call.context, call.session, arguments, question, options)?;
    Ok(Err(call.end(anvil_messages::plan_armed(&debate))))
}

fn session_plan(call: RejectedPlan, Call { world, .. }: Call<'_>) -> SessionPlan {
    let name = call.file.as_deref().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = name.unwrap_or(DEFAULT_NAME).to_owned();
    // The client's folder, or the one in the project that its setting `plansDirectory` names. The
    // setting is not read: a file of the project is no secret, and it has the session's name.
    let project = world.project_folder.as_deref().unwrap_or(&world.cwd);
    let edited = call.file.as_deref().and_then(|file| {
        let own = world
            .config_folder
            .as_deref()
            .filter(|config| file.parent().is_some_and(|folder| folder == config.join("plans")));
        let base = own.unwrap_or(project);
        anvil_context::bytes_without_links(base, file.strip_prefix(base).ok()?)
    });
    SessionPlan { name, bytes: edited.unwrap_or_else(|| call.text.into_bytes()) }
}

/// The options of a typed command that was kept.
fn options(typed: &str) -> Result<(String, DebateOptions)> {
    match Typed::parse("debate", typed) {
        Some(Ok(Typed::Debate { question, options, .. })) => Ok((question, *options)),
        Some(Err(error)) => Err(error),
        Some(Ok(_)) | None => Err(HookError::NoPlan.into()),
    }
}

/// Claude asks for the approval of its plan.
pub(super) fn handle_dialog(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { event, context, session, .. } = call;
    // A plan of an agent goes to nobody.
    let is_own = event.agent_id.is_none();
    let record = plans::of_session(context, session).filter(|_| is_own);
    let Some(record) = record else { return Ok(Answer::Silent) };
    let input = event.tool_input.as_ref();
    let plan = input.and_then(|input| {
        Some(PlanText { text: input.plan()?.to_owned(), file: input.plan_file() })
    });
    let asked = PlanCall { id: event.tool_use_id.clone(), plan };
    let has_synthesis = |debate: &_| has_synthesis(event, debate);
    let answer = plans::answer(context, session, &record, asked, options, has_synthesis)?;
    // Without an input the client has no dialog for the line.
    let input = input.map(ToolInput::whole);
    let ask = |line: String, context| {
        input.map_or(Answer::Silent, |input| Answer::Ask { line, input, context })
    };
    Ok(match answer {
        PlanAnswer::Opens => Answer::Silent,
        PlanAnswer::OpensInPart { done, all } => {
            let protocol = if done == 0 { prompt::OVER } else { prompt::PAUSED };
            ask(anvil_messages::plan_argued_in_part(done, all), protocol)
        }
        PlanAnswer::OpensUnargued(why) => ask(anvil_messages::plan_not_argued(&why), ""),
        PlanAnswer::OpensUnrevised(why) => ask(anvil_messages::plan_not_revised(&why), ""),
        PlanAnswer::Argue(debate, opening) => Answer::Deny {
            reason: anvil_messages::PLAN_IS_ARGUED_FIRST.to_owned(),
            context: opening.as_str().to_owned(),
            say: anvil_messages::plan_argued_first(&debate),
        },
        PlanAnswer::Remind(place) => Answer::Deny {
            reason: anvil_messages::plan_reminder(&place),
            context: String::new(),
            say: String::new(),
        },
    })
}

/// Whether a Stop brings the first reply of a debate about a plan.
pub(super) enum FirstReply {
    /// It does not.
    No,
    /// It does, and the debate is in its file now.
    Begun,
    /// It does, but the debate can't begin: Claude calls for the dialog again.
    Refused(Answer),
}

/// Begins the debate whose first reply a Stop brings.
pub(super) fn begin(call: Call<'_>, last: Option<&str>) -> FirstReply {
    let Call { event, world, context, session, door } = call;
    let Some(record) = plans::of_session(context, session) else { return FirstReply::No };
    let at = match &record.stage {
        PlanStage::Requested { at, .. } => *at,
        _ => return FirstReply::No,
    };
    let session = Session { client: client_process(world), ..session.clone() };
    let why = match plans::begin(context, &session, record.clone(), options) {
        None => return FirstReply::No,
        Some(Begun::Here) => return FirstReply::Begun,
        Some(Begun::Refused(why)) => why,
    };
    let reply = read_reply(event, last.map(str::to_owned), at, false);
    let reply = reply.map_or_else(String::new, |reply| reply.whole().0);
    let passes = Answer::Continue { cue: prompt::PLAN_PASSES.to_owned(), say: String::new() };
    FirstReply::Refused(match plans::put_reply_aside(context, &session, record, &reply, &why) {
        Ok(()) => passes,
        Err(error) => passes.after(&anvil_messages::error(&error, door)),
    })
}

/// What follows the synthesis. `None`: nothing.
pub(super) fn after_synthesis(
    call: Call<'_>,
    completed: &Completed,
) -> Result<Option<&'static str>> {
    let revision = plans::revision_after(call.context, call.session, completed)?;
    let mode = call.event.permission_mode.as_deref();
    let is_planning = mode.is_none_or(|mode| mode == PLAN_MODE);
    Ok(revision.filter(|_| is_planning).map(|revision| match revision {
        Revision::Revise => prompt::REVISE_PLAN,
        Revision::Leave => prompt::LEAVE_PLAN,
    }))
}

/// A debate was completed outside of a Stop: its turn is over. If that had put the revised plan to
/// the dialog, the debate gets it.
pub(super) fn note_completed(call: Call<'_>, completed: &Completed) {
    if let Err(error) = plans::revision_after(call.context, call.session, completed) {
        call.context.add_detail(error.to_string());
    }
}

/// The answer to a command that is about a plan to come, and about no debate.
pub(super) fn answer(typed: &Typed, call: Call<'_>) -> Option<Answer> {
    let Call { context, session, .. } = call;
    let Typed::Action(Action::Cancel { owner }) = typed else { return None };
    let stage = plans::of_session(context, session)?.stage;
    if matches!(stage, PlanStage::Argued { .. } | PlanStage::Decided { .. }) {
        plans::disarm(context, session);
        return None;
    }
    if owner.take_over || plans::has_unfinished_debate(context, session) {
        return None;
    }
    plans::disarm(context, session).then(|| call.end(anvil_messages::PLAN_DISARMED.to_owned()))
}

/// The line of the status about the next plan.
pub(super) fn status(call: Call<'_>) -> Option<String> {
    match plans::of_session(call.context, call.session)?.stage {
        PlanStage::Armed { passed } => Some(anvil_messages::plan_is_armed(passed.as_deref())),
        PlanStage::Requested { .. } => Some(anvil_messages::PLAN_IS_REQUESTED.to_owned()),
        PlanStage::Passes { why } => Some(anvil_messages::plan_not_argued(&why)),
        PlanStage::Argued { .. } | PlanStage::Decided { .. } => None,
    }
}
