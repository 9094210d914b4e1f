//! The report of a debate on a screen.

use super::past::ending;
use crate::engine::Shown;
use crate::text::clean;
use crate::text::door::Door;

/// The debate, and how to see more of it.
pub fn shown(shown: &Shown, door: Door) -> String {
    let Shown { id, text, page } = shown;
    let text = text.trim_end();
    let handle = ending(id);
    let open = door.command(&format!("report {handle} --open"));
    match (door, page) {
        (Door::Shell, _) => format!(
            "{text}\n\n  `anvil report {handle} --full` shows every reply, {open} its page."
        ),
        (Door::Client, Some(page)) => {
            format!("Anvil: {text}\n\nPage: {}   {open} shows it", clean(page, 400))
        }
        (Door::Client, None) => format!("Anvil: {text}\n\n{open} makes its page and shows it"),
    }
}
