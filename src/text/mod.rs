//! Hygiene of text: the one scrub of what is shown and of what leaves the machine, and how numbers and lines are laid out. Pure.
//!
//! * [`visible`]: characters that nobody sees go, and are counted. Everything that is shown goes through it.
//! * `inert`: in Markdown for a forge, nothing pings anybody and nothing links to an issue or a commit; every word stays.
//! * [`Places`]: paths of this machine become names.
//! * [`nearest`]: which names a slip of the finger may have meant.
//!
//! Invariant: what is seen of a text stays, in its place.

mod clean;
mod columns;
mod inert;
#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/linear/text.rs"]
pub(crate) mod linear;
mod near;
mod numbers;
mod places;
mod references;
mod unseen;

pub use clean::{clean, clean_lines, escape_in_json, harmless_json, is_shown, without_controls};
pub use columns::{columns, fit, rows, table, wrap, wrap_markdown};
pub use inert::{inert, longest_run};
pub use near::nearest;
pub use numbers::{age, duration, files, group, size, unseen};
pub use places::{Places, without_folders, without_paths};
pub use unseen::{is_unseen, visible};
