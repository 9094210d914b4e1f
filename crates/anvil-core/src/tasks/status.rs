//! The state of a task and of the claim on it.

use serde::Serialize;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "status"))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody has it, and it can be begun.
    Available,
    /// The replies that it depends on come first.
    Waiting,
    /// Somebody has claimed it, and writes it.
    Claimed,
    /// A program or Claude writes it.
    #[strum(serialize = "in progress")]
    InProgress,
    /// Its reply is there.
    Done,
    /// It had its chances; somebody else may take it.
    Failed,
    /// The debate has passed it by.
    Skipped,
}

impl TaskStatus {
    /// True if there is nothing left to do.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Skipped)
    }

    /// The status in words for people.
    pub fn label(self) -> &'static str {
        self.into()
    }
}

/// The claim on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    Free,
    /// The process that claimed it is gone.
    Dead,
    Held,
}
