//! The user writes a reply: in their editor, or on standard input where that is no terminal.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;

use crate::engine::Request;
use crate::error::{Error, Result};
use crate::messages;
use crate::process;
use crate::state::AttemptRecord;
use crate::text::without_controls;

/// Below this line of a draft nothing is filed.
const SCISSORS: &str = "<!-- Write above this line. What is below it is not filed. -->";

/// Longest reply that is read from standard input, in bytes.
const MOST: u64 = 1024 * 1024;

/// What became of it.
pub(super) enum Written {
    /// This is to be filed.
    Reply(String),
    /// Nothing yet; what there is lies here.
    PutAside(PathBuf),
}

/// Has the user write a reply, in the draft of its task. `again`: they did so before, the prompt says what that lacks, and this is
/// what to do with one that was given on standard input.
/// `still`: whether the debate waits for it.
pub(super) fn reply_to(
    record: &AttemptRecord,
    request: &Request,
    task: &str,
    again: Option<&str>,
    still: impl Fn() -> bool,
) -> Result<Written> {
    let editor = editor();
    let Some(editor) = editor.filter(|_| std::io::stdin().is_terminal() || !is_given()) else {
        return read(request, again);
    };
    let kept = record.draft(task)?;
    let own = kept.as_deref().map(own_part).unwrap_or_default().trim_end().to_owned();
    let draft = record.keep_draft(task, &format!("{own}\n\n{SCISSORS}\n\n{}", request.prompt))?;
    let before = record.draft_version(task);
    let is_closed =
        process::edit(&editor, &draft).map_err(|error| error.of(&editor, "set VISUAL or EDITOR to your editor"))?;
    let is_saved = is_closed && record.draft_version(task) != before;
    let text = record.draft(task)?.unwrap_or_default();
    let text = own_part(&text).trim();
    if !is_saved || text.is_empty() || !still() {
        return Ok(Written::PutAside(draft));
    }
    Ok(Written::Reply(text.to_owned()))
}

/// What the user wrote: all above the line.
fn own_part(draft: &str) -> &str {
    draft.split_once(SCISSORS).map_or(draft, |(own, _)| own)
}

/// The editor that the user has set.
fn editor() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// True where standard input is something that was given: a file or a pipe.
pub(super) fn is_given() -> bool {
    !std::io::stdin().is_terminal() && !process::is_null_input()
}

/// The prompt goes to standard output, and the reply comes from standard input.
fn read(request: &Request, again: Option<&str>) -> Result<Written> {
    if let Some(hint) = again {
        return Err(Error::failed("the reply is not usable as it is", hint));
    }
    if !is_given() {
        return Err(Error::usage("no editor is set", messages::REPLY_ON_STDIN));
    }
    // A reader that went away is no failure.
    let _ = writeln!(std::io::stdout().lock(), "{}", without_controls(&request.prompt));
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MOST + 1).read_to_string(&mut text);
    let read = read.map_err(|error| Error::io(&error, "the reply has to be UTF-8 text"))?;
    if read as u64 > MOST {
        return Err(Error::failed(format!("the reply has more than {MOST} bytes"), "shorten it"));
    }
    if text.trim().is_empty() {
        return Err(Error::usage("standard input is empty", messages::REPLY_ON_STDIN));
    }
    Ok(Written::Reply(text))
}
