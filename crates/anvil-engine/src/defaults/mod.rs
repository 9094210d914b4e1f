//! The options and seats that the user and the project set by default, in their `anvil.local.md`.

pub(crate) mod options;
pub(crate) mod project_limits;
pub(crate) mod seats;
pub(crate) mod settings;

pub(crate) use options::with_defaults;
pub use seats::{SeatDefaults, duration, seat_defaults};
pub use settings::{Setting, config, texts_by_kind};

use anvil_store::Defaults;
use anvil_text::error::Error;

/// An error with its place.
fn at(file: &Defaults, line: usize, error: &Error) -> Error {
    Error::usage(format!("{}, line {line}: {error}", file.path.display()), error.hint())
}
