//! `/anvil:debate --plan`: the plan that the user has just rejected is argued at once; else the next
//! plan of the session is argued before its dialog opens.

use std::path::Path;

use super::error::HookError;
use super::read_reply::{has_synthesis, read_reply};
use super::wire::Answer;
use super::{Call, client_process};
use anvil_command::{Action, Typed};
use anvil_core::options::{DebateOptions, SessionPlan};
use anvil_engine::plans::{self, Begun, PlanAnswer, Revision};
use anvil_engine::{Completed, Session, Stopped};
use anvil_prompt::prompt;
use anvil_store::client::{PlanCall, rejected_plan};
use anvil_store::{PlanRecord, PlanStage, PlanText};
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

fn session_plan(call: PlanCall, Call { world, .. }: Call<'_>) -> SessionPlan {
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
pub(super) fn called(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { event, context, session, .. } = call;
    // A plan of an agent goes to nobody.
    let is_own = event.agent_id.is_none();
    let record = plans::of_session(context, session).filter(|_| is_own);
    let input = event.tool_input.as_ref();
    let plan = input.and_then(|input| Some((input, input.plan()?)));
    let (Some(record), Some((input, text))) = (record, plan) else { return Ok(Answer::Silent) };
    let plan = PlanText { text: text.to_owned(), file: input.plan_file() };
    let has_synthesis = |debate: &_| has_synthesis(event, debate);
    let answer = plans::answer(context, session, record, plan, options, has_synthesis)?;
    let ask = |line: String, context| Answer::Ask { line, input: input.whole(), context };
    Ok(match answer {
        PlanAnswer::Opens => Answer::Silent,
        PlanAnswer::OpensInPart { done, all } => {
            ask(anvil_messages::plan_argued_in_part(done, all), prompt::PAUSED)
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
pub(super) fn begin(call: Call<'_>, last: Option<&str>) -> Result<FirstReply> {
    let Call { event, world, context, session, .. } = call;
    let Some(record) = plans::of_session(context, session) else { return Ok(FirstReply::No) };
    let PlanStage::Requested { plan, at, prompt_id, .. } = &record.stage else {
        return Ok(FirstReply::No);
    };
    if prompt_id.is_some() && session.prompt_id.is_some() && *prompt_id != session.prompt_id {
        // The turn of the plan was cut off.
        plans::disarm(context, session);
        return Ok(FirstReply::No);
    }
    let session = Session { client: client_process(world), ..session.clone() };
    let begun = options(&record.typed)
        .and_then(|options| plans::begin(context, &session, &record.typed, &options, plan, *at));
    match begun.unwrap_or_else(Begun::Refused) {
        Begun::Here => Ok(FirstReply::Begun),
        Begun::Refused(why) => {
            let reply = read_reply(event, last.map(str::to_owned), *at, false);
            let reply = reply.map_or_else(String::new, |reply| reply.whole().0);
            plans::put_reply_aside(context, &session, record, &reply, &why)?;
            let cue = prompt::PLAN_PASSES.to_owned();
            Ok(FirstReply::Refused(Answer::Continue { cue, say: String::new() }))
        }
    }
}

/// What follows the synthesis. `None`: nothing.
pub(super) fn after_synthesis(
    call: Call<'_>,
    completed: &Completed,
) -> Result<Option<&'static str>> {
    let revision = plans::decided(call.context, call.session, completed)?;
    let is_planning = call.event.permission_mode.as_deref() == Some(PLAN_MODE);
    Ok(revision.filter(|_| is_planning).map(|revision| match revision {
        Revision::Revise => prompt::REVISE_PLAN,
        Revision::Leave => prompt::LEAVE_PLAN,
    }))
}

/// The answer to a command that is about a plan to come, and about no debate.
pub(super) fn answer(typed: &Typed, call: Call<'_>) -> Option<Answer> {
    let Call { context, session, .. } = call;
    let is_cancel = matches!(typed, Typed::Action(Action::Cancel { .. }));
    if !is_cancel || plans::has_unfinished_debate(context, session) {
        return None;
    }
    plans::disarm(context, session).then(|| call.end(anvil_messages::PLAN_DISARMED.to_owned()))
}

/// The line of the status about the next plan.
pub(super) fn status(call: Call<'_>) -> Option<String> {
    match plans::of_session(call.context, call.session)? {
        PlanRecord { stage: PlanStage::Armed { passed }, .. } => {
            Some(anvil_messages::plan_is_armed(passed.as_deref()))
        }
        _ => None,
    }
}
