//! Whose a debate is.

/// The session that a debate belongs to, and what it keeps in mind for it. It never travels to other machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    /// The Claude Code session that owns the debate; `None` until one resumes it.
    pub session_id: Option<String>,
    /// The client's name for the turn the debate runs in (`prompt_id`, seen on 2.1.200 and later).
    pub prompt_id: Option<String>,
    /// What the user has to do with the next event.
    pub pending: Pending,
    /// The cue of this phase asks for a Read of the debate's file; a reply without it is not filed.
    pub must_read: bool,
    /// Each seat has a context of its own: none has read what another one is not shown.
    pub apart: bool,
    /// Continuations handed out since the model last used a tool; the client caps them.
    pub continuations: u32,
}

/// What is pending between the user and a debate. The two exclude each other: one is of a debate in progress, the other
/// of one that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    /// Nothing.
    #[default]
    Nothing,
    /// The user typed while a reply was being written: that reply is filed, and then the debate pauses.
    Pause,
    /// The next words that the user types in the session are the debate's direction.
    Direction,
}
