//! The options and seats that the user and the project set by default, in their `anvil.local.md`.

pub(crate) mod options;
pub(crate) mod project_limits;
pub(crate) mod seats;
pub(crate) mod settings;

pub(crate) use options::with_defaults;
pub use seats::{SeatDefaults, duration, seat_defaults};
pub use settings::{Setting, config, texts_by_kind};

use anvil_store::{DefaultEntry, Defaults};
use anvil_text::error::Error;

/// The error of an entry, with its place.
fn at(file: &Defaults, entry: &DefaultEntry, error: &Error) -> Error {
    Error::usage(format!("{}, line {}: {error}", file.path.display(), entry.line), error.hint())
}
