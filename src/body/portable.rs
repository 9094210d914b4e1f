//! A debate on its way.

use crate::error::Result;
use crate::state::StateFile;

/// A debate as it travels: a state file that nobody owns and that names no path of a machine, and how often it was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableDebate {
    /// One more at each publish.
    pub revision: u64,
    pub(super) state: StateFile,
}

impl PortableDebate {
    /// This debate, as it travels. An error if it could not be read back, or was written by a newer Anvil.
    pub fn of(state: StateFile, revision: u64) -> Result<Self> {
        Ok(Self { revision, state: state.portable()? })
    }

    /// One whose state is as it travels.
    pub(super) fn portable(state: StateFile, revision: u64) -> Self {
        Self { revision, state }
    }

    /// The state file.
    #[must_use]
    pub fn state(&self) -> &StateFile {
        &self.state
    }

    /// The state file, for a project that takes it in.
    #[must_use]
    pub fn into_state(self) -> StateFile {
        self.state
    }
}
