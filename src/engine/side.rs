//! One of the two sides of a debate that travels: what is here, or what is in the issue.

use crate::debate::{Debate, Status};
use crate::state::StateFile;
use crate::transcript::Entries;

/// A debate, as far as it goes on one side.
#[derive(Clone, Debug)]
pub struct Side {
    /// The debate.
    pub debate: Debate,
    /// Words filed so far.
    pub words: usize,
    /// The revision that it has or continues; 0: none yet.
    pub revision: u64,
}

impl Side {
    pub(super) fn of(state: &StateFile, entries: &Entries, revision: u64) -> Self {
        Self { debate: state.debate.clone(), words: entries.words(), revision }
    }

    /// `revision 3, critic, round 2 of 3, 812 words`.
    #[must_use]
    pub fn label(&self) -> String {
        let revision = match self.revision {
            0 => "not published from here".to_owned(),
            revision => format!("revision {revision}"),
        };
        let slot = match self.debate.progress.status {
            Status::Completed => "complete".to_owned(),
            Status::Cancelled => "cancelled".to_owned(),
            Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => self.debate.slot_label(),
        };
        format!("{revision}, {slot}, {} words", self.words)
    }
}
