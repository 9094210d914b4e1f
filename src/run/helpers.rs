//! Those who work beside a run, as far as it knows them.

use std::time::{Duration, Instant};

use crate::engine::HeldTask;
use crate::process::Background;

/// How long a helper may take to end the program that writes for it.
const GRACE: Duration = Duration::from_secs(3);

/// What a run knows of those who work beside it.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// The helpers of `--jobs` that may still run.
    pub(super) running: Vec<Background>,
    /// How many were started.
    pub(super) started: u8,
    /// Replies and judgments that the user knows to be filed.
    pub(super) seen: Option<usize>,
    /// The task whose worker is waited for, and since when.
    pub(super) waits_for: Option<(HeldTask, Instant)>,
}

impl Helpers {
    /// Has them end: what they hold is free then.
    pub(super) fn end(&mut self) {
        for helper in &mut self.running {
            helper.end(GRACE);
        }
    }

    /// The run has filed a reply itself.
    pub(super) fn count_own(&mut self) {
        self.seen = self.seen.map(|seen| seen + 1);
    }
}
