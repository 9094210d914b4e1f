//! The one error: a message of one line, a hint, and the exit code of the command line.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::{Exit, Hint};

/// The kind of an error; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An attempt did not work.
    Failed,
    /// The input is larger than the program reads.
    TooMuch,
    /// The arguments are wrong.
    Usage,
    /// There is nothing to act on.
    Nothing,
}

/// A message and a hint. Both are single lines without a final full stop.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Hint,
    /// The error of the system behind it.
    source: Option<Arc<io::Error>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    fn new(kind: Kind, message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self { kind, message: message.into(), hint: hint.into(), source: None }
    }

    /// An attempt did not work.
    pub fn failed(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::new(Kind::Failed, message, hint)
    }

    /// The input is larger than the program reads.
    pub fn too_much(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::new(Kind::TooMuch, message, hint)
    }

    /// The user's arguments are wrong.
    pub fn usage(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::new(Kind::Usage, message, hint)
    }

    /// There is nothing to act on.
    pub fn nothing(message: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Self::new(Kind::Nothing, message, hint)
    }

    /// An operation of the file system failed; `error` already names the path (fs-err).
    pub fn io(error: io::Error, hint: impl Into<Hint>) -> Self {
        let failed = Self::failed(error.to_string(), hint);
        Self { source: Some(Arc::new(error)), ..failed }
    }

    /// An operation of the file system failed; `error` does not name the path.
    pub fn io_at(what: &str, path: &Path, error: io::Error, hint: impl Into<Hint>) -> Self {
        let failed = Self::failed(format!("{what} {}: {error}", path.display()), hint);
        Self { source: Some(Arc::new(error)), ..failed }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn hint(&self) -> &Hint {
        &self.hint
    }

    /// The hint, for another error.
    pub fn into_hint(self) -> Hint {
        self.hint
    }

    /// The exit code of the command line.
    pub fn exit(&self) -> Exit {
        match self.kind {
            Kind::Failed | Kind::TooMuch => Exit::Failed,
            Kind::Usage => Exit::Usage,
            Kind::Nothing => Exit::Nothing,
        }
    }
}
