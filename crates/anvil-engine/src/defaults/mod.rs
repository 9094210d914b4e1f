//! The options and seats that the user and the project set by default, in their `anvil.local.md`.

mod error;
pub(crate) mod options;
pub(crate) mod project_limits;
pub(crate) mod seats;
pub(crate) mod settings;

pub(crate) use error::at_origin;
pub(crate) use options::with_defaults;
pub use seats::{SeatDefaults, duration, seat_defaults};
pub use settings::{Setting, config, texts_by_kind};
