//! Where a debate stands.

use jiff::Timestamp;

use super::{Slot, Status};

/// How far a debate has come. It travels with the debate to other machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whether it runs, waits or is over.
    pub status: Status,
    /// Why it is paused or failed, in a sentence; empty otherwise.
    pub status_detail: String,
    /// Whose reply is awaited (or was the last one, when completed).
    pub slot: Slot,
    /// Strictly rising; one more at every change of place.
    pub step: u32,
    /// 1; one more each time a finished debate is opened again.
    pub cycle: u32,
    /// Unusable replies in this phase so far, 0 to [`MAX_RETRIES`](super::MAX_RETRIES).
    pub retry_count: u8,
    /// Judgments filed since the last reply, where several judges make the synthesis.
    pub judgments: u8,
    /// The user's direction that no phase was given yet.
    pub steering: Option<String>,
    /// The user wants the synthesis after the reply that is being written.
    pub synthesis_requested: bool,
    /// This phase was asked for once more, for its form: numbered claims, an account of every claim, headings.
    pub form_retry: bool,
    /// When the debate was started.
    pub started_at: Timestamp,
    /// When its place or status last changed, or its phase was asked for again; to the millisecond. What the model wrote
    /// before belongs to another phase, and a redelivered event is told by it.
    pub updated_at: Timestamp,
}

impl Progress {
    /// That of a new debate.
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            status: Status::NotStarted,
            status_detail: String::new(),
            slot: Slot::FIRST,
            step: 1,
            cycle: 1,
            retry_count: 0,
            judgments: 0,
            steering: None,
            synthesis_requested: false,
            form_retry: false,
            started_at: now,
            updated_at: now,
        }
    }
}
