//! What went wrong.

use crate::error::Error;
use crate::text::clean;

/// One line for Claude Code's screen: what went wrong, and the hint.
#[must_use]
pub fn error(error: &Error) -> String {
    clean(&format!("Anvil: {error}. {}", capital(error.hint())), 1_000)
}

/// The same for a shell, in two lines.
#[must_use]
pub fn error_lines(error: &Error) -> String {
    let line = |text: &str| clean(text, 2_000);
    format!("anvil: {}\nhint: {}", line(&error.to_string()), line(error.hint()))
}

/// A sentence; one that begins with a command or an option stays as it is to be typed.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    ended(&first.chain(chars).collect::<String>())
}

/// With a full stop where a sentence has none.
pub(super) fn ended(text: &str) -> String {
    let stop = if text.is_empty() || text.ends_with(['.', '?', '!', '…']) { "" } else { "." };
    format!("{text}{stop}")
}
