//! Claude is about to Read a file. The file of this session's debate is allowed, wherever Claude
//! was started.
//!
//! All other paths end here without a disk access. No other tool gets permission, even if the
//! matcher in `hooks.json` lets it through.

use super::Call;
use super::wire::Answer;
use anvil_engine::session;
use anvil_store::STATE_FILE_NAME;

pub(super) fn handle(Call { event, context, session, .. }: Call<'_>) -> Answer {
    let is_read = event.tool_name.as_ref().is_none_or(|name| name == "Read");
    let path = event
        .tool_input
        .as_ref()
        .and_then(|input| input.file_path.as_deref())
        .filter(|path| is_read && path.file_name().is_some_and(|name| name == STATE_FILE_NAME));
    match path {
        Some(path) if session::may_read(context, session, path) => Answer::Allow,
        Some(_) | None => Answer::Silent,
    }
}
