//! One error: what went wrong in one line, what to do about it, and the exit code of the command line.

use std::fmt;
use std::path::Path;

/// The kind of an error; it decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It was tried and did not work: exit code 1.
    Failed,
    /// It did not work for now, and may later by itself: exit code 1.
    ForNow,
    /// There is more than is read: exit code 1.
    TooMuch,
    /// The arguments are wrong: exit code 2.
    Usage,
    /// There is nothing to do it to: exit code 3.
    Nothing,
}

/// What went wrong, and a hint on what to do. Both are single lines without a final full stop or line break.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: String,
}

/// The result of everything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Something was tried and did not work.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Failed, message: message.into(), hint: hint.into() }
    }

    /// It was tried and did not work, which may be different in a moment.
    pub fn for_now(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::ForNow, message: message.into(), hint: hint.into() }
    }

    /// There is more of something than is read.
    pub fn too_much(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::TooMuch, message: message.into(), hint: hint.into() }
    }

    /// The user's arguments are wrong.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, message: message.into(), hint: hint.into() }
    }

    /// There is nothing to act on.
    pub fn nothing(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Nothing, message: message.into(), hint: hint.into() }
    }

    /// An operation of the file system failed; `error` already names the path (fs-err).
    pub fn io(error: &std::io::Error, hint: impl Into<String>) -> Self {
        Self::failed(error.to_string(), hint)
    }

    /// The same for an error that does not name its path.
    pub fn io_at(what: &str, path: &Path, error: &std::io::Error, hint: impl Into<String>) -> Self {
        Self::failed(format!("{what} {}: {error}", path.display()), hint)
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The exit code of the command line.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Failed | Kind::ForNow | Kind::TooMuch => 1,
            Kind::Usage => 2,
            Kind::Nothing => 3,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
