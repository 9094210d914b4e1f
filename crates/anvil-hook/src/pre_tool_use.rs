//! Claude is about to use a tool. The file of this session's debate may be Read, wherever Claude
//! was started; a plan may be argued first.
//!
//! All other calls end here without a disk access. No other tool gets permission, even if the
//! matcher in `hooks.json` lets it through.

use super::wire::Answer;
use super::{Call, plan};
use anvil_engine::{Stopped, session};
use anvil_store::STATE_FILE_NAME;

pub(super) fn handle(call: Call<'_>) -> Result<Answer, Stopped> {
    let Call { event, context, session, .. } = call;
    let tool = event.tool_name.as_ref();
    if tool.is_some_and(|name| name == plan::TOOL) {
        return plan::handle_dialog(call);
    }
    let path = event
        .tool_input
        .as_ref()
        .filter(|_| tool.is_none_or(|name| name == "Read"))
        .and_then(|input| input.file_path())
        .filter(|path| path.file_name().is_some_and(|name| name == STATE_FILE_NAME));
    Ok(match path {
        Some(path) if session::may_read(context, session, path) => Answer::Allow,
        Some(_) | None => Answer::Silent,
    })
}
