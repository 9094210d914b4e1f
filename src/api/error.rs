//! What can go wrong in a call of the library.

use std::fmt;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A question, an option, a direction or a reply that can't be.
    Invalid,
    /// The debate has its first reply: what was asked for stays as it is.
    Begun,
    /// Nothing more is argued: the debate is complete, has failed or was cancelled.
    Over,
    /// The reply answers another state of the debate than the one that waits. It was not filed.
    Stale,
    /// A file is not a debate as Anvil leaves it. It was left as it is.
    Damaged,
    /// A file was written by a newer Anvil. It was left as it is.
    Newer,
    /// A file holds what this debate does not continue, or is argued elsewhere. It was left as it is.
    Conflict,
    /// The file system said no.
    Io,
}

/// What went wrong, in a line, with a hint on what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    hint: String,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into() }
    }

    pub(super) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message, hint)
    }

    /// An error of the rooms below, whose hint is for another door.
    pub(super) fn of(kind: ErrorKind, error: &crate::error::Error, hint: impl Into<String>) -> Self {
        Self::new(kind, error.to_string(), hint)
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to do about it, in a line without a full stop.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
