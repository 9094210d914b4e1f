//! The user writes a reply: in their editor, or on standard input if that is no terminal.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::PathBuf;

use crate::engine::Request;
use crate::error::{Error, Result};
use crate::storage::AttemptRecord;
use crate::system::process;
use crate::text::without_controls;

/// Text below this line of a draft is not saved.
const SCISSORS: &str = "<!-- Write above this line. What is below it is not saved. -->";

/// Most bytes of a reply from standard input.
const MAX_BYTES: u64 = 1024 * 1024;

pub(super) enum PersonReply {
    Reply(String),
    /// Put aside; the draft is in this file.
    PutAside(PathBuf),
}

/// Has the user write a reply in the draft of its task. `is_again`: they wrote one before, and the
/// prompt says what it lacks. `still_waits`: the debate still waits for it.
pub(super) fn reply_to(
    record: &AttemptRecord,
    request: &Request,
    task: &str,
    is_again: bool,
    still_waits: impl Fn() -> bool,
) -> Result<PersonReply> {
    let editor = editor();
    let Some(editor) = editor.filter(|_| std::io::stdin().is_terminal() || !is_given()) else {
        return read(request, is_again);
    };
    let earlier = record.draft(task)?;
    let own = earlier.as_deref().map(own_part).unwrap_or_default().trim_end().to_owned();
    let draft = record.keep_draft(task, &format!("{own}\n\n{SCISSORS}\n\n{}", request.sheet))?;
    let before = record.draft_version(task);
    let is_closed = process::edit(&editor, &draft)
        .map_err(|error| error.of(&editor, "set VISUAL or EDITOR to your editor"))?;
    let is_saved = is_closed && record.draft_version(task) != before;
    let text = record.draft(task)?.unwrap_or_default();
    let text = own_part(&text).trim();
    if !is_saved || text.is_empty() || !still_waits() {
        return Ok(PersonReply::PutAside(draft));
    }
    Ok(PersonReply::Reply(text.to_owned()))
}

/// The text above the line.
fn own_part(draft: &str) -> &str {
    draft.split_once(SCISSORS).map_or(draft, |(own, _)| own)
}

fn editor() -> Option<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// True if standard input is a file or a pipe.
pub(super) fn is_given() -> bool {
    !std::io::stdin().is_terminal() && !process::is_null_input()
}

fn no_reply(why: &str) -> Error {
    Error::usage(
        why,
        "set VISUAL or EDITOR, or give the reply on standard input: \
         `anvil join --me --as SEAT < reply.md`",
    )
}

/// Prints the sheet to standard output and reads the reply from standard input.
fn read(request: &Request, is_again: bool) -> Result<PersonReply> {
    if is_again {
        let hint = "correct it and give it on standard input once more; it is saved as it is then";
        return Err(Error::failed("the reply is not usable as it is", hint));
    }
    if !is_given() {
        return Err(no_reply("no editor is set"));
    }
    // A reader that has closed the pipe is no failure.
    let _ = writeln!(std::io::stdout().lock(), "{}", without_controls(&request.sheet));
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut text);
    let read = read.map_err(|error| Error::io(&error, "the reply has to be UTF-8 text"))?;
    if read as u64 > MAX_BYTES {
        return Err(Error::failed(
            format!("the reply has more than {MAX_BYTES} bytes"),
            "shorten it",
        ));
    }
    if text.trim().is_empty() {
        return Err(no_reply("standard input is empty"));
    }
    Ok(PersonReply::Reply(text))
}
