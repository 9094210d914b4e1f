//! The one rule about who may take a task, for every door.

use super::status::{Hold, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has a reply, or the debate no longer wants one.
    Done,
    /// A worker holds it, and may still be alive.
    Held,
    /// The conversation or run that leads the debate is writing it.
    BeingWritten,
}

/// The rule: a task belongs to its holder until that process is known to be gone. `is_led`: the
/// leader of the debate writes this reply, unless another worker holds the task already.
pub fn may_hold(status: Status, hold: Hold, is_led: bool) -> Result<(), Refusal> {
    match (status, hold) {
        (Status::Done | Status::Skipped, _) => Err(Refusal::Done),
        (_, Hold::Held) => Err(Refusal::Held),
        (_, Hold::Free | Hold::Dead) if is_led => Err(Refusal::BeingWritten),
        (
            Status::Available | Status::Claimed | Status::InProgress | Status::Failed,
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
            Status::Available,
            Status::Claimed,
            Status::InProgress,
            Status::Done,
            Status::Failed,
            Status::Skipped,
        ];
        for status in all {
            for hold in [Hold::Free, Hold::Dead, Hold::Held] {
                for is_led in [false, true] {
                    let expected = if matches!(status, Status::Done | Status::Skipped) {
                        Err(Refusal::Done)
                    } else if hold == Hold::Held {
                        Err(Refusal::Held)
                    } else if is_led {
                        Err(Refusal::BeingWritten)
                    } else {
                        Ok(())
                    };
                    assert_eq!(may_hold(status, hold, is_led), expected, "{status:?} {hold:?}");
                }
            }
        }
    }
}
