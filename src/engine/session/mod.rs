//! The actions of a user or a Claude Code session on a debate: start, reply, pause, steer, resume,
//! cancel.

pub(super) mod brief;
pub(super) mod cancel;
pub(super) mod config;
mod document;
pub(super) mod file_reply;
pub(super) mod look;
mod missing;
pub(super) mod pause;
pub(super) mod resume;
pub(super) mod start;
pub(super) mod steer;

pub(crate) use brief::{check_course, described, focus, voice_of};
pub use config::Setting;
pub use look::{Glance, Look, StartNotice};
pub use pause::{Interruption, PromptOutcome, Released, YOU_TYPED};
pub use resume::{Resumed, Resumption};
pub use start::{Preview, Started};
pub use steer::{ResumeAction, Steered};

use super::Context;

/// The actions of a user or a Claude Code session on a debate.
#[derive(Debug)]
pub struct Sessions<'a> {
    pub(super) context: &'a Context<'a>,
}
