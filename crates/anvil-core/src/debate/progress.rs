//! The progress of a debate.

use jiff::Timestamp;

use super::{Debate, Status, StopReason};
use crate::place::Place;

/// How far a debate has come. It travels with the debate to other machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    pub status: Status,
    /// Why the debate is paused, failed or cancelled, if anything says so.
    pub stop_reason: Option<StopReason>,
    /// The place of the next reply; of the last one once the debate is completed.
    pub place: Place,
    /// Rises by one at every change of place.
    pub step: u32,
    /// From 1. Rises by one each time that a finished debate is opened again.
    pub cycle: u32,
    /// Unusable replies in this phase, 0 to [`MAX_RETRIES`](crate::limits::MAX_RETRIES).
    pub retry_count: u8,
    /// Judgments since the last reply, if several judges make the synthesis.
    pub judgments: u8,
    /// The user's direction for the next phase.
    pub steering: Option<String>,
    /// The user wants the synthesis after the reply that is being written.
    pub synthesis_requested: bool,
    /// The model was asked to repair the form of this phase's reply: numbered claims, changes.
    pub form_retry: bool,
    /// The synthesis or the last judgment is saved, and its block has to be written once more.
    pub awaits_block: bool,
    pub started_at: Timestamp,
    /// Last change of place or status, or last request for the phase, to the millisecond. Text that
    /// the model wrote before belongs to another phase. The time also identifies a redelivered
    /// event.
    pub updated_at: Timestamp,
}

impl Progress {
    /// The progress of a new debate.
    pub fn new(now: Timestamp) -> Self {
        Self {
            status: Status::NotStarted,
            stop_reason: None,
            place: Place::FIRST,
            step: 1,
            cycle: 1,
            retry_count: 0,
            judgments: 0,
            steering: None,
            synthesis_requested: false,
            form_retry: false,
            awaits_block: false,
            started_at: now,
            updated_at: now,
        }
    }
}

/// The parts of [`Progress`].
impl Debate {
    pub fn status(&self) -> Status {
        self.progress.status
    }

    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.progress.stop_reason.as_ref()
    }

    pub fn place(&self) -> Place {
        self.progress.place
    }

    pub fn step(&self) -> u32 {
        self.progress.step
    }

    pub fn cycle(&self) -> u32 {
        self.progress.cycle
    }

    pub fn retry_count(&self) -> u8 {
        self.progress.retry_count
    }

    pub fn judgments(&self) -> u8 {
        self.progress.judgments
    }

    pub fn steering(&self) -> Option<&str> {
        self.progress.steering.as_deref()
    }

    pub fn synthesis_requested(&self) -> bool {
        self.progress.synthesis_requested
    }

    pub fn form_retry(&self) -> bool {
        self.progress.form_retry
    }

    pub fn awaits_block(&self) -> bool {
        self.progress.awaits_block
    }

    pub fn started_at(&self) -> Timestamp {
        self.progress.started_at
    }

    pub fn updated_at(&self) -> Timestamp {
        self.progress.updated_at
    }
}
