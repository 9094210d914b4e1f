//! A debate as it is in this project or in an issue, with its revision.

use anvil_core::debate::{Debate, Status};
use anvil_core::transcript;
use anvil_store::StateFile;

/// The debate in one of the two places.
#[derive(Clone, Debug)]
pub struct Side {
    pub debate: Debate,
    /// Number of words saved so far.
    pub words: usize,
    /// The revision that it has or continues; 0: none yet.
    pub revision: u64,
}

impl Side {
    pub fn new(state: &StateFile, revision: u64) -> Self {
        let words = transcript::parse(&state.body).words();
        Self { debate: state.debate.clone(), words, revision }
    }

    /// For example `revision 3, critic, round 2 of 3, 812 words`.
    pub fn label(&self) -> String {
        let revision = match self.revision {
            0 => "not published from here".to_owned(),
            revision => format!("revision {revision}"),
        };
        let slot = match self.debate.status() {
            Status::Completed => "complete".to_owned(),
            Status::Cancelled => "cancelled".to_owned(),
            Status::NotStarted | Status::InProgress | Status::Paused | Status::Failed => {
                self.debate.place_label()
            }
        };
        format!("{revision}, {slot}, {} words", self.words)
    }
}
