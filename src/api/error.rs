//! Errors of the library.

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A question, an option, a direction or a reply is invalid.
    Invalid,
    /// The debate has its first reply, so its options can't change.
    Begun,
    /// The debate is complete, has failed or was cancelled.
    Over,
    /// The reply answers an earlier state of the debate. It was not saved.
    Stale,
    /// A file is not a debate in Anvil's format. It is unchanged.
    Damaged,
    /// A file was written by a newer Anvil. It is unchanged.
    Newer,
    /// A file holds a text that this debate does not continue, or a session argues it. It is
    /// unchanged.
    Conflict,
    /// The file system returned an error.
    Io,
}

/// An error: one line, with a hint for its repair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: String,
}

impl Error {
    pub(crate) fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self { kind, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message, hint)
    }

    /// Converts an error of the lower crates, and keeps its hint.
    pub(crate) fn with_its_hint(kind: ErrorKind, error: &anvil_text::error::Error) -> Self {
        Self::new(kind, error.to_string(), anvil_messages::Door::default().hint(error))
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One line without a full stop: how to repair it.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}
