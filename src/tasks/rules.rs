//! Who may take a task: the one rule for every door.

use super::status::{Hold, Status};

/// Why a task can't be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its reply is there, or none is wanted any more.
    Done,
    /// Somebody holds it, and is not known to be gone.
    Held,
    /// The conversation or the run that leads the debate writes it just now.
    BeingWritten,
}

/// The rule: a task belongs to whoever holds it until that is provably gone. What leads the debate writes the reply that is next
/// unless somebody holds it already.
pub fn may_claim(status: Status, hold: Hold, is_next: bool, is_led: bool) -> Result<(), Refusal> {
    match (status, hold) {
        (Status::Done | Status::Skipped, _) => Err(Refusal::Done),
        (_, Hold::Held) => Err(Refusal::Held),
        (_, Hold::Free | Hold::Dead) if is_next && is_led => Err(Refusal::BeingWritten),
        (Status::Available | Status::Claimed | Status::InProgress | Status::Failed, Hold::Free | Hold::Dead) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_table_of_who_may_take_a_task() {
        for status in Status::ALL {
            for hold in [Hold::Free, Hold::Dead, Hold::Held] {
                for is_next in [false, true] {
                    for is_led in [false, true] {
                        let expected = if matches!(status, Status::Done | Status::Skipped) {
                            Err(Refusal::Done)
                        } else if hold == Hold::Held {
                            Err(Refusal::Held)
                        } else if is_next && is_led {
                            Err(Refusal::BeingWritten)
                        } else {
                            Ok(())
                        };
                        assert_eq!(may_claim(status, hold, is_next, is_led), expected, "{status:?} {hold:?}");
                    }
                }
            }
        }
    }
}
