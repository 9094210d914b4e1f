//! Hygiene of text: the one scrub of what is shown and of what leaves the machine. Pure.
//!
//! * [`visible`]: characters that nobody sees go, and are counted. Everything that is shown goes through it.
//! * [`inert`]: in Markdown for a forge, nothing pings anybody and nothing links to an issue or a commit; every word stays.
//! * [`Places`]: paths of this machine become names.
//!
//! Invariant: what is seen of a text stays, in its place.

mod inert;
mod places;
mod unseen;

pub use inert::inert;
pub use places::{Places, without_folders, without_paths};
pub use unseen::{is_unseen, visible};

use std::fmt::Write as _;

/// A character as an escape in a string of JSON.
pub fn escape_in_json(char: char, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}
