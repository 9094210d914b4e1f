//! `/anvil:debate --plan`: the newest plan of the session, from its own transcript.

use std::path::Path;

use super::Call;
use super::error::HookError;
use anvil_command::Typed;
use anvil_core::options::SessionPlan;
use anvil_store::client::newest_plan;
use anvil_text::error::Result;

/// The name of a plan if no file is known to belong to the session.
const DEFAULT_NAME: &str = "the plan of this session";

/// The typed command, with the session's plan if it argues about that.
pub(super) fn with_plan(mut typed: Typed, call: Call<'_>) -> Result<Typed> {
    if let Typed::Debate { options, .. } = &mut typed
        && options.plan.plan.as_ref().is_some_and(|plan| plan.0.is_empty())
    {
        options.session_plan = Some(plan(call)?);
    }
    Ok(typed)
}

fn plan(Call { event, world, session, .. }: Call<'_>) -> Result<SessionPlan> {
    let transcript = event.transcript_path.as_deref();
    let call = transcript.and_then(|path| newest_plan(path, &session.id));
    let call = call.ok_or(HookError::NoPlan)?;
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
    Ok(SessionPlan { name, bytes: edited.unwrap_or_else(|| call.text.into_bytes()) })
}
