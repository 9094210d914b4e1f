//! The actions of a user or a Claude Code session on a debate: start, reply, pause, steer, resume,
//! cancel.

pub(crate) mod brief;
pub(crate) mod cancel;
pub(crate) mod document;
mod error;
pub(crate) mod look;
pub(crate) mod missing;
pub(crate) mod pause;
pub(crate) mod reply;
pub(crate) mod resume;
pub(crate) mod start;
pub(crate) mod steer;

pub use crate::ownership::{owned_turn, stop_turn};
pub(crate) use brief::{ResolvedOptions, check_earlier_result, masked_or_refused, persona};
pub use brief::{check_course, focus, persona_from, voice_of};
pub use cancel::{Cancelled, cancel};
pub use look::{
    Glance, Look, StartNotice, glance, is_seen_by_git, knows_families, look, may_read, project,
    remember_families, start_notice, try_lock,
};
pub use missing::{restore_missing, take_back};
pub use pause::{
    Interruption, PromptOutcome, Released, prompt_typed, save_unsaved, session_ends, turn_began,
};
pub use reply::TurnEnd;
pub use resume::{Resumed, Resumption, after_compaction, again, resume};

pub use start::{Preview, Started, preview, start, start_for_program, start_for_run};
pub(crate) use start::{
    Replacement, begin_argued_plan, make_room, preview_plan, store_to_start_in,
};
pub use steer::{
    ResumeAction, Steered, answer, change_rounds, correct_motion, direct, note_fact, steer,
    synthesize,
};
