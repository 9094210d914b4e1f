//! The helpers and workers that a run knows of.

use std::time::{Duration, Instant};

use crate::engine::HeldTask;
use crate::system::process::Background;

/// Longest time that a helper gets to end its agent.
const GRACE: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// The helpers of `--jobs` that may still run.
    pub(super) running: Vec<Background>,
    /// How many helpers were started.
    pub(super) started: u8,
    /// Saved replies and judgments that the user has seen.
    pub(super) seen: Option<usize>,
    /// The task of the worker that the run waits for, and since when.
    pub(super) waits_for: Option<(HeldTask, Instant)>,
}

impl Helpers {
    /// Ends the helpers, which frees their tasks.
    pub(super) fn end(&mut self) {
        for helper in &mut self.running {
            helper.end(GRACE);
        }
    }

    /// Counts a reply that the run has saved itself.
    pub(super) fn count_own(&mut self) {
        self.seen = self.seen.map(|seen| seen + 1);
    }
}
