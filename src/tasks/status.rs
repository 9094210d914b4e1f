//! Where a task stands, and what is known of the claim on it.

use serde::Serialize;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has it. Its dependencies say whether it can be begun.
    Available,
    /// Somebody holds it, and has not begun.
    Claimed,
    /// It is being written.
    InProgress,
    /// Its reply is there.
    Done,
    /// It had its chances; somebody else may take it.
    Failed,
    /// The debate has passed it by.
    Skipped,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Available, Self::Claimed, Self::InProgress, Self::Done, Self::Failed, Self::Skipped];

    /// Nothing is to be done any more.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// The same for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Claimed => "claimed",
            Self::InProgress => "in progress",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What is known of the claim on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody holds it.
    Free,
    /// Its holder is provably gone.
    Dead,
    /// It is held.
    Held,
}
