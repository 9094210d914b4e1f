//! Cleans text before it is shown or leaves the machine, and lays out numbers and lines. Pure.
//!
//! All text that is shown goes through [`visible`](fn@visible). Invariant: visible text stays in
//! its place.

mod bound;
mod clean;
mod columns;
pub mod error;
mod exit;
mod fence;
mod hint;
mod inert;
mod json;
mod lines;
mod marks;
pub mod masking;
mod near;
mod numbers;
mod references;
mod scrub;
mod unseen;

pub use bound::is_bounded;
pub use clean::{
    bold, clean, clean_lines, harmless_json, is_shown, json_in_comment, without_controls,
    without_controls_but_bold,
};
pub use columns::{columns, fit, rows, table, wrap, wrap_markdown};
pub use exit::Exit;
pub use fence::Fences;
pub use hint::{Command, Hint, HintPart, Verb};
pub use inert::{inert, longest_run};
pub use json::{from_json, from_json_in_place, mend_surrogates};
pub use lines::{cut, lines, utf16_len};
pub use marks::{ascii_mark, closing_quote, is_dash, is_of_word, is_question};
pub use near::nearest;
pub use numbers::{age, duration, files, group, number_of, size, unseen, words};
pub use scrub::{Scrubber, without_folders, without_paths};
pub use unseen::{is_doubtful_end, is_unseen, visible};
