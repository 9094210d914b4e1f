//! The owner of a debate, and the lock for changes to it.

mod error;
pub(crate) mod held;
pub(crate) mod owner;
pub(crate) mod turn;

pub(crate) use held::{HeldDebate, lock_any, lock_for, lock_owned};
pub use owner::{OwnerStatus, is_argued_by_programs};
pub(crate) use owner::{
    Since, check_may_change, check_unclaimed, owner_status, remember, remember_agents,
    remember_release, resume_hint, runner, runs_elsewhere, take_from_owner,
};
pub use turn::{OwnedTurn, Silence, owned_turn, stop_turn};
pub(crate) use turn::{check_owned_active, find_owned_debate, is_writing};
