//! A debate on its way.

use crate::error::Result;
use crate::storage::StateFile;

/// A debate as it travels: a state file without an owner and without paths of a machine, and a
/// count of its publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortableDebate {
    /// Rises by one at each publish.
    pub revision: u64,
    pub(super) state: StateFile,
}

impl PortableDebate {
    /// An error if the state could not be read back, or was written by a newer Anvil.
    pub fn of(state: StateFile, revision: u64) -> Result<Self> {
        Ok(Self { revision, state: state.portable()? })
    }

    /// For a state that is portable already.
    pub(super) fn portable(state: StateFile, revision: u64) -> Self {
        Self { revision, state }
    }

    pub fn state(&self) -> &StateFile {
        &self.state
    }

    /// The state file, for a project that takes it in.
    pub fn into_state(self) -> StateFile {
        self.state
    }
}
