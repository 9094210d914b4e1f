//! The options and requests of a user, as values: no command line is known here. Pure.

pub(crate) mod choice;
pub(crate) mod claims;
pub(crate) mod debate;
pub(crate) mod kept;
pub(crate) mod mode;
pub(crate) mod option;
pub(crate) mod outcome_note;
pub(crate) mod seats;
pub(crate) mod steering;
pub(crate) mod values;

pub use choice::{Choice, goes_on};
pub use claims::{ClaimsOptions, STATES};
pub use debate::{DebateOptions, SessionPlan, refused_value, shorten};
pub use kept::{FactCheck, Flags, Options};
pub use mode::{Boundary, Mode, Named};
pub use option::{CONTEXT_BUDGET, DebateOption, Kept, OneChoice, Takes};
pub use outcome_note::OutcomeNote;
pub use seats::{ISOLATED, OWN_AGENT, SeatOptions, is_seat_key, voice};
pub use steering::{Statement, Steering};
pub use values::{OptionValue, flag, motion, review, rounds, text};
