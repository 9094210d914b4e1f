//! The effect of a reply on a debate: its section, the next phase, a direction of the user.

pub(crate) mod apply;
pub(crate) mod cited;
mod error;
pub(crate) mod reading;
pub(crate) mod reply;
pub(crate) mod steering;
pub(crate) mod turns;
pub(crate) mod unsaved;

pub use apply::Filed;
pub(crate) use apply::{file_reply, wrong_block};
pub(crate) use reading::{Reading, is_state_file, read_for_phase, read_for_session};
pub use reply::{Interpretation, reason};
pub(crate) use reply::{impossible_changes, interpret, ledger_with, reply_to_put_aside};
pub(crate) use steering::{
    add_steering, answered_now, append_answer, append_fact, furthest_in_this_cycle, has_argument,
    noted_now, open_question,
};
pub use steering::{check_goes_on, give_steering, skip_to_synthesis};
pub(crate) use turns::{cut_off, not_usable, turn_of_reply};
pub(crate) use unsaved::in_order;
