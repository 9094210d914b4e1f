//! The one rule, for every door: who may take a task.

use super::status::{Hold, TaskStatus};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskRefusal {
    /// The task has a reply, or no longer needs one.
    Done,
    /// A worker holds the task, and may still be alive.
    Held,
    /// The conversation or run that leads the debate is writing the reply.
    BeingWritten,
}

/// The rule: a task belongs to its holder until that process is known to be gone. `is_led`: the
/// leader of the debate writes this reply, unless another worker holds the task already.
pub fn may_hold(status: TaskStatus, hold: Hold, is_led: bool) -> Result<(), TaskRefusal> {
    match (status, hold) {
        (TaskStatus::Done | TaskStatus::Skipped, _) => Err(TaskRefusal::Done),
        (_, Hold::Held) => Err(TaskRefusal::Held),
        (_, Hold::Free | Hold::Dead) if is_led => Err(TaskRefusal::BeingWritten),
        (
            TaskStatus::Available
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
            TaskStatus::Claimed,
            TaskStatus::InProgress,
            TaskStatus::Done,
            TaskStatus::Failed,
            TaskStatus::Skipped,
        ];
        for status in all {
            for hold in [Hold::Free, Hold::Dead, Hold::Held] {
                for is_led in [false, true] {
                    let expected = if matches!(status, TaskStatus::Done | TaskStatus::Skipped) {
                        Err(TaskRefusal::Done)
                    } else if hold == Hold::Held {
                        Err(TaskRefusal::Held)
                    } else if is_led {
                        Err(TaskRefusal::BeingWritten)
                    } else {
                        Ok(())
                    };
                    assert_eq!(may_hold(status, hold, is_led), expected, "{status:?} {hold:?}");
                }
            }
        }
    }
}
