//! The owner of a debate.

use super::Debate;

/// The session that owns a debate, and facts about that session. They never travel to other
/// machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    /// The Claude Code session. `None` until one resumes the debate.
    pub session_id: Option<String>,
    /// The client's id of the turn that the debate runs in (`prompt_id`).
    pub prompt_id: Option<String>,
    pub pending: Pending,
    /// The cue of this phase requires a Read of the debate's file; a reply without it is not saved.
    pub must_read: bool,
    /// Each seat has a context of its own, without the replies that it is not shown.
    pub isolated: bool,
    /// Continuations since the model last used a tool; the client caps them.
    pub continuations: u32,
}

/// The effect of the user's next event. One at a time: the first is for a debate in progress, the
/// second for a waiting one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    #[default]
    Nothing,
    /// The user typed while a reply was being written. That reply is saved, and then the debate
    /// pauses.
    Pause,
    /// The next text that the user types in the session is the debate's direction.
    Direction,
}

/// The parts of [`Ownership`].
impl Debate {
    pub fn session_id(&self) -> Option<&str> {
        self.ownership.session_id.as_deref()
    }

    pub fn prompt_id(&self) -> Option<&str> {
        self.ownership.prompt_id.as_deref()
    }

    pub fn pending(&self) -> Pending {
        self.ownership.pending
    }

    pub fn must_read(&self) -> bool {
        self.ownership.must_read
    }

    pub fn is_isolated(&self) -> bool {
        self.ownership.isolated
    }

    pub fn continuations(&self) -> u32 {
        self.ownership.continuations
    }
}
