//! Errors, for the user.

use super::Door;
use anvil_text::error::Error;
use anvil_text::{ascii_mark, clean};

/// The error and its hint on one line, for Claude Code's screen.
pub fn error(error: &Error, door: &Door) -> String {
    clean(&format!("Anvil: {error}. {}", with_full_stop(&capital(&door.hint(error)))), 1_000)
}

/// The error and its hint on two lines, for a shell.
pub fn error_lines(error: &Error, door: &Door) -> String {
    let text = clean(&error.to_string(), 2_000);
    let hint = clean(&door.hint(error), 2_000);
    format!("anvil: {text}\nhint: {hint}")
}

/// Begins with a capital; a command or an option at the beginning keeps its case.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// Adds a full stop if the sentence has none.
pub(super) fn with_full_stop(text: &str) -> String {
    let stop = if text.is_empty()
        || text.ends_with(|char| matches!(ascii_mark(char), '.' | '?' | '!' | '…'))
    {
        ""
    } else {
        "."
    };
    format!("{text}{stop}")
}
