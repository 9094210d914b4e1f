//! The user's directions while a debate is argued.

/// A checked request of `steer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steering {
    /// The new number of rounds in all.
    pub rounds: Option<u8>,
    /// A direction for the next phase.
    pub direction: Option<String>,
    /// True if the synthesis is next.
    pub synthesize: bool,
}

/// The text of `steer` that directs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A fact to note.
    Fact(String),
    /// The answer to the oldest question.
    Answer(String),
    /// The motion as it is to read.
    Motion(String),
}
