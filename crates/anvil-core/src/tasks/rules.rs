//! The one rule, for every door: who may take a task.

use super::status::{Hold, TaskStatus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskRefusal {
    /// The task has a reply, or no longer needs one.
    Done,
    /// Somebody has claimed the task, and may still write it.
    Held,
}

/// A task belongs to its holder until that process is known to be gone.
pub fn may_claim(status: TaskStatus, hold: Hold) -> Result<(), TaskRefusal> {
    match (status, hold) {
        (TaskStatus::Done | TaskStatus::Skipped, _) => Err(TaskRefusal::Done),
        (_, Hold::Held) => Err(TaskRefusal::Held),
        (
            TaskStatus::Available
            | TaskStatus::Waiting
            | TaskStatus::Claimed
            | TaskStatus::InProgress
            | TaskStatus::Failed,
            Hold::Free | Hold::Dead,
        ) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_tasks() {
        let all = [
            TaskStatus::Available,
            TaskStatus::Waiting,
            TaskStatus::Claimed,
            TaskStatus::InProgress,
            TaskStatus::Done,
            TaskStatus::Failed,
            TaskStatus::Skipped,
        ];
        for status in all {
            for hold in [Hold::Free, Hold::Dead, Hold::Held] {
                let expected = if matches!(status, TaskStatus::Done | TaskStatus::Skipped) {
                    Err(TaskRefusal::Done)
                } else if hold == Hold::Held {
                    Err(TaskRefusal::Held)
                } else {
                    Ok(())
                };
                assert_eq!(may_claim(status, hold), expected, "{status:?} {hold:?}");
            }
        }
    }
}
