//! The effect of a reply on a debate: its section, the next phase, a direction of the user.

pub(super) mod apply;
pub(super) mod reading;
pub(super) mod reply;
pub(super) mod steering;
pub(super) mod submitted;
pub(super) mod turns;

pub use apply::ReplyOutcome;
pub(crate) use apply::{Writer, apply_reply};
pub(super) use reading::{is_state_file, read_for_phase, read_for_session};
pub(super) use reply::judge;
pub use reply::{Interpretation, reason};
pub(crate) use reply::{ledger_with, unmade};
pub(super) use steering::{
    add_steering, answered_now, append_answer, append_fact, furthest_in_this_cycle, has_argument,
    open_question,
};
pub use steering::{check_goes_on, give_steering, skip_to_synthesis};
pub(super) use submitted::{in_order, is_for_an_earlier_phase};
pub(super) use turns::{answered, cut_off, not_usable};
