//! What a failure has for the user: a message of one line, a hint, and the exit code of the
//! command line. Each place that fails has an enum of its failures.

use std::fmt;
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

/// A way to fail. Its message and its hint are single lines without a final full stop.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    fn kind(&self) -> Kind {
        Kind::Failed
    }

    /// The user's next step.
    fn hint(&self) -> Hint;
}

/// Any [`Failure`], on its way to the user.
#[derive(Clone)]
pub struct Error(Arc<dyn Failure>);

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl<E: Failure> From<E> for Error {
    fn from(failure: E) -> Self {
        Self(Arc::new(failure))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Error {
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    pub fn hint(&self) -> Hint {
        self.0.hint()
    }

    /// The exit code of the command line.
    pub fn exit(&self) -> Exit {
        match self.kind() {
            Kind::Failed | Kind::TooMuch => Exit::Failed,
            Kind::Usage => Exit::Usage,
            Kind::Nothing => Exit::Nothing,
        }
    }
}
